package recorded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"applysim/model/apply"
	"applysim/model/view"
	"applysim/wal"
	"applysim/wal/storage"
)

// Inspection is what a view or function of the real subscriber has shown at the end of a
// case: a line of inspect.jsonl.gz (see package server).
type Inspection struct {
	View     string
	Relation string
	Block    int
	Rows     []json.RawMessage
}

// ReadInspections reads an inspect.jsonl.gz.
func ReadInspections(r io.Reader) ([]Inspection, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	var all []Inspection
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 256<<20)
	for lines.Scan() {
		var i Inspection
		if err := json.Unmarshal(lines.Bytes(), &i); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(all)+1, err)
		}
		all = append(all, i)
	}
	return all, lines.Err()
}

// CompareViews replays a case and compares what package view shows of the subscriber with
// what the real one has shown. It returns the result of the replay, and if that is exact,
// how many rows of each view were compared and how they differ. Not compared are object
// ids, times, and what depends on when a worker reports; checksums of pages, which views
// do not have.
func (c *Case) CompareViews(all []Inspection) (r *Result, compared map[string]int, differences []string, err error) {
	k := &viewComparison{c: c, compared: map[string]int{}, files: map[string]string{}}
	for _, x := range c.Start.Relations {
		k.files[fmt.Sprint(x.Relfilenode)] = x.Name
	}
	if err := k.prepare(all); err != nil {
		return nil, nil, nil, err
	}
	var statistics *view.Statistics
	var sum view.WALStats
	n := 0
	r, w, err := c.follow(func(w *apply.Worker) wal.Sink {
		statistics = view.NewStatistics(w)
		listing := view.NewListing(w, func(r *view.WALRecord) {
			sum.Add(r)
			if n < len(k.real) {
				k.record(n, r)
			}
			n++
		})
		return func(r *wal.Record) {
			statistics.See(r)
			listing.See(r)
		}
	})
	if err != nil || r.Outcome != Exact {
		return r, nil, nil, err
	}
	if k.listed && n != len(k.real) {
		k.differ("%d records, expected %d", n, len(k.real))
	}
	expected, err := c.Expected()
	if err != nil {
		return nil, nil, nil, err
	}
	statistics.Stopped = expected.Error != nil
	k.views(all, w, statistics, &sum, r.Bytes.Expected)
	return r, k.compared, k.differences, nil
}

// viewComparison compares views.
type viewComparison struct {
	c           *Case
	compared    map[string]int // rows by view
	differences []string
	files       map[string]string // relations by their relfilenodes

	listed  bool // there is a listing of the WAL
	records []Record
	columns []string
	real    [][]string // records that are not in the background
	follows []bool     // not after a record of another process
}

func (k *viewComparison) differ(format string, args ...any) {
	k.differences = append(k.differences, fmt.Sprintf(format, args...))
}

// prepare reads the listing of the WAL.
func (k *viewComparison) prepare(all []Inspection) (err error) {
	if k.records, err = k.c.Records(); err != nil {
		return err
	}
	for _, i := range all {
		if i.View != "pg_get_wal_records_info" {
			continue
		}
		k.listed = true
		if len(i.Rows) != len(k.records) {
			return fmt.Errorf("%s: pg_get_wal_records_info has %d records, expected %d", k.c.file("inspect.jsonl.gz"), len(i.Rows), len(k.records))
		}
		for n, row := range i.Rows {
			var values []string
			if k.columns, values, err = fields(row); err != nil {
				return err
			}
			if !k.records[n].Background() {
				k.real = append(k.real, values)
				k.follows = append(k.follows, n > 0 && !k.records[n-1].Background())
			}
		}
	}
	return nil
}

// timeless are columns of statistics views that a simulated subscriber does not have, for
// they are object ids and times, or depend on when the worker reports.
var timeless = []string{
	"relid", "indexrelid", "subid", "subname", "stats_reset", "last_seq_scan", "last_idx_scan", "last_vacuum", "last_autovacuum", "last_analyze",
	"last_autoanalyze", "total_vacuum_time", "total_autovacuum_time", "total_analyze_time", "total_autoanalyze_time",
	"n_mod_since_analyze", "n_ins_since_vacuum", "analyze_count", "autoanalyze_count", "wal_buffers_full",
}

// views compares all but the listing of the WAL.
func (k *viewComparison) views(all []Inspection, w *apply.Worker, s *view.Statistics, sum *view.WALStats, total int64) {
	var records, blocks []json.RawMessage
	for _, i := range all {
		if i.Relation != "" {
			k.relation(&i, w)
			continue
		}
		switch i.View {
		case "pg_stat_user_tables":
			k.rows(i.View, k.sinceStart(i.Rows), s.UserTables(), append(timeless, lateColumns(k.c)...)...)
		case "pg_stat_user_indexes":
			k.rows(i.View, i.Rows, s.UserIndexes(), timeless...)
			k.lookups(i.Rows, w, s.Stopped)
		case "pg_stat_subscription_stats":
			k.rows(i.View, i.Rows, s.Subscription(), timeless...)
		case "pg_get_wal_records_info":
			records = i.Rows
		case "pg_get_wal_block_info":
			blocks = i.Rows
		case "pg_get_wal_stats record":
			k.stats(i.Rows, sum.Rows(true))
		}
	}
	if records != nil && blocks != nil {
		// The real pg_stat_wal counts the recorder's own work, too.
		k.rows("pg_stat_wal", []json.RawMessage{k.walCounters(records, blocks, total)}, s.WAL(), timeless...)
	}
}

// relation compares what is shown of a relation or of a page.
func (k *viewComparison) relation(i *Inspection, w *apply.Worker) {
	r, err := view.Find(w, i.Relation)
	if err != nil {
		k.differ("%v", err)
		return
	}
	what := i.View + " of " + i.Relation
	var rows *view.Rows
	switch i.View {
	case "pgstatindex":
		rows = r.StatIndex()
	case "pgstattuple":
		rows = r.StatTuple()
	default:
		what = fmt.Sprintf("%s block %d", what, i.Block)
		rows, err = pageRows(&r, i.View, storage.BlockNumber(i.Block))
	}
	if err != nil {
		k.differ("%s: %v", what, err)
	}
	if rows != nil {
		k.rows(what, i.Rows, rows, "checksum")
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

// fields reads an object's members in their order, values as PostgreSQL prints them.
func fields(object []byte) (names, values []string, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	d.Token()
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, nil, err
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
		names, values = append(names, fmt.Sprint(name)), append(values, text)
	}
	return names, values, nil
}

// rows compares rows with those that the real server has shown, but for columns that are
// not compared.
func (k *viewComparison) rows(what string, want []json.RawMessage, got *view.Rows, but ...string) {
	function, _, _ := strings.Cut(what, " ")
	k.compared[function] += len(want)
	if len(want) != len(got.Values) {
		k.differ("%s: %d rows, expected %d", what, len(got.Values), len(want))
		return
	}
	if function == "pg_stat_user_tables" || function == "pg_stat_user_indexes" {
		// By name: the order is that of object ids, which partitions' indexes have got
		// together.
		byName(want, got)
	}
	for n := range want {
		names, values, err := fields(want[n])
		var columns []string
		for _, c := range got.Columns {
			columns = append(columns, c.Name)
		}
		if err != nil || !slices.Equal(names, columns) {
			k.differ("%s: columns %v, expected %v (%v)", what, columns, names, err)
			return
		}
		for i, v := range got.Values[n] {
			text, null := view.Text(v)
			if null {
				text = "NULL"
			}
			if text != values[i] && !slices.Contains(but, names[i]) {
				k.differ("%s: row %d: %s is %s, expected %s", what, n+1, names[i], text, values[i])
			}
		}
	}
}

// loads is how often a table was vacuumed when it was loaded.
func loads(c *Case, table string) (n int64) {
	for _, l := range c.Load {
		if l.Table == table && l.Vacuum != "" {
			n++
		}
	}
	return n
}

// byName orders rows of statistics by the names of tables and indexes.
func byName(want []json.RawMessage, got *view.Rows) {
	name := func(value func(column string) string) string { return value("relname") + " " + value("indexrelname") }
	slices.SortStableFunc(want, func(a, b json.RawMessage) int {
		of := func(row json.RawMessage) string {
			names, values, _ := fields(row)
			return name(func(column string) string {
				if i := slices.Index(names, column); i >= 0 {
					return values[i]
				}
				return ""
			})
		}
		return strings.Compare(of(a), of(b))
	})
	slices.SortStableFunc(got.Values, func(a, b []any) int {
		of := func(row []any) string {
			return name(func(column string) string {
				i := slices.IndexFunc(got.Columns, func(c view.Column) bool { return c.Name == column })
				if i < 0 {
					return ""
				}
				text, _ := view.Text(row[i])
				return text
			})
		}
		return strings.Compare(of(a), of(b))
	})
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
func (k *viewComparison) sinceStart(rows []json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	for _, row := range rows {
		names, values, err := fields(row)
		at := slices.Index(names, "relname")
		if err != nil || at < 0 {
			k.differ("pg_stat_user_tables: expected relname, found %v (%v)", names, err)
			return nil
		}
		table := values[at]
		var b bytes.Buffer
		for i, n := range names {
			start, known := k.c.Start.Statistics[table][n]
			known = known || n == "vacuum_count"
			v := json.RawMessage(fmt.Sprintf("%q", values[i]))
			if values[i] == "NULL" {
				v = []byte("null")
			} else if known && !strings.HasPrefix(n, "n_live") && !strings.HasPrefix(n, "n_dead") {
				var x int64
				fmt.Sscan(values[i], &x)
				if n == "vacuum_count" {
					start = loads(k.c, table) // that VACUUM is not among them
				}
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

// walCounters are the counters of pg_stat_wal for a case's own records, which have so many
// bytes in all.
func (k *viewComparison) walCounters(records, blocks []json.RawMessage, total int64) json.RawMessage {
	images := map[string]int{}
	value := func(row json.RawMessage, columns ...string) (list []string) {
		names, values, _ := fields(row)
		for _, c := range columns {
			text := ""
			if i := slices.Index(names, c); i >= 0 {
				text = values[i]
			}
			list = append(list, text)
		}
		return list
	}
	for _, b := range blocks {
		if v := value(b, "block_fpi_length", "start_lsn"); v[0] != "0" && v[0] != "NULL" {
			images[v[1]]++
		}
	}
	n, fpi := 0, 0
	for i, row := range records {
		if k.records[i].Background() {
			continue
		}
		n++
		fpi += images[value(row, "start_lsn")[0]]
	}
	return fmt.Appendf(nil, `{"wal_records":%d,"wal_fpi":%d,"wal_bytes":%d,"wal_buffers_full":null,"stats_reset":null}`, n, fpi, total)
}

var (
	fileName   = regexp.MustCompile(`rel \d+/\d+/(\d+) `)
	commitTime = regexp.MustCompile(`^[-0-9]+ [:.0-9]+\+00; `)
	publisher  = regexp.MustCompile(`, at ([-0-9]+ [:0-9]+)\.?(\d*)\+00$`)
	blockImage = regexp.MustCompile(` \(FPW\); hole: offset: \d+, length: \d+(, compression saved: \d+, method: \w+)?`)
)

// record compares a record with the real one. The LSN of the record before is compared if
// that is not of another process; of a COMMIT the subscriber's time is not known, nor what
// it tells of the catalog, which lengthens it. What is not described is not compared.
func (k *viewComparison) record(n int, r *view.WALRecord) {
	k.compared["pg_get_wal_records_info"]++
	catalog := r.Type.Manager() == "Transaction" && strings.Contains(k.real[n][slices.Index(k.columns, "description")], "inval msgs:")
	for i, v := range r.Values() {
		got, null := view.Text(v)
		if null {
			got = "NULL"
		}
		expected := k.real[n][i]
		switch k.columns[i] {
		case "prev_lsn":
			if !k.follows[n] {
				continue
			}
		case "end_lsn", "record_length", "main_data_length":
			if catalog {
				continue
			}
		case "block_ref":
			expected = fileName.ReplaceAllStringFunc(expected, func(s string) string {
				name := k.files[fileName.FindStringSubmatch(s)[1]]
				if name == "" {
					name = r.Relation // a file that came and went
				}
				return "rel " + name + " "
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
			if expected == "NULL" && got == "" || null || catalog {
				continue
			}
			k.compared["descriptions of records"]++
		}
		if got != expected {
			k.differ("record %d (%s): %s is\n%s, expected\n%s", n+1, r.Type, k.columns[i], got, expected)
		}
	}
}

// stats compares counts and sizes by record type, from which those of records in the
// background are taken; percentages are of all records.
func (k *viewComparison) stats(want []json.RawMessage, got *view.Rows) {
	real := map[string][]string{}
	for _, row := range want {
		if _, values, err := fields(row); err == nil && len(values) > 0 {
			real[values[0]] = values
		}
	}
	background := map[string]wal.Count{}
	for i := range k.records {
		if x := &k.records[i]; x.Background() {
			c := background[x.Manager+"/"+x.Type]
			c.Add(wal.Count{Records: 1, Bytes: int64(x.Length), FPIBytes: int64(x.FPI)})
			background[x.Manager+"/"+x.Type] = c
		}
	}
	for _, row := range got.Values {
		values := real[row[0].(string)]
		if values == nil {
			k.differ("%s: not among the real records", row[0])
			continue
		}
		if strings.HasPrefix(row[0].(string), "Transaction/") {
			continue // some are of other processes, or tell of the catalog
		}
		k.compared["pg_get_wal_stats"]++
		c := background[row[0].(string)]
		for i, less := range map[int]int64{1: c.Records, 3: c.Bytes - c.FPIBytes, 5: c.FPIBytes, 7: c.Bytes} {
			n, err := strconv.ParseInt(values[i], 10, 64)
			if text, _ := view.Text(row[i]); err != nil || text != strconv.FormatInt(n-less, 10) {
				k.differ("%s: %s is %s, expected %s less %d in the background", row[0], got.Columns[i].Name, text, values[i], less)
			}
		}
	}
}
