package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"unicode/utf8"
)

// Charts are drawn 360 units wide: on a phone a unit is about a pixel, so that texts of 11
// can be read there.
const (
	chartWidth = 360
	mostBars   = 24 // relations of a bar chart
)

// svg collects a drawing.
type svg struct {
	b strings.Builder
}

func (s *svg) add(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

func (s *svg) rect(class string, x, y, w, h float64, title string) {
	s.add(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`, class, x, y, max(w, 0.5), h, esc(title))
}

func (s *svg) text(class string, x, y float64, text string) {
	s.add(`<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x, y, esc(text))
}

// done closes the drawing, whose meaning is told in words.
func (s *svg) done(height float64, label string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %d %.0f" role="img" aria-label="%s">`+"\n", chartWidth, height, esc(label)) + s.b.String() + "</svg>")
}

func esc(s string) string { return template.HTMLEscapeString(s) }

// times multiplies: rounded for itself, so that all machines draw the same.
func times(a, b float64) float64 { return float64(a * b) }

// cut makes a text fit so many characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// bar is a bar of a chart: a name with a value for each variant, each in parts.
type bar struct {
	name   string
	values []value
	indent bool // an index below its table
}

// value is a bar's length, in parts that lie behind each other; negative ones have one.
type value struct {
	parts []float64
	there bool
	class string // its colour, in place of those of the parts
}

func (v *value) sum() (sum float64) {
	for _, p := range v.parts {
		sum += p
	}
	return sum
}

// bars draws bars below each other, each under its name. classes are the colours of parts.
func bars(caption string, list []bar, classes []string, shown func(float64) string) chart {
	most := 0.0
	for _, b := range list {
		for _, v := range b.values {
			most = max(most, math.Abs(v.sum()))
		}
	}
	s := &svg{}
	y := 4.0
	const thick, room = 9.0, 78.0
	for _, b := range list {
		x := 0.0
		if b.indent {
			x = 12
		}
		s.text("label", x, y+11, cut(b.name, 50))
		y += 16
		for _, v := range b.values {
			if !v.there {
				s.text("small", x, y+8, "not there")
				y += thick + 3
				continue
			}
			at, width := x, 0.0
			for j, p := range v.parts {
				class := v.class
				switch {
				case p < 0:
					class = "minus"
				case class == "":
					class = classes[j]
				}
				if most > 0 {
					width = times(math.Abs(p)/most, chartWidth-room-x)
				}
				s.rect("bar "+class, at, y, width, thick, b.name+": "+shown(v.sum()))
				at += width
			}
			s.text("value", at+5, y+8.5, shown(v.sum()))
			y += thick + 3
		}
		y += 3
	}
	return chart{caption, s.done(y, caption)}
}

// series is a line of a chart over time.
type series struct {
	class string
	x, y  []float64
	gap   []bool // there is no value
}

// lines draws lines over time; top is the greatest value of the axis, 0 for what the values
// need.
func lines(caption string, list []series, top float64, shown func(float64) string) chart {
	const left, right, high, low = 52.0, 8.0, 8.0, 140.0
	end, most := 0.0, top
	for _, l := range list {
		for i := range l.x {
			end = max(end, l.x[i])
			if top == 0 && !l.gap[i] {
				most = max(most, l.y[i])
			}
		}
	}
	if top == 0 {
		most = round(most)
	}
	if end == 0 {
		end = 1
	}
	s := &svg{}
	toX := func(x float64) float64 { return left + times(x/end, chartWidth-left-right) }
	toY := func(y float64) float64 { return low - times(min(y/most, 1), low-high) }
	for i := range 5 {
		v := times(most, float64(i)/4)
		s.add(`<line class="rule" x1="%.1f" y1="%.1f" x2="%d" y2="%.1f"/>`, left, toY(v), chartWidth-int(right), toY(v))
		s.text("tick", left-5, toY(v)+4, shown(v))
	}
	for i := range 4 {
		t := times(end, float64(i)/3)
		class := []string{"time first", "time", "time", "time last"}[i]
		s.text(class, toX(t), low+15, duration(t))
	}
	for _, l := range list {
		var path strings.Builder
		pen := "M"
		for i := range l.x {
			if l.gap[i] {
				pen = "M"
				continue
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", pen, toX(l.x[i]), toY(l.y[i]))
			pen = "L"
		}
		s.add(`<path class="line %s" d="%s"/>`, l.class, path.String())
	}
	return chart{caption, s.done(low+22, caption)}
}

// round gives a round number that is not less.
func round(f float64) float64 {
	if f <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(f)))
	for _, n := range []float64{1, 2, 4, 5, 8, 10} {
		if times(n, unit) >= f {
			return times(n, unit)
		}
	}
	return times(10, unit)
}
