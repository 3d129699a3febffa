package apply

import (
	"slices"
	"strings"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/model/expr"
	"applysim/model/pgtype"
	"applysim/model/stream"
)

// relation is an entry of the worker's relation map: a published table and the
// local one that stands for it.
type relation struct {
	remote  *stream.Relation
	local   *table // nil until the first change
	columns []localColumn

	lookup    *localIndex // index for finding rows, nil for a sequential scan
	checkRows bool        // rows that the index finds must be compared whole
	readOnly  string      // why updates and deletes cannot be applied; "" if they can

	routes map[*table]*route // to the partitions below local
}

// localColumn says where a local column's value comes from.
type localColumn struct {
	remote int // column of the message, -1 if it has none
	typ    *pgtype.Type
	typmod int32
	class  *opclass.Class // by which it is compared; nil: byte by byte
	bySize bool           // values of different lengths are not equal, and not fetched to see that
	// The value of a column that the message does not have: drawn from a sequence,
	// computed for each row, or always the same.
	identity *sequence
	expr     *expr.Expr
	def      datum.Value

	counters ColumnCounters
	shaped   bool // what its values look like matters for what they cost
	// What they look like, in text and in binary format.
	text, binary shapeCounters
	every        bool // all of them are looked at; see CountAll
	pure         bool // the same text gives the same value, which needs no work space
}

// open returns the relation map's entry for a change, with its local table
// (logicalrep_rel_open).
func (w *Worker) open(m *stream.Message) (*relation, error) {
	if w.last != nil && w.lastID == m.RelationID {
		w.countOpened(w.last.local)
		return w.last, nil
	}
	r := w.relations[m.RelationID]
	if r == nil {
		return nil, w.protocol(m, "no relation message for relation %d before its first change", m.RelationID)
	}
	if r.local == nil {
		if err := w.mapRelation(r); err != nil {
			return nil, err
		}
	}
	w.countOpened(r.local)
	w.last, w.lastID = r, m.RelationID
	return r, nil
}

// countOpened counts a change and the locks that it finds: a table stays locked until
// the transaction ends, and so does an index by which a row was looked for.
func (w *Worker) countOpened(t *table) {
	t.counters.Opened++
	if t.locked != w.Counters.Begins {
		t.locked = w.Counters.Begins
		t.counters.Locked++
	}
	if t.kept == w.Counters.Begins {
		t.counters.Held++
	}
}

// mapRelation finds the local table of a published one and matches columns by
// name.
func (w *Worker) mapRelation(r *relation) error {
	space := r.remote.Namespace
	if space == "" {
		space = "pg_catalog"
	}
	t := w.byName[[2]string{space, r.remote.Name}]
	if t == nil {
		return w.stop("logical replication target relation \"%s.%s\" does not exist", space, r.remote.Name)
	}
	if t.unsupported != "" {
		return w.unsupported("%s", t.unsupported)
	}
	remote := map[string]int{}
	for i, c := range r.remote.Columns {
		remote[c.Name] = i
	}
	r.columns = make([]localColumn, len(t.schema.Columns))
	var generated []string
	for i := range t.schema.Columns {
		c := &t.schema.Columns[i]
		lc := &r.columns[i]
		*lc = localColumn{remote: -1, typ: c.Type, typmod: c.Typmod, def: datum.Value{Null: true}, shaped: shaped(c.Type), every: w.countAll, pure: c.Type.HasBits() || c.Type.AsIs()}
		if c.Dropped {
			continue
		}
		lc.class = t.classes[i]
		switch lc.typ.Base().Name {
		case "text", "varchar", "bytea":
			lc.bySize = lc.class == nil || lc.class.EqualImage
		}
		if n, ok := remote[c.Name]; ok {
			if c.Generated != 0 && w.opts.Settings.ServerMajor < 18 {
				continue // it counts as missing
			}
			delete(remote, c.Name)
			if c.Generated != 0 {
				generated = append(generated, c.Name)
			}
			lc.remote = n
			continue
		}
		if c.Generated != 0 {
			continue
		}
		if err := w.defaultOf(t, c, i, lc); err != nil {
			return err
		}
	}
	if len(remote) > 0 {
		var missing []string
		for _, c := range r.remote.Columns {
			if _, ok := remote[c.Name]; ok {
				missing = append(missing, c.Name)
			}
		}
		return w.stop("logical replication target relation \"%s.%s\" is missing replicated column%s: %s",
			space, r.remote.Name, plural(len(missing)), quoteList(missing))
	}
	if len(generated) > 0 {
		order := func(name string) int {
			return slices.IndexFunc(r.remote.Columns, func(c stream.RelationColumn) bool { return c.Name == name })
		}
		slices.SortFunc(generated, func(a, b string) int { return order(a) - order(b) })
		return w.stop("logical replication target relation \"%s.%s\" has incompatible generated column%s: %s",
			space, r.remote.Name, plural(len(generated)), quoteList(generated))
	}
	r.local = t
	t.counters.Maps++
	w.chooseLookup(r)
	w.fit(t)
	return nil
}

// fit makes room for the rows of a table.
func (w *Worker) fit(t *table) {
	if n := len(t.schema.Columns); n > len(w.values) {
		w.values = append(w.values, make([]datum.Value, n-len(w.values))...)
		w.row = make([]datum.Value, n)
	}
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func quoteList(names []string) string {
	return `"` + strings.Join(names, `", "`) + `"`
}
