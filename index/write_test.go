package index

import (
	"encoding/binary"
	"testing"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/wal"
	"applysim/wal/storage"
)

// TestPageLinks splits leaves of an index on a "char" and a smallint, whose second column is
// aligned: the bytes of each page must have the links that the page has. Padding once
// overwrote the first one's lowest byte.
func TestPageLinks(t *testing.T) {
	log := wal.NewLog(wal.Options{Start: 0x1000000})
	tree := NewBTree(Options{
		Name: "x", Keys: 2, Fillfactor: 90, Deduplicate: true,
		Columns: []Column{
			{Attr: datum.Attr{Len: 1, Align: 1, ByVal: true, Storage: 'p', NotNull: true}, Class: opclass.ByName("char_ops")},
			{Attr: datum.Attr{Len: 2, Align: 2, ByVal: true, Storage: 'p', NotNull: true}, Class: opclass.ByName("int2_ops")},
		},
	}, log, log.Register("x"), allLive{})
	for n := range 20_000 {
		row := []datum.Value{{Bits: uint64('A' + n%3)}, {Bits: uint64(n * 7919 % 30_000)}}
		if _, err := tree.Insert(row, storage.TID{Block: storage.BlockNumber(n / 43), Offset: storage.OffsetNumber(n%43 + 1)}, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.Check(); err != nil {
		t.Fatal(err)
	}
	var b [storage.PageSize]byte
	linked := 0
	for block, p := range tree.pages {
		if p == nil {
			continue
		}
		tree.PageBytes(&b, storage.BlockNumber(block))
		special := b[storage.PageSize-specialSize:]
		prev, next := binary.LittleEndian.Uint32(special), binary.LittleEndian.Uint32(special[4:])
		if prev != sibling(p.prev) || next != sibling(p.next) {
			t.Errorf("block %d: links %d and %d, expected %d and %d", block, prev, next, sibling(p.prev), sibling(p.next))
		}
		if prev != 0 {
			linked++
		}
	}
	if linked < 10 {
		t.Errorf("%d pages with a left neighbour, expected more", linked)
	}
}
