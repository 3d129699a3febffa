package accessmethod

import (
	"applysim/heap/datum"
	"applysim/model/pgtype"
	"applysim/wal"
	"applysim/wal/storage"
)

// Sizes of SP-GiST's structs. Source: REL_18_1, src/include/access/spgist_private.h,
// spgxlog.h.
const (
	spgSpecial = 8
	spgLeaf    = 16 // a leaf tuple's header
	spgAddLeaf = 10
)

// spgist is an SP-GiST index by its leaf tuples: each is logged as it is added, and what
// dividing pages and moving tuples to others writes follows the bytes added, at a price
// that was measured.
type spgist struct {
	logger
	o      Options
	bytes  int // of leaf tuples
	moving int // bytes for which no division was logged yet
	rows   []storage.TID
	touch  touched
	work   Work
}

func newSPGiST(o Options) *spgist {
	return &spgist{logger: logger{log: o.Log, rel: o.Rel, tail: spgSpecial}, o: o}
}

func (s *spgist) Work() *Work { return &s.work }
func (s *spgist) Truncate()   { s.bytes, s.moving, s.rows, s.touch = 0, 0, nil, touched{} }

// spgFull is how full pages are, of what they could hold.
const spgFull = 0.6

func (s *spgist) Pages() int { return 3 + int(float64(s.bytes)/spgFull/float64(room(spgSpecial))) }

// size is that of a row's leaf tuple. Of a text what the tree has above it is cut off: the
// tuple keeps the rest.
func (s *spgist) size(v *datum.Value) int {
	t := s.o.Columns[0].Type.Base()
	switch {
	case v.Null:
		return spgLeaf
	case t.Len > 0:
		return maxAlign(spgLeaf + int(t.Len))
	case t.Kind == pgtype.KindText || t.Kind == pgtype.KindVarchar:
		levels := 0
		for n := s.bytes / room(spgSpecial); n > 0; n /= 26 {
			levels++
		}
		return maxAlign(spgLeaf + varlenaSize(max(0, len(v.Bytes)-levels)))
	}
	return maxAlign(spgLeaf + varlenaSize(len(v.Bytes)))
}

func (s *spgist) Insert(values []datum.Value, tid storage.TID) {
	s.work.Rows++
	s.work.Keys++
	s.work.Parsed += int64(len(values[0].Bytes))
	s.rows = append(s.rows, tid)
	n := s.size(&values[0])
	s.bytes += n + linePointer
	s.work.Placed += int64(n)
	s.moving += n + linePointer
	p := s.touch.page(s.Pages(), values)
	s.write(wal.SpgistAddLeaf, recordHead+mainHead+spgAddLeaf+n+firstBlock, 0, p)
	// A page that is full is divided.
	if s.moving > room(spgSpecial)/2 {
		s.work.Splits++
		s.work.SplitItems += int64(s.moving / (n + linePointer))
		s.write(wal.SpgistPicksplit, int(float64(float64(s.moving)*prices.Division[s.class()])), 0)
		s.moving = 0
	}
}

// BulkDelete takes dead rows' tuples from all pages that have any (spgbulkdelete).
func (s *spgist) BulkDelete(dead func(storage.TID) bool, _ uint64) {
	gone := removed(&s.rows, dead)
	s.work.Removed += int64(gone)
	if gone == 0 {
		return
	}
	pages := s.Pages()
	for range min(gone, pages) {
		n := gone / min(gone, pages)
		s.write(wal.SpgistVacuumLeaf, recordHead+mainHead+14+firstBlock+4*n, 0)
	}
}

func (s *spgist) VacuumCleanup() {}

func (s *spgist) Build(n int, rows func(add func(values []datum.Value, tid storage.TID))) {
	s.quiet = true
	rows(s.Insert)
	s.quiet = false
	s.work, s.moving = Work{}, 0
}
