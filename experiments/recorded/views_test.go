package recorded

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"applysim/model/view"
	"applysim/wal/storage"
)

// TestViews compares every page of every relation with what pageinspect shows of the real
// one, column for column, the listing of the WAL with pg_walinspect's, and the statistics
// views.
func TestViews(t *testing.T) {
	files, err := filepath.Glob("testdata/inspect/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded views: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			all, err := ReadInspections(f)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			c, err := Open(Builtin(), path.Join("views", name))
			if err != nil {
				t.Fatal(err)
			}
			r, compared, differences, err := c.CompareViews(all)
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome != Exact {
				t.Fatal(r.Line())
			}
			for _, d := range differences {
				t.Error(d)
			}
			for _, v := range []string{
				"page_header", "heap_page_items", "bt_page_stats", "bt_page_items", "bt_metap",
				"pg_stat_user_tables", "pg_stat_user_indexes", "pg_stat_subscription_stats", "pgstatindex", "pgstattuple",
				"pg_stat_wal", "pg_get_wal_records_info", "pg_get_wal_stats",
			} {
				if compared[v] == 0 {
					t.Errorf("nothing was compared with %s", v)
				}
			}
		})
	}
}

// TestDescriptions compares what pg_walinspect tells of records of which random cases found
// that they were told otherwise: those of BRIN indexes, and the ABORT of a parallel worker.
func TestDescriptions(t *testing.T) {
	for name, described := range map[string]string{"brin_described": "BRIN", "parallel_rollback": "Transaction"} {
		t.Run(name, func(t *testing.T) {
			fsys := os.DirFS("testdata/views")
			f, err := fsys.Open(path.Join(name, "inspect.jsonl.gz"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			all, err := ReadInspections(f)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Open(fsys, name)
			if err != nil {
				t.Fatal(err)
			}
			records, err := c.Records()
			if err != nil {
				t.Fatal(err)
			}
			types := map[string]bool{}
			for _, r := range records {
				if r.Manager == described {
					types[r.Type] = true
				}
			}
			for _, x := range map[string][]string{"BRIN": {"CREATE_INDEX", "INSERT", "SAMEPAGE_UPDATE", "REVMAP_EXTEND"}, "Transaction": {"ABORT", "COMMIT"}}[described] {
				if !types[x] {
					t.Errorf("the case has no record %s/%s", described, x)
				}
			}
			r, compared, differences, err := c.CompareViews(all)
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome != Exact || compared["descriptions of records"] == 0 {
				t.Errorf("%s, %v", r.Line(), compared)
			}
			for _, d := range differences {
				t.Error(d)
			}
		})
	}
}

// TestPageBytes decodes every page that recorded cases end with and compares it with what
// its table or index says of it, which is compared with the real server's elsewhere.
func TestPageBytes(t *testing.T) {
	for _, folder := range []string{"differential", "features", "vacuum"} {
		dirs, err := Find(Builtin(), folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range dirs {
			t.Run(dir, func(t *testing.T) {
				c, err := Open(Builtin(), dir)
				if err != nil {
					t.Fatal(err)
				}
				w, err := c.Worker(nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := c.RunQuiet(w); err != nil {
					t.Skip(err) // a case that stops
				}
				for _, r := range view.Relations(w) {
					for b := range r.Pages() {
						comparePage(t, &r, storage.BlockNumber(b))
					}
				}
			})
		}
	}
}

func comparePage(t *testing.T, r *view.Relation, block storage.BlockNumber) {
	t.Helper()
	var want string
	var line strings.Builder
	switch {
	case r.Heap != nil:
		want = string(r.Heap.AppendPageLine(nil, block))
		p, err := r.HeapPage(block)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			return
		}
		fmt.Fprintf(&line, "%d\t%d\t%d\t", block, p.Header.Lower, p.Header.Upper)
		for i, x := range p.Items {
			fmt.Fprintf(&line, "%s%d,%d,%d", " "[:min(i, 1)], x.LPOffset, x.LPFlags, x.LPLength)
		}
	case r.BTree != nil && block > 0:
		want = string(r.BTree.AppendPageLine(nil, block))
		p, err := r.BTreePage(block)
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			return
		}
		kind := p.Type
		if kind == 'd' {
			kind = 'D' // the line of the recordings does not tell them apart
		}
		fmt.Fprintf(&line, "%d\t%c\t%d\t", block, kind, p.Level)
		for i, x := range p.Items {
			dead := "-"
			if !x.Pivot {
				dead = fmt.Sprint(x.Dead)
			}
			fmt.Fprintf(&line, "%s%d,%s,%d,%s", " "[:min(i, 1)], x.Offset, x.TID, x.Length, dead)
		}
	default:
		return
	}
	fields := strings.SplitN(want, "\t", 3) // kind and name go first
	if got := line.String(); got != fields[2] {
		t.Errorf("%s block %d: the page has\n%s, expected\n%s", r.Name, block, got, fields[2])
	}
}
