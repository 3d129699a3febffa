package scenario

import (
	"errors"
	"slices"

	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/partition"
	"applysim/model/pgtype"
	"applysim/model/schema"
)

// DefaultDraws is how often a row is drawn that the publisher's constraints refuse.
const DefaultDraws = 256

// drawShift is where a row's draw stands in the version of its values.
const drawShift = 48

// guard knows what the publisher's table refuses: CHECK constraints, those of the columns'
// domains, and a partition's bounds. A row that it refuses never came into the table, so
// its values are drawn again; nothing else of the run depends on that. What cannot be
// evaluated is taken to hold, as on the subscriber.
type guard struct {
	table     *schema.Table
	columns   []*column // beside the source's, in text format; nil for those that nothing reads
	places    []int     // of the source's columns in the table
	generated []computed
	checks    []*expr.Expr
	domains   []computedDomain
	levels    []level
	draws     int
	slot      int // 1 more than the row's draw, 0 if nobody has looked

	row     []datum.Value
	scratch expr.Scratch
	arena   []byte
}

// computed is a generated column.
type computed struct {
	place int
	expr  *expr.Expr
}

type computedDomain struct {
	place  int
	domain *expr.Domain
}

// level is a partitioned table above a partition.
type level struct {
	router *partition.Router
	child  int
	from   []int // its columns in the guarded table, -1 for those that are dropped
	row    []datum.Value
}

// redrawn says whether values of a column are drawn, and no two rows' must differ.
func (x *column) redrawn() bool {
	return !x.permuted && (x.Kind == Random || x.Kind == Choice || x.Kind == UUIDv4)
}

// newGuard returns what a source needs, nil if the table refuses nothing.
func (g *Generator) newGuard(src *source, t *schema.Table, db *schema.Database, specs map[string]*Column, unique map[int]bool, changed []string) (*guard, error) {
	u := &guard{table: t, draws: g.s.Draws}
	if u.draws == 0 {
		u.draws = DefaultDraws
	}
	published := map[int]*column{}
	for _, c := range src.columns {
		n := t.Column(c.Name)
		u.places = append(u.places, n)
		published[n] = c
	}
	// useful says whether another draw can change what an expression gives, or an update.
	reads := map[int]bool{}
	useful := func(columns []int) bool {
		moves := false
		for _, n := range columns {
			c := published[n]
			if c == nil {
				return false
			}
			moves = moves || c.redrawn() || c.nulls > 0 || slices.Contains(changed, c.Name)
		}
		return moves
	}
	read := func(columns []int) {
		for _, n := range columns {
			reads[n] = true
		}
	}
	o := &expr.Options{TargetTypmod: -1, Resolve: func(name string) *pgtype.Type {
		if typ := db.Types[name]; typ != nil {
			return typ
		}
		return db.Types["public."+name]
	}}
	made := map[int][]int{} // what generated columns are made of
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Dropped || c.Generated == 0 {
			continue
		}
		own := *o
		own.Target, own.TargetTypmod = c.Type, c.Typmod
		if e, err := expr.CompileOptions(c.GeneratedExpr, t, &own); err == nil && useful(e.Columns()) {
			made[i] = e.Columns()
			u.generated = append(u.generated, computed{i, e})
		}
	}
	for i := range t.Checks {
		c := &t.Checks[i]
		if c.NotEnforced || c.Assume {
			continue
		}
		e, err := expr.CompileOptions(c.Expr, t, o)
		if err != nil {
			continue
		}
		var columns []int
		for _, n := range e.Columns() {
			if of := made[n]; of != nil {
				columns = append(columns, of...)
				continue
			}
			columns = append(columns, n)
		}
		if useful(columns) {
			read(columns)
			u.checks = append(u.checks, e)
		}
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; !c.Dropped && c.Type.Constrained() && useful([]int{i}) {
			d, _ := expr.CompileDomain(c.Type, o)
			read([]int{i})
			u.domains = append(u.domains, computedDomain{i, d})
		}
	}
	u.above(o, useful, read)
	if len(reads) == 0 {
		return nil, nil
	}
	text := *g.s
	text.Binary = false
	for i, c := range src.columns {
		if !reads[u.places[i]] {
			u.columns = append(u.columns, nil)
			continue
		}
		x, _, err := newColumn(&text, t, &t.Columns[u.places[i]], specs[c.Name], unique[u.places[i]], false)
		if err != nil {
			return nil, err
		}
		u.columns = append(u.columns, x)
	}
	u.row = make([]datum.Value, len(t.Columns))
	u.slot = src.rows.slots
	src.rows.slots++
	return u, nil
}

// above adds the bounds of the partitioned tables above a partition.
func (u *guard) above(o *expr.Options, useful func([]int) bool, read func([]int)) {
	for at := u.table; at.Parent != nil && at.Parent.Partition != nil && at.Parent.Partition.By != "hash"; at = at.Parent {
		up := at.Parent
		r, err := partition.New(up, o)
		if err != nil {
			return
		}
		l := level{router: r, child: slices.Index(up.Children, at), row: make([]datum.Value, len(up.Columns))}
		for i := range up.Columns {
			n := -1
			if c := &up.Columns[i]; !c.Dropped {
				n = u.table.Column(c.Name)
			}
			l.from = append(l.from, n)
		}
		var columns []int
		for _, n := range r.Columns() {
			columns = append(columns, l.from[n])
		}
		if !useful(columns) {
			continue
		}
		read(columns)
		u.levels = append(u.levels, l)
	}
}

// holds says whether the publisher takes a row as it is with a draw. version gives those
// of the source's columns.
func (u *guard) holds(g *Generator, s *source, row int64, draw uint64, version func(i int) uint64) bool {
	u.arena = u.arena[:0]
	u.scratch.Reset()
	u.scratch.Now, u.scratch.HasNow = int64(g.s.Start)+g.now, true
	for i, c := range u.columns {
		if c == nil {
			continue
		}
		place := u.places[i]
		v := g.value(c, s, row, version(i), draw, &u.arena)
		u.row[place] = datum.Value{Null: true}
		if v.Data == nil {
			continue
		}
		x, _, err := c.typ.Input(v.Data, c.typmod, nil)
		if err != nil {
			return false
		}
		u.row[place] = x
	}
	for i := range u.generated {
		x, err := u.generated[i].expr.Eval(u.row, &u.scratch)
		if err != nil {
			if isUnsupported(err) {
				continue
			}
			return false
		}
		u.row[u.generated[i].place] = x
	}
	for _, e := range u.checks {
		x, err := e.Eval(u.row, &u.scratch)
		if err != nil && !isUnsupported(err) || err == nil && !x.Null && x.Bits&1 == 0 {
			return false
		}
	}
	for i := range u.domains {
		d := &u.domains[i]
		if d.domain.Check(&u.row[d.place], &u.scratch, func(string, error) {}) != nil {
			return false
		}
	}
	for i := range u.levels {
		l := &u.levels[i]
		for n, from := range l.from {
			l.row[n] = datum.Value{Null: true}
			if from >= 0 {
				l.row[n] = u.row[from]
			}
		}
		if n, err := l.router.Partition(l.row); err != nil || n != l.child {
			return false
		}
	}
	return true
}

func isUnsupported(err error) bool {
	var unsupported *expr.UnsupportedError
	return errors.As(err, &unsupported)
}

// find returns the first draw of a row that the publisher takes; 0 if there is none, so
// that the subscriber says what is wrong.
func (u *guard) find(g *Generator, s *source, row int64, version func(i int) uint64) uint64 {
	for draw := range uint64(u.draws) {
		if u.holds(g, s, row, draw, version) {
			return draw
		}
	}
	return 0
}

// first gives the versions of a row from before the run.
func first(int) uint64 { return 0 }

// draw is the draw of a row that is there.
func (g *Generator) draw(s *source, row int64) uint64 {
	u := s.guard
	if u == nil {
		return 0
	}
	if n := s.rows.get(row, u.slot); n > 0 {
		return n - 1
	}
	n := u.find(g, s, row, g.versions(s, row))
	s.rows.set(row, u.slot, n+1)
	return n
}

// versions gives the versions of a row's values as they are.
func (g *Generator) versions(s *source, row int64) func(i int) uint64 {
	return func(i int) uint64 {
		if slot := s.columns[i].slot; slot >= 0 {
			return s.rows.get(row, slot)
		}
		return 0
	}
}

// renew gives columns of a row new values. If the publisher refuses all that are drawn the
// row keeps those that it had.
func (g *Generator) renew(s *source, row int64, columns []int) {
	draw := g.draw(s, row)
	u := s.guard
	if u == nil {
		for _, i := range columns {
			c := s.columns[i]
			s.rows.set(row, c.slot, c.renew(row, s.rows.get(row, c.slot), draw, g.now))
		}
		return
	}
	var before []uint64
	for _, i := range columns {
		before = append(before, s.rows.get(row, s.columns[i].slot))
	}
	versions := g.versions(s, row)
	for n := range u.draws {
		moved := n == 0
		for _, i := range columns {
			c := s.columns[i]
			if n > 0 && !c.redrawn() {
				continue
			}
			moved = true
			s.rows.set(row, c.slot, c.renew(row, s.rows.get(row, c.slot), draw, g.now))
		}
		if !moved {
			break
		}
		if u.holds(g, s, row, draw, versions) {
			return
		}
	}
	for k, i := range columns {
		s.rows.set(row, s.columns[i].slot, before[k])
	}
	s.kept++
}

// copy is a guard for another user of the same rows.
func (u *guard) copy() *guard {
	if u == nil {
		return nil
	}
	own := *u
	own.row, own.arena, own.scratch = slices.Clone(u.row), nil, expr.Scratch{}
	own.columns = nil
	for _, c := range u.columns {
		if c != nil {
			x := *c
			x.dayText = nil
			c = &x
		}
		own.columns = append(own.columns, c)
	}
	own.levels = nil
	for _, l := range u.levels {
		l.row = slices.Clone(l.row)
		own.levels = append(own.levels, l)
	}
	return &own
}
