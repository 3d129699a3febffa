package schema

import (
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"
)

// recordedDDL reads testdata/recorded_ddl.sql.gz: every DDL text of the
// project's recorded cases and grids, one a block, with its origin.
func recordedDDL(t testing.TB) map[string]string {
	scripts := map[string]string{}
	name := ""
	for line := range strings.SplitSeq(readTestdata(t, "testdata/recorded_ddl.sql.gz"), "\n") {
		if n, ok := strings.CutPrefix(line, "-- FROM "); ok {
			name = n
			continue
		}
		if name != "" {
			scripts[name] += line + "\n"
		}
	}
	return scripts
}

// readTestdata reads a file, compressed or not.
func readTestdata(t testing.TB, name string) string {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRecordedCases(t *testing.T) {
	scripts := recordedDDL(t)
	if len(scripts) < 60 {
		t.Errorf("%d scripts", len(scripts))
	}
	for name, sql := range scripts {
		d, err := Read(strings.NewReader(sql), name)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range d.Warnings {
			t.Error(w)
		}
		if len(d.Tables) == 0 {
			t.Errorf("%s: no table in %q", name, sql)
		}
	}
}
