package lessons

import (
	"fmt"
	"strings"

	"applysim/experiments/table"
	"applysim/wal"
)

const changeDDL = `
create table orders (
    id       bigint primary key,
    customer int not null,
    status   text not null,
    placed   timestamptz not null,
    note     text
);
create index on orders (customer);
create index on orders (status);
`

// why says what each type of record is for.
var why = map[wal.RecordType]string{
	wal.HeapInsert:         "the row",
	wal.HeapInsertInit:     "the row, the first on its page",
	wal.HeapLock:           "the row is found, and locked",
	wal.HeapUpdate:         "a new version of the whole row",
	wal.HeapUpdateInit:     "a new version of the whole row, the first on its page",
	wal.Heap2PruneOnAccess: "old versions are taken away from the page",
	wal.HeapHotUpdate:      "a new version on the same page, no index needs to know",
	wal.BtreeInsertLeaf:    "an entry that leads to the new version",
	wal.BtreeNewRoot:       "the index gets its first page",
	wal.TransactionCommit:  "the transaction is over",
	wal.XLOGFPIForHint:     "a page as it was, for a bit that has changed on it",
}

// change shows each record of one update.
func change(r *Report) error {
	r.Say("A subscriber has this table, with a primary key and two more indexes:")
	r.SQL(changeDDL)
	l := newLab(changeDDL)
	row := func(id int, status string) []string {
		return []string{fmt.Sprint(id), fmt.Sprint(id % 17), status, "2026-08-03 10:00:00+00", strings.Repeat("n", 60)}
	}
	const rows = 70 // more than a page takes
	l.transaction(func() {
		for id := 1; id <= rows; id++ {
			l.insert("orders", row(id, "new")...)
		}
	})
	// The first version that leaves its page brings the free space map about; that is
	// not what this is about.
	l.transaction(func() { l.update("orders", row(1, "paid")...) })
	var records []wal.Record
	l.watch = func(x *wal.Record) { records = append(records, *x) }
	observe := func(act func()) (total wal.Count) {
		records = records[:0]
		before := l.wal()
		act()
		return l.since(before)
	}
	list := func() *table.Table {
		t := &table.Table{Columns: []table.Column{
			{Name: "WAL record"}, {Name: "of"}, {Name: "bytes", Right: true}, {Name: "what for"},
		}}
		sum, locks := 0, 0
		for _, x := range records {
			purpose := why[x.Type]
			if x.Type == wal.HeapLock {
				if locks++; locks > 1 {
					purpose = "and once more: the new version will be on another page"
				}
			}
			t.Add(x.Type.String(), l.w.Log().Name(x.Relation), x.Length, purpose)
			sum += x.Length
		}
		t.Rule()
		t.Add("total", "", sum, "")
		return t
	}

	sent := l.sent
	indexed := observe(func() { l.transaction(func() { l.update("orders", row(5, "paid")...) }) })
	sent = l.sent - sent
	if l.err != nil {
		return l.err
	}
	r.Say("It holds %d rows. Then the publisher runs, and sends in %d bytes:", rows, sent)
	r.SQL("update orders set status = 'paid' where id = 5;")
	r.Say("What the subscriber writes to its write-ahead log (WAL), record by record:")
	r.Table(list())
	bytes := r.Figure("wal_bytes_of_the_update", float64(indexed.Bytes))
	n := r.Figure("records_of_the_update", float64(indexed.Records))
	r.Figure("message_bytes", float64(sent))
	entries := 0
	for _, x := range records {
		if x.Type == wal.BtreeInsertLeaf {
			entries++
		}
	}
	r.Figure("index_entries", float64(entries))

	last := observe(func() {
		l.transaction(func() {
			changed := row(rows, "new")
			changed[4] = strings.Repeat("m", 60)
			l.update("orders", changed...)
		})
	})
	r.Say("Now a column that no index has, of a row whose page has room left:")
	r.SQL(fmt.Sprintf("update orders set note = '...' where id = %d;", rows))
	r.Table(list())
	hot := r.Figure("wal_bytes_without_index_entries", float64(last.Bytes))

	l.checkpoint()
	after := observe(func() { l.transaction(func() { l.update("orders", row(6, "paid")...) }) })
	if l.err != nil {
		return l.err
	}
	r.Say("And the first kind of update again, of row 6, right after a checkpoint:")
	r.Table(list())
	images := r.Figure("image_bytes_after_a_checkpoint", float64(after.FPIBytes))
	r.Figure("wal_bytes_after_a_checkpoint", float64(after.Bytes))

	r.Answer(entries == 3 && n > float64(entries)+1,
		"PostgreSQL never changes a row in place: an update writes a new version of the whole row. Every index must then lead to the new version, "+
			"also the two whose columns did not change, for an index entry names the place of one version. So one changed word became %d records, %d of them index entries.",
		int(n), entries)
	r.Answer(bytes > float64(sent), "The message had %d bytes; the WAL has %d, %s as many, before a single page is written back to the table's files.", sent, int(bytes), times(bytes, float64(sent)))
	r.Answer(hot < bytes, "If no indexed column changes and the page has room, the indexes are left alone (a HOT update): %d bytes.", int(hot))
	r.Answer(images > bytes, "And the first change of a page after a checkpoint puts a copy of the whole page into the WAL: %d of the %d bytes of the last update are such images.", int(images), int(after.Bytes))
	r.Word("WAL", "write-ahead log: every change is written there first, so that a crash loses nothing that was committed")
	r.Word("checkpoint", "the moment from which recovery after a crash would begin; pages that were changed before are in the files by then")
	r.Word("HOT", "heap-only tuple: a version that no index entry leads to; it is found by way of the version before it, on the same page")
	return nil
}
