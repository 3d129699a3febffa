package scenario

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"applysim/model/pgtype"
	"applysim/model/stream"
)

// writer says how values of a type are written.
type writer uint8

const (
	writeNumber writer = iota
	writeDecimal
	writeText
	writeBytea
	writeJSON
	writeUUID
	writeTimestamp
	writeDate
	writeClock
	writeInterval
	writeInet
	writeMac
	writeLSN
	writeBits
	writeBool
	writePoint
	writeArray
	writeSample
)

func isNumber(k pgtype.Kind) bool {
	switch k {
	case pgtype.KindInt2, pgtype.KindInt4, pgtype.KindInt8, pgtype.KindOid, pgtype.KindXid8, pgtype.KindNumeric, pgtype.KindMoney, pgtype.KindFloat4, pgtype.KindFloat8:
		return true
	}
	return false
}

func isTime(k pgtype.Kind) bool {
	switch k {
	case pgtype.KindDate, pgtype.KindTime, pgtype.KindTimestamp, pgtype.KindTimestampTZ:
		return true
	}
	return false
}

// hasWidth says whether values of a type are as long as one likes.
func hasWidth(k pgtype.Kind) bool {
	switch k {
	case pgtype.KindText, pgtype.KindVarchar, pgtype.KindBpchar, pgtype.KindName, pgtype.KindBytea, pgtype.KindJSON, pgtype.KindJsonb, pgtype.KindOpaque, pgtype.KindXML:
		return true
	}
	return false
}

// elementWidth is how long the elements of arrays are unless the file says so.
const elementWidth = 8

// writable says whether values of a type can be made up.
func writable(k pgtype.Kind) bool {
	_, ok := writers[k]
	return ok || k == pgtype.KindArray || samples[k]
}

var writers = map[pgtype.Kind]writer{
	pgtype.KindInt2: writeNumber, pgtype.KindInt4: writeNumber, pgtype.KindInt8: writeNumber, pgtype.KindOid: writeNumber, pgtype.KindXid8: writeNumber,
	pgtype.KindNumeric: writeDecimal, pgtype.KindMoney: writeDecimal, pgtype.KindFloat4: writeDecimal, pgtype.KindFloat8: writeDecimal,
	pgtype.KindText: writeText, pgtype.KindVarchar: writeText, pgtype.KindBpchar: writeText, pgtype.KindName: writeText, pgtype.KindChar: writeText,
	pgtype.KindBytea: writeBytea, pgtype.KindJSON: writeJSON, pgtype.KindJsonb: writeJSON, pgtype.KindUUID: writeUUID,
	pgtype.KindTimestamp: writeTimestamp, pgtype.KindTimestampTZ: writeTimestamp, pgtype.KindDate: writeDate, pgtype.KindTime: writeClock,
	pgtype.KindInterval: writeInterval, pgtype.KindInet: writeInet, pgtype.KindCidr: writeInet, pgtype.KindMacaddr: writeMac, pgtype.KindLSN: writeLSN,
	pgtype.KindBit: writeBits, pgtype.KindVarbit: writeBits, pgtype.KindBool: writeBool, pgtype.KindPoint: writePoint,
}

// binaryKinds are the types whose values are made up in binary format as they are; those of
// others go through text.
var binaryKinds = map[pgtype.Kind]int{
	pgtype.KindInt2: 2, pgtype.KindInt4: 4, pgtype.KindInt8: 8, pgtype.KindOid: 4, pgtype.KindXid8: 8, pgtype.KindBool: 1, pgtype.KindUUID: 16,
	pgtype.KindText: -1, pgtype.KindVarchar: -1, pgtype.KindBpchar: -1, pgtype.KindName: -1, pgtype.KindChar: -1, pgtype.KindBytea: -1, pgtype.KindJSON: -1, pgtype.KindJsonb: -1,
	pgtype.KindEnum: -1, pgtype.KindTimestamp: 8, pgtype.KindTimestampTZ: 8, pgtype.KindDate: 4, pgtype.KindFloat4: 4, pgtype.KindFloat8: 8,
}

// writer finds out how the column's values are written.
func (x *column) writer(binary bool) (writer, error) {
	k := x.typ.Kind
	if binary {
		if _, ok := binaryKinds[k]; !ok {
			x.binary, x.send = false, true
		}
	}
	w, ok := writers[k]
	if samples[k] {
		w, ok = writeSample, true
	}
	if k == pgtype.KindArray {
		if w, ok = writers[x.typ.Elem.Base().Kind]; !ok && !samples[x.typ.Elem.Base().Kind] && x.Kind != Choice {
			return 0, fmt.Errorf("for type %s no values can be made up: expected values = [...]", x.typ)
		}
		w = writeArray
		if hasWidth(x.typ.Elem.Base().Kind) && x.MaxWidth == 0 {
			x.MinWidth, x.MaxWidth = elementWidth, elementWidth
		}
	} else if !ok && x.Kind != Choice {
		return 0, fmt.Errorf("for type %s no values can be made up: expected values = [...]", x.typ)
	}
	if n := x.limit(); n > 0 {
		x.MinWidth, x.MaxWidth = min(x.MinWidth, n), min(x.MaxWidth, n)
	}
	if n := numberLimit(k); x.Distinct > 0 && n > 0 && x.Distinct > n {
		x.Distinct = n
	}
	return w, nil
}

// limit is the greatest number of characters that a type takes, 0 for any.
func (x *column) limit() int {
	switch x.typ.Kind {
	case pgtype.KindVarchar, pgtype.KindBpchar:
		if x.typmod >= 4 {
			return int(x.typmod) - 4
		}
		if x.typ.Kind == pgtype.KindBpchar {
			return 1
		}
	case pgtype.KindName:
		return 63
	case pgtype.KindChar:
		return 1
	}
	return 0
}

func numberLimit(k pgtype.Kind) int64 {
	switch k {
	case pgtype.KindInt2:
		return math.MaxInt16
	case pgtype.KindInt4:
		return math.MaxInt32
	}
	return 0
}

// canonical is a value as the publisher's output function writes it: 1.50 for 1.5 in a
// numeric(8,2), with blanks in a char(10).
func (x *column) canonical(v string) string {
	value, _, err := x.typ.Input([]byte(v), x.typmod, nil)
	if err != nil || value.Null {
		return v
	}
	value.Bytes = slices.Clone(value.Bytes)
	text := x.typ.Text(value)
	again, _, err := x.typ.Input([]byte(text), x.typmod, nil)
	if err != nil || again.Bits != value.Bits || string(again.Bytes) != string(value.Bytes) {
		return v // a type whose output is not known
	}
	return text
}

// encodeText is a given value as the stream carries it.
func (x *column) encodeText(v string) []byte {
	if !x.binary {
		return []byte(v)
	}
	value, _, err := x.typ.Input([]byte(v), x.typmod, nil)
	if err != nil {
		return nil // it was tried before
	}
	switch x.typ.Kind {
	case pgtype.KindJsonb:
		return append([]byte{1}, v...)
	case pgtype.KindEnum, pgtype.KindText, pgtype.KindVarchar, pgtype.KindBpchar, pgtype.KindName, pgtype.KindChar, pgtype.KindJSON:
		return []byte(v)
	case pgtype.KindBytea, pgtype.KindUUID:
		return append([]byte(nil), value.Bytes...)
	}
	return appendBits(nil, value.Bits, binaryKinds[x.typ.Kind])
}

func appendBits(dst []byte, v uint64, width int) []byte {
	switch width {
	case 1:
		return append(dst, byte(v))
	case 2:
		return binary.BigEndian.AppendUint16(dst, uint16(v))
	case 4:
		return binary.BigEndian.AppendUint32(dst, uint32(v))
	}
	return binary.BigEndian.AppendUint64(dst, v)
}

// sent is a value's text as the publisher's send function has it.
func (x *column) sent(dst, text []byte) ([]byte, error) {
	v, _, err := x.typ.Input(text, x.typmod, nil)
	if err != nil {
		return dst, err
	}
	dst, ok := x.typ.Send(dst, v)
	if !ok {
		return dst, fmt.Errorf("type %s has no binary format here: expected binary = false, or another type", x.typ)
	}
	return dst, nil
}

// appendValue appends the value number v. at is the time of a Time or UUIDv7, in
// microseconds of PostgreSQL's epoch; row is the row's number.
func (x *column) appendValue(dst []byte, v uint64, at int64, row int64) []byte {
	if x.Kind == Choice {
		return append(dst, x.texts[v]...)
	}
	switch x.write {
	case writeNumber:
		n := x.number(v)
		if x.binary {
			return appendBits(dst, uint64(n), binaryKinds[x.typ.Kind])
		}
		if x.typ.Kind == pgtype.KindOid || x.typ.Kind == pgtype.KindXid8 {
			return strconv.AppendUint(dst, uint64(n), 10)
		}
		return strconv.AppendInt(dst, n, 10)
	case writeDecimal:
		return x.appendDecimal(dst, x.number(v))
	case writeText:
		from := len(dst)
		dst = x.appendTextValue(dst, v, at, row)
		if x.typ.Kind == pgtype.KindBpchar { // sent as it is stored, with its blanks
			for n := len(dst) - from; n < int(x.typmod)-4; n++ {
				dst = append(dst, ' ')
			}
		}
		return dst
	case writeBytea:
		n := x.width(v)
		if x.binary {
			return appendHex(dst, x.salt^saltText, v, n)
		}
		return appendHex(append(dst, '\\', 'x'), x.salt^saltText, v, 2*n)
	case writeJSON:
		if x.binary && x.typ.Kind == pgtype.KindJsonb {
			dst = append(dst, 1)
		}
		start := len(dst)
		dst = append(dst, `{"n": `...)
		dst = strconv.AppendUint(dst, v%1_000_000_007, 10)
		dst = append(dst, `, "data": "`...)
		const end = `"}`
		dst = appendHex(dst, x.salt^saltText, v, max(x.width(v)-(len(dst)-start)-len(end), 0))
		return append(dst, end...)
	case writeUUID:
		u := x.uuid(v, at, row)
		if x.binary {
			return append(dst, u[:]...)
		}
		return appendUUID(dst, u)
	case writeTimestamp:
		t := at
		if x.Kind != Time {
			t = DefaultStart + int64(x.number(v))*1_000_000
		}
		if x.binary {
			return binary.BigEndian.AppendUint64(dst, uint64(t))
		}
		dst = x.appendTimestamp(dst, t)
		if x.typ.Kind == pgtype.KindTimestampTZ {
			dst = append(dst, "+00"...)
		}
		return dst
	case writeDate:
		day := floorDiv(at, dayMicroseconds)
		if x.Kind != Time {
			day = DefaultStart/dayMicroseconds + x.number(v)%1_000_000
		}
		if x.binary {
			return binary.BigEndian.AppendUint32(dst, uint32(int32(day)))
		}
		return appendDate(dst, day)
	case writeClock:
		t := at
		if x.Kind != Time {
			t = x.number(v) % 86400 * 1_000_000
		}
		return appendClock(dst, t-floorDiv(t, dayMicroseconds)*dayMicroseconds)
	case writeInterval:
		return append(strconv.AppendInt(dst, x.number(v)%1_000_000, 10), " seconds"...)
	case writeInet:
		h := uint32(v)
		return fmt.Appendf(dst, "10.%d.%d.%d", h>>16&255, h>>8&255, h&255)
	case writeMac:
		h := uint32(v)
		return fmt.Appendf(dst, "08:00:2b:%02x:%02x:%02x", h>>16&255, h>>8&255, h&255)
	case writeLSN:
		return fmt.Appendf(dst, "%X/%X", uint32(v>>32)&0xffff, uint32(v))
	case writeBits:
		n := max(int(x.typmod), 1)
		for i := range n {
			dst = append(dst, '0'+byte(mix(v+uint64(i/64))>>(i%64)&1))
		}
		return dst
	case writeBool:
		if x.binary {
			return append(dst, byte(v&1))
		}
		return append(dst, "ft"[v&1])
	case writeSample:
		return x.appendSample(dst, v, at, row)
	case writePoint:
		return fmt.Appendf(dst, "(%d,%d)", v%10_000, v/10_000%10_000)
	case writeArray:
		elem := *x
		elem.typ = x.typ.Elem.Base()
		var plain bool
		if elem.write, plain = writers[elem.typ.Kind]; !plain {
			elem.write = writeSample
		}
		dst = append(dst, '{')
		for i := range 1 + v%3 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendElement(dst, elem.appendValue(nil, v+uint64(i), at, row))
		}
		return append(dst, '}')
	}
	panic("no way to write the type")
}

// appendElement appends an element of an array as array_out does: in quotes only if it
// needs them.
func appendElement(dst, e []byte) []byte {
	if len(e) > 0 && !bytes.ContainsAny(e, "{},\"\\ \t\n") && !bytes.EqualFold(e, []byte("null")) {
		return append(dst, e...)
	}
	dst = append(dst, '"')
	for _, b := range e {
		if b == '"' || b == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, b)
	}
	return append(dst, '"')
}

// number is the number that value v stands for.
func (x *column) number(v uint64) int64 {
	switch {
	case x.Kind == Monotone || x.Kind == Correlated:
		return x.First + int64(v)*x.Step
	case x.Distinct > 0:
		return x.First + int64(v)
	}
	if n := numberLimit(x.typ.Kind); n > 0 {
		return int64(scale(v, uint64(n)))
	}
	switch x.typ.Kind {
	case pgtype.KindNumeric, pgtype.KindMoney, pgtype.KindFloat4, pgtype.KindFloat8:
		return int64(scale(v, 1_000_000_000))
	case pgtype.KindOid:
		return int64(uint32(v))
	case pgtype.KindTimestamp, pgtype.KindTimestampTZ, pgtype.KindInterval, pgtype.KindTime, pgtype.KindDate:
		return int64(scale(v, 365*86400))
	}
	return int64(v >> 1)
}

var powersOfTen = func() (p [13]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

func (x *column) appendDecimal(dst []byte, n int64) []byte {
	scale := x.Scale
	if x.typ.Kind == pgtype.KindNumeric && x.typmod >= 4 {
		scale = min(scale, int(x.typmod-4)&0x7ff)
	}
	if x.typ.Kind == pgtype.KindMoney {
		scale = min(scale, 2)
	}
	if x.binary { // floating point
		f := float64(n) / float64(powersOfTen[scale])
		if x.typ.Kind == pgtype.KindFloat4 {
			return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(f)))
		}
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(f))
	}
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	dst = strconv.AppendInt(dst, n/powersOfTen[scale], 10)
	if scale == 0 {
		return dst
	}
	dst = append(dst, '.')
	for i := scale - 1; i >= 0; i-- {
		dst = append(dst, '0'+byte(n/powersOfTen[i]%10))
	}
	if x.typ.Kind == pgtype.KindFloat4 || x.typ.Kind == pgtype.KindFloat8 { // as the type prints it
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
		if dst[len(dst)-1] == '.' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}

// width is how long value v is.
func (x *column) width(v uint64) int {
	if x.MaxWidth == x.MinWidth {
		return x.MaxWidth
	}
	return x.MinWidth + int(scale(mix(v^x.salt^saltWidth), uint64(x.MaxWidth-x.MinWidth+1)))
}

func (x *column) appendTextValue(dst []byte, v uint64, at int64, row int64) []byte {
	switch {
	case x.pattern != nil:
		return x.pattern.append(dst, x.patternNumber(v))
	case x.typ.Kind == pgtype.KindChar:
		return append(dst, 'a'+byte(v%26))
	case x.Kind == Monotone || x.Kind == Correlated:
		text := strconv.AppendInt(nil, x.number(v), 10)
		for n := len(text); n < x.MinWidth; n++ {
			dst = append(dst, '0')
		}
		return append(dst, text...)
	case x.Kind == UUIDv4 || x.Kind == UUIDv7:
		return appendUUID(dst, x.uuid(v, at, row))
	}
	return appendHex(dst, x.salt^saltText, v, x.width(v))
}

// uuid is a UUID of version 4 by v, or of version 7 by time, as uuidv7() makes them: the
// twelve bits after the version are the fraction of the millisecond.
func (x *column) uuid(v uint64, at, row int64) (u [16]byte) {
	binary.BigEndian.PutUint64(u[8:], mix(v^x.salt^saltText))
	binary.BigEndian.PutUint64(u[:8], mix(v+x.salt))
	version := byte(4)
	if x.Kind == UUIDv7 {
		micro := at + postgresEpoch
		ms := uint64(floorDiv(micro, 1000))
		fraction := uint64(micro-int64(ms)*1000) * 4096 / 1000
		// Rows of a transaction follow each other within the microsecond.
		fraction += uint64(row) % 4
		binary.BigEndian.PutUint64(u[:8], ms<<16|fraction&0xfff)
		version = 7
	}
	u[6] = u[6]&0x0f | version<<4
	u[8] = u[8]&0x3f | 0x80
	return u
}

func appendUUID(dst []byte, u [16]byte) []byte {
	for i, b := range u {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// hexPairs are the two digits of each byte.
var hexPairs = func() (t [256][2]byte) {
	for i := range t {
		t[i] = [2]byte{hexDigits[i>>4], hexDigits[i&15]}
	}
	return t
}()

// appendHex appends n hexadecimal digits that follow from a salt and v.
func appendHex(dst []byte, salt, v uint64, n int) []byte {
	state := mix(salt ^ mix(v))
	for ; n >= 16; n -= 16 {
		state = mix(state)
		var block [16]byte
		for i := range 8 {
			pair := &hexPairs[byte(state>>(8*i))]
			block[2*i], block[2*i+1] = pair[0], pair[1]
		}
		dst = append(dst, block[:]...)
	}
	state = mix(state)
	for i := range n {
		dst = append(dst, hexDigits[state>>(4*i)&15])
	}
	return dst
}

const dayMicroseconds = 86_400_000_000

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func appendDate(dst []byte, day int64) []byte {
	return (stream.Timestamp(day) * dayMicroseconds).Time().AppendFormat(dst, "2006-01-02")
}

// appendTimestamp appends a time; the text of its date is made once a day.
func (x *column) appendTimestamp(dst []byte, t int64) []byte {
	day := floorDiv(t, dayMicroseconds)
	if day != x.day || x.dayText == nil {
		x.day, x.dayText = day, append(appendDate(x.dayText[:0], day), ' ')
	}
	return appendClock(append(dst, x.dayText...), t-day*dayMicroseconds)
}

// appendClock appends a time of day: a fraction only if there is one, without trailing
// zeros.
func appendClock(dst []byte, t int64) []byte {
	two := func(n int64) { dst = append(dst, '0'+byte(n/10), '0'+byte(n%10)) }
	seconds := t / 1_000_000
	two(seconds / 3600)
	dst = append(dst, ':')
	two(seconds / 60 % 60)
	dst = append(dst, ':')
	two(seconds % 60)
	if micro := t % 1_000_000; micro != 0 {
		dst = append(dst, '.')
		two(micro / 10_000)
		two(micro / 100 % 100)
		two(micro % 100)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}
