package accessmethod

import "encoding/binary"

// The layout of jsonb. Source: REL_18_1, src/include/utils/jsonb.h (JsonbContainer,
// JEntry).
const (
	jsonbCount    = 0x0fffffff
	jsonbScalar   = 0x10000000
	jsonbObject   = 0x20000000
	entryLength   = 0x0fffffff
	entryType     = 0x70000000
	entryHasOff   = 0x80000000
	entryString   = 0x00000000
	entryNumeric  = 0x10000000
	entryFalse    = 0x20000000
	entryTrue     = 0x30000000
	entryNull     = 0x40000000
	entryNested   = 0x50000000
	longestString = 125 // a longer one is hashed (JGIN_MAXLENGTH)
	hashedString  = 8   // to so many digits
)

// The first bytes of jsonb_ops's keys (JGINFLAG_*).
const (
	flagKey = iota + 1
	flagNull
	flagBool
	flagNumber
	flagString
)

// children calls f for each child of a container: an object's keys come first.
func children(b []byte, f func(kind uint32, data []byte, key bool)) {
	le := binary.LittleEndian
	if len(b) < 4 {
		return
	}
	h := le.Uint32(b)
	count := int(h & jsonbCount)
	n := count
	if h&jsonbObject != 0 {
		n *= 2
	}
	n = min(n, (len(b)-4)/4)
	base, at := 4+4*n, 0
	for i := range n {
		w := le.Uint32(b[4+4*i:])
		end := int(w & entryLength)
		if w&entryHasOff == 0 {
			end += at
		}
		from, to := min(base+at, len(b)), min(base+end, len(b))
		at = end
		kind := w & entryType
		if kind == entryNumeric || kind == entryNested {
			from = min((from+3)&^3, len(b))
		}
		if from > to {
			from = to
		}
		f(kind, b[from:to], h&jsonbObject != 0 && i < count)
	}
}

// jsonb are the keys of jsonb_ops: each key, and each value (gin_extract_jsonb). A string
// in an array counts as a key.
func (e *extractor) jsonb(b []byte) {
	if len(b) < 4 {
		return
	}
	array := binary.LittleEndian.Uint32(b)&(jsonbObject|jsonbScalar) == 0
	children(b, func(kind uint32, data []byte, key bool) {
		switch kind {
		case entryString:
			flag := byte(flagString)
			if key || array {
				flag = flagKey
			}
			if len(data) > longestString {
				data = binary.BigEndian.AppendUint64(nil, digest(0, data))[:hashedString]
			}
			e.text(flag, data)
		case entryNumeric:
			// The number as numeric_out gives it: about as long as its digits.
			id := digest(uint64(e.column)<<8|flagNumber, data)
			e.add(id, uint64(flagNumber)<<56|id>>8, 2+max(1, 2*(len(data)-6)))
		case entryFalse, entryTrue:
			e.text(flagBool, []byte{map[bool]byte{true: 't', false: 'f'}[kind == entryTrue]})
		case entryNull:
			e.text(flagNull, nil)
		case entryNested:
			e.jsonb(data)
		}
	})
}

// paths are the keys of jsonb_path_ops: a hash of each value with the keys that lead to
// it (gin_extract_jsonb_path).
func (e *extractor) paths(b []byte, above uint64) {
	var keys []uint64
	i := 0
	children(b, func(kind uint32, data []byte, key bool) {
		own := digest(uint64(kind), data)
		if key {
			keys = append(keys, own)
			return
		}
		path := above
		if i < len(keys) {
			path = mix(above*31 + keys[i])
		}
		i++
		if kind == entryNested {
			e.paths(data, path)
			return
		}
		id := mix(path + own)
		e.add(id, id, 4)
	})
}
