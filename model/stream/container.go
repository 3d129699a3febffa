package stream

import (
	"bytes"
	"fmt"
)

// Container is how messages are kept in a file; the package comment shows each.
type Container uint8

// The containers. Auto lets a Reader find out.
const (
	Auto  Container = iota
	Raw             // messages as they are, a newline after each: pg_recvlogical -f
	Lines           // LSN, xid and hex of one message a line: recorded cases
	Hex             // hex of one message a line
)

var containerNames = [...]string{Auto: "auto", Raw: "raw", Lines: "lines", Hex: "hex"}

func (c Container) String() string {
	if int(c) < len(containerNames) {
		return containerNames[c]
	}
	return fmt.Sprintf("container %d", uint8(c))
}

// gzipMagic begins a gzip file (RFC 1952, 2.3.1).
var gzipMagic = []byte{0x1f, 0x8b}

// sniffBytes is always enough to tell the containers apart.
const sniffBytes = 64

// sniff finds the container from the start of an input. It returns Auto if it
// takes more bytes to tell (never if all are there or sniffBytes are), and a
// text if b cannot be any of them.
//
// The first byte alone nearly decides: hex of a message begins with one of the
// digits 4 to 7, which are no type bytes. Only the letters A to E, b and c may
// begin an LSN as well as a raw message, so an LSN must be there in full.
func sniff(b []byte, all bool) (Container, string) {
	if len(b) == 0 {
		if all {
			return Raw, "" // an empty file is a stream without messages
		}
		return Auto, ""
	}
	digits := hexDigits(b, 0)
	if digits > 0 && digits <= 8 {
		if digits == len(b) && !all {
			return Auto, ""
		}
		if digits < len(b) && b[digits] == '/' {
			low := hexDigits(b, digits+1)
			end := digits + 1 + low
			if end == len(b) && !all && low <= 8 {
				return Auto, ""
			}
			if low > 0 && low <= 8 && end < len(b) && isFieldEnd(b[end]) {
				return Lines, ""
			}
		}
	}
	if b[0] >= '4' && b[0] <= '7' || b[0] == '\\' {
		return Hex, ""
	}
	for _, text := range []struct{ start, is string }{
		{"BEGIN ", "the text of test_decoding"}, {"PGDMP", "a dump"},
	} {
		if bytes.HasPrefix(b, []byte(text.start)) {
			return Auto, "expected pgoutput messages, found " + text.is
		}
		if !all && len(b) < len(text.start) && text.start[:len(b)] == string(b) {
			return Auto, ""
		}
	}
	if Kind(b[0]).Known() {
		return Raw, ""
	}
	return Auto, fmt.Sprintf("expected gzip, the type byte of a message, an LSN or hex, found %q", b[0])
}

// hexDigits counts the hex digits from p on, nine at most.
func hexDigits(b []byte, p int) int {
	n := 0
	for p+n < len(b) && n < 9 && hexNibble(b[p+n]) >= 0 {
		n++
	}
	return n
}

func isFieldEnd(c byte) bool { return c == '\t' || c == '|' }

// hexNibble is the value of a hex digit, -1 for any other byte.
func hexNibble(c byte) int { return int(hexNibbles[c]) }

var hexNibbles = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i, c := range "0123456789abcdef" {
		t[c] = int8(i)
	}
	for i, c := range "ABCDEF" {
		t[c] = int8(10 + i)
	}
	return t
}()

// hexValid marks the entries of hexPairs that are two digits.
const hexValid = 0x100

// hexPairs maps two characters, the first in the low byte, to what they encode
// with hexValid set, or to 0. One load for two characters is what makes
// reading hex fast; of its 128 KiB only a few lines are ever touched.
var hexPairs = func() *[1 << 16]uint16 {
	const digits = "0123456789abcdefABCDEF"
	t := new([1 << 16]uint16)
	for _, hi := range []byte(digits) {
		for _, lo := range []byte(digits) {
			t[int(lo)<<8|int(hi)] = uint16(hexNibble(hi)<<4|hexNibble(lo)) | hexValid
		}
	}
	return t
}()

// decodeHex decodes as many pairs of src as fit into dst, which must not be
// more than there are. It returns false if one is not hex.
func decodeHex(dst, src []byte) bool {
	ok := uint16(hexValid)
	table := hexPairs
	for len(dst) >= 4 && len(src) >= 8 {
		a := table[uint16(src[0])|uint16(src[1])<<8]
		b := table[uint16(src[2])|uint16(src[3])<<8]
		c := table[uint16(src[4])|uint16(src[5])<<8]
		d := table[uint16(src[6])|uint16(src[7])<<8]
		ok &= a & b & c & d
		dst[0], dst[1], dst[2], dst[3] = byte(a), byte(b), byte(c), byte(d)
		dst, src = dst[4:], src[8:]
	}
	for i := range dst {
		v := table[uint16(src[2*i])|uint16(src[2*i+1])<<8]
		ok &= v
		dst[i] = byte(v)
	}
	return ok != 0
}
