package pgtype

// After src/backend/utils/adt/jsonb.c and jsonb_util.c (convertToJsonb).

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"applysim/heap/datum"
)

// A jsonb payload is a tree of containers (REL_18_1,
// src/include/utils/jsonb.h):
//
//	header       count:28 | scalar | object | array | -
//	entry...     length or end:28 | type:3 | which:1, one a child
//	data...      the children's, numbers and containers aligned to 4
//
// An object's children are all keys, sorted by length and then bytes, and
// then the values in the keys' order. Every 32nd entry has the child's end
// instead of its length. A bare scalar is an array of one.
const (
	jsonbCountMask = 0x0FFFFFFF // JB_CMASK, JENTRY_OFFLENMASK
	jsonbScalar    = 0x10000000 // JB_FSCALAR
	jsonbObject    = 0x20000000 // JB_FOBJECT
	jsonbArray     = 0x40000000 // JB_FARRAY

	entryHasOff    = 0x80000000 // JENTRY_HAS_OFF
	entryTypeMask  = 0x70000000
	entryString    = 0x00000000
	entryNumeric   = 0x10000000
	entryFalse     = 0x20000000
	entryTrue      = 0x30000000
	entryNull      = 0x40000000
	entryContainer = 0x50000000

	offsetStride = 32 // JB_OFFSET_STRIDE
)

var errJsonbSize = errors.New("total size of jsonb array elements exceeds the maximum of 268435455 bytes")

type jsonPair struct{ key, value, order int32 }

var jsonParsers = sync.Pool{New: func() any { return &jsonParser{collect: true} }}

func inputJsonb(b, scratch []byte) (datum.Value, []byte, error) {
	p := jsonParsers.Get().(*jsonParser)
	defer func() {
		p.src = nil
		jsonParsers.Put(p)
	}()
	p.src, p.at = b, 0
	p.nodes, p.buf, p.pairs = p.nodes[:0], p.buf[:0], p.pairs[:0]
	if err := p.document(); err != nil {
		return datum.Value{}, scratch, err
	}
	w := jsonbWriter{p: p, out: scratch, start: len(scratch)}
	if p.nodes[0].kind < jsonArray {
		w.out = le.AppendUint32(w.out, 1|jsonbScalar|jsonbArray)
		w.out = le.AppendUint32(w.out, 0)
		entry := w.scalar(0)
		// The one child is the first, and the first entry has an end.
		le.PutUint32(w.out[w.start+4:], entry|entryHasOff)
	} else {
		w.container(0)
	}
	if w.err != nil {
		return datum.Value{}, scratch, w.err
	}
	return datum.Value{Bytes: w.out[w.start:]}, w.out, nil
}

// jsonbWriter appends a document's nodes in stored form.
type jsonbWriter struct {
	p     *jsonParser
	out   []byte
	start int
	err   error
}

func (p *jsonParser) bytes(i int32) []byte {
	n := &p.nodes[i]
	if n.buf {
		return p.buf[n.from:n.to]
	}
	return p.src[n.from:n.to]
}

func (w *jsonbWriter) pad() {
	for (len(w.out)-w.start)&3 != 0 {
		w.out = append(w.out, 0)
	}
}

// value writes a node's data and returns its entry, with its length.
func (w *jsonbWriter) value(i int32) uint32 {
	if w.p.nodes[i].kind >= jsonArray {
		return w.container(i)
	}
	return w.scalar(i)
}

func (w *jsonbWriter) scalar(i int32) uint32 {
	switch w.p.nodes[i].kind {
	case jsonNull:
		return entryNull
	case jsonFalse:
		return entryFalse
	case jsonTrue:
		return entryTrue
	case jsonString:
		s := w.p.bytes(i)
		w.out = append(w.out, s...)
		return uint32(len(s)) & jsonbCountMask
	}
	// A number is a whole numeric, length word included.
	from := len(w.out)
	w.pad()
	word := len(w.out)
	w.out = append(w.out, 0, 0, 0, 0)
	var err error
	if _, w.out, err = inputNumeric(w.p.bytes(i), -1, w.out); err != nil && w.err == nil {
		w.err = err
	}
	le.PutUint32(w.out[word:], uint32(len(w.out)-word)<<2)
	return entryNumeric | uint32(len(w.out)-from)
}

func (w *jsonbWriter) container(i int32) uint32 {
	from := len(w.out)
	w.pad()
	n := w.p.nodes[i]
	if n.kind == jsonArray {
		w.out = le.AppendUint32(w.out, uint32(n.count)|jsonbArray)
		e := w.entries(int(n.count))
		child := i + 1
		for range n.count {
			e.put(w, w.value(child))
			child = w.p.nodes[child].next
		}
	} else {
		base := len(w.p.pairs)
		w.sortPairs(i)
		count := len(w.p.pairs) - base
		w.out = le.AppendUint32(w.out, uint32(count)|jsonbObject)
		e := w.entries(2 * count)
		for j := range count {
			e.put(w, w.scalar(w.p.pairs[base+j].key))
		}
		for j := range count {
			e.put(w, w.value(w.p.pairs[base+j].value))
		}
		w.p.pairs = w.p.pairs[:base]
	}
	size := len(w.out) - from
	if size > jsonbCountMask {
		w.err = errJsonbSize
	}
	return entryContainer | uint32(size)&jsonbCountMask
}

// sortPairs appends an object's pairs to the pair stack, sorted, each key
// once: the last value given for a key wins.
func (w *jsonbWriter) sortPairs(i int32) {
	p := w.p
	base := len(p.pairs)
	child := i + 1
	for k := range p.nodes[i].count {
		value := p.nodes[child].next
		p.pairs = append(p.pairs, jsonPair{child, value, k})
		child = p.nodes[value].next
	}
	compare := func(a, b jsonPair) int {
		x, y := p.bytes(a.key), p.bytes(b.key)
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		return bytes.Compare(x, y)
	}
	pairs := p.pairs[base:]
	slices.SortFunc(pairs, func(a, b jsonPair) int {
		if c := compare(a, b); c != 0 {
			return c
		}
		return int(b.order) - int(a.order)
	})
	pairs = slices.CompactFunc(pairs, func(a, b jsonPair) bool { return compare(a, b) == 0 })
	p.pairs = p.pairs[:base+len(pairs)]
}

// jsonbEntries fills in a container's entries as its children are written.
type jsonbEntries struct{ at, i, total int }

func (w *jsonbWriter) entries(n int) jsonbEntries {
	e := jsonbEntries{at: len(w.out)}
	w.out = slices.Grow(w.out, 4*n)[:len(w.out)+4*n]
	clear(w.out[e.at:])
	return e
}

func (e *jsonbEntries) put(w *jsonbWriter, entry uint32) {
	e.total += int(entry & jsonbCountMask)
	if e.total > jsonbCountMask {
		w.err = errJsonbSize
	}
	if e.i%offsetStride == 0 {
		entry = entry&entryTypeMask | uint32(e.total)&jsonbCountMask | entryHasOff
	}
	le.PutUint32(w.out[e.at+4*e.i:], entry)
	e.i++
}
