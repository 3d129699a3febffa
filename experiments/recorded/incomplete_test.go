package recorded_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"applysim/experiments/recorded"
)

// TestIncompleteRecordings changes one file of a recorded case, which must then not be
// exact: either it differs, or an error names the file.
func TestIncompleteRecordings(t *testing.T) {
	fsys := recorded.Builtin()
	dirs, err := recorded.Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	dir := ""
	for _, d := range dirs {
		if path.Base(d) == "delete_by_pk" {
			dir = d
		}
	}
	for _, c := range []struct{ file, content, want string }{
		{"expected.json", `{"tables": {}}`, "differs"},
		{"expected.json", `{"tables": 3}`, "expected.json:1: "},
		{"expected.json", ``, "expected.json:1: "},
		{"start.json", `{}`, "start.json: "},
		{"start.json", "{\n\"next_xid\": -1}", "start.json:2: "},
		{"case.json", `{"pub": 3}`, "case.json:1: "},
		{"case.json", `{"pub": "create table t ("}`, "case.json:1: "},
		{"events.tsv", "x", "events.tsv:1: "},
		{"events.tsv", "0\tFROBNICATE", "unsupported: the event FROBNICATE"},
		{"events.tsv", "99999999\tCHECKPOINT", "events.tsv:1: found 99999999 messages, expected at most "},
		{"records.tsv.gz", "", "records.tsv.gz: "},
		{"stream.tsv.gz", "\x1f\x8b\x08", "message 1 (offset 0): reading the gzip header"},
	} {
		changed := fstest.MapFS{}
		files, err := fs.ReadDir(fsys, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := fs.ReadFile(fsys, path.Join(dir, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			changed["c/"+f.Name()] = &fstest.MapFile{Data: b}
		}
		changed["c/"+c.file] = &fstest.MapFile{Data: []byte(c.content)}
		got := ""
		k, err := recorded.Open(changed, "c")
		if err == nil {
			var r *recorded.Result
			if r, err = k.Verify(); err == nil {
				got = r.Line()
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s = %q: got %s, expected %s", c.file, c.content, got, c.want)
		}
	}
}
