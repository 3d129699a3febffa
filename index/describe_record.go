package index

// What records contain, as pg_waldump shows it, after nbtdesc.c.

import (
	"fmt"
	"strings"

	"applysim/wal"
	"applysim/wal/storage"
)

// offset is the offset number of the item that stands at a place in key order, from 0.
func (p *page) offset(place int) int { return p.first() + place + 1 }

// describeInsert describes the insertion of the item of leaf p that has arrived last.
func (t *BTree) describeInsert(d *wal.Detail, p *page) {
	t.settle(p)
	last := uint16(len(p.items) - 1)
	place := len(p.items) - 1
	for p.nth(place) != last {
		place--
	}
	d.Describe("off: %d", p.offset(place))
}

// splitRecord is what the record of a split says of it, by offset numbers of the page
// before the split.
type splitRecord struct {
	level, first, at int
	posting          int // place in the posting list that the new item fell into
}

func (s *splitRecord) describe(d *wal.Detail) {
	d.Describe("level: %d, firstrightoff: %d, newitemoff: %d, postingoff: %d", s.level, s.first, s.at, s.posting)
}

// deletionRecord is what the record of a deletion says: offset numbers of the items that
// go, and of posting lists that shrink.
type deletionRecord struct {
	horizon uint32 // snapshot conflict horizon of a DELETE
	deleted []int
	updated []string
}

// conflicts is what a table may know of row versions that lose their index entries.
type conflicts interface {
	// ConflictHorizon is the newest transaction whose snapshot still sees a version that
	// a heap TID leads to, 0 if there is none.
	ConflictHorizon(storage.TID) uint32
}

// conflict moves the horizon over the versions that a group of heap TIDs leads to.
func (r *deletionRecord) conflict(heap Heap, group []candidate) {
	c, ok := heap.(conflicts)
	if !ok {
		return
	}
	for _, x := range group {
		if x.deletable {
			r.horizon = max(r.horizon, c.ConflictHorizon(x.tid))
		}
	}
}

// shrink notes which heap TIDs of a posting list go, by their places in it.
func (r *deletionRecord) shrink(off int, list []byte, group []candidate) {
	var places []string
	for i := 0; i < len(list); i += storage.TIDSize {
		tid := getTID(list[i:])
		for _, c := range group {
			if c.deletable && c.tid == tid {
				places = append(places, fmt.Sprint(i/storage.TIDSize))
			}
		}
	}
	r.updated = append(r.updated, fmt.Sprintf("{ off: %d, nptids: %d, ptids: [%s] }", off, len(places), strings.Join(places, ", ")))
}

// describe describes the deletion.
func (r *deletionRecord) describe(d *wal.Detail, typ wal.RecordType, image bool) {
	var b strings.Builder
	if typ == wal.BtreeDelete {
		fmt.Fprintf(&b, "snapshotConflictHorizon: %d, ", r.horizon)
	}
	fmt.Fprintf(&b, "ndeleted: %d, nupdated: %d", len(r.deleted), len(r.updated))
	if typ == wal.BtreeDelete {
		b.WriteString(", isCatalogRel: F")
	}
	if !image {
		fmt.Fprintf(&b, ", deleted: %s, updated: [%s]", strings.ReplaceAll(fmt.Sprint(r.deleted), " ", ", "), strings.Join(r.updated, ", "))
	}
	d.Describe("%s", b.String())
}

// other is the number of a page, InvalidBlock if it is the one that it is compared with.
func other(p, same *page) storage.BlockNumber {
	if p == same {
		return storage.InvalidBlock
	}
	return p.block
}
