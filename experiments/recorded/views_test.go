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
	"regexp"
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
func followed(t *testing.T, name string, watch func(*apply.Worker) wal.Sink) *apply.Worker {
	t.Helper()
	c, err := Open(Builtin(), path.Join("views", name))
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := c.follow(watch)
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
			var s *view.Statistics
			w := followed(t, name, func(w *apply.Worker) wal.Sink {
				s = view.NewStatistics(w)
				return s.See
			})
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

// TestWAL compares the listing of the WAL with what pg_walinspect shows of the real one,
// and the statistics of it.
func TestWAL(t *testing.T) {
	for _, name := range viewCases(t) {
		t.Run(name, func(t *testing.T) {
			c, err := Open(Builtin(), path.Join("views", name))
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]string{}
			for _, r := range c.Start.Relations {
				names[fmt.Sprint(r.Relfilenode)] = r.Name
			}
			var real [][]string
			var follows []bool // not after a record of another process
			var stats []json.RawMessage
			var columns []string
			records, err := c.Records()
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range inspections(t, name) {
				switch i.View {
				case "pg_get_wal_records_info":
					for n, row := range i.Rows {
						var values []string
						columns, values = fields(t, row)
						if !records[n].Background() {
							real = append(real, values)
							follows = append(follows, n > 0 && !records[n-1].Background())
						}
					}
				case "pg_get_wal_stats record":
					stats = i.Rows
				}
			}
			var sum view.WALStats
			n := 0
			followed(t, name, func(w *apply.Worker) wal.Sink {
				return view.NewListing(w, func(r *view.WALRecord) {
					sum.Add(r)
					if n < len(real) {
						compareRecord(t, n+1, columns, real[n], r, names, n > 0 && follows[n])
					}
					n++
				}).See
			})
			if n != len(real) {
				t.Errorf("%d records, expected %d", n, len(real))
			}
			compareStats(t, stats, sum.Rows(true))
		})
	}
}

var (
	fileName   = regexp.MustCompile(`rel \d+/\d+/(\d+) `)
	commitTime = regexp.MustCompile(`^[-0-9]+ [:.0-9]+\+00; `)
	publisher  = regexp.MustCompile(`, at ([-0-9]+ [:0-9]+)\.?(\d*)\+00$`)
)

// compareRecord compares a record with the real one. The LSN of the record before is
// compared if that is not of another process (prev); of a COMMIT the subscriber's time is not known.
func compareRecord(t *testing.T, n int, columns, want []string, r *view.WALRecord, names map[string]string, prev bool) {
	t.Helper()
	for i, v := range r.Values() {
		got, null := view.Text(v)
		if null {
			got = "NULL"
		}
		expected := want[i]
		switch columns[i] {
		case "prev_lsn":
			if !prev {
				continue
			}
		case "block_ref":
			expected = fileName.ReplaceAllStringFunc(expected, func(s string) string {
				return "rel " + names[fileName.FindStringSubmatch(s)[1]] + " "
			})
			expected = blockImage.ReplaceAllString(expected, " FPW")
		case "description":
			switch r.Type {
			case wal.TransactionCommit:
				expected = commitTime.ReplaceAllString(expected, "")
				expected = publisher.ReplaceAllStringFunc(expected, func(s string) string {
					m := publisher.FindStringSubmatch(s)
					return ", at " + m[1] + "." + (m[2] + "000000")[:6] + " UTC"
				})
			}
			if expected == "NULL" && got == "" {
				continue
			}
		}
		if got != expected {
			t.Errorf("record %d (%s): %s is\n%s, expected\n%s", n, r.Type, columns[i], got, expected)
		}
	}
}

var blockImage = regexp.MustCompile(` \(FPW\); hole: offset: \d+, length: \d+(, compression saved: \d+, method: \w+)?`)

// compareStats compares counts and sizes by record type; percentages are of all records,
// of which some are of other processes.
func compareStats(t *testing.T, want []json.RawMessage, got *view.Rows) {
	t.Helper()
	real := map[string][]string{}
	for _, row := range want {
		_, values := fields(t, row)
		real[values[0]] = values
	}
	for _, row := range got.Values {
		values := real[row[0].(string)]
		if values == nil {
			t.Errorf("%s: not among the real records", row[0])
			continue
		}
		if row[0] == "Transaction/COMMIT" {
			continue // some are of other processes
		}
		for _, i := range []int{1, 3, 5, 7} {
			if text, _ := view.Text(row[i]); text != values[i] {
				t.Errorf("%s: %s is %s, expected %s", row[0], got.Columns[i].Name, text, values[i])
			}
		}
	}
	if len(got.Values) < 5 {
		t.Errorf("only %d types of records", len(got.Values))
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
