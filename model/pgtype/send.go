package pgtype

// After the send functions of src/backend/utils/adt: the binary form of a value, in
// network byte order. It is the inverse of receive.go.

import (
	"encoding/binary"

	"applysim/heap/datum"
	"applysim/index/opclass"
)

// Send is the type's send function: it appends the binary form of a value that is
// not NULL. It returns false, and dst as it was, for a type without one here (an
// unknown type, jsonpath) and for a damaged value.
func (t *Type) Send(dst []byte, v datum.Value) ([]byte, bool) {
	if r, ok := t.send(dst, v); ok {
		return r, true
	}
	return dst, false
}

// SendSize is the length of the binary form where that is the same for all values of
// the type, else -1.
func (t *Type) SendSize() int {
	switch t.Kind {
	case KindBool, KindChar:
		return 1
	case KindInt2:
		return 2
	case KindInt4, KindOid, KindFloat4, KindDate:
		return 4
	case KindInt8, KindMoney, KindFloat8, KindLSN, KindXid8, KindTimestamp, KindTimestampTZ, KindTime, KindMacaddr8:
		return 8
	case KindTimeTZ:
		return 12
	case KindInterval, KindUUID:
		return 16
	case KindTID, KindMacaddr:
		return 6
	case KindPoint, KindLine, KindLseg, KindBox, KindCircle:
		return int(t.Len)
	case KindDomain:
		return t.Elem.SendSize()
	}
	return -1
}

func (t *Type) send(b []byte, v datum.Value) ([]byte, bool) {
	if t.Len > 0 && !t.ByVal && len(v.Bytes) < int(t.Len) && t.Kind != KindName {
		return nil, false
	}
	switch t.Kind {
	case KindBool, KindChar:
		return append(b, byte(v.Bits)), true
	case KindInt2:
		return be.AppendUint16(b, uint16(v.Bits)), true
	case KindInt4, KindOid, KindFloat4, KindDate:
		return be.AppendUint32(b, uint32(v.Bits)), true
	case KindInt8, KindMoney, KindFloat8, KindLSN, KindXid8, KindTimestamp, KindTimestampTZ, KindTime:
		return be.AppendUint64(b, v.Bits), true
	case KindText, KindXML, KindVarchar, KindBpchar, KindBytea, KindJSON:
		if t.ByVal {
			return nil, false
		}
		return append(b, v.Bytes...), true
	case KindName, KindEnum:
		return t.appendText(b, v), true
	case KindUUID, KindMacaddr, KindMacaddr8:
		return append(b, v.Bytes...), true
	case KindNumeric:
		return sendNumeric(b, v.Bytes)
	case KindJsonb:
		return appendJsonb(append(b, 1), v.Bytes, 0), true
	case KindTimeTZ:
		return swap(b, v.Bytes, 8, 4)
	case KindInterval:
		return swap(b, v.Bytes, 8, 4, 4)
	case KindTID:
		block := uint32(le.Uint16(v.Bytes))<<16 | uint32(le.Uint16(v.Bytes[2:]))
		return be.AppendUint16(be.AppendUint32(b, block), le.Uint16(v.Bytes[4:])), true
	case KindBit, KindVarbit:
		if len(v.Bytes) < 4 {
			return nil, false
		}
		return append(be.AppendUint32(b, le.Uint32(v.Bytes)), v.Bytes[4:]...), true
	case KindInet, KindCidr:
		if len(v.Bytes) < 2 {
			return nil, false
		}
		b = append(b, v.Bytes[0], v.Bytes[1], byte(btoi(t.Kind == KindCidr)), byte(len(v.Bytes)-2))
		return append(b, v.Bytes[2:]...), true
	case KindPoint, KindLine, KindLseg, KindBox, KindCircle:
		return swapAll(b, v.Bytes)
	case KindPath:
		if len(v.Bytes) < 12 {
			return nil, false
		}
		b = be.AppendUint32(append(b, byte(le.Uint32(v.Bytes[4:]))), le.Uint32(v.Bytes))
		return swapAll(b, v.Bytes[12:])
	case KindPolygon:
		if len(v.Bytes) < 36 {
			return nil, false
		}
		return swapAll(be.AppendUint32(b, le.Uint32(v.Bytes)), v.Bytes[36:])
	case KindSnapshot:
		if len(v.Bytes) < 20 {
			return nil, false
		}
		return swapAll(be.AppendUint32(b, le.Uint32(v.Bytes)), v.Bytes[4:])
	case KindInt2Vector, KindOidVector:
		return t.vectorElem().array.sendArray(b, v.Bytes)
	case KindArray:
		return t.sendArray(b, v.Bytes)
	case KindRange:
		lower, upper, empty, ok := opclass.DecodeRange(v.Bytes, t.Elem.Attr())
		if !ok {
			return nil, false
		}
		return t.sendRange(b, &bounds{lower, upper, empty})
	case KindMultirange:
		return t.sendMultirange(b, v.Bytes)
	case KindComposite:
		return t.sendRecord(b, v.Bytes)
	case KindTSVector:
		return sendTSVector(b, v.Bytes)
	case KindTSQuery:
		return sendTSQuery(b, v.Bytes)
	case KindDomain:
		return t.Elem.send(b, v)
	}
	return nil, false
}

// swap appends fields of the given sizes in the other byte order.
func swap(b, v []byte, sizes ...int) ([]byte, bool) {
	for _, n := range sizes {
		if len(v) < n {
			return nil, false
		}
		if n == 8 {
			b = be.AppendUint64(b, le.Uint64(v))
		} else {
			b = be.AppendUint32(b, le.Uint32(v))
		}
		v = v[n:]
	}
	return b, true
}

// swapAll appends 8-byte fields in the other byte order.
func swapAll(b, v []byte) ([]byte, bool) {
	if len(v)%8 != 0 {
		return nil, false
	}
	for ; len(v) > 0; v = v[8:] {
		b = be.AppendUint64(b, le.Uint64(v))
	}
	return b, true
}

// item appends a value with its length before it.
func (t *Type) sendItem(b []byte, v datum.Value) ([]byte, bool) {
	at := len(b)
	b, ok := t.send(append(b, 0, 0, 0, 0), v)
	if ok {
		binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	}
	return b, ok
}

// noValue is the length that stands for NULL.
const noValue = 0xFFFFFFFF

func sendNumeric(b, v []byte) ([]byte, bool) {
	if len(v) < 2 {
		return nil, false
	}
	h := le.Uint16(v)
	sign, scale, weight := uint16(0), uint16(0), int16(0)
	switch {
	case h&numericNaN == numericNaN:
		// A special value is read like a short one: the infinities have a scale then.
		sign, scale, v = h, h>>7&0x3F, nil
	case h&numericShort != 0:
		if h&0x2000 != 0 {
			sign = numericNeg
		}
		scale, weight, v = h>>7&0x3F, int16(int8(h<<1))>>1, v[2:]
	case len(v) < 4:
		return nil, false
	default:
		sign, scale, weight, v = h&numericNeg, h&scaleMask, int16(le.Uint16(v[2:])), v[4:]
	}
	b = be.AppendUint16(b, uint16(len(v)/2))
	b = be.AppendUint16(b, uint16(weight))
	b = be.AppendUint16(b, sign)
	b = be.AppendUint16(b, scale)
	for ; len(v) >= 2; v = v[2:] {
		b = be.AppendUint16(b, le.Uint16(v))
	}
	return b, true
}

func (t *Type) sendArray(b, v []byte) ([]byte, bool) {
	h, ok := opclass.DecodeArray(v)
	if !ok {
		return nil, false
	}
	nulls := false
	for i := range h.Items {
		nulls = nulls || h.Null(i)
	}
	b = be.AppendUint32(b, uint32(len(h.Dims)))
	b = be.AppendUint32(b, uint32(btoi(nulls)))
	b = be.AppendUint32(b, t.Elem.OID)
	for i := range h.Dims {
		b = be.AppendUint32(b, uint32(h.Dims[i]))
		b = be.AppendUint32(b, uint32(h.Lower[i]))
	}
	at, attr := h.Data, t.Elem.Attr()
	for i := range h.Items {
		if h.Null(i) {
			b = be.AppendUint32(b, noValue)
			continue
		}
		var e datum.Value
		if e, at, ok = opclass.Fetch(v, -4, at, attr, false); !ok {
			return nil, false
		}
		if b, ok = t.Elem.sendItem(b, e); !ok {
			return nil, false
		}
	}
	return b, true
}

// The flags of a range. Source: REL_18_1, src/include/utils/rangetypes.h.
const (
	rangeEmpty          = 0x01
	rangeLowerInclusive = 0x02
	rangeUpperInclusive = 0x04
	rangeLowerInfinite  = 0x08
	rangeUpperInfinite  = 0x10
)

func (t *Type) sendRange(b []byte, r *bounds) ([]byte, bool) {
	if r.empty {
		return append(b, rangeEmpty), true
	}
	flags := byte(0)
	for _, f := range []struct {
		set bool
		bit byte
	}{
		{r.lower.Inclusive, rangeLowerInclusive}, {r.upper.Inclusive, rangeUpperInclusive},
		{r.lower.Infinite, rangeLowerInfinite}, {r.upper.Infinite, rangeUpperInfinite},
	} {
		if f.set {
			flags |= f.bit
		}
	}
	b = append(b, flags)
	for _, end := range []opclass.Bound{r.lower, r.upper} {
		if end.Infinite {
			continue
		}
		var ok bool
		if b, ok = t.Elem.sendItem(b, end.Value); !ok {
			return nil, false
		}
	}
	return b, true
}

func (t *Type) sendMultirange(b, v []byte) ([]byte, bool) {
	r, ok := opclass.OpenMultirange(v, t.Elem.Elem.Attr())
	if !ok {
		return nil, false
	}
	b = be.AppendUint32(b, uint32(r.Count))
	for range r.Count {
		lower, upper, ok := r.Next()
		if !ok {
			return nil, false
		}
		at := len(b)
		if b, ok = t.Elem.sendRange(append(b, 0, 0, 0, 0), &bounds{lower: lower, upper: upper}); !ok {
			return nil, false
		}
		be.PutUint32(b[at:], uint32(len(b)-at-4))
	}
	return b, true
}

func (t *Type) sendRecord(b, v []byte) ([]byte, bool) {
	if len(v) < 19+(len(t.Fields)+7)/8 {
		return nil, false
	}
	at := int(v[18]) - 4
	natts := int(le.Uint16(v[14:]) & 0x07FF)
	nulls := le.Uint16(v[16:])&heapHasNull != 0
	b = be.AppendUint32(b, uint32(len(t.Fields)))
	for i, f := range t.Fields {
		b = be.AppendUint32(b, f.Type.OID)
		if i >= natts || nulls && v[19+i/8]&(1<<(i%8)) == 0 {
			b = be.AppendUint32(b, noValue)
			continue
		}
		var (
			e  datum.Value
			ok bool
		)
		if e, at, ok = opclass.Fetch(v, -4, at, f.Type.Attr(), true); !ok {
			return nil, false
		}
		if b, ok = f.Type.sendItem(b, e); !ok {
			return nil, false
		}
	}
	return b, true
}

func sendTSVector(b, v []byte) ([]byte, bool) {
	if len(v) < 4 {
		return nil, false
	}
	n := int(le.Uint32(v))
	if n < 0 || 4+4*n > len(v) {
		return nil, false
	}
	text := v[4+4*n:]
	b = be.AppendUint32(b, uint32(n))
	for i := range n {
		e := le.Uint32(v[4+4*i:])
		from, to := int(e>>12), int(e>>12)+int(e>>1&0x7FF)
		if to > len(text) {
			return nil, false
		}
		b = append(append(b, text[from:to]...), 0)
		at := (to + 1) &^ 1
		if e&1 == 0 {
			b = be.AppendUint16(b, 0)
			continue
		}
		if at+2 > len(text) || at+2+2*int(le.Uint16(text[at:])) > len(text) {
			return nil, false
		}
		for end := at + 2 + 2*int(le.Uint16(text[at:])); at < end; at += 2 {
			b = be.AppendUint16(b, le.Uint16(text[at:]))
		}
	}
	return b, true
}

func sendTSQuery(b, v []byte) ([]byte, bool) {
	const item = 12
	if len(v) < 4 {
		return nil, false
	}
	n := int(le.Uint32(v))
	if n < 0 || n > len(v)/item || 4+item*n > len(v) {
		return nil, false
	}
	texts := v[4+item*n:]
	b = be.AppendUint32(b, uint32(n))
	for i := range n {
		q := v[4+item*i:][:item]
		if q[0] == 2 {
			b = append(b, 2, q[1])
			if q[1] == opPhrase {
				b = be.AppendUint16(b, le.Uint16(q[2:]))
			}
			continue
		}
		at := le.Uint32(q[8:])
		from, to := int(at>>12), int(at>>12)+int(at&0xFFF)
		if to > len(texts) {
			return nil, false
		}
		b = append(b, 1, q[1], q[2])
		b = append(append(b, texts[from:to]...), 0)
	}
	return b, true
}
