package collation

import (
	"bytes"
	"encoding/binary"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Collation is the order of text in one collation.
type Collation struct {
	spec  Spec
	tag   language.Tag
	ascii *asciiTable // nil if all text needs sort keys

	mu       sync.Mutex // of all that follows
	collator *collate.Collator
	buf      collate.Buffer
	strip    []byte

	decomposed []byte

	moves         []move // scripts that come first
	capitalsFirst bool
	copied        []byte
	last          []byte // the left side of the last comparison, and its sort key
	lastKey       []byte
	key           []byte
}

// Open returns the order of a collation; nil where it is that of bytes. The error
// names what is not modelled, or what is wrong with the locale.
func Open(s Spec) (*Collation, error) {
	if err := s.Check(); err != nil || s.bytewise() {
		return nil, err
	}
	c := &Collation{spec: s}
	if s.Provider == ICU {
		c.tag, _ = icuTag(s.Locale)
		if err := supported(c.tag); err != nil {
			return nil, err
		}
		c.tag = tabled(c.tag)
	} else {
		c.tag, _ = libcTag(s.Locale)
		c.tag = tabled(c.tag)
	}
	c.collator = collate.New(c.tag)
	if s.Provider == ICU {
		tag, _ := icuTag(s.Locale)
		c.readjust(tag)
	}
	c.ascii = newASCIITable(c)
	if c.ascii != nil && s.Provider == Libc {
		c.ascii.passOver()
	}
	return c, nil
}

// variants lists the values of the key co that there are tables for in a tag's
// language.
func variants(tag language.Tag) []string {
	var list []string
	base, _ := tag.Base()
	for _, t := range collate.Supported() {
		if b, _ := t.Base(); b == base {
			if co := t.TypeForKey("co"); co != "" {
				list = append(list, co)
			}
		}
	}
	return list
}

// Deterministic says whether only identical texts are equal.
func (c *Collation) Deterministic() bool { return c.spec.Deterministic }

// Spec is what the collation was opened with.
func (c *Collation) Spec() Spec { return c.spec }

// Compare orders two texts as varstr_cmp does: negative, zero, positive.
func (c *Collation) Compare(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 0
	}
	r, ok := 0, false
	if c.ascii != nil {
		r, ok = c.ascii.compare(a, b)
	}
	if !ok {
		r = c.compareKeys(a, b)
	}
	if r == 0 && c.spec.Deterministic {
		return bytes.Compare(a, b)
	}
	return r
}

func (c *Collation) compareKeys(a, b []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lastKey == nil || !bytes.Equal(a, c.last) {
		c.last = append(c.last[:0], a...)
		c.lastKey = c.appendKey(c.lastKey[:0], a)
	}
	c.key = c.appendKey(c.key[:0], b)
	return bytes.Compare(c.lastKey, c.key)
}

// Prefix returns the first eight bytes of a text's sort key as a number: texts
// whose numbers differ are in the order of the numbers.
func (c *Collation) Prefix(s []byte) uint64 {
	if c.ascii != nil {
		if n, ok := c.ascii.prefix(s); ok {
			return n
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.key = c.appendKey(c.key[:0], s)
	var first [8]byte
	copy(first[:], c.key)
	return binary.BigEndian.Uint64(first[:])
}

// AppendKey appends a text's sort key: bytes that are in the order of the texts,
// as far as the collation itself tells them apart.
func (c *Collation) AppendKey(dst, s []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.appendKey(dst, s)
}

func (c *Collation) appendKey(dst, s []byte) []byte {
	if c.spec.Provider == Libc {
		return c.appendLibcKey(dst, s)
	}
	return c.appendPlainKey(dst, s)
}

// appendPlainKey appends x/text's own key. Its Compare is not used: it does not
// know ka-shifted.
func (c *Collation) appendPlainKey(dst, s []byte) []byte {
	if !isASCII(s) {
		c.decomposed = norm.NFD.Append(c.decomposed[:0], s...)
		s = c.decomposed
	}
	start := len(dst)
	dst = append(dst, c.collator.Key(&c.buf, s)...)
	c.buf.Reset()
	return c.adjust(dst, start)
}
