package apply

import (
	"slices"

	"github.com/google/btree"

	"applysim/wal/storage"
)

// tidSet is a set of heap TIDs in physical order. The zero value is empty.
type tidSet struct {
	few  []storage.TID // in order, while there are only few
	many *btree.BTreeG[storage.TID]
}

// fewTIDs is how many TIDs a slice holds: of most rows there is only one.
const (
	fewTIDs     = 32
	btreeDegree = 32
)

// add adds a TID that is not there.
func (s *tidSet) add(tid storage.TID) {
	if s.many == nil && len(s.few) < fewTIDs {
		at, _ := slices.BinarySearchFunc(s.few, tid, storage.TID.Compare)
		s.few = slices.Insert(s.few, at, tid)
		return
	}
	if s.many == nil {
		s.many = btree.NewG(btreeDegree, storage.TID.Less)
		for _, t := range s.few {
			s.many.ReplaceOrInsert(t)
		}
		s.few = nil
	}
	s.many.ReplaceOrInsert(tid)
}

// remove removes a TID if it is there, and says whether none is left.
func (s *tidSet) remove(tid storage.TID) (empty bool) {
	if s.many != nil {
		s.many.Delete(tid)
		return s.many.Len() == 0
	}
	if at, ok := slices.BinarySearchFunc(s.few, tid, storage.TID.Compare); ok {
		s.few = slices.Delete(s.few, at, at+1)
	}
	return len(s.few) == 0
}

// from calls yield for each TID until it returns false: those from page start on, then
// those before it.
func (s *tidSet) from(start storage.BlockNumber, yield func(storage.TID) bool) {
	first, going := storage.TID{Block: start}, true
	if s.many != nil {
		s.many.AscendGreaterOrEqual(first, func(tid storage.TID) bool {
			going = yield(tid)
			return going
		})
		if going {
			s.many.AscendLessThan(first, yield)
		}
		return
	}
	at, _ := slices.BinarySearchFunc(s.few, first, storage.TID.Compare)
	for i := range s.few {
		if !yield(s.few[(at+i)%len(s.few)]) {
			return
		}
	}
}
