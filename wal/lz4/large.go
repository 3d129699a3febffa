package lz4

import "encoding/binary"

// Parameters for inputs of more than MaxInput bytes.
const (
	largeHashBits = 12    // LZ4_HASHLOG, for positions of 32 bits
	maxDistance   = 65535 // LZ4_DISTANCE_MAX
	prime5        = 889523592379

	// countFirst is the length, in bytes, from which on the length of the result is
	// computed before the result is kept.
	countFirst = 8 << 20
)

// largeCompressor is the work space for inputs of more than MaxInput bytes: positions
// have 32 bits, hashes are those of 5 bytes, and matches too far back do not count.
type largeCompressor struct {
	table [1 << largeHashBits]uint32
	out   []byte
	n     int  // length of the result
	count bool // only the length is computed
}

// CompressWithin is Compress for an input of any length, whose result is of interest
// only if it is not longer than limit, in bytes. It does not hold a long result to find
// out that it is too long.
func (c *Compressor) CompressWithin(b []byte, limit int) ([]byte, bool) {
	if len(b) <= MaxInput {
		out := c.Compress(b)
		return out, len(out) <= limit
	}
	if c.large == nil {
		c.large = &largeCompressor{}
	}
	l := c.large
	if len(b) >= countFirst {
		l.count = true
		l.compress(b)
		l.count = false
		if l.n > limit {
			return nil, false
		}
		l.out = make([]byte, 0, l.n)
	}
	l.compress(b)
	out := l.out
	if len(b) >= countFirst {
		l.out = nil
	}
	return out, len(out) <= limit
}

func (l *largeCompressor) compress(b []byte) {
	clear(l.table[:])
	l.out, l.n = l.out[:0], 0
	anchor := l.matches(b)
	l.sequence(b[anchor:], -1, 0)
}

// matches encodes up to the last match and returns where it ends.
func (l *largeCompressor) matches(b []byte) (anchor int) {
	limit := len(b) - matchLimit + 1
	l.table[hash5(b, 0)] = 0
	at := 1
	h := hash5(b, at)
	for {
		// Look for a match.
		var from int
		for next, step, tries := at, 1, 1<<skipTrigger; ; tries++ {
			here := h
			at = next
			next += step
			step = tries >> skipTrigger
			if next > limit {
				return anchor
			}
			from = int(l.table[here])
			h = hash5(b, next)
			l.table[here] = uint32(at)
			if from+maxDistance >= at && same(b, from, at) {
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
			l.sequence(literals, n, at-from)
			at += minMatch + n
			anchor = at
			if at >= limit {
				return anchor
			}
			l.table[hash5(b, at-2)] = uint32(at - 2)
			// The next match may follow at once.
			here := hash5(b, at)
			from = int(l.table[here])
			l.table[here] = uint32(at)
			if from+maxDistance < at || !same(b, from, at) {
				break
			}
			literals = nil
		}
		at++
		h = hash5(b, at)
	}
}

// sequence encodes literals and a match of n bytes more than the least; n is negative
// for the last one, which has no match.
func (l *largeCompressor) sequence(literals []byte, n, distance int) {
	if l.count {
		l.n += 1 + restSize(len(literals)) + len(literals)
		if n >= 0 {
			l.n += 2 + restSize(n)
		}
		return
	}
	l.out = appendToken(l.out, len(literals), max(n, 0))
	l.out = append(l.out, literals...)
	if n >= 0 {
		l.out = binary.LittleEndian.AppendUint16(l.out, uint16(distance))
		l.out = appendRest(l.out, n)
	}
}

// restSize is how many bytes appendRest appends.
func restSize(n int) int {
	if n < runMask {
		return 0
	}
	return (n-runMask)/255 + 1
}

// hash5 is LZ4_hash5.
func hash5(b []byte, at int) uint32 {
	word := binary.LittleEndian.Uint64(b[at:])
	return uint32(word << 24 * prime5 >> (64 - largeHashBits))
}
