package schema

// limits.go: what the server refuses although it can be parsed.

import (
	"slices"
	"strconv"
	"strings"

	"applysim/model/pgtype"
)

// maxIndexKeys is INDEX_MAX_KEYS and PARTITION_MAX_KEYS. Source: REL_18_1,
// src/include/pg_config_manual.h.
const maxIndexKeys = 32

// maxAttributes is our own limit of a composite type's attributes, those of its
// attributes included: types that hold each other twice over would take for ever.
const maxAttributes = 100_000

// span is the range of a storage parameter.
type span struct{ least, most int }

// Ranges of storage parameters. Source: REL_18_1,
// src/backend/access/common/reloptions.c, intRelOpts.
var (
	fillfactorSpan  = span{10, 100}
	toastTargetSpan = span{128, 8160}
	pagesPerRange   = span{1, 131072}
)

// intOption reads a storage parameter that is a number; ok is false if it is not set.
func (p *parser) intOption(options map[string]string, key string, s span) (n int, ok bool) {
	text, given := options[key]
	if !given || p.err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < s.least || n > s.most {
		p.fail("found %s = %s, expected a number from %d to %d", key, text, s.least, s.most)
		return 0, false
	}
	return n, true
}

// countKeys checks the number of an index's columns, those of INCLUDE among them.
func (p *parser) countKeys(def *indexDef) {
	if n := len(def.keys) + len(def.include); n > maxIndexKeys {
		p.failAt(def.at, "found %d columns of an index, expected %d at most", n, maxIndexKeys)
	}
}

// countAttributes returns the number of a type's attributes, nested ones included.
func (d *Database) countAttributes(t *pgtype.Type) int {
	switch {
	case t == nil:
		return 0
	case t.Elem != nil:
		return d.countAttributes(t.Elem)
	}
	return max(d.attributes[t], 1)
}

// checkExclusion checks the operators of an exclusion constraint in a B-tree or hash
// index: of those in their operator classes only equality is commutative
// (ComputeIndexAttrs in src/backend/commands/indexcmds.c).
func (p *parser) checkExclusion(x *Index, at token) {
	if x.Method != "btree" && x.Method != "hash" {
		return
	}
	for i, op := range x.operators {
		op = strings.TrimSpace(op[strings.LastIndex(op, ".")+1:])
		if op != "=" && op != "*=" && i < len(x.Keys) && x.Keys[i].OpClass == "" {
			p.failAt(at, "found operator %s in an exclusion constraint of a %s index, expected =", op, x.Method)
			return
		}
	}
}

// systemColumns are the names that no column can have. Source: REL_18_1,
// src/backend/catalog/heap.c, SysAtt.
var systemColumns = []string{"ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"}

// checkColumnName refuses the name of a system column (CheckAttributeNamesTypes in
// src/backend/catalog/heap.c).
func (p *parser) checkColumnName(name string, at token) {
	if slices.Contains(systemColumns, name) {
		p.failAt(at, "found column %q, expected a name that no system column has", name)
	}
}

// checkKeyTwice refuses a column that a key has twice (transformIndexConstraint in
// src/backend/parser/parse_utilcmd.c). An index without a constraint may have it.
func (p *parser) checkKeyTwice(def *indexDef) {
	if !def.unique || !def.constraint {
		return
	}
	for i, k := range def.keys {
		if k.column != "" && slices.ContainsFunc(def.keys[:i], func(o keyDef) bool { return o.column == k.column }) {
			p.failAt(def.at, "found column %q twice in a key, expected it once", k.column)
		}
	}
}

// checkSequence refuses parameters that do not go together (init_params in
// src/backend/commands/sequence.c).
func (p *parser) checkSequence(s *Sequence) {
	switch {
	case s.Increment == 0:
		p.fail("found INCREMENT 0 of sequence %s, expected another number", s.Name)
	case s.Cache < 1:
		p.fail("found CACHE %d of sequence %s, expected a number above 0", s.Cache, s.Name)
	case s.MinValue >= s.MaxValue:
		p.fail("found MINVALUE %d of sequence %s, expected less than MAXVALUE %d", s.MinValue, s.Name, s.MaxValue)
	case s.Start < s.MinValue || s.Start > s.MaxValue:
		p.fail("found START %d of sequence %s, expected a number from %d to %d", s.Start, s.Name, s.MinValue, s.MaxValue)
	}
}
