package recorded

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// zipped compresses a file.
func zipped(t *testing.T, text string) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

// TestPublisherCase reads the files of a case of a publisher.
func TestPublisherCase(t *testing.T) {
	fsys := fstest.MapFS{
		"c/case.json": {Data: []byte(`{"name": "c", "pub": "create table t (id int primary key, u int not null unique)",
 "identity": "alter table t replica identity using index t_u_key", "conf": {"wal_level": "logical"}, "sql": ["insert into t values (1, 1)"]}`)},
		"c/expected.json": {Data: []byte(`{"version": "PostgreSQL 18.1 on x86_64", "conf": {"synchronous_commit": "off", "full_page_writes": "off", "wal_level": "logical"},
 "start_lsn": "0/1000028", "end_lsn": "0/1000100", "wal": {"t": {"Heap/INSERT": {"count": 1, "bytes": 63, "fpi_bytes": 0}}},
 "decoded": {"pgoutput_text": {"messages": 3, "bytes": 99, "by_kind": {"I": {"count": 1, "bytes": 20}}, "total_txns": 1, "total_bytes": 140}}}`)},
		"c/records.tsv.gz": zipped(t, "Heap\tINSERT\tt\t0\t0\t63\t0\n"),
		"c/changes.tsv.gz": zipped(t, ""),
	}
	if !IsPublisher(fsys, "c") || IsPublisher(fsys, ".") {
		t.Error("IsPublisher: expected c to be a publisher case, and its parent not to be one")
	}
	c, err := OpenPublisher(fsys, "c")
	if err != nil {
		t.Fatal(err)
	}
	db, err := c.Schema()
	if err != nil {
		t.Fatal(err)
	}
	if s := db.Table("public", "t"); s.ReplicaIdentity != 'i' || len(db.Publications) != 1 || !db.Publications[0].Covers(s) {
		t.Errorf("schema: replica identity %c, publications %v", s.ReplicaIdentity, db.Publications)
	}
	s, err := c.Server()
	if err != nil {
		t.Fatal(err)
	}
	if s.WALLevel != "logical" || !s.SynchronousCommit || s.DataChecksums || s.FullPageWrites || s.ServerMinor != 1 {
		t.Errorf("settings: %+v", s)
	}
	e, err := c.Expected()
	if err != nil {
		t.Fatal(err)
	}
	if d := e.Decoded["pgoutput_text"]; e.WAL["t"]["Heap/INSERT"].Bytes != 63 || d.ByKind["I"].Messages != 1 || d.TotalBytes != 140 {
		t.Errorf("expected.json: %+v", e)
	}
	records, err := c.Records()
	if err != nil || len(records) != 1 || records[0].Length != 63 {
		t.Errorf("records: %v, %v", records, err)
	}
	fsys["c/records.tsv.gz"] = zipped(t, "Heap\tINSERT\tt\t0\t0\t63\n")
	if _, err := c.Records(); err == nil || !strings.Contains(err.Error(), "c/records.tsv.gz:1: 6 columns, expected 7") {
		t.Errorf("a line of six columns: %v", err)
	}
}

// TestRandomCases replays what random cases have found, sessions of a publisher among them: a
// rule that was missing; its case.json says which.
func TestRandomCases(t *testing.T) {
	fsys := os.DirFS("testdata/random")
	dirs, err := Find(fsys, ".")
	if err != nil || len(dirs) < 6 {
		t.Fatalf("%d cases, %v; expected 6 or more", len(dirs), err)
	}
	for _, dir := range dirs {
		r, err := Verify(fsys, dir)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome != Exact || r.Records.Expected == 0 {
			t.Error(r.Line())
		}
	}
}
