package scenario

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"applysim/model/guc"
	"applysim/model/spelling"
)

// decoder reads tables of a TOML document and keeps the first error, by line.
type decoder struct {
	s   *Scenario
	err *Error
}

// fail notes an error, if none stands before it in the file.
func (d *decoder) fail(at, format string, args ...any) {
	e := d.s.fail(at, format, args...).(*Error)
	if d.err == nil || e.Line < d.err.Line {
		d.err = e
	}
}

// section is a table of the document.
type section struct {
	d      *decoder
	path   string
	values map[string]any
	known  []string // keys that were asked for
}

func (d *decoder) table(path string, values map[string]any) *section {
	return &section{d: d, path: path, values: values}
}

func (t *section) at(key string) string { return join(t.path, key) }

func (t *section) has(key string) bool { _, ok := t.values[key]; return ok }

// done says which keys nobody has asked for.
func (t *section) done() {
	for _, key := range slices.Sorted(keys(t.values)) {
		if !slices.Contains(t.known, key) {
			where := ""
			if t.path != "" {
				where = " in " + t.path
			}
			t.d.fail(t.at(key), "unknown key %q%s (nearest known: %s)", key, where, spelling.Nearest(key, t.known))
		}
	}
}

func (t *section) get(key string) (any, bool) {
	t.known = append(t.known, key)
	v, ok := t.values[key]
	return v, ok
}

func (t *section) wrong(key string, v any, expected string) {
	t.d.fail(t.at(key), "%s: found %s, expected %s", key, describe(v), expected)
}

func (t *section) text(key, otherwise string) string {
	v, ok := t.get(key)
	if !ok {
		return otherwise
	}
	s, ok := v.(string)
	if !ok {
		t.wrong(key, v, "a text")
	}
	return s
}

// choice reads one of the known words.
func (t *section) choice(key, otherwise string, known []string) string {
	s := t.text(key, otherwise)
	if s != otherwise && !slices.Contains(known, s) {
		t.d.fail(t.at(key), "%s = %q: expected one of %s (nearest: %s)", key, s, list(known), spelling.Nearest(s, known))
	}
	return s
}

func (t *section) boolean(key string, otherwise bool) bool {
	v, ok := t.get(key)
	if !ok {
		return otherwise
	}
	b, ok := v.(bool)
	if !ok {
		t.wrong(key, v, "true or false")
	}
	return b
}

func (t *section) integer(key string, otherwise, least, most int64) int64 {
	v, ok := t.get(key)
	if !ok {
		return otherwise
	}
	n, ok := v.(int64)
	if f, float := v.(float64); float && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		n, ok = int64(f), true // 1e6
	}
	if !ok || n < least || n > most {
		expected := "a whole number"
		switch {
		case least > math.MinInt64 && most < math.MaxInt64:
			expected = fmt.Sprintf("a whole number from %d to %d", least, most)
		case least > math.MinInt64:
			expected = fmt.Sprintf("a whole number from %d on", least)
		}
		t.wrong(key, v, expected)
	}
	return n
}

func (t *section) number(key string, otherwise, least, most float64) float64 {
	v, ok := t.get(key)
	if !ok {
		return otherwise
	}
	f, ok := asFloat(v)
	if !ok || !(f >= least && f <= most) {
		t.wrong(key, v, fmt.Sprintf("a number from %v to %v", least, most))
	}
	return f
}

func asFloat(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// duration reads a time with PostgreSQL's units, or a number of seconds.
func (t *section) duration(key string, otherwise time.Duration) time.Duration {
	v, ok := t.get(key)
	if !ok {
		return otherwise
	}
	d, err := guc.ParseDuration(fmt.Sprint(v))
	if _, text := v.(string); !text {
		if _, number := asFloat(v); !number {
			err = fmt.Errorf("expected a time")
		}
	}
	if err != nil || d <= 0 && key != "from" && key != "begins" && key != "round_trip" {
		t.wrong(key, v, "a time such as \"30s\" or \"10min\"")
	}
	return d
}

// width reads a number of bytes, or the least and the greatest.
func (t *section) width(key string) (least, most int) {
	v, ok := t.get(key)
	if !ok {
		return 0, 0
	}
	pair, isPair := v.([]any)
	if !isPair {
		pair = []any{v, v}
	}
	if len(pair) == 2 {
		a, okA := pair[0].(int64)
		b, okB := pair[1].(int64)
		if okA && okB && 0 <= a && a <= b && b <= maxWidth {
			return int(a), int(b)
		}
	}
	t.wrong(key, v, fmt.Sprintf("a number of bytes from 0 to %d, or the least and the greatest as in [10, 200]", maxWidth))
	return 0, 0
}

// maxWidth bounds a value's text.
const maxWidth = 1 << 20

func (t *section) texts(key string) []string {
	v, ok := t.get(key)
	if !ok {
		return nil
	}
	array, ok := v.([]any)
	if !ok || len(array) == 0 {
		t.wrong(key, v, "an array such as [\"a\", \"b\"]")
		return nil
	}
	var texts []string
	for _, e := range array {
		switch x := e.(type) {
		case string:
			texts = append(texts, x)
		case int64, float64, bool:
			texts = append(texts, fmt.Sprint(x))
		default:
			t.wrong(key, e, "texts")
		}
	}
	return texts
}

func (t *section) numbers(key string) []float64 {
	v, ok := t.get(key)
	if !ok {
		return nil
	}
	array, ok := v.([]any)
	if !ok {
		t.wrong(key, v, "an array of numbers")
	}
	var numbers []float64
	for _, e := range array {
		f, ok := asFloat(e)
		if !ok {
			t.wrong(key, e, "a number")
		}
		numbers = append(numbers, f)
	}
	return numbers
}

// table reads a table within the table, nil if it is not there.
func (t *section) table(key string) *section {
	v, ok := t.get(key)
	if !ok {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.wrong(key, v, fmt.Sprintf("a table such as [%s]", t.at(key)))
		return nil
	}
	return t.d.table(t.at(key), m)
}

// tables goes over the tables within a table, by their names.
func (t *section) tables(key string) iter.Seq2[string, *section] {
	return func(yield func(string, *section) bool) {
		m := t.table(key)
		if m == nil {
			return
		}
		for _, name := range slices.Sorted(keys(m.values)) {
			x := m.table(name)
			if x != nil && !yield(name, x) {
				return
			}
		}
	}
}

// list reads an array of tables.
func (t *section) list(key string) []*section {
	v, ok := t.get(key)
	if !ok {
		return nil
	}
	array, ok := v.([]any)
	if !ok {
		t.wrong(key, v, fmt.Sprintf("tables that begin with [[%s]]", t.at(key)))
		return nil
	}
	var sections []*section
	for i, e := range array {
		at := fmt.Sprintf("%s[%d]", t.at(key), i)
		m, ok := e.(map[string]any)
		if !ok {
			t.d.fail(at, "%s: found %s, expected a table", key, describe(e))
			continue
		}
		sections = append(sections, t.d.table(at, m))
	}
	return sections
}

func describe(v any) string {
	switch x := v.(type) {
	case string:
		return fmt.Sprintf("%q", x)
	case []any:
		return "an array"
	case map[string]any:
		return "a table"
	}
	return fmt.Sprint(v)
}

func list(words []string) string {
	s := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			s += " and "
		default:
			s += ", "
		}
		s += w
	}
	return s
}

func keys(m map[string]any) iter.Seq[string] { return maps.Keys(m) }
