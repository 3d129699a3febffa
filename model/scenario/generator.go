package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"applysim/model/schema"
	"applysim/model/spelling"
	"applysim/model/stream"
)

// What the publisher is taken to write for a row and a commit, in bytes of WAL. Nothing
// but the LSNs in begin and commit shows it.
const (
	firstLSN       stream.LSN = 0x1970000
	rowWALBytes    stream.LSN = 240
	commitWALBytes stream.LSN = 48
	firstXid                  = 750
	// firstRelation numbers the publisher's tables, firstType the types that its DDL
	// makes.
	firstRelation = 16384
	firstType     = 26384
	// firstGenbki is FirstGenbkiObjectId: types from here on are described in the
	// stream. Source: REL_18_1, src/include/access/transam.h.
	firstGenbki = 10000
)

// source is a published table and what its rows have.
type source struct {
	table     *schema.Table
	relation  *stream.Relation
	types     []*stream.Type
	identity  byte
	columns   []*column
	rows      rows
	preset    int64 // rows before the run
	interval  int64 // microseconds between those
	sent      bool  // the stream has described it
	described int   // types

	row, old stream.Tuple
	stored   *storedRows // nil if no row is so long that it matters
	guard    *guard      // nil if the publisher refuses no row
	kept     int64       // updates that left the row as it was, as all others were refused
}

// step is a Step with what it needs.
type step struct {
	*Step
	source *source
	change []int // columns that an update changes
	key    bool  // one of the identity's is among them
	zipf   *zipf
	zipfN  int64
	rng    rand.PCG
	cursor int64
	missed int64 // changes that found no row
}

// operation is an Operation on its way.
type operation struct {
	steps        []*step
	period       float64 // microseconds
	offset       float64
	next         int64  // number of its next transaction
	at           int64  // when that is, microseconds since the start
	transactions int64  // in all, 0 for no limit
	last         int    // rows of the first step in the last of them
	arrivals     *Clock // when they are not even
	lasts        int64  // microseconds from the first change to the commit
}

// Generator makes the messages of a scenario's stream, one after the other.
type Generator struct {
	s          *Scenario
	sources    []*source
	operations []*operation
	// Assumed are the choices that the scenario leaves open.
	Assumed []string

	changes int64 // so far
	xid     uint32
	lsn     stream.LSN
	now     int64 // microseconds since the start

	state   int
	current *operation
	step    int
	last    *step // whose change was made last
	left    int
	began   bool
	number  int64
	offset  int64
	arena   []byte
	commit  stream.LSN
	size    int64 // of the transaction's messages
	large   bool  // one was larger than a publisher keeps in memory
	empty   int   // transactions in a row that changed nothing
	part    *Part // nil for the whole
	cut     int   // rows of its first step to which the run's end cut a transaction short, or -1
}

// NewGenerator returns the stream of a scenario. db has the publisher's tables. In a
// variant, whose schema is now, columns may have other types there and tables another
// replica identity; the rows are the same.
func NewGenerator(s *Scenario, db, now *schema.Database) (*Generator, error) {
	return newGenerator(s, db, now, nil)
}

// newGenerator returns the stream of a part of it; nil is the whole.
func newGenerator(s *Scenario, db, now *schema.Database, part *Part) (*Generator, error) {
	g := &Generator{s: s, xid: firstXid, lsn: firstLSN, part: part, cut: -1}
	given := map[string]*Table{}
	for _, t := range s.Tables {
		given[t.Name] = t
		if find(db, t.Name) == nil {
			return nil, s.fail(t.at, "table %q is not in %s (nearest: %s)", t.Name, s.Schema, spelling.Nearest(t.Name, tableNames(db)))
		}
	}
	changed := map[string][]string{} // columns that updates change, by table
	all := s.steps()
	for _, p := range all {
		t := find(db, p.Table)
		if t == nil {
			return nil, s.fail(p.at+".table", "table %q is not in %s (nearest: %s)", p.Table, s.Schema, spelling.Nearest(p.Table, tableNames(db)))
		}
		for _, c := range p.Columns {
			if t.Column(c) < 0 {
				return nil, s.fail(p.at+".columns", "table %q has no column %q (nearest: %s)", p.Table, c, spelling.Nearest(c, columnNames(t)))
			}
		}
		changed[t.QualifiedName()] = append(changed[t.QualifiedName()], p.Columns...)
	}
	used := map[*schema.Table]*source{}
	types := map[string]uint32{}
	for i, t := range db.Tables {
		name := t.QualifiedName()
		_, changes := changed[name]
		if !changes && given[name] == nil || !part.has(name) {
			continue
		}
		src, err := g.source(db, t, find(now, name), given[name], changed[name], uint32(firstRelation+i), types)
		if err != nil {
			return nil, err
		}
		used[t] = src
		g.sources = append(g.sources, src)
	}
	for i, o := range s.Operations {
		if part != nil && (!part.operations[i] || part.transactions[i] == 0) {
			continue
		}
		x, err := g.operation(o, i, db, used)
		if err != nil {
			return nil, err
		}
		if part != nil {
			part.limit(x, i)
		}
		g.operations = append(g.operations, x)
	}
	return g, nil
}

// steps lists all steps of all operations.
func (s *Scenario) steps() []*Step {
	var list []*Step
	for _, o := range s.Operations {
		list = append(list, &o.Step)
		for i := range o.Then {
			list = append(list, &o.Then[i])
		}
	}
	return list
}

func find(db *schema.Database, name string) *schema.Table {
	for _, t := range db.Tables {
		if t.QualifiedName() == name {
			return t
		}
	}
	return nil
}

func tableNames(db *schema.Database) []string {
	var names []string
	for _, t := range db.Tables {
		names = append(names, t.QualifiedName())
	}
	return names
}

func columnNames(t *schema.Table) []string {
	var names []string
	for i := range t.Columns {
		if !t.Columns[i].Dropped {
			names = append(names, t.Columns[i].Name)
		}
	}
	return names
}

// identityColumns are the columns of a table's replica identity.
func identityColumns(t *schema.Table) []int {
	var key *schema.Index
	switch t.ReplicaIdentity {
	case 'n', 'f':
		return nil
	case 'i':
		for _, x := range t.Indexes {
			if x.ReplicaIdentity {
				key = x
			}
		}
	default:
		key = t.PrimaryKey()
	}
	if key == nil {
		return nil
	}
	var columns []int
	for _, k := range key.Keys {
		columns = append(columns, k.Column)
	}
	return columns
}

// published is the table whose replica identity the stream goes by: that of the variant,
// if it changes it, or gives the table a key that had none.
func published(t, now *schema.Table) *schema.Table {
	if now != nil && (now.ReplicaIdentity != t.ReplicaIdentity || t.ReplicaIdentity == 'd' && identityColumns(t) == nil) {
		return now
	}
	return t
}

// source makes what a table's changes need. now is the table in the variant's schema, nil
// if it has none.
func (g *Generator) source(db *schema.Database, t, now *schema.Table, given *Table, changed []string, id uint32, types map[string]uint32) (*source, error) {
	s := g.s
	replica := published(t, now)
	src := &source{table: replica, identity: replica.ReplicaIdentity, interval: 1_000_000}
	src.relation = &stream.Relation{ID: id, Namespace: t.Schema, Name: t.Name, Identity: src.identity}
	specs := map[string]*Column{}
	if given != nil {
		src.preset = given.Rows
		for _, c := range given.Columns {
			specs[c.Name] = c
			if t.Column(c.Name) < 0 {
				return nil, s.fail(c.at, "table %q has no column %q (nearest: %s)", given.Name, c.Name, spelling.Nearest(c.Name, columnNames(t)))
			}
		}
		for _, name := range given.Unpublished {
			n := t.Column(name)
			if n < 0 {
				return nil, s.fail(given.at+".unpublished", "table %q has no column %q (nearest: %s)", given.Name, name, spelling.Nearest(name, columnNames(t)))
			}
			if slices.Contains(identityColumns(replica), n) || replica.ReplicaIdentity == 'f' {
				return nil, s.fail(given.at+".unpublished", "column %q belongs to the replica identity of table %q: a publication must have it where it publishes updates or deletes", name, given.Name)
			}
		}
	}
	unique := map[int]bool{}
	for _, x := range t.Indexes {
		if x.Unique && len(x.Keys) == 1 && x.Keys[0].Column >= 0 {
			unique[x.Keys[0].Column] = true
		}
	}
	own := *t // with the types that are written
	own.Columns = slices.Clone(t.Columns)
	var places []int
	keys := map[string]bool{}
	for _, i := range identityColumns(replica) {
		keys[replica.Columns[i].Name] = true
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Dropped || c.Generated != 0 {
			if specs[c.Name] != nil && !c.Dropped {
				return nil, s.fail(specs[c.Name].at, "column %q is generated: it is not published", c.Name)
			}
			if slices.Contains(changed, c.Name) && !c.Dropped {
				return nil, fmt.Errorf("%s: column %q of table %q is generated: no update changes it", s.File, c.Name, t.QualifiedName())
			}
			continue
		}
		if given != nil && slices.Contains(given.Unpublished, c.Name) {
			continue
		}
		x, assumed, err := newColumn(s, t, c, specs[c.Name], unique[i], slices.Contains(changed, c.Name))
		if err != nil {
			return nil, err
		}
		if assumed != "" {
			g.Assumed = append(g.Assumed, assumed)
		}
		if now != nil {
			if n := now.Column(c.Name); n >= 0 && now.Columns[n].Type.String() != c.Type.String() || n >= 0 && now.Columns[n].Typmod != c.Typmod {
				// The kinds of values stay, but they are written as the new type has them.
				c = &now.Columns[n]
				if x, _, err = newColumn(s, t, c, &x.Column, unique[i], slices.Contains(changed, c.Name)); err != nil {
					return nil, err
				}
			}
		}
		own.Columns[i] = *c
		places = append(places, i)
		x.key = keys[c.Name]
		if x.slot == 0 {
			x.slot = src.rows.slots
			src.rows.slots++
		}
		src.columns = append(src.columns, x)
		r := stream.RelationColumn{Name: c.Name, TypeID: c.Type.OID, Typmod: c.Typmod}
		if x.key || src.identity == 'f' {
			r.Flags = 1
		}
		if r.TypeID == 0 {
			if types[c.Type.String()] == 0 {
				types[c.Type.String()] = firstType + uint32(len(types))
			}
			r.TypeID = types[c.Type.String()]
		}
		if r.TypeID >= firstGenbki {
			src.types = append(src.types, &stream.Type{ID: r.TypeID, Namespace: c.Type.Schema, Name: c.Type.Name})
		}
		src.relation.Columns = append(src.relation.Columns, r)
	}
	for i := range src.columns {
		if x := src.columns[i]; x.Kind == Monotone && x.slot >= 0 {
			x.next = uint64(src.preset)
		}
	}
	src.stored = newStoredRows(src, &own, places)
	if given == nil || given.Checks != Assumed {
		var err error
		if src.guard, err = g.newGuard(src, t, db, specs, unique, changed); err != nil {
			return nil, err
		}
	}
	src.row = make(stream.Tuple, len(src.columns))
	src.old = make(stream.Tuple, len(src.columns))
	return src, nil
}

// operation makes an operation ready.
func (g *Generator) operation(o *Operation, number int, db *schema.Database, used map[*schema.Table]*source) (*operation, error) {
	x := &operation{}
	list := append([]*Step{&o.Step}, pointers(o.Then)...)
	for i, p := range list {
		src := used[find(db, p.Table)]
		q := &step{Step: p, source: src}
		q.rng.Seed(hashName(g.s.Seed, "operation"), uint64(number)<<16|uint64(i))
		for j, c := range src.columns {
			if slices.Contains(p.Columns, c.Name) {
				q.change = append(q.change, j)
				q.key = q.key || c.key
			}
		}
		if p.Do != Insert && src.identity != 'f' && identityColumns(src.table) == nil {
			return nil, g.s.fail(p.at, "table %q has no replica identity: its publisher would refuse to %s (expected a primary key, or ALTER TABLE ... REPLICA IDENTITY FULL)", p.Table, p.Do)
		}
		if i == 0 && p.Do == Insert && o.Rate > 0 && src.interval == 1_000_000 {
			src.interval = max(int64(1e6/o.Rate), 1)
		}
		x.steps = append(x.steps, q)
	}
	const second = 1e6
	if o.Count > 0 {
		x.transactions = (o.Count + int64(o.Rows) - 1) / int64(o.Rows)
		x.last = int(o.Count - (x.transactions-1)*int64(o.Rows))
		x.period = float64(g.s.Duration.Microseconds()) / float64(x.transactions)
	} else {
		x.period = float64(float64(o.Rows)*second) / o.Rate
	}
	x.lasts = o.Lasts.Microseconds()
	if !o.Arrivals.even() {
		x.arrivals = g.s.clock(o, number)
	}
	// The operations' transactions take turns.
	x.offset = float64(x.period*float64(number)) / float64(len(g.s.Operations))
	x.schedule()
	return x, nil
}

func pointers(steps []Step) []*Step {
	var list []*Step
	for i := range steps {
		list = append(list, &steps[i])
	}
	return list
}

// schedule computes when the next transaction is.
func (x *operation) schedule() {
	if x.arrivals != nil {
		at := x.arrivals.Time(float64(x.next)) * 1e6
		if x.at = math.MaxInt64; at < 1e17 {
			x.at = int64(math.Floor(at))
		}
	} else {
		x.at = int64(math.Floor(float64(float64(x.next)*x.period) + x.offset))
	}
	if x.at < math.MaxInt64 {
		x.at += x.lasts // the stream is in the order of commits
	}
	if x.transactions > 0 && x.next >= x.transactions {
		x.at = math.MaxInt64
	}
}

// Missed says of each kind of change whether there was no row left for some, and of each
// table how many updates could change nothing.
func (g *Generator) Missed() []string {
	var list []string
	for _, s := range g.sources {
		if s.kept > 0 {
			list = append(list, fmt.Sprintf("%d updates of table %q set the values that the row had: the publisher's constraints refuse all others that were drawn", s.kept, s.table.QualifiedName()))
		}
	}
	for _, o := range g.operations {
		for _, p := range o.steps {
			if p.missed > 0 {
				list = append(list, fmt.Sprintf("%s:%d: %s of table %q found no row %d times, and is left out there", g.s.File, g.s.lines.line(p.at), p.Do, p.Table, p.missed))
			}
		}
	}
	return list
}

// Doubts lists what was assumed of the values, as one text.
func (g *Generator) Doubts() string { return strings.Join(g.Assumed, "; ") }

// Columns are those of a published table as its values are made: with all that the
// scenario leaves open filled in; nil if the scenario has nothing to do with the table.
func (g *Generator) Columns(table string) []Column {
	for _, s := range g.sources {
		if s.table.QualifiedName() == table {
			list := make([]Column, len(s.columns))
			for i, c := range s.columns {
				list[i] = c.Column
			}
			return list
		}
	}
	return nil
}
