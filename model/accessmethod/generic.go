package accessmethod

import (
	"bytes"
	"maps"
	"slices"

	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// touched has pages of which only the number is known: a row's place among them is drawn
// by its values.
type touched struct{ pages []page }

func (t *touched) page(n int, values []datum.Value) *page {
	for len(t.pages) < n {
		t.pages = append(t.pages, page{used: storage.PageSize / 2})
	}
	h := uint64(0)
	for i := range values {
		h = digest(h^values[i].Bits, values[i].Bytes)
	}
	return &t.pages[h%uint64(len(t.pages))]
}

// removed takes dead rows from a list and counts them.
func removed(rows *[]storage.TID, dead func(storage.TID) bool) int {
	before := len(*rows)
	*rows = slices.DeleteFunc(*rows, dead)
	return before - len(*rows)
}

// generic is an index of an access method of which nothing is known but that it has an
// entry for each row.
type generic struct {
	logger
	o     Options
	rows  []storage.TID
	bytes int
	due   float64 // records not written yet
	touch touched
	work  Work
}

func newGeneric(o Options) *generic {
	return &generic{logger: logger{log: o.Log, rel: o.Rel, tail: 8}, o: o}
}

func (g *generic) Work() *Work { return &g.work }
func (g *generic) Truncate()   { g.rows, g.bytes, g.touch = nil, 0, touched{} }

func (g *generic) Pages() int { return 1 + g.bytes*4/3/storage.PageSize }

func (g *generic) Insert(values []datum.Value, tid storage.TID) {
	g.work.Rows++
	g.work.Keys += int64(len(values))
	n := tupleHeader
	for i := range values {
		if !values[i].Null {
			n += g.datumSize(i, &values[i])
			g.work.Parsed += int64(len(values[i].Bytes))
		}
	}
	n = maxAlign(n)
	g.bytes += n + linePointer
	g.rows = append(g.rows, tid)
	g.work.Placed += int64(n)
	p := g.touch.page(g.Pages(), values)
	bytes, records := g.price()
	g.due += records
	k := max(1, int(g.due))
	for range k {
		g.write(wal.GenericGeneric, (int(bytes)+n)/k, 0, p)
	}
	g.due -= float64(k)
}

// price is what an entry writes beside its values, and in how many records.
func (g *generic) price() (bytes, records float64) {
	if bytes, ok := prices.Entry[g.o.Method]; ok {
		return bytes, prices.Records[g.o.Method]
	}
	return typical(prices.Entry), typical(prices.Records)
}

func sorted(m map[string]float64) []string { return slices.Sorted(maps.Keys(m)) }

// datumSize is the size of a value. That of an extension's type is known as text only, but
// a vector's numbers take four bytes each.
func (g *generic) datumSize(i int, v *datum.Value) int {
	t := g.o.Columns[i].Type.Base()
	if t.Opaque && t.Name == "vector" {
		return varlenaSize(4 + 4*(1+bytes.Count(v.Bytes, []byte(","))))
	}
	return datumSize(v, t.Len)
}

func (g *generic) BulkDelete(dead func(storage.TID) bool, _ uint64) {
	gone := removed(&g.rows, dead)
	g.work.Removed += int64(gone)
	for range min(gone, g.Pages()) {
		g.write(wal.GenericGeneric, storage.PageSize/2, 0)
	}
}

func (g *generic) VacuumCleanup() {}

func (g *generic) Build(n int, rows func(add func(values []datum.Value, tid storage.TID))) {
	g.quiet = true
	rows(g.Insert)
	g.quiet = false
	g.work = Work{}
}

// summary is a BRIN index with another operator class than minmax: nothing is written for
// rows of a range that has no summary yet, and little else.
type summary struct {
	work Work
}

func (s *summary) Insert([]datum.Value, storage.TID) { s.work.Rows++ }

func (s *summary) BulkDelete(func(storage.TID) bool, uint64)                    {}
func (s *summary) VacuumCleanup()                                               {}
func (s *summary) Pages() int                                                   { return 3 }
func (s *summary) Build(int, func(func(values []datum.Value, tid storage.TID))) {}
func (s *summary) Truncate()                                                    {}
func (s *summary) Work() *Work                                                  { return &s.work }
