// Package pglz compresses as PostgreSQL's own method does, to the byte: for
// full-page images (wal_compression = pglz), TOAST and long index keys.
//
// It is an LZ77 coder with a window of 4 kB. The output is groups of up to eight
// items after a control byte, lowest bit first: 0 for a literal byte, 1 for a
// match:
//
//	match of 3 to 17 bytes   oooo llll  oooo oooo              l = length - 3
//	of 18 to 273             oooo 1111  oooo oooo  llll llll   l = length - 18
//
// Which of several matches is taken depends on the order in which the history is
// searched: newest first, content with less the longer the search takes. That
// order is kept here, after pg_lzcompress.c.
package pglz

// Parameters of the default strategy and of the history. Source: REL_18_1,
// src/common/pg_lzcompress.c.
const (
	minInput       = 32   // shorter input is not compressed
	minRate        = 25   // percent that must be saved
	firstSuccessBy = 1024 // bytes of output by which there must be a match
	goodMatch      = 128  // a match of so many bytes ends the search
	goodDrop       = 10   // percent by which that falls with each entry looked at
	maxMatch       = 273
	minMatch       = 3
	maxOffset      = 0x0fff
	maxLists       = 8192
	historySize    = 4096
)

// Compressor is the work space of compression. The zero value is ready.
type Compressor struct {
	lists   [maxLists]int16           // newest entry of each list, by hash
	entries [historySize + 1]position // entry 0 is none
	out     []byte
	work    Work
}

// Work is how much the compressor has done. It only grows.
type Work struct {
	Runs      int64
	Lists     int64 // lists emptied to begin with
	Tokens    int64 // places where a match was looked for
	Positions int64 // entries made
	Recycled  int64 // those of them that took an older one's place
	Probes    int64 // entries looked at for a match
	Compared  int64 // bytes found equal there
}

// Add adds d to w.
func (w *Work) Add(d Work) {
	w.Runs += d.Runs
	w.Lists += d.Lists
	w.Tokens += d.Tokens
	w.Positions += d.Positions
	w.Recycled += d.Recycled
	w.Probes += d.Probes
	w.Compared += d.Compared
}

// made counts the entries of a run and its tokens.
func (w *Work) made(entries, tokens int) {
	w.Positions += int64(entries)
	w.Recycled += int64(max(entries-historySize, 0))
	w.Tokens += int64(tokens)
}

// Work is what the compressor has done so far.
func (c *Compressor) Work() Work { return c.work }

// position is an entry of the history.
type position struct {
	next, prev int16 // older and newer entry of its list; prev 0 for the newest
	hash       int16
	at         int32
}

// Compress compresses b. It returns false if that does not save a quarter of it.
// The result is valid until the next call.
func (c *Compressor) Compress(b []byte) ([]byte, bool) {
	if len(b) < minInput {
		return nil, false
	}
	limit := len(b) * (100 - minRate) / 100
	lists := maxLists
	for _, n := range [...]int{128, 256, 512, 1024} {
		if len(b) < n {
			lists = n * 4
			break
		}
	}
	mask := lists - 1
	clear(c.lists[:lists])
	c.work.Runs++
	c.work.Lists += int64(lists)
	out := c.out[:0]
	control, bit := 0, 8 // place of the current control byte, items in its group
	next, recycle, found := int16(1), false, false
	tokens := 0

	add := func(at int) {
		h := hash(b, at, mask)
		e := &c.entries[next]
		if recycle {
			if e.prev == 0 {
				c.lists[e.hash] = e.next
			} else {
				c.entries[e.prev].next = e.next
			}
			if e.next != 0 {
				c.entries[e.next].prev = e.prev
			}
		}
		*e = position{next: c.lists[h], hash: int16(h), at: int32(at)}
		if e.next != 0 {
			c.entries[e.next].prev = next
		}
		c.lists[h] = next
		if next++; next > historySize {
			next, recycle = 1, true
		}
	}
	for at := 0; at < len(b); {
		if len(out) >= limit || !found && len(out) >= firstSuccessBy {
			c.out = out
			c.work.made(at, tokens)
			return nil, false
		}
		if bit == 8 {
			control, bit = len(out), 0
			out = append(out, 0)
		}
		tokens++
		length, offset := c.match(b, at, mask)
		if length < minMatch {
			out = append(out, b[at])
			add(at)
			at++
		} else {
			found = true
			out[control] |= 1 << bit
			if length > 17 {
				out = append(out, byte(offset>>4&0xf0|0x0f), byte(offset), byte(length-18))
			} else {
				out = append(out, byte(offset>>4&0xf0|(length-minMatch)), byte(offset))
			}
			for range length {
				add(at)
				at++
			}
		}
		bit++
	}
	c.out = out
	c.work.made(len(b), tokens)
	return out, len(out) < limit
}

// hash is the list that the bytes from at on belong to. Bytes count as signed.
func hash(b []byte, at, mask int) int {
	s := b[at:]
	if len(s) < 4 {
		return int(int8(s[0])) & mask
	}
	return (int(int8(s[0]))<<6 ^ int(int8(s[1]))<<4 ^ int(int8(s[2]))<<2 ^ int(int8(s[3]))) & mask
}

// match looks for the bytes from at on in the history.
func (c *Compressor) match(b []byte, at, mask int) (length, offset int) {
	good := goodMatch
	probes, compared := 0, 0
	for n := c.lists[hash(b, at, mask)]; n != 0; {
		e := &c.entries[n]
		from := int(e.at)
		if at-from >= maxOffset {
			break
		}
		k := 0
		for at+k < len(b) && k < maxMatch && b[from+k] == b[at+k] {
			k++
		}
		probes++
		compared += k
		if k > length {
			length, offset = k, at-from
		}
		if n = e.next; n != 0 {
			if length >= good {
				break
			}
			good -= good * goodDrop / 100
		}
	}
	c.work.Probes += int64(probes)
	c.work.Compared += int64(compared)
	return length, offset
}

// Decompress restores size bytes. It returns false if src is not the result of
// compressing so many.
func Decompress(src []byte, size int) ([]byte, bool) {
	const most = 273 // bytes that one item can stand for
	dst := make([]byte, 0, min(size, most*len(src)))
	for len(src) > 0 && len(dst) < size {
		control := src[0]
		src = src[1:]
		for i := 0; i < 8 && len(src) > 0 && len(dst) < size; i++ {
			if control>>i&1 == 0 {
				dst = append(dst, src[0])
				src = src[1:]
				continue
			}
			if len(src) < 2 {
				return nil, false
			}
			length := int(src[0]&0x0f) + minMatch
			offset := int(src[0]&0xf0)<<4 | int(src[1])
			src = src[2:]
			if length == 18 {
				if len(src) == 0 {
					return nil, false
				}
				length += int(src[0])
				src = src[1:]
			}
			if offset == 0 || offset > len(dst) || len(dst)+length > size {
				return nil, false
			}
			for range length {
				dst = append(dst, dst[len(dst)-offset])
			}
		}
	}
	return dst, len(src) == 0 && len(dst) == size
}
