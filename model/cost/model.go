package cost

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"applysim/model/accessmethod"
)

//go:generate go run ../../experiments/instructions/fit -o model.json

//go:embed model.json
var builtin []byte

// Model says how many instructions each kind of work takes a real apply worker.
type Model struct {
	// Server is what was measured.
	Server string `json:"server"`
	// Steps and Grids are how many observations the model was fitted to, and how many
	// grids of workloads they come from.
	Steps int `json:"steps"`
	Grids int `json:"grids"`
	// Fit is the relative error over those steps, Validation that over the same
	// steps when each grid is predicted by a fit to all others. Steps of grids with
	// terms that no other grid has are left out of the latter: Undetermined of them.
	Fit          Errors `json:"fit"`
	Validation   Errors `json:"validation"`
	Undetermined int    `json:"undetermined"`
	Terms        []Term `json:"terms"`

	number map[string]int
}

// Errors are relative errors without their signs.
type Errors struct {
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Worst  float64 `json:"worst"`
	Steps  int     `json:"steps"`
}

// Term is what one kind of work takes.
type Term struct {
	Name         string  `json:"name"`
	Instructions float64 `json:"instructions"`
	// Low and High bound 90 % of the values in fits to resampled grids.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Steps is the number of steps that have such work.
	Steps int `json:"steps"`
}

// Builtin is the model that comes with the program.
func Builtin() (*Model, error) {
	m, err := ReadModel(builtin)
	if err == nil {
		m.addAccessMethods()
	}
	return m, err
}

// addAccessMethods adds the prices of what indexes of other access methods do.
func (m *Model) addAccessMethods() {
	prices := accessmethod.Builtin()
	for _, name := range slices.Sorted(maps.Keys(prices.Instructions)) {
		method, _, _ := strings.Cut(name, ":")
		e, ok := prices.Errors[method]
		if !ok {
			e = prices.Errors[accessmethod.Unknown]
		}
		n := prices.Instructions[name]
		m.Terms = append(m.Terms, Term{Name: accessMethodPrefix + name, Instructions: n, Low: n, High: n, Steps: e.Runs})
	}
	m.index()
}

// ReadModel reads a model from JSON.
func ReadModel(b []byte) (*Model, error) {
	m := &Model{}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("cost model: %w", err)
	}
	m.index()
	return m, nil
}

func (m *Model) index() {
	m.number = map[string]int{}
	for i, t := range m.Terms {
		m.number[t.Name] = i
	}
}

// Line is what an item of work takes.
type Line struct {
	Item
	Instructions float64
	Class        Class
	// Assumed says that this very work was never measured, and whose price was
	// taken in its place; "" if it was.
	Assumed string
}

// Price prices a worker's work. Work that the model has no term for, since it took
// nothing in any measurement, costs nothing; a type whose values were never
// measured costs what those of a similar one do.
func (m *Model) Price(u *Usage) []Line {
	lines := make([]Line, 0, len(u.items))
	for _, i := range u.items {
		term, assumed := i.Term, ""
		n, ok := m.number[term]
		if !ok {
			if term, ok = m.similar(term); !ok {
				continue
			}
			n = m.number[term]
			assumed = term
		}
		lines = append(lines, Line{i, i.Quantity * m.Terms[n].Instructions, i.Where.class(), assumed})
	}
	return lines
}

// Instructions is the sum of what work takes.
func (m *Model) Instructions(u *Usage) float64 {
	sum := 0.0
	for _, l := range m.Price(u) {
		sum += l.Instructions
	}
	return sum
}

// similar returns the term whose price a type's values that were never measured get:
// those of arrays cost what text arrays do, all others what text does, in the same
// format. A type that was measured, but has no price for a byte or an element, needs
// none.
func (m *Model) similar(term string) (string, bool) {
	if strings.HasPrefix(term, firstEqual) {
		term = equalityTerm("text")
		_, ok := m.number[term]
		return term, ok
	}
	name, ok := strings.CutPrefix(term, "parse ")
	if !ok {
		return "", false
	}
	at := strings.LastIndex(name, " (")
	if at < 0 {
		return "", false
	}
	typ, rest := name[:at], name[at:]
	format, _, ok := strings.Cut(rest, ",")
	if !ok {
		return "", false
	}
	for _, unit := range []string{"value", "byte", "element", "key", "container"} {
		if _, measured := m.number["parse "+typ+format+", by "+unit]; measured {
			return "", false
		}
	}
	like := "text"
	if strings.HasSuffix(typ, "[]") {
		like = "text[]"
	}
	term = "parse " + like + rest
	_, ok = m.number[term]
	return term, ok
}

// Assumptions lists what was priced like something else, once each.
func Assumptions(lines []Line) []string {
	var list []string
	for _, l := range lines {
		if l.Assumed == "" || strings.HasPrefix(l.Term, firstPrefix) {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(l.Term, "parse "), ",")
		like, _, _ := strings.Cut(strings.TrimPrefix(l.Assumed, "parse "), ",")
		s := fmt.Sprintf("reading %s was never measured; taken to cost what %s does", name, like)
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
