package pgtype

import (
	"encoding/binary"
	"fmt"

	"applysim/heap/datum"
)

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// Input is the type's text input function: it gives the value as a tuple
// stores it. typmod is the column's modifier (-1: none). The value's Bytes
// alias text where the payload is the text itself; otherwise they are appended
// to scratch, which is returned grown. What scratch held before stays valid.
//
// The text is what a server sends to an apply worker: DateStyle ISO,
// IntervalStyle postgres, extra_float_digits 3, any time zone.
func (t *Type) Input(text []byte, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	var (
		v   datum.Value
		err error
	)
	switch t.Kind {
	case KindInt4:
		v.Bits, err = inputInt4(text)
	case KindInt8:
		v.Bits, err = inputInt8(text)
	case KindInt2:
		v.Bits, err = inputInt2(text)
	case KindText, KindOpaque, KindXML:
		if t.ByVal {
			return v, scratch, fmt.Errorf("type %s is passed by value and its input function is not known", t.Name)
		}
		v.Bytes = text
	case KindVarchar:
		v.Bytes, err = inputVarchar(text, typmod)
	case KindTimestampTZ:
		v.Bits, err = inputTimestamp(text, typmod, true)
	case KindTimestamp:
		v.Bits, err = inputTimestamp(text, typmod, false)
	case KindDate:
		v.Bits, err = inputDate(text)
	case KindBool:
		v.Bits, err = inputBool(text)
	case KindUUID:
		return inputUUID(text, scratch)
	case KindNumeric:
		return inputNumeric(text, typmod, scratch)
	case KindJsonb:
		return inputJsonb(text, scratch)
	case KindFloat8:
		v.Bits, err = inputFloat8(text)
	case KindFloat4:
		v.Bits, err = inputFloat4(text)
	case KindBpchar:
		return inputBpchar(text, typmod, scratch)
	case KindBytea:
		return inputBytea(text, scratch)
	case KindJSON:
		v.Bytes, err = text, checkJSON(text)
	case KindEnum:
		v.Bits, err = t.inputEnum(text)
	case KindArray:
		return t.inputArray(text, typmod, scratch)
	case KindDomain:
		return t.inputDomain(text, scratch)
	case KindRange:
		return t.inputRange(text, scratch)
	case KindMultirange:
		return t.inputMultirange(text, scratch)
	case KindComposite:
		return t.inputRecord(text, scratch)
	case KindTime:
		v.Bits, err = inputTime(text, typmod)
	case KindTimeTZ:
		return inputTimeTZ(text, typmod, scratch)
	case KindInterval:
		return inputInterval(text, typmod, scratch)
	case KindChar:
		v.Bits = inputChar(text)
	case KindName:
		v.Bytes, scratch = inputName(text, scratch)
	case KindOid:
		v.Bits, err = t.inputOid(text)
	case KindXid8:
		v.Bits, err = inputXid8(text)
	case KindLSN:
		v.Bits, err = inputLSN(text)
	case KindTID:
		return inputTID(text, scratch)
	case KindMoney:
		v.Bits, err = inputMoney(text)
	case KindBit, KindVarbit:
		return inputBit(text, typmod, t.Kind == KindVarbit, scratch)
	case KindInet, KindCidr:
		return inputInet(text, t.Kind == KindCidr, scratch)
	case KindMacaddr:
		return inputMacaddr(text, scratch)
	case KindMacaddr8:
		return inputMacaddr8(text, scratch)
	case KindPoint, KindLine, KindLseg, KindBox, KindPath, KindPolygon, KindCircle:
		return t.inputGeometry(text, scratch)
	case KindSnapshot:
		return t.inputSnapshot(text, scratch)
	case KindInt2Vector, KindOidVector:
		return t.inputVector(text, scratch)
	case KindTSVector:
		return inputTSVector(text, scratch)
	case KindTSQuery:
		return inputTSQuery(text, scratch)
	case KindJsonpath:
		return inputJsonpath(text, scratch)
	default:
		err = fmt.Errorf("type %s has no input function", t.Name)
	}
	return v, scratch, err
}

// InputBits is Input for the types passed by value that are common in tables:
// it returns the value's Bits alone, in half the time. ok is false for other
// types.
func (t *Type) InputBits(text []byte, typmod int32) (bits uint64, ok bool, err error) {
	switch t.Kind {
	case KindInt4:
		bits, err = inputInt4(text)
	case KindInt8:
		bits, err = inputInt8(text)
	case KindInt2:
		bits, err = inputInt2(text)
	case KindTimestampTZ:
		bits, err = inputTimestamp(text, typmod, true)
	case KindTimestamp:
		bits, err = inputTimestamp(text, typmod, false)
	case KindDate:
		bits, err = inputDate(text)
	case KindBool:
		bits, err = inputBool(text)
	case KindFloat8:
		bits, err = inputFloat8(text)
	case KindFloat4:
		bits, err = inputFloat4(text)
	default:
		return 0, false, nil
	}
	return bits, true, err
}

// HasBits says whether InputBits reads the type.
func (t *Type) HasBits() bool {
	switch t.Kind {
	case KindInt4, KindInt8, KindInt2, KindTimestampTZ, KindTimestamp, KindDate, KindBool, KindFloat8, KindFloat4:
		return true
	}
	return false
}

// AsIs says whether the input function takes the text as it is.
func (t *Type) AsIs() bool { return t.Kind == KindText && !t.ByVal }

// Receive is the type's binary receive function, for what its send function
// gives (subscription option binary = true). See Input for the arguments.
func (t *Type) Receive(bin []byte, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	r := reader{b: bin}
	v, scratch, err := t.receive(&r, typmod, scratch)
	if err == nil && r.short {
		err = errShortMessage
	}
	if err == nil && len(r.b) > 0 {
		err = fmt.Errorf("incorrect binary data format")
	}
	return v, scratch, err
}

// DetailedError is an error of PostgreSQL's that has a detail (errdetail).
type DetailedError struct{ Text, Details string }

func (e *DetailedError) Error() string { return e.Text }

// Detail is the error's detail.
func (e *DetailedError) Detail() string { return e.Details }

func badSyntax(typeName string, text []byte) error {
	return fmt.Errorf("invalid input syntax for type %s: \"%s\"", typeName, text)
}

func outOfRange(typeName string, text []byte) error {
	return fmt.Errorf("value \"%s\" is out of range for type %s", text, typeName)
}

// isSpace is C's isspace in the C locale.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isDigit(c byte) bool { return c-'0' < 10 }

func trimSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// fold compares b with a word in lower case, ignoring the case of b.
func fold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i := range len(b) {
		c := b[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

func foldPrefix(b []byte, word string) bool { return len(b) >= len(word) && fold(b[:len(word)], word) }

func hexValue(c byte) (byte, bool) {
	switch {
	case c-'0' < 10:
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
