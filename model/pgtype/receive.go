package pgtype

import (
	"errors"
	"fmt"

	"applysim/heap/datum"
)

var errShortMessage = errors.New("insufficient data left in message")

// reader takes a message in network byte order apart. Once it has run out it
// gives zeros and remembers.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.short = true
		r.b = nil
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) u8() uint8 {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.bytes(2); b != nil {
		return be.Uint16(b)
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.bytes(4); b != nil {
		return be.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.bytes(8); b != nil {
		return be.Uint64(b)
	}
	return 0
}

// rest takes all that is left.
func (r *reader) rest() []byte {
	b := r.b
	r.b = nil
	return b
}

func signExtend32(n uint32) uint64 { return uint64(int64(int32(n))) }

func (t *Type) receive(r *reader, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	var (
		v   datum.Value
		err error
	)
	switch t.Kind {
	case KindInt4:
		v.Bits = signExtend32(r.u32())
	case KindInt8, KindMoney, KindFloat8, KindLSN, KindXid8:
		v.Bits = r.u64()
	case KindInt2:
		v.Bits = uint64(int64(int16(r.u16())))
	case KindText, KindOpaque, KindXML:
		if t.ByVal {
			return v, scratch, fmt.Errorf("type %s is passed by value and its receive function is not known", t.Name)
		}
		v.Bytes = r.rest()
	case KindVarchar:
		v.Bytes, err = inputVarchar(r.rest(), typmod)
	case KindTimestamp, KindTimestampTZ:
		v.Bits, err = receiveTimestamp(int64(r.u64()), typmod)
	case KindDate:
		v.Bits, err = receiveDate(r.u32())
	case KindBool:
		if r.u8() != 0 {
			v.Bits = 1
		}
	case KindUUID:
		v.Bytes = r.bytes(16)
	case KindNumeric:
		return receiveNumeric(r, typmod, scratch)
	case KindJsonb, KindJsonpath:
		if version := r.u8(); version != 1 && !r.short {
			return v, scratch, fmt.Errorf("unsupported %s version number %d", t.Name, version)
		}
		if t.Kind == KindJsonb {
			return inputJsonb(r.rest(), scratch)
		}
		return inputJsonpath(r.rest(), scratch)
	case KindFloat4, KindOid:
		v.Bits = uint64(r.u32())
	case KindBpchar:
		return inputBpchar(r.rest(), typmod, scratch)
	case KindBytea:
		v.Bytes = r.rest()
	case KindJSON:
		v.Bytes = r.rest()
		err = checkJSON(v.Bytes)
	case KindEnum:
		v.Bits, err = t.inputEnum(r.rest())
	case KindArray:
		return t.receiveArray(r, typmod, scratch)
	case KindDomain:
		return t.receiveDomain(r, scratch)
	case KindRange:
		return t.receiveRange(r, scratch)
	case KindMultirange:
		return t.receiveMultirange(r, scratch)
	case KindComposite:
		return t.receiveRecord(r, scratch)
	case KindTime:
		v.Bits, err = receiveTime(int64(r.u64()), typmod)
	case KindTimeTZ:
		return receiveTimeTZ(r, typmod, scratch)
	case KindInterval:
		return receiveInterval(r, typmod, scratch)
	case KindChar:
		v.Bits = uint64(r.u8())
	case KindName:
		b := r.rest()
		if len(b) >= nameLen {
			return v, scratch, errors.New("identifier too long")
		}
		v.Bytes, scratch = inputName(b, scratch)
	case KindTID:
		block, offset := r.u32(), r.u16()
		v.Bytes, scratch = appendTID(scratch, block, offset)
	case KindBit, KindVarbit:
		return receiveBit(r, typmod, t.Kind == KindVarbit, scratch)
	case KindInet, KindCidr:
		return receiveInet(r, t.Kind == KindCidr, scratch)
	case KindMacaddr:
		v.Bytes = r.bytes(6)
	case KindMacaddr8:
		return receiveMacaddr8(r, scratch)
	case KindPoint, KindLine, KindLseg, KindBox, KindPath, KindPolygon, KindCircle:
		return t.receiveGeometry(r, scratch)
	case KindSnapshot:
		return t.receiveSnapshot(r, scratch)
	case KindInt2Vector, KindOidVector:
		return t.receiveVector(r, scratch)
	case KindTSVector:
		return receiveTSVector(r, scratch)
	case KindTSQuery:
		return receiveTSQuery(r, scratch)
	default:
		err = fmt.Errorf("type %s has no receive function", t.Name)
	}
	return v, scratch, err
}
