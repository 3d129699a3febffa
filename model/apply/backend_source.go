package apply

// The scan of the table that an INSERT ... SELECT reads: pages are pruned when it comes to
// them, between the rows that are inserted.

import "applysim/wal/storage"

// Source is such a scan under way.
type Source struct{ c *backendScan }

// OpenSource begins to read a table as a statement says.
func (b *Backend) OpenSource(s *Statement) *Source {
	t := b.w.bySchema[s.Table]
	if t == nil || t.heap == nil {
		return nil
	}
	b.lockFor(t, lockRead, true)
	return &Source{b.open(s, t)}
}

// To goes on to a row.
func (s *Source) To(tid storage.TID) { s.c.to(tid) }

// Finish goes on to the end.
func (s *Source) Finish() {
	s.c.finish()
	s.c.end()
	s.c.table.heap.Pin(storage.InvalidBlock)
}
