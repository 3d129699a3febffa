package stream

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// synthetic are messages of the kinds and forms that no recording has, and one
// of each other kind, as a stream: in an order that a decoder accepts.
func synthetic() [][]byte {
	row := Tuple{{Format: ColumnText, Data: []byte("1")}, {Format: ColumnNull}, {Format: ColumnUnchanged}, {Format: ColumnBinary, Data: []byte{0, 10, 'B'}}, {Format: ColumnText, Data: []byte{}}}
	key := Tuple{{Format: ColumnText, Data: []byte("1")}, {Format: ColumnNull}}
	rel := &Relation{ID: 7, Namespace: "public", Name: "t", Identity: 'f', Columns: []RelationColumn{{1, "id", 20, -1}, {0, "b", 25, 5}}}
	return [][]byte{
		AppendBegin(nil, 0x1000, 5, 700),
		AppendOrigin(nil, 0, "north"),
		AppendType(nil, 0, &Type{99, "", "int4"}),
		AppendRelation(nil, 0, rel),
		AppendInsert(nil, 0, 7, row),
		AppendUpdate(nil, 0, 7, OldNone, nil, row),
		AppendUpdate(nil, 0, 7, OldKey, key, row),
		AppendUpdate(nil, 0, 7, OldRow, row, row),
		AppendDelete(nil, 0, 7, OldKey, key),
		AppendDelete(nil, 0, 7, OldRow, row),
		AppendTruncate(nil, 0, TruncateCascade|TruncateRestartIdentity, []uint32{7, 8}),
		AppendTruncate(nil, 0, 0, nil),
		AppendLogicalMessage(nil, 0, MessageTransactional, 77, "audit", []byte("a\nb")),
		AppendCommit(nil, 0x1000, 0x1010, 5),
		AppendStreamStart(nil, 701, true),
		AppendOrigin(nil, 0x99, "north"),
		AppendType(nil, 701, &Type{99, "s", "mood"}),
		AppendRelation(nil, 701, rel),
		AppendInsert(nil, 702, 7, row),
		AppendUpdate(nil, 702, 7, OldRow, row, row),
		AppendDelete(nil, 702, 7, OldKey, key),
		AppendTruncate(nil, 701, 0, []uint32{7}),
		AppendLogicalMessage(nil, 701, 0, 77, "", nil),
		AppendStreamStop(nil),
		AppendStreamAbort(nil, 701, 702),
		AppendStreamAbortInfo(nil, 701, 702, 0x0a42000000000000>>8, 9),
		AppendStreamCommit(nil, 701, 0x2000, 0x2020, 6),
		AppendStreamStart(nil, 703, false),
		AppendStreamStop(nil),
		AppendStreamPrepare(nil, 0x3000, 0x3010, 6, 703, "gid"),
		AppendBeginPrepare(nil, 0x4000, 0x4010, 6, 704, "two"),
		AppendPrepare(nil, 0x4000, 0x4010, 6, 704, "two"),
		AppendCommitPrepared(nil, 0x5000, 0x5010, 6, 704, "two"),
		AppendRollbackPrepared(nil, 0x5000, 0x5010, 6, 8, 703, "gid"),
		AppendStreamAbortInfo(nil, 705, 705, 0x6000, 9),
		AppendStreamAbort(nil, 706, 706),
	}
}

func recorded(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/recorded/*.*")
	if err != nil || len(files) < 12 {
		t.Fatalf("expected the recorded streams, found %d (%v)", len(files), err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(f)] = b
	}
	return all
}

func open(t testing.TB, b []byte, o Options) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(b), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// encodeAll reads a stream to its end, writing each message to w.
func encodeAll(r *Reader, w *Writer) (int64, error) {
	var m Message
	for {
		if err := r.Next(&m); err == io.EOF {
			return r.dec.number, w.Flush()
		} else if err != nil {
			return r.dec.number, err
		}
		if err := w.Write(&m); err != nil {
			return r.dec.number, err
		}
	}
}

// plain is the input without gzip.
func plain(t testing.TB, b []byte) []byte {
	t.Helper()
	if !bytes.HasPrefix(b, gzipMagic) {
		return b
	}
	b, err := io.ReadAll(open(t, b, DefaultOptions()).asBytes())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// asBytes is what the reader has not handed out yet, uncompressed.
func (d *Reader) asBytes() io.Reader {
	return io.MultiReader(bytes.NewReader(bytes.Clone(d.buf[d.pos:d.end])), d.src)
}

// messages are the distinct messages of all recordings and the synthetic ones,
// with whether each is in a streamed block.
func messages(t testing.TB) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	add := func(d *Decoder, b []byte) {
		var m Message
		streamed := d.streamed
		if err := d.Decode(b, &m); err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		all[string(b)] = streamed
	}
	for name, b := range recorded(t) {
		if name == "README" {
			continue
		}
		// That a decoded message is encoded to its own bytes is what
		// TestRecordedRoundTrip shows.
		var d Decoder
		var m Message
		r := open(t, b, DefaultOptions())
		for {
			err := r.Next(&m)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			msg, err := AppendMessage(nil, &m)
			if err != nil {
				t.Fatal(err)
			}
			add(&d, msg)
		}
	}
	var d Decoder
	for _, b := range synthetic() {
		add(&d, b)
	}
	return all
}

func TestRecordedRoundTrip(t *testing.T) {
	kinds := map[Kind]int{}
	for name, b := range recorded(t) {
		if name == "README" {
			continue
		}
		want := plain(t, b)
		for _, size := range []int{sniffBytes, 1000, 256 << 10} {
			r := open(t, b, Options{BufferBytes: size})
			var out bytes.Buffer
			n, err := encodeAll(r, NewWriter(&out, r.Container()))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(out.Bytes(), want) {
				t.Errorf("%s: %d messages encoded to other bytes (window %d)", name, n, size)
			}
		}
		r := open(t, b, DefaultOptions())
		var m Message
		for r.Next(&m) == nil {
			kinds[m.Kind]++
		}
		t.Logf("%s: %s, gzip %v, %d messages", name, r.Container(), r.Gzipped(), r.dec.number)
	}
	for _, k := range "BCORYIUDTMbPKrSEcAp" {
		if kinds[Kind(k)] == 0 {
			t.Errorf("no recording has %s", Kind(k))
		}
	}
}

// TestSharedRecordings does the same with every recorded case of the project; the
// environment may name another folder.
func TestSharedRecordings(t *testing.T) {
	root := os.Getenv("APPLYSIM_GROUNDTRUTH")
	if root == "" {
		root = "../../experiments/recorded/testdata/recorded"
	}
	n := 0
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		name := filepath.Base(path)
		stream := name == "stream.tsv.gz" || name == "pgoutput.tsv.gz" || filepath.Base(filepath.Dir(path)) == "streams"
		if err != nil || !stream || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		want := plain(t, b)
		for _, c := range []Container{Lines, Raw} {
			r, out := open(t, b, DefaultOptions()), new(bytes.Buffer)
			if _, err := encodeAll(r, NewWriter(out, c)); err != nil {
				t.Errorf("%s: %v", path, err)
				return nil
			}
			if c == Raw { // and back, without LSN and xid
				first := out.Bytes()
				out = new(bytes.Buffer)
				if _, err := encodeAll(open(t, first, DefaultOptions()), NewWriter(out, Raw)); err != nil {
					t.Errorf("%s: %v", path, err)
				}
				want = first
			}
			if !bytes.Equal(out.Bytes(), want) {
				t.Errorf("%s: %s: encoded to other bytes", path, c)
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d recordings: %v", n, err)
	}
	t.Logf("%d recordings", n)
}

func TestSyntheticRoundTrip(t *testing.T) {
	for _, c := range []Container{Raw, Lines, Hex} {
		var in bytes.Buffer
		w := NewWriter(&in, c)
		for i, b := range synthetic() {
			if err := w.WriteEncoded(1<<32+LSN(i), uint32(700+i), b); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{sniffBytes, 4096} {
			for _, read := range []io.Reader{bytes.NewReader(in.Bytes()), slowReader{bytes.NewReader(in.Bytes())}} {
				r, err := NewReader(read, Options{BufferBytes: size})
				if err != nil {
					t.Fatal(err)
				}
				if r.Container() != c {
					t.Fatalf("%s is taken for %s", c, r.Container())
				}
				var out bytes.Buffer
				n, err := encodeAll(r, NewWriter(&out, c))
				if err != nil || n != int64(len(synthetic())) || !bytes.Equal(out.Bytes(), in.Bytes()) {
					t.Errorf("%s: %d messages, %v, same bytes: %v", c, n, err, bytes.Equal(out.Bytes(), in.Bytes()))
				}
			}
		}
	}
}

// slowReader hands out one byte at a time.
type slowReader struct{ r io.Reader }

func (s slowReader) Read(b []byte) (int, error) { return s.r.Read(b[:min(1, len(b))]) }

// TestFields checks each field of each kind once.
func TestFields(t *testing.T) {
	var d Decoder
	var got strings.Builder
	var m Message
	for _, b := range synthetic() {
		if err := d.Decode(b, &m); err != nil {
			t.Fatal(err)
		}
		describe(&got, &m)
	}
	want, err := os.ReadFile("testdata/fields.txt")
	if err != nil && !*rewrite {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile("testdata/fields.txt", []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if got.String() != string(want) {
		t.Errorf("fields differ (-rewrite writes them anew):\n%s", got.String())
	}
}
