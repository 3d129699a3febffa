package schema

import (
	"math"
	"slices"
)

// sequenceOptions are the options as written; a nil one was not.
type sequenceOptions struct {
	typ                                          string
	start, increment, minValue, maxValue, cache  *int64
	cycle                                        *bool
	schema, name                                 string // SEQUENCE NAME
	ownerSchema, ownerTable, ownerColumn         string
	noOwner, noMin, noMax, unlogged, setUnlogged bool
}

// sequenceOptions reads options up to something else.
func (p *parser) sequenceOptions(o *sequenceOptions) {
	for p.err == nil && p.sequenceOption(o) {
	}
}

func (p *parser) sequenceOption(o *sequenceOptions) bool {
	number := func(what string) *int64 {
		n := p.number(what)
		return &n
	}
	yes, no := true, false
	switch {
	case p.accept("as"):
		if ct := p.typeName("the type of the sequence"); p.err == nil {
			o.typ = ct.typ.Name
		}
	case p.accept("start"):
		p.accept("with")
		o.start = number("the first value of the sequence")
	case p.accept("restart"):
		p.accept("with")
		if !p.atEnd() && !p.isName() && !p.is(")") && !p.is(",") {
			number("a value of the sequence")
		}
	case p.accept("increment"):
		p.accept("by")
		o.increment = number("the increment of the sequence")
	case p.accept("minvalue"):
		o.minValue = number("the least value of the sequence")
	case p.accept("maxvalue"):
		o.maxValue = number("the greatest value of the sequence")
	case p.accept("no", "minvalue"):
		o.noMin = true
	case p.accept("no", "maxvalue"):
		o.noMax = true
	case p.accept("cache"):
		o.cache = number("the number of cached values")
	case p.accept("cycle"):
		o.cycle = &yes
	case p.accept("no", "cycle"):
		o.cycle = &no
	case p.accept("owned", "by"):
		if p.accept("none") {
			o.noOwner = true
			break
		}
		o.ownerSchema, o.ownerTable = "", p.name("the name of a table")
		p.expect(".")
		o.ownerColumn = p.name("the name of a column")
		for p.accept(".") {
			o.ownerSchema, o.ownerTable, o.ownerColumn = o.ownerTable, o.ownerColumn, p.name("the name of a column")
		}
	case p.accept("sequence", "name"):
		o.schema, o.name = p.qname("the name of the sequence")
	case p.accept("logged"):
		o.setUnlogged, o.unlogged = true, false
	case p.accept("unlogged"):
		o.setUnlogged, o.unlogged = true, true
	default:
		return false
	}
	return true
}

// apply sets the options; with create what is not given gets its default.
func (o *sequenceOptions) apply(s *Sequence, create bool) {
	set := func(to *int64, v *int64) {
		if v != nil {
			*to = *v
		}
	}
	if o.typ != "" {
		s.typ = o.typ
	}
	if create {
		s.Increment, s.Cache = 1, 1
	}
	set(&s.Increment, o.increment)
	set(&s.Cache, o.cache)
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	switch s.typ {
	case "smallint":
		least, most = math.MinInt16, math.MaxInt16
	case "integer":
		least, most = math.MinInt32, math.MaxInt32
	}
	if create || o.noMin || o.typ != "" {
		if s.MinValue = 1; s.Increment < 0 {
			s.MinValue = least
		}
	}
	if create || o.noMax || o.typ != "" {
		if s.MaxValue = most; s.Increment < 0 {
			s.MaxValue = -1
		}
	}
	set(&s.MinValue, o.minValue)
	set(&s.MaxValue, o.maxValue)
	if create {
		if s.Start = s.MinValue; s.Increment < 0 {
			s.Start = s.MaxValue
		}
	}
	set(&s.Start, o.start)
	if o.cycle != nil {
		s.Cycle = *o.cycle
	}
	if o.setUnlogged {
		s.Unlogged = o.unlogged
	}
}

// options describes the sequence anew, for LIKE ... INCLUDING IDENTITY.
func (s *Sequence) options() *sequenceOptions {
	c := *s
	return &sequenceOptions{typ: c.typ, start: &c.Start, increment: &c.Increment, minValue: &c.MinValue, maxValue: &c.MaxValue,
		cache: &c.Cache, cycle: &c.Cycle}
}

// sequenceOf finds the sequence of an identity column.
func (d *Database) sequenceOf(t *Table, column int) *Sequence {
	for _, s := range d.Sequences {
		if s.Table == t && s.Column == column {
			return s
		}
	}
	return nil
}

// createSequence reads CREATE SEQUENCE after those words.
func (p *parser) createSequence(unlogged bool) {
	exists := p.accept("if", "not", "exists")
	at := p.peek()
	schema, name := p.newName("the name of the sequence")
	o := &sequenceOptions{}
	p.sequenceOptions(o)
	p.end()
	if p.err != nil {
		return
	}
	if p.db.relationExists(objectName{schema, name}) {
		if !exists {
			p.failAt(at, "found a second relation %s, expected a name for the sequence that is not taken", qualified(schema, name))
		}
		return
	}
	s := &Sequence{Schema: schema, Name: name, Unlogged: unlogged}
	p.addSequence(s, o)
}

func (p *parser) addSequence(s *Sequence, o *sequenceOptions) {
	o.apply(s, true)
	p.checkSequence(s)
	p.setOwner(s, o)
	p.db.Sequences = append(p.db.Sequences, s)
	p.db.others[objectName{s.Schema, s.Name}] = "SEQUENCE"
}

func (p *parser) setOwner(s *Sequence, o *sequenceOptions) {
	if o.noOwner {
		s.Table, s.Column = nil, 0
	}
	if o.ownerTable == "" {
		return
	}
	t := p.db.findTable(o.ownerSchema, o.ownerTable)
	if t == nil {
		if p.db.findOther(o.ownerSchema, o.ownerTable) == "" {
			p.noTable(p.st.toks[0], o.ownerSchema, o.ownerTable)
		}
		return
	}
	i := t.Column(o.ownerColumn)
	if i < 0 {
		p.noColumn(p.st.toks[0], t, o.ownerColumn)
		return
	}
	s.Table, s.Column = t, i
}

// alterSequence reads ALTER SEQUENCE after those words.
func (p *parser) alterSequence() {
	exists := p.accept("if", "exists")
	at := p.peek()
	schema, name := p.qname("the name of a sequence")
	if p.err != nil {
		return
	}
	s := p.db.Sequence(p.db.schemaOf(schema, name), name)
	if s == nil {
		if !exists && !p.is("owner", "to") {
			p.failAt(at, "found sequence %s, expected one that a statement before creates", qualified(schema, name))
		}
		return
	}
	switch {
	case p.accept("owner", "to"):
		p.next()
	case p.accept("rename", "to"):
		if to := p.name("the new name"); p.err == nil {
			p.db.moveSequence(s, s.Schema, to)
		}
	case p.accept("set", "schema"):
		if to := p.name("the name of a schema"); p.err == nil {
			p.db.moveSequence(s, to, s.Name)
		}
	default:
		p.accept("set")
		o := &sequenceOptions{}
		p.sequenceOptions(o)
		o.apply(s, false)
		p.setOwner(s, o)
	}
	p.end()
}

func (d *Database) moveSequence(s *Sequence, schema, name string) {
	delete(d.others, objectName{s.Schema, s.Name})
	s.Schema, s.Name = schema, name
	d.others[objectName{schema, name}] = "SEQUENCE"
}

// ownedSequence makes the sequence of a serial or identity column and gives a
// serial column its default.
func (p *parser) ownedSequence(t *Table, c *columnDef) {
	if !c.serial && c.sequence == nil || p.err != nil {
		return
	}
	o := c.sequence
	if o == nil {
		o = &sequenceOptions{}
	}
	if o.typ == "" {
		o.typ = c.Type.Base().Name
	}
	s := &Sequence{Schema: t.Schema, Name: o.name, Unlogged: t.Unlogged}
	if o.schema != "" {
		s.Schema = o.schema
	}
	if s.Name == "" {
		s.Name = p.db.chooseRelationName(t.Name, c.Name, "seq", t.Schema, false)
	} else if p.db.relationExists(objectName{s.Schema, s.Name}) {
		p.fail("found a second relation %s, expected a name for the sequence that is not taken", qualified(s.Schema, s.Name))
		return
	}
	if c.serial {
		// The name as regclass prints it where the schema is on the path.
		name := quoteIdent(s.Name)
		if !slices.Contains(p.db.path, s.Schema) {
			name = quoteIdent(s.Schema) + "." + name
		}
		c.Default = "nextval('" + name + "'::regclass)"
	}
	s.Table, s.Column = t, -1
	s.owner = c.Name
	p.addSequence(s, o)
}

// bindSequences gives the sequences of new columns the columns' numbers.
func (p *parser) bindSequences(t *Table) {
	for i := len(p.db.Sequences) - 1; i >= 0; i-- {
		s := p.db.Sequences[i]
		if s.Table != t || s.Column >= 0 {
			if s.Table != t {
				return // those of one statement come last
			}
			continue
		}
		s.Column = t.Column(s.owner)
	}
}
