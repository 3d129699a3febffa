// Package lz4 compresses blocks to the same bytes as the
// reference implementation's LZ4_compress_default, which PostgreSQL calls for
// full-page images (wal_compression = lz4) and TOAST. Other encoders of the
// format give other lengths.
//
// A block is a series of sequences: a token with the lengths of literals and
// match (four bits each, longer ones go on in bytes of 255 and a last one below),
// the literals, the match's offset (2 bytes). The encoder is greedy: it looks up
// the position that had the same 4 bytes last, by a hash, and moves on faster the
// longer it finds nothing. The block format and the order of the search are those
// of LZ4 1.9 and later.
package lz4

import "encoding/binary"

// Parameters of the format and of the fast encoder.
const (
	minMatch     = 4  // MINMATCH
	lastLiterals = 5  // LASTLITERALS: a block ends in so many literals
	matchLimit   = 12 // MFLIMIT: the last match begins so far from the end
	skipTrigger  = 6  // LZ4_skipTrigger
	hashBits     = 13 // for positions of 16 bits
	runMask      = 15 // greatest length that fits into the token

	// MaxInput is the longest input of Compress, in bytes: that of positions of 16
	// bits. Longer ones are encoded in another way; see large.go.
	MaxInput = 64<<10 + matchLimit - 2
)

// Compressor is the work space of compression. The zero value is ready.
type Compressor struct {
	table [1 << hashBits]uint16 // last position of each hash
	out   []byte
	large *largeCompressor // made when an input of more than MaxInput bytes comes
}

// Compress compresses b, which is at most MaxInput bytes long; the result may be
// longer than b. It is valid until the next call.
func (c *Compressor) Compress(b []byte) []byte {
	if len(b) > MaxInput {
		panic("lz4: an input for CompressWithin")
	}
	clear(c.table[:])
	out := c.out[:0]
	anchor := 0 // first byte that is not encoded yet
	if len(b) > matchLimit {
		out, anchor = c.matches(out, b)
	}
	out = appendToken(out, len(b)-anchor, 0)
	out = append(out, b[anchor:]...)
	c.out = out
	return out
}

// matches encodes up to the last match and returns where it ends.
func (c *Compressor) matches(out, b []byte) (_ []byte, anchor int) {
	limit := len(b) - matchLimit + 1
	c.table[hash(b, 0)] = 0
	at := 1
	h := hash(b, at)
	for {
		// Look for a match.
		var from int
		for next, step, tries := at, 1, 1<<skipTrigger; ; tries++ {
			here := h
			at = next
			next += step
			step = tries >> skipTrigger
			if next > limit {
				return out, anchor
			}
			from = int(c.table[here])
			h = hash(b, next)
			c.table[here] = uint16(at)
			if same(b, from, at) {
				break
			}
		}
		// It may begin earlier.
		for at > anchor && from > 0 && b[at-1] == b[from-1] {
			at--
			from--
		}
		literals := b[anchor:at]
		for {
			n := common(b, at+minMatch, from+minMatch)
			out = appendToken(out, len(literals), n)
			out = append(out, literals...)
			out = binary.LittleEndian.AppendUint16(out, uint16(at-from))
			out = appendRest(out, n)
			at += minMatch + n
			anchor = at
			if at >= limit {
				return out, anchor
			}
			c.table[hash(b, at-2)] = uint16(at - 2)
			// The next match may follow at once.
			here := hash(b, at)
			from = int(c.table[here])
			c.table[here] = uint16(at)
			if !same(b, from, at) {
				break
			}
			literals = nil
		}
		at++
		h = hash(b, at)
	}
}

// appendToken appends a sequence's token with the lengths of its literals and its
// match, and the rest of the former. The last sequence has no match.
func appendToken(out []byte, literals, match int) []byte {
	out = append(out, byte(min(literals, runMask)<<4|min(match, runMask)))
	return appendRest(out, literals)
}

// appendRest appends what of a length does not fit into the token.
func appendRest(out []byte, n int) []byte {
	if n < runMask {
		return out
	}
	for n -= runMask; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(out, byte(n))
}

func read(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

func same(b []byte, i, j int) bool { return read(b, i) == read(b, j) }

func hash(b []byte, at int) uint32 { return read(b, at) * 2654435761 >> (32 - hashBits) }

// common counts the equal bytes from i and j on, up to where a match must end.
func common(b []byte, i, j int) int {
	n := 0
	for i+n < len(b)-lastLiterals && b[i+n] == b[j+n] {
		n++
	}
	return n
}

// Decompress restores a block of size bytes. It returns false if src is not one.
func Decompress(src []byte, size int) ([]byte, bool) {
	const most = 255 // bytes that one byte can stand for
	dst := make([]byte, 0, min(size, most*len(src)))
	length := func(n int) (int, bool) {
		if n < runMask {
			return n, true
		}
		for {
			if len(src) == 0 {
				return 0, false
			}
			c := src[0]
			src = src[1:]
			n += int(c)
			if c < 255 {
				return n, true
			}
		}
	}
	for len(src) > 0 {
		token := src[0]
		src = src[1:]
		n, ok := length(int(token >> 4))
		if !ok || n > len(src) || len(dst)+n > size {
			return nil, false
		}
		dst = append(dst, src[:n]...)
		src = src[n:]
		if len(src) == 0 {
			break
		}
		if len(src) < 2 {
			return nil, false
		}
		offset := int(binary.LittleEndian.Uint16(src))
		src = src[2:]
		n, ok = length(int(token & runMask))
		n += minMatch
		if !ok || offset == 0 || offset > len(dst) || len(dst)+n > size {
			return nil, false
		}
		for n > 0 { // source and destination may overlap
			from := dst[len(dst)-offset:]
			from = from[:min(n, len(from))]
			dst = append(dst, from...)
			n -= len(from)
		}
	}
	return dst, len(dst) == size
}
