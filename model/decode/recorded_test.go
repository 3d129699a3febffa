package decode

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"applysim/model/schema"
	"applysim/model/stream"
)

// readRecorded reads one slot's messages of testdata/recorded.
func readRecorded(t testing.TB, version, slot string) (messages []string) {
	f, err := os.Open(filepath.Join("testdata/recorded", version, slot+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line [3]string
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		messages = append(messages, line[2])
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return messages
}

// recordedSchema reads the tables of testdata/recorded.
func recordedSchema(t testing.TB) *schema.Database {
	ddl, err := os.ReadFile("testdata/recorded/tables.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := schema.Read(strings.NewReader(string(ddl)+"create publication p for all tables;\n"), "tables.sql")
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// TestRecordedMessages compares every message of every way, byte by byte, with what
// real servers' plugins gave. The input is what pgoutput gave, in text and in binary.
func TestRecordedMessages(t *testing.T) {
	for _, version := range []string{"15", "18"} {
		for _, input := range []string{PgoutputText, PgoutputBinary} {
			got := map[string][]string{}
			o := DefaultOptions()
			o.Publications, o.Messages = []string{"p"}, true
			o.Emit = func(way string, b []byte) {
				if strings.HasPrefix(way, "pgoutput") {
					b = []byte(hex.EncodeToString(b))
				}
				got[way] = append(got[way], string(b))
			}
			d, err := New(recordedSchema(t), o)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(readRecorded(t, version, input), "\n")
			in, err := stream.NewReader(strings.NewReader(text), stream.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			var m stream.Message
			for in.Next(&m) == nil {
				if err := d.Message(&m); err != nil {
					t.Fatal(err)
				}
			}
			if w := d.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "table public.made is not in the schema") {
				t.Errorf("%s, %s: warnings: %s", version, input, strings.Join(w, "; "))
			}
			for _, way := range []string{PgoutputText, PgoutputBinary, TestDecoding, Wal2JSON1, Wal2JSON2} {
				if version == "18" && strings.HasPrefix(way, "wal2json") {
					continue
				}
				// Its binary form has no text of these types to print.
				if input == PgoutputBinary && way != PgoutputBinary {
					continue
				}
				want := readRecorded(t, version, way)
				if len(got[way]) != len(want) {
					t.Errorf("%s, %s: %d messages, the server gave %d", version, way, len(got[way]), len(want))
				}
				for i := range min(len(want), len(got[way])) {
					if got[way][i] != want[i] {
						t.Errorf("%s, %s from %s, message %d:\n got  %.3000s\n want %.3000s", version, way, input, i+1, got[way][i], want[i])
						break
					}
				}
			}
		}
	}
}

// TestRecordedCounts says that counting messages and making them give the same.
func TestRecordedCounts(t *testing.T) {
	var results [2][]Result
	for i := range results {
		o := DefaultOptions()
		o.Publications = []string{"p"}
		if i == 1 {
			o.Emit = func(string, []byte) {}
		}
		d, err := New(recordedSchema(t), o)
		if err != nil {
			t.Fatal(err)
		}
		in, err := stream.NewReader(strings.NewReader(strings.Join(readRecorded(t, "18", PgoutputText), "\n")), stream.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		var m stream.Message
		for in.Next(&m) == nil {
			if err := d.Message(&m); err != nil {
				t.Fatal(err)
			}
		}
		results[i] = d.Results()
	}
	a, _ := json.Marshal(results[0])
	b, _ := json.Marshal(results[1])
	if !bytes.Equal(a, b) {
		t.Errorf("counted:\n%s\nmade:\n%s", a, b)
	}
}
