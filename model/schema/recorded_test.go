package schema

import (
	"bufio"
	"compress/gzip"
	"os"
	"strings"
	"testing"
)

// recordedDDL reads testdata/recorded_ddl.sql.gz: every DDL text of the
// project's recorded cases and grids, one a block, with its origin.
func recordedDDL(t testing.TB) map[string]string {
	f, err := os.Open("testdata/recorded_ddl.sql.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{}
	name := ""
	sc := bufio.NewScanner(z)
	for sc.Scan() {
		if n, ok := strings.CutPrefix(sc.Text(), "-- FROM "); ok {
			name = n
			continue
		}
		scripts[name] += sc.Text() + "\n"
	}
	return scripts
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
