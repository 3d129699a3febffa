package assume

// What a user may set, and what was assumed.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/model/schema"
)

// DefaultSelectivity is the share of rows that are taken to satisfy a predicate
// which cannot be computed, unless a Setting says another.
const DefaultSelectivity = 0.5

// Setting sets what is assumed about an expression that cannot be computed.
type Setting struct {
	// Name is that of an index, or that of a column with its table's before it
	// ("orders.search"); of another schema than public with the schema's.
	Name        string
	Selectivity *float64 // share of rows for which an index's predicate holds
	Width       int      // bytes of a value with its header, as pg_stats.avg_width; 0 if not set
}

// Parse reads "NAME:selectivity=0.1", "NAME:width=24", or both with a comma
// between them.
func Parse(s string) (Setting, error) {
	colon := strings.LastIndex(s, ":")
	if colon <= 0 {
		return Setting{}, errors.New("expected the form INDEX:selectivity=0.1, INDEX:width=24 or TABLE.COLUMN:width=24")
	}
	a := Setting{Name: s[:colon]}
	for _, f := range strings.Split(s[colon+1:], ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(f), "=")
		switch name {
		case "selectivity":
			x, err := strconv.ParseFloat(value, 64)
			if err != nil || !(x >= 0 && x <= 1) {
				return a, fmt.Errorf("selectivity %q: expected a number from 0 to 1", value)
			}
			a.Selectivity = &x
		case "width":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > maxWidth {
				return a, fmt.Errorf("width %q: expected a number of bytes from 1 to %d", value, maxWidth)
			}
			a.Width = n
		default:
			return a, fmt.Errorf("setting %q: expected selectivity or width", name)
		}
	}
	return a, nil
}

// maxWidth is the longest value that can be made up, in bytes.
const maxWidth = 1 << 20

// Choice is one that had to be made because an expression cannot be computed, or
// the order of text is not known for certain.
// Figures that depend on it are assumed, not exact.
type Choice struct {
	Name    string `json:"name"`    // as Setting.Name
	Setting string `json:"setting"` // "selectivity", "width", "random", "holds", "labels", "order" or "collation"
	Value   string `json:"value"`   // of the setting
	Reason  string `json:"reason"`  // what cannot be computed, and why
}

func (a Choice) String() string {
	value := ""
	if a.Value != "" {
		value = " " + a.Value
	}
	return fmt.Sprintf("assumed: %s: %s%s: %s", a.Name, a.Setting, value, a.Reason)
}

// assumableThing is something about which a Setting can be made.
type assumableThing struct {
	name       string
	predicate  bool // it has a predicate
	expression bool // it has an expression
	fixed      *schema.Column
}

// assumables lists what a Setting can be made about.
func assumables(db *schema.Database) []assumableThing {
	var list []assumableThing
	for _, t := range db.Tables {
		for _, x := range t.Indexes {
			a := assumableThing{name: indexName(x), predicate: x.Predicate != ""}
			a.expression = slices.ContainsFunc(x.Keys, func(k schema.IndexKey) bool { return k.Column < 0 })
			if a.predicate || a.expression {
				list = append(list, a)
			}
		}
		for i := range t.Columns {
			c := &t.Columns[i]
			if c.Dropped || c.Generated != 's' && c.Default == "" {
				continue
			}
			a := assumableThing{name: t.QualifiedName() + "." + c.Name, expression: true}
			if c.Type.Len > 0 {
				a.fixed = c
			}
			list = append(list, a)
		}
	}
	return list
}

// Check gives an error for a setting that nothing would ask for. made are the choices so far.
func Check(set []Setting, db *schema.Database, made []Choice) error {
	if len(set) == 0 {
		return nil
	}
	things := assumables(db)
	for i := range set {
		a := &set[i]
		n := slices.IndexFunc(things, func(x assumableThing) bool { return x.name == a.Name })
		if n < 0 {
			return fmt.Errorf("%s: no index with an expression or predicate, no generated column and no default: expected %s", a.Name, listNames(things, made))
		}
		switch x := things[n]; {
		case a.Selectivity != nil && !x.predicate:
			return fmt.Errorf("%s: selectivity is for the predicate of an index: expected width", a.Name)
		case a.Width > 0 && !x.expression:
			return fmt.Errorf("%s: none of its columns is an expression: expected selectivity", a.Name)
		case a.Width > 0 && x.fixed != nil:
			return fmt.Errorf("%s: type %s always takes %d bytes: expected the width of a column of variable length", a.Name, x.fixed.Type, x.fixed.Type.Len)
		}
	}
	return nil
}

// listNames lists names for an error, those first of which something is assumed
// already.
func listNames(things []assumableThing, made []Choice) string {
	var names []string
	for _, a := range made {
		if a.Setting == "selectivity" || a.Setting == "width" {
			names = append(names, a.Name)
		}
	}
	for _, x := range things {
		if x.fixed == nil && !slices.Contains(names, x.name) {
			names = append(names, x.name)
		}
	}
	const most = 8
	switch {
	case len(names) == 0:
		return "none, as the schema has no expressions"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + " or one of " + strconv.Itoa(len(names)-most) + " others"
	}
	return strings.Join(names, " or ")
}
