package publisher

import (
	_ "embed" // the model
	"fmt"

	"applysim/model/cost"
	"applysim/model/stream"
)

//go:embed model.json
var builtin []byte

// Model is what each kind of work takes a walsender, in instructions.
func Model() (*cost.Model, error) { return cost.ReadModel(builtin) }

// The terms that do not depend on types.
const (
	TermTransaction = "decode and send a transaction"
	TermChange      = "decode and send a change"
	TermOldRow      = "send an old row or key"
	TermNull        = "send a NULL"
	TermByte        = "send a byte"
)

// outputTerm is the term of a type's output function, by value or byte.
func outputTerm(typ uint32, format, unit string) string {
	return fmt.Sprintf("output type %d (%s), by %s", typ, format, unit)
}

// values count the values of one type in one format.
type values struct{ n, bytes int64 }

type output struct {
	typ    uint32
	format byte
}

// Counter counts what a walsender sends.
type Counter struct {
	transactions, changes, old, nulls, bytes int64

	relations map[uint32]*stream.Relation
	outputs   map[output]*values
	order     []output
}

// Add counts a message.
func (c *Counter) Add(m *stream.Message) {
	switch m.Kind {
	case stream.KindRelation:
		if c.relations == nil {
			c.relations = map[uint32]*stream.Relation{}
		}
		c.relations[m.Relation.ID] = m.Relation
	case stream.KindCommit:
		c.transactions++
	case stream.KindInsert, stream.KindUpdate, stream.KindDelete:
		c.changes++
		c.bytes += int64(m.Size)
		if m.OldKind != stream.OldNone {
			c.old++
		}
		c.tuple(m.RelationID, m.New)
		c.tuple(m.RelationID, m.Old)
	}
}

func (c *Counter) tuple(relation uint32, t stream.Tuple) {
	r := c.relations[relation]
	for i := range t {
		f := t[i].Format
		if f != stream.ColumnText && f != stream.ColumnBinary {
			c.nulls++
			continue
		}
		typ := uint32(0)
		if r != nil && i < len(r.Columns) {
			typ = r.Columns[i].TypeID
		}
		o := output{typ, f}
		v := c.outputs[o]
		if v == nil {
			if c.outputs == nil {
				c.outputs = map[output]*values{}
			}
			v = &values{}
			c.outputs[o] = v
			c.order = append(c.order, o)
		}
		v.n++
		v.bytes += int64(len(t[i].Data))
	}
}

// Bytes is the length of all changes sent.
func (c *Counter) Bytes() int64 { return c.bytes }

// Transactions is the number of transactions sent.
func (c *Counter) Transactions() int64 { return c.transactions }

// Usage is the walsender's work so far.
func (c *Counter) Usage() *cost.Usage {
	u := &cost.Usage{}
	add := func(term string, n int64) { u.Add(cost.Item{Term: term, Where: cost.Dispatch, Quantity: float64(n)}) }
	add(TermTransaction, c.transactions)
	add(TermChange, c.changes)
	add(TermOldRow, c.old)
	add(TermNull, c.nulls)
	add(TermByte, c.bytes)
	for _, o := range c.order {
		format := "text"
		if o.format == stream.ColumnBinary {
			format = "binary"
		}
		v := c.outputs[o]
		add(outputTerm(o.typ, format, "value"), v.n)
		add(outputTerm(o.typ, format, "byte"), v.bytes)
	}
	return u
}
