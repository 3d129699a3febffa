package view

import "strings"

// infomaskFlags name the bits of t_infomask, and of t_infomask2 from 1<<16 on, in the order
// in which pageinspect lists them. Source: REL_18_1, src/include/access/htup_details.h.
var infomaskFlags = []struct {
	bit  uint32
	name string
}{
	{0x0001, "HASNULL"}, {0x0002, "HASVARWIDTH"}, {0x0004, "HASEXTERNAL"}, {0x0008, "HASOID_OLD"},
	{0x0010, "XMAX_KEYSHR_LOCK"}, {0x0020, "COMBOCID"}, {0x0040, "XMAX_EXCL_LOCK"}, {0x0080, "XMAX_LOCK_ONLY"},
	{0x0100, "XMIN_COMMITTED"}, {0x0200, "XMIN_INVALID"}, {0x0400, "XMAX_COMMITTED"}, {0x0800, "XMAX_INVALID"},
	{0x1000, "XMAX_IS_MULTI"}, {0x2000, "UPDATED"}, {0x4000, "MOVED_OFF"}, {0x8000, "MOVED_IN"},
	{0x2000 << 16, "KEYS_UPDATED"}, {0x4000 << 16, "HOT_UPDATED"}, {0x8000 << 16, "ONLY_TUPLE"},
}

// combinedFlags are names for several bits together.
var combinedFlags = []struct {
	bits uint32
	name string
}{{0x0050, "XMAX_SHR_LOCK"}, {0x0300, "XMIN_FROZEN"}, {0xC000, "MOVED"}}

// Flags names what the bits of a row version's header say, alone and together, as
// heap_tuple_infomask_flags does.
func (t *HeapTuple) Flags() (raw, combined []string) {
	bits := uint32(t.Infomask) | uint32(t.Infomask2)<<16
	for _, f := range infomaskFlags {
		if bits&f.bit != 0 {
			raw = append(raw, "HEAP_"+f.name)
		}
	}
	for _, f := range combinedFlags {
		if bits&f.bits == f.bits {
			combined = append(combined, "HEAP_"+f.name)
		}
	}
	return raw, combined
}

// FlagRows gives the columns of heap_tuple_infomask_flags for each row version, after its
// line pointer.
func (p *HeapPage) FlagRows() *Rows {
	r := newRows("lp int", "raw_flags", "combined_flags")
	for i := range p.Items {
		if t := p.Items[i].Tuple; t != nil {
			raw, combined := t.Flags()
			r.add(int(p.Items[i].LP), textArray(raw), textArray(combined))
		}
	}
	return r
}

// textArray is a text[] of simple words as PostgreSQL writes it.
func textArray(words []string) string { return "{" + strings.Join(words, ",") + "}" }
