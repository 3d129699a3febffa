package pgtype

// After src/backend/utils/adt/geo_ops.c.

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"applysim/heap/datum"
)

// Geometric values are runs of float8: a point x y; a segment and a box two
// points (a box the higher corner first); a line A B C; a circle x y radius. A
// path has its number of points, whether it is closed and 4 bytes of padding
// (4 bytes each) in front, a polygon its number of points and its bounding
// box.

var errLine = errors.New("invalid line specification: A and B cannot both be zero")

// geoScanner reads the many forms of a geometric value; err keeps the first
// error.
type geoScanner struct {
	scanner
	t    *Type
	text []byte
	err  error
}

func (g *geoScanner) fail() {
	if g.err == nil {
		g.err = badSyntax(g.t.Name, g.text)
	}
	g.b = nil
}

func (g *geoScanner) expect(c byte) {
	if !g.accept(c) {
		g.fail()
	}
}

// floatPrefix is how much of s C's strtod would read.
func floatPrefix(s []byte) int {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	for _, word := range []string{"infinity", "inf", "nan"} {
		if foldPrefix(s[i:], word) {
			return i + len(word)
		}
	}
	digits := func(hex bool) (n int) {
		for i < len(s) {
			if _, ok := hexValue(s[i]); !ok || !hex && !isDigit(s[i]) {
				break
			}
			i++
			n++
		}
		return n
	}
	start := i
	hex := i+2 < len(s) && s[i] == '0' && s[i+1]|0x20 == 'x'
	if hex {
		i += 2
	}
	n := digits(hex)
	if i < len(s) && s[i] == '.' {
		i++
		n += digits(hex)
	}
	if n == 0 {
		if hex {
			return start + 1
		}
		return 0
	}
	mark := byte('e')
	if hex {
		mark = 'p'
	}
	if i < len(s) && s[i]|0x20 == mark {
		back := i
		i++
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if digits(false) == 0 {
			i = back
		}
	}
	return i
}

func (g *geoScanner) float() float64 {
	g.skip()
	n := floatPrefix(g.b)
	if n == 0 {
		g.fail()
		return 0
	}
	f, err := parseFloat(g.b[:n], 64, "double precision")
	if err != nil && g.err == nil {
		g.err = err
	}
	g.b = g.b[n:]
	g.skip()
	return f
}

// pair reads x,y or (x,y).
func (g *geoScanner) pair() (x, y float64) {
	g.skip()
	paren := g.accept('(')
	x = g.float()
	g.expect(',')
	y = g.float()
	if paren {
		g.expect(')')
		g.skip()
	}
	return x, y
}

// points reads n pairs in optional outer parentheses; brackets instead make
// an open path, where those are allowed.
func (g *geoScanner) points(n int, brackets bool) (p []float64, open bool) {
	g.skip()
	depth := 0
	if open = g.peek() == '['; open {
		if !brackets {
			g.fail()
			return nil, false
		}
		depth++
		g.b = g.b[1:]
	} else if g.peek() == '(' {
		inner := scanner{g.b[1:]}
		inner.skip()
		if inner.peek() == '(' || bytes.LastIndexByte(g.b, '(') == 0 {
			depth++
			g.b = inner.b
		}
	}
	for range n {
		x, y := g.pair()
		if g.err != nil {
			return nil, open
		}
		p = append(p, x, y)
		g.accept(',')
	}
	for ; depth > 0; depth-- {
		if !g.accept(')') && !(open && depth == 1 && g.accept(']')) {
			g.fail()
			return nil, open
		}
		g.skip()
	}
	return p, open
}

func (g *geoScanner) end() {
	if len(g.b) > 0 {
		g.fail()
	}
}

// pairCount guesses the number of points from the number of commas.
func pairCount(text []byte) int {
	n := bytes.Count(text, []byte{','})
	if n%2 == 0 {
		return 0
	}
	return (n + 1) / 2
}

func (t *Type) inputGeometry(text, scratch []byte) (datum.Value, []byte, error) {
	g := geoScanner{scanner: scanner{text}, t: t, text: text}
	var (
		p    []float64
		open bool
	)
	switch t.Kind {
	case KindPoint:
		x, y := g.pair()
		p = []float64{x, y}
	case KindLseg:
		p, _ = g.points(2, true)
	case KindBox:
		p, _ = g.points(2, false)
	case KindLine:
		p = g.line()
	case KindCircle:
		p = g.circle()
	case KindPath:
		n := pairCount(text)
		if n == 0 {
			g.fail()
		}
		g.skip()
		outer := g.peek() == '(' && bytes.LastIndexByte(g.b, '(') == 0
		if outer {
			g.b = g.b[1:]
		}
		p, open = g.points(n, true)
		if outer {
			g.expect(')')
			g.skip()
		}
	case KindPolygon:
		n := pairCount(text)
		if n == 0 {
			g.fail()
		}
		p, _ = g.points(n, false)
	}
	if g.err == nil {
		g.end()
	}
	if g.err != nil {
		return datum.Value{}, scratch, g.err
	}
	return t.storeGeometry(p, !open, scratch)
}

func (g *geoScanner) line() []float64 {
	g.skip()
	if g.accept('{') {
		a := g.float()
		g.expect(',')
		b := g.float()
		g.expect(',')
		c := g.float()
		g.expect('}')
		g.skip()
		if g.err == nil {
			g.end()
		}
		if g.err == nil && nearZero(a) && nearZero(b) {
			g.err = errLine
		}
		return []float64{a, b, c}
	}
	p, _ := g.points(2, true)
	if g.err == nil {
		g.end()
	}
	if g.err != nil {
		return nil
	}
	if samePoint(p) {
		g.err = errors.New("invalid line specification: must be two distinct points")
		return nil
	}
	// y = mx + b; vertical and horizontal lines have forms of their own.
	switch {
	case near(p[0], p[2]):
		return []float64{-1, 0, p[0]}
	case near(p[1], p[3]):
		return []float64{0, -1, p[1]}
	}
	m := (p[1] - p[3]) / (p[0] - p[2])
	// The product is rounded before the difference, as C does without fusing.
	c := p[1] - float64(m*p[0])
	if c == 0 {
		c = 0 // not -0
	}
	return []float64{m, -1, c}
}

func nearZero(f float64) bool { return math.Abs(f) <= 1e-6 } // EPSILON
func near(a, b float64) bool  { return a == b || nearZero(a-b) }

func samePoint(p []float64) bool {
	for _, f := range p {
		if math.IsNaN(f) {
			same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
			return same(p[0], p[2]) && same(p[1], p[3])
		}
	}
	return near(p[0], p[2]) && near(p[1], p[3])
}

func (g *geoScanner) circle() []float64 {
	g.skip()
	depth := 0
	if g.accept('<') {
		depth = 1
	} else if g.peek() == '(' {
		inner := scanner{g.b[1:]}
		inner.skip()
		if inner.peek() == '(' {
			depth++
			g.b = inner.b
		}
	}
	x, y := g.pair()
	g.accept(',')
	if g.err != nil {
		return nil
	}
	r := g.float()
	if r < 0 {
		g.fail()
	}
	// Either bracket may close what either has opened.
	if depth > 0 && !g.accept(')') && !g.accept('>') {
		g.fail()
	}
	g.skip()
	return []float64{x, y, r}
}

// storeGeometry lays numbers out, after what each type does to them.
func (t *Type) storeGeometry(p []float64, closed bool, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	less := func(a, b float64) bool { return a < b || math.IsNaN(b) && !math.IsNaN(a) }
	switch t.Kind {
	case KindBox:
		for i := range 2 {
			if less(p[i], p[i+2]) {
				p[i], p[i+2] = p[i+2], p[i]
			}
		}
	case KindPath:
		scratch = le.AppendUint32(scratch, uint32(len(p)/2))
		scratch = le.AppendUint32(scratch, uint32(btoi(closed)))
		scratch = le.AppendUint32(scratch, 0)
	case KindPolygon:
		scratch = le.AppendUint32(scratch, uint32(len(p)/2))
		high, low := [2]float64{p[0], p[1]}, [2]float64{p[0], p[1]}
		for i := 2; i < len(p); i++ {
			if less(p[i], low[i%2]) {
				low[i%2] = p[i]
			}
			if less(high[i%2], p[i]) {
				high[i%2] = p[i]
			}
		}
		p = append([]float64{high[0], high[1], low[0], low[1]}, p...)
	}
	for _, f := range p {
		scratch = le.AppendUint64(scratch, math.Float64bits(f))
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

func (t *Type) receiveGeometry(r *reader, scratch []byte) (datum.Value, []byte, error) {
	fail := func(err error) (datum.Value, []byte, error) { return datum.Value{}, scratch, err }
	closed := true
	n := int(t.Len) / 8
	if t.Kind == KindPath || t.Kind == KindPolygon {
		if t.Kind == KindPath {
			closed = r.u8() != 0
		}
		count := int32(r.u32())
		if r.short {
			return fail(errShortMessage)
		}
		if count <= 0 || int64(count) >= math.MaxInt32/16-3 {
			return fail(fmt.Errorf("invalid number of points in external \"%s\" value", t.Name))
		}
		n = 2 * int(count)
	}
	if 8*n > len(r.b) {
		return fail(errShortMessage)
	}
	p := make([]float64, n)
	for i := range p {
		p[i] = math.Float64frombits(r.u64())
	}
	switch {
	case t.Kind == KindLine && nearZero(p[0]) && nearZero(p[1]):
		return fail(errLine)
	case t.Kind == KindCircle && p[2] < 0:
		return fail(errors.New("invalid radius in external \"circle\" value"))
	}
	return t.storeGeometry(p, closed, scratch)
}
