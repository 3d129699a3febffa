package expr

import "applysim/heap/datum"

// numNulls is num_nulls, or num_nonnulls, of arguments given one by one.
func numNulls(null bool) func(*callee) evalFunc {
	return func(call *callee) evalFunc {
		if call.variadic {
			return nil
		}
		return evalCall(call.args, false, func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			n := uint64(0)
			for i := range a {
				if a[i].Null == null {
					n++
				}
			}
			return datum.Value{Bits: n}, nil
		})
	}
}

// The flags in the last byte of a range.
// Source: REL_18_1, src/include/utils/rangetypes.h.
const (
	rangeEmpty   = 0x01
	rangeLowInc  = 0x02
	rangeHighInc = 0x04
	rangeLowInf  = 0x08
	rangeHighInf = 0x10
)

// rangeFlag says whether a range has a flag; an empty one has no bounds.
func rangeFlag(flag byte) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		b := a[0].Bytes
		f := b[len(b)-1]
		return boolean(f&flag != 0 && (flag == rangeEmpty || f&rangeEmpty == 0)), nil
	}
}

var _ = registerSpecial(map[string]func(*callee) evalFunc{
	"pg_num_nulls": numNulls(true), "pg_num_nonnulls": numNulls(false),
})

var _ = register(map[string]impl{
	"range_empty": rangeFlag(rangeEmpty), "range_lower_inc": rangeFlag(rangeLowInc), "range_upper_inc": rangeFlag(rangeHighInc),
	"range_lower_inf": rangeFlag(rangeLowInf), "range_upper_inf": rangeFlag(rangeHighInf),
})
