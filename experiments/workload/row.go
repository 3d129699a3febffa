package workload

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"strconv"

	"applysim/model/stream"
)

// Type oids, from src/include/catalog/pg_type.dat (REL_18_1).
const (
	int8OID        = 20
	int2OID        = 21
	int4OID        = 23
	textOID        = 25
	timestamptzOID = 1184
)

// Relation is what the publisher says about the table.
func Relation(id uint32) *stream.Relation {
	return &stream.Relation{
		ID: id, Namespace: "public", Name: "events", Identity: 'd',
		Columns: []stream.RelationColumn{
			{Flags: 1, Name: "id", TypeID: int8OID, Typmod: -1},
			{Name: "account_id", TypeID: int4OID, Typmod: -1},
			{Name: "status", TypeID: int2OID, Typmod: -1},
			{Name: "payload", TypeID: textOID, Typmod: -1},
			{Name: "updated_at", TypeID: timestamptzOID, Typmod: -1},
		},
	}
}

const (
	payloadBytes    = 128
	dayMicroseconds = 86400 * 1e6
)

// rowMaker makes the insert messages.
type rowMaker struct {
	seed     uint64
	accounts uint64
	statuses uint64
	format   byte
	rng      rand.PCG
	head     []byte // the message up to its first column

	// The text of a date is made once a day.
	day     int64
	dayText []byte
}

func newRowMaker(o Options) rowMaker {
	r := rowMaker{seed: o.Seed, accounts: uint64(o.Accounts), statuses: uint64(o.Statuses), format: stream.ColumnText, day: -1 << 62}
	if o.Binary {
		r.format = stream.ColumnBinary
	}
	r.head = stream.AppendInsert(nil, 0, o.RelationID, nil)
	r.head[len(r.head)-1] = 5 // columns
	return r
}

// scale maps 64 random bits to 0..n-1. Its bias, n in 2^64, is beyond notice.
func scale(random, n uint64) uint64 {
	hi, _ := bits.Mul64(random, n)
	return hi
}

// appendInsert appends the message of a row and its newline.
func (r *rowMaker) appendInsert(dst []byte, id int64, updated stream.Timestamp) []byte {
	r.rng.Seed(r.seed, uint64(id))
	account := int64(scale(r.rng.Uint64(), r.accounts))
	status := int64(scale(r.rng.Uint64(), r.statuses))
	hash := [2]uint64{r.rng.Uint64(), r.rng.Uint64()}

	dst = append(dst, r.head...)
	if r.format == stream.ColumnBinary {
		dst = be.AppendUint64(append(dst, 'b', 0, 0, 0, 8), uint64(id))
		dst = be.AppendUint32(append(dst, 'b', 0, 0, 0, 4), uint32(account))
		dst = be.AppendUint16(append(dst, 'b', 0, 0, 0, 2), uint16(status))
		dst = appendPayload(append(dst, 'b', 0, 0, 0, payloadBytes), hash)
		dst = be.AppendUint64(append(dst, 'b', 0, 0, 0, 8), uint64(updated))
	} else {
		dst = appendInt(dst, id)
		dst = appendInt(dst, account)
		dst = appendInt(dst, status)
		dst = appendPayload(append(dst, 't', 0, 0, 0, payloadBytes), hash)
		dst = append(dst, 't', 0, 0, 0, 0)
		start := len(dst)
		dst = r.appendTimestamp(dst, updated)
		dst[start-1] = byte(len(dst) - start)
	}
	return append(dst, '\n')
}

var be = binary.BigEndian

// appendInt appends a text column; its text is shorter than 256 bytes.
func appendInt(dst []byte, v int64) []byte {
	dst = append(dst, 't', 0, 0, 0, 0)
	start := len(dst)
	dst = strconv.AppendInt(dst, v, 10)
	dst[start-1] = byte(len(dst) - start)
	return dst
}

// hexPairs are the two digits of each byte.
var hexPairs = func() (t [256][2]byte) {
	const digits = "0123456789abcdef"
	for i := range t {
		t[i] = [2]byte{digits[i>>4], digits[i&15]}
	}
	return t
}()

// appendPayload appends the hash's 32 hex digits four times.
func appendPayload(dst []byte, hash [2]uint64) []byte {
	var text [payloadBytes]byte
	for i, h := range hash {
		for j := range 8 {
			pair := &hexPairs[byte(h>>(56-8*j))]
			text[16*i+2*j], text[16*i+2*j+1] = pair[0], pair[1]
		}
	}
	copy(text[32:], text[:32])
	copy(text[64:], text[:64])
	return append(dst, text[:]...)
}

// appendTimestamp appends a time as timestamptz_out does with DateStyle ISO and
// TimeZone UTC: a fraction only if there is one, without trailing zeros.
func (r *rowMaker) appendTimestamp(dst []byte, t stream.Timestamp) []byte {
	day := int64(t) / dayMicroseconds
	within := int64(t) % dayMicroseconds
	if within < 0 {
		day--
		within += dayMicroseconds
	}
	if day != r.day {
		r.day = day
		r.dayText = (stream.Timestamp(day) * dayMicroseconds).Time().AppendFormat(r.dayText[:0], "2006-01-02 ")
	}
	dst = append(dst, r.dayText...)
	seconds := within / 1e6
	dst = append(append2(dst, seconds/3600), ':')
	dst = append(append2(dst, seconds/60%60), ':')
	dst = append2(dst, seconds%60)
	if micro := within % 1e6; micro != 0 {
		dst = append(dst, '.')
		dst = append2(append2(append2(dst, micro/10000), micro/100%100), micro%100)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return append(dst, '+', '0', '0')
}

// append2 appends two digits.
func append2(dst []byte, v int64) []byte {
	return append(dst, '0'+byte(v/10), '0'+byte(v%10))
}
