package index_test

import (
	"testing"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/index/opclass"
	"applysim/wal"
	"applysim/wal/storage"
)

// A summary is written when a row widens it or is the first NULL, and never for a
// range that has none (add_values_to_range, brininsert).
func TestBRINInsert(t *testing.T) {
	log := wal.NewLog(wal.Options{Origin: true})
	int4 := datum.Attr{Len: 4, Align: 4, ByVal: true, Storage: 'p'}
	x := index.NewBRIN([]index.Column{{Attr: int4, Class: opclass.ByName("int4_ops")}}, 2, log, log.Register("x"))
	null := datum.Value{Null: true}
	for i, c := range []struct {
		value  datum.Value
		block  storage.BlockNumber
		length int // of the record, 0 for none
	}{
		{datum.Value{Bits: 5}, 0, 64},
		{datum.Value{Bits: 5}, 1, 0},
		{datum.Value{Bits: 9}, 1, 64},
		{datum.Value{Bits: 7}, 0, 0},
		{datum.Value{Bits: 100}, 2, 0},
		{null, 0, 64}, // the null bitmap fits into what alignment left free
		{null, 1, 0},
		{datum.Value{Bits: 1}, 0, 64},
	} {
		before := log.Total()
		if err := x.Insert([]datum.Value{c.value}, storage.TID{Block: c.block, Offset: 1}); err != nil {
			t.Fatal(err)
		}
		if got := int(log.Total().Bytes - before.Bytes); got != c.length {
			t.Errorf("row %d: got %d bytes of WAL, expected %d", i, got, c.length)
		}
	}
	if x.Updates != 4 || x.Pages() != 3 {
		t.Errorf("got %d updates and %d pages, expected 4 and 3", x.Updates, x.Pages())
	}
}

func TestBRINAllNulls(t *testing.T) {
	log := wal.NewLog(wal.Options{})
	text := datum.Attr{Len: -1, Align: 4, Storage: 'x'}
	x := index.NewBRIN([]index.Column{{Attr: text, Class: opclass.ByName("text_ops")}}, 0, log, log.Register("x"))
	for i, c := range []struct {
		value datum.Value
		bytes int64
	}{
		{datum.Value{Null: true}, 24 + 20 + 4 + 8},
		{datum.Value{Null: true}, 24 + 20 + 4 + 8}, // that there was one is not read again
		{datum.Value{Bytes: []byte("abc")}, 24 + 20 + 4 + 8 + 8},
		{datum.Value{Bytes: []byte("b")}, 24 + 20 + 4 + 8 + 8},
	} {
		before := log.Total().Bytes
		if err := x.Insert([]datum.Value{c.value}, storage.TID{Offset: 1}); err != nil {
			t.Fatal(err)
		}
		if got := log.Total().Bytes - before; got != c.bytes {
			t.Errorf("row %d: got %d bytes of WAL, expected %d", i, got, c.bytes)
		}
	}
}

// VACUUM summarises complete ranges only; a range without a summary takes no insert.
// The range map grows over pages of summaries, which move.
func TestBRINVacuum(t *testing.T) {
	log := wal.NewLog(wal.Options{})
	int4 := datum.Attr{Len: 4, Align: 4, ByVal: true, Storage: 'p'}
	x := index.NewBRIN([]index.Column{{Attr: int4, Class: opclass.ByName("int4_ops")}}, 2, log, log.Register("x"))
	count := func(typ wal.RecordType) int64 { return log.Count(0, typ).Records }
	scanned := 0
	vacuum := func(blocks int) {
		t.Helper()
		err := x.VacuumCleanup(blocks, func(from, to int, row func([]datum.Value) error) error {
			scanned++
			for b := from; b < to; b++ {
				if err := row([]datum.Value{{Bits: uint64(b)}}); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			err = x.Check()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	vacuum(7)
	if x.Ranges() != 3 || scanned != 2 {
		t.Errorf("got %d summaries after %d scans, expected those of three complete ranges after 2", x.Ranges(), scanned)
	}
	for _, c := range []struct {
		block   storage.BlockNumber
		value   uint64
		updates int64
	}{{0, 5, 1}, {6, 5, 1}, {2, 3, 1}, {2, 9, 2}, {5, 4, 2}, {4, 3, 3}} {
		if err := x.Insert([]datum.Value{{Bits: c.value}}, storage.TID{Block: c.block, Offset: 1}); err != nil {
			t.Fatal(err)
		}
		if x.Updates != c.updates {
			t.Errorf("%d in block %d: got %d updates, expected %d", c.value, c.block, x.Updates, c.updates)
		}
	}
	restore := x.Empty(false)
	if x.Ranges() != 1 || x.Pages() != 3 || count(wal.BrinCreateIndex) != 1 {
		t.Errorf("emptied: %d summaries on %d pages", x.Ranges(), x.Pages())
	}
	restore()
	if x.Ranges() != 3 {
		t.Errorf("restored: %d summaries, expected 3", x.Ranges())
	}
	const entries = 1360 // of a page of the range map
	extended := count(wal.BrinRevmapExtend)
	vacuum(2 * entries)
	if count(wal.BrinRevmapExtend) != extended || x.Ranges() != entries {
		t.Errorf("got %d summaries, expected %d with one page of the range map", x.Ranges(), entries)
	}
	vacuum(2 * (entries + 1))
	if count(wal.BrinRevmapExtend) != extended+1 || x.Ranges() != entries+1 || count(wal.BrinUpdate) == 0 {
		t.Errorf("got %d summaries, %d of them moved, expected some to make room for another page of the range map", x.Ranges(), count(wal.BrinUpdate))
	}
}
