package recorded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/view"
	"applysim/wal"
	"applysim/wal/storage"
)

// inspection is a line of testdata/inspect: what a view or function of the real
// subscriber has shown (see package server).
type inspection struct {
	View     string
	Relation string
	Block    int
	Rows     []json.RawMessage
}

// inspections reads what the real subscriber has shown at the end of a case.
func inspections(t *testing.T, name string) []inspection {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata/inspect", name+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []inspection
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var i inspection
		if err := json.Unmarshal(lines.Bytes(), &i); err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		all = append(all, i)
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return all
}

// fields reads an object's members in their order, values as PostgreSQL prints them.
func fields(t *testing.T, object []byte) (names, values []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	d.Token()
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		text := "NULL"
		switch v := v.(type) {
		case nil:
		case bool:
			text = fmt.Sprint(v)[:1]
		case []any:
			var elements []string
			for _, e := range v {
				elements = append(elements, fmt.Sprintf("%q", e))
			}
			text = "{" + strings.Join(elements, ",") + "}"
		default:
			text = fmt.Sprint(v)
		}
		names, values = append(names, name.(string)), append(values, text)
	}
	return names, values
}

// compareRows compares rows with those that the real server has shown, but for columns
// that are not compared.
func compareRows(t *testing.T, what string, want []json.RawMessage, got *view.Rows, but ...string) {
	t.Helper()
	if len(want) != len(got.Values) {
		t.Errorf("%s: %d rows, expected %d", what, len(got.Values), len(want))
		return
	}
	for n := range want {
		names, values := fields(t, want[n])
		var columns []string
		for _, c := range got.Columns {
			columns = append(columns, c.Name)
		}
		if !slices.Equal(names, columns) {
			t.Fatalf("%s: columns %v, expected %v", what, columns, names)
		}
		for i, v := range got.Values[n] {
			text, null := view.Text(v)
			if null {
				text = "NULL"
			}
			if text != values[i] && !slices.Contains(but, names[i]) {
				t.Errorf("%s: row %d: %s is %s, expected %s", what, n+1, names[i], text, values[i])
			}
		}
	}
}

// followed replays a case that the real views were recorded of.
func followed(t *testing.T, name string, also func(*wal.Log, *wal.Record)) *apply.Worker {
	t.Helper()
	c, err := Open(Builtin(), path.Join("views", name))
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := c.follow(also)
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome != Exact {
		t.Fatal(r.Line())
	}
	return w
}

// viewCases are the cases that the real server's views were recorded of.
func viewCases(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/inspect/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded views: %v", err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".jsonl.gz"))
	}
	return names
}

// TestPages compares every page of every relation with what pageinspect shows of the
// real one, column for column. Only the checksum is not compared, which views do not
// have.
func TestPages(t *testing.T) {
	for _, name := range viewCases(t) {
		t.Run(name, func(t *testing.T) {
			w := followed(t, name, nil)
			seen := map[string]int{}
			for _, i := range inspections(t, name) {
				if i.Relation == "" {
					continue
				}
				what := fmt.Sprintf("%s of %s block %d", i.View, i.Relation, i.Block)
				r, err := view.Find(w, i.Relation)
				if err != nil {
					t.Error(err)
					continue
				}
				rows, err := pageRows(&r, i.View, storage.BlockNumber(i.Block))
				if err != nil {
					t.Errorf("%s: %v", what, err)
				}
				if rows != nil {
					compareRows(t, what, i.Rows, rows, "checksum")
					seen[i.View]++
				}
			}
			for _, v := range []string{"page_header", "heap_page_items", "bt_page_stats", "bt_page_items", "bt_metap"} {
				if seen[v] == 0 {
					t.Errorf("nothing was compared with %s", v)
				}
			}
		})
	}
}

// pageRows are the rows that a function of pageinspect shows of a page; nil if it is
// another one.
func pageRows(r *view.Relation, function string, block storage.BlockNumber) (*view.Rows, error) {
	switch function {
	case "page_header":
		h, err := r.PageHeader(block)
		if err != nil {
			return nil, err
		}
		return h.Rows(), nil
	case "heap_page_items":
		p, err := r.HeapPage(block)
		if err != nil {
			return nil, err
		}
		return p.Rows(), nil
	case "bt_page_stats", "bt_page_items":
		p, err := r.BTreePage(block)
		if err != nil {
			return nil, err
		}
		if function == "bt_page_stats" {
			return p.StatRows(), nil
		}
		return p.Rows(), nil
	case "bt_metap":
		m, err := r.BTreeMeta()
		if err != nil {
			return nil, err
		}
		return m.Rows(), nil
	}
	return nil, nil
}

// timeless are columns of statistics views that a simulated subscriber does not have, for
// they are object ids and times, or depend on when the worker reports.
var timeless = []string{
	"relid", "indexrelid", "subid", "subname", "stats_reset", "last_seq_scan", "last_idx_scan", "last_vacuum", "last_autovacuum", "last_analyze",
	"last_autoanalyze", "total_vacuum_time", "total_autovacuum_time", "total_analyze_time", "total_autoanalyze_time",
	"n_mod_since_analyze", "n_ins_since_vacuum", "analyze_count", "autoanalyze_count", "wal_buffers_full",
}

// TestStatistics compares the statistics views with the real server's.
func TestStatistics(t *testing.T) {
	for _, name := range viewCases(t) {
		t.Run(name, func(t *testing.T) {
			c, err := Open(Builtin(), path.Join("views", name))
			if err != nil {
				t.Fatal(err)
			}
			w, err := c.Worker(nil)
			if err != nil {
				t.Fatal(err)
			}
			s := view.NewStatistics(w, nil)
			if _, err := c.RunQuiet(w); err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			var blocks, records []json.RawMessage
			for _, i := range inspections(t, name) {
				seen[i.View] = true
				switch i.View {
				case "pg_stat_user_tables":
					compareRows(t, i.View, sinceStart(t, c, i.Rows), s.UserTables(), append(timeless, lateColumns(c)...)...)
				case "pg_stat_user_indexes":
					compareRows(t, i.View, i.Rows, s.UserIndexes(), timeless...)
				case "pg_stat_subscription_stats":
					compareRows(t, i.View, i.Rows, s.Subscription(), timeless...)
				case "pgstatindex", "pgstattuple":
					r, err := view.Find(w, i.Relation)
					if err != nil {
						t.Error(err)
						continue
					}
					rows := r.StatIndex()
					if i.View == "pgstattuple" {
						rows = r.StatTuple()
					}
					compareRows(t, i.View+" of "+i.Relation, i.Rows, rows)
				case "pg_get_wal_records_info":
					records = i.Rows
				case "pg_get_wal_block_info":
					blocks = i.Rows
				}
			}
			for _, v := range []string{"pg_stat_user_tables", "pg_stat_user_indexes", "pg_stat_subscription_stats", "pgstatindex", "pgstattuple"} {
				if !seen[v] {
					t.Errorf("nothing was compared with %s", v)
				}
			}
			// The real pg_stat_wal counts the recorder's own work, too.
			compareRows(t, "pg_stat_wal", []json.RawMessage{walCounters(t, c, records, blocks)}, s.WAL(), timeless...)
		})
	}
}

// lateColumns are the columns of a case that mix with what the worker reports late.
func lateColumns(c *Case) []string {
	if c.vacuums() {
		return []string{"n_live_tup", "n_dead_tup"}
	}
	return nil
}

// sinceStart takes from the counters of pg_stat_user_tables what they were before the
// case. The marker's first row was reported before it or after.
func sinceStart(t *testing.T, c *Case, rows []json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	for _, row := range rows {
		names, values := fields(t, row)
		table := values[slices.Index(names, "relname")]
		var b bytes.Buffer
		for i, n := range names {
			start, known := c.Start.Statistics[table][n]
			v := json.RawMessage(fmt.Sprintf("%q", values[i]))
			if values[i] == "NULL" {
				v = []byte("null")
			} else if known && !strings.HasPrefix(n, "n_live") && !strings.HasPrefix(n, "n_dead") {
				var x int64
				fmt.Sscan(values[i], &x)
				if x -= start; table == "marker" && n == "n_tup_ins" {
					x += start - 1
				}
				v = fmt.Appendf(nil, "%d", x)
			}
			between := ","
			if i == 0 {
				between = "{"
			}
			fmt.Fprintf(&b, "%s%q:%s", between, n, v)
		}
		b.WriteByte('}')
		all = append(all, b.Bytes())
	}
	return all
}

// walCounters are the counters of pg_stat_wal for a case's own records.
func walCounters(t *testing.T, c *Case, records, blocks []json.RawMessage) json.RawMessage {
	list, err := c.Records()
	if err != nil {
		t.Fatal(err)
	}
	images := map[string]int{}
	for _, b := range blocks {
		names, values := fields(t, b)
		if n := values[slices.Index(names, "block_fpi_length")]; n != "0" && n != "NULL" {
			images[values[slices.Index(names, "start_lsn")]]++
		}
	}
	n, bytes, fpi := 0, 0, 0
	for i, row := range records {
		if list[i].Background() {
			continue
		}
		names, values := fields(t, row)
		n++
		bytes += list[i].Length
		fpi += images[values[slices.Index(names, "start_lsn")]]
	}
	return fmt.Appendf(nil, `{"wal_records":%d,"wal_fpi":%d,"wal_bytes":%d,"wal_buffers_full":null,"stats_reset":null}`, n, fpi, bytes)
}
