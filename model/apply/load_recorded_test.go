package apply_test

// Tables that were loaded on PostgreSQL 18.1, and the same here: all line pointers, all
// index items, what the maps say.

import (
	"bufio"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"applysim/heap"
	"applysim/index"
	"applysim/model/apply"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// With -export a script for each case is written, which a real server can run.
var export = flag.String("export", "", "write the scripts of the loaded tables to this folder")

// loadCase is a table t that is loaded.
type loadCase struct {
	name   string
	create string // statements before the rows
	rows   int
	row    func(n int) []string // the values' texts, null for NULL
	after  string               // statements after the rows
	maint  string               // and those that are no DDL
	how    apply.LoadOptions
}

// hash mixes a number, so that values are spread as random ones are.
func hash(n, salt uint64) uint64 {
	h, l := bits.Mul64(n*0x9E3779B97F4A7C15+salt, 0xD6E8FEB86659FD93)
	h ^= l
	h, l = bits.Mul64(h^salt, 0xA0761D6478BD642F)
	return h ^ l
}

func uuid(a, b uint64) string {
	s := fmt.Sprintf("%016x%016x", a, b)
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

func number(n uint64) string { return fmt.Sprint(n) }

var loadCases = []loadCase{
	{
		name: "events", create: "CREATE TABLE t (id bigint NOT NULL, account_id integer NOT NULL, status smallint NOT NULL, payload text NOT NULL, updated_at timestamptz NOT NULL);",
		rows: 40000, row: func(n int) []string {
			return []string{number(uint64(n + 1)), number(hash(uint64(n), 1) % 1000), number(hash(uint64(n), 2) % 5),
				strings.Repeat("x", int(hash(uint64(n), 3)%200)), fmt.Sprintf("2026-01-01 %02d:%02d:%02d+00", n/3600, n/60%60, n%60)}
		},
		after: "ALTER TABLE t ADD PRIMARY KEY (id); CREATE INDEX ON t (updated_at); CREATE INDEX ON t (account_id); CREATE INDEX ON t (account_id, status); CREATE INDEX ON t (status, updated_at DESC);",
	},
	{
		name: "events_vacuumed", create: "CREATE TABLE t (id bigint NOT NULL, account_id integer, status smallint NOT NULL, payload text) WITH (fillfactor = 70);",
		rows: 20000, row: func(n int) []string {
			r := []string{number(uint64(n + 1)), number(hash(uint64(n), 1) % 300), number(hash(uint64(n), 2) % 5), strings.Repeat("y", int(hash(uint64(n), 3)%600))}
			if n%7 == 0 {
				r[1] = null
			}
			if n%11 == 0 {
				r[3] = null
			}
			return r
		},
		after: "ALTER TABLE t ADD PRIMARY KEY (id) WITH (fillfactor = 100); CREATE INDEX ON t (account_id NULLS FIRST) WITH (fillfactor = 50); CREATE INDEX ON t (account_id DESC, id); CREATE INDEX ON t (status) INCLUDE (account_id);",
		maint: "VACUUM t;", how: apply.LoadOptions{Vacuumed: true},
	},
	{
		name: "uuids", create: "CREATE TABLE t (id uuid NOT NULL, ref uuid);",
		rows: 30000, row: func(n int) []string {
			return []string{uuid(hash(uint64(n), 1), hash(uint64(n), 2)), uuid(hash(uint64(n)/5, 3), 7)}
		},
		after: "ALTER TABLE t ADD PRIMARY KEY (id); CREATE INDEX ON t (ref); CREATE INDEX ON t (ref, id DESC);",
	},
	{
		name: "texts", create: "CREATE TABLE t (a text, b text, c varchar(40));",
		rows: 20000, row: func(n int) []string {
			return []string{
				"https://example.com/" + strings.Repeat("z", int(hash(uint64(n), 1)%30)) + number(hash(uint64(n), 2)%5000),
				[]string{"pending-review", "pending-payment", "pending", "shipped"}[hash(uint64(n), 3)%4], "k" + number(uint64(n%977)),
			}
		},
		after: "CREATE INDEX ON t (a); CREATE INDEX ON t (b); CREATE INDEX ON t (c, a); CREATE INDEX ON t (lower(b), c); CREATE INDEX ON t (a) WHERE b = 'shipped'; CREATE INDEX ON t (length(a));",
	},
	{
		name: "numerics", create: "CREATE TABLE t (a numeric, b numeric(12,2), c double precision, d date);",
		rows: 20000, row: func(n int) []string {
			h := hash(uint64(n), 1)
			a := []string{"1.0", "1.00", "1", "2.5"}[h%4]
			if n%3 > 0 {
				a = fmt.Sprintf("%d.%0*d", h%100000, 1+h/7%9, h/11%10)
			}
			return []string{a, fmt.Sprintf("%d.%02d", h%700, h/13%4*25), fmt.Sprintf("%d.5", h/3%5000), fmt.Sprintf("2025-%02d-%02d", 1+h/5%12, 1+h/17%28)}
		},
		after: "CREATE INDEX ON t (a); CREATE INDEX ON t (b); CREATE INDEX ON t (c); CREATE INDEX ON t (d); CREATE INDEX ON t (d, b);",
	},
	{
		name: "equal", create: "CREATE TABLE t (a int4);", rows: 60000, row: func(n int) []string { return []string{"7"} },
		after: "CREATE INDEX ON t (a); CREATE INDEX ON t (a) WITH (deduplicate_items = off);", how: apply.LoadOptions{NewTable: true},
	},
	{
		name: "indexes_first", create: "CREATE TABLE t (id uuid PRIMARY KEY, n int4 NOT NULL, note text); CREATE INDEX ON t (n); CREATE INDEX ON t (note);",
		rows: 20000, row: func(n int) []string {
			return []string{uuid(hash(uint64(n), 1), hash(uint64(n), 2)), number(hash(uint64(n), 3) % 100), strings.Repeat("ab", int(hash(uint64(n), 4)%70))}
		},
		how: apply.LoadOptions{IndexesFirst: true},
	},
	{
		name: "toasted", create: "CREATE TABLE t (id int4 NOT NULL, doc text, other text);",
		rows: 1500, row: func(n int) []string {
			var b strings.Builder
			for i := range hash(uint64(n), 1) % 400 {
				b.WriteString(fmt.Sprintf("%x", hash(uint64(n), i)))
			}
			return []string{number(uint64(n)), b.String(), strings.Repeat("0123456789", int(hash(uint64(n), 2)%500))}
		},
		after: "ALTER TABLE t ADD PRIMARY KEY (id);",
	},
	{
		// Short keys that are compressed or out of line, as the padding stays in line.
		name: "toasted_keys", create: "CREATE TABLE t (id int4 NOT NULL, k text, doc text, pad text) WITH (toast_tuple_target = 128); ALTER TABLE t ALTER pad SET STORAGE plain;",
		rows: 400, row: func(n int) []string {
			return []string{
				number(uint64(n)), strings.Repeat(fmt.Sprintf("key %d ", hash(uint64(n), 3)%90), 5+int(hash(uint64(n), 1)%20)),
				strings.Repeat("0123456789", int(hash(uint64(n), 2)%100)), strings.Repeat("p", 1900+n%100),
			}
		},
		after: "ALTER TABLE t ADD PRIMARY KEY (id); CREATE INDEX ON t (k); CREATE INDEX ON t (doc, k); CREATE INDEX ON t USING brin (doc) WITH (pages_per_range = 4);",
	},
	{
		name: "frozen", create: "CREATE TABLE t (id int4 NOT NULL, a char(20) NOT NULL);", rows: 50000,
		row:   func(n int) []string { return []string{number(uint64(n)), "row"} },
		after: "ALTER TABLE t ADD PRIMARY KEY (id); CREATE INDEX ON t (a);",
		how:   apply.LoadOptions{NewTable: true, Frozen: true},
	},
	{
		name: "brin", create: "CREATE TABLE t (id int8 NOT NULL, at timestamptz NOT NULL, n int4);", rows: 60000,
		row: func(n int) []string {
			r := []string{number(uint64(n)), fmt.Sprintf("2026-02-%02d %02d:00:00+00", 1+n/3000, n/100%24), number(uint64(n) % 5000)}
			if n > 30000 && n < 45000 {
				r[2] = null
			}
			return r
		},
		after: "CREATE INDEX ON t USING brin (at) WITH (pages_per_range = 8); CREATE INDEX ON t USING brin (n) WITH (pages_per_range = 2); CREATE INDEX ON t (id);",
	},
}

// textRows are rows whose values are texts.
type textRows []stream.Tuple

func (c *loadCase) texts() textRows {
	rows := make(textRows, c.rows)
	for n := range rows {
		rows[n] = row(c.row(n)...)
	}
	return rows
}

func (r textRows) Len() int { return len(r) }

func (r textRows) Row(n int, columns []int, to stream.Tuple) { copy(to, r[n]) }

// loadedState is what a server shows of the table.
type loadedState struct {
	Pages        int                    `json:"pages"`
	LinePointers string                 `json:"line_pointers_md5"`
	FreeSpace    string                 `json:"free_space_md5"`
	Visible      string                 `json:"visible_md5"`
	Indexes      map[string]loadedIndex `json:"indexes"`
	Toast        *loadedToast           `json:"toast,omitempty"`
}

type loadedIndex struct {
	Pages   int     `json:"pages"`
	Level   int     `json:"level"`
	Leaves  int     `json:"leaves"`
	Upper   int     `json:"internal"`
	Density float64 `json:"density"`
	Items   string  `json:"items_md5"`
	Bytes   string  `json:"bytes_md5,omitempty"`
}

type loadedToast struct {
	Pages        int         `json:"pages"`
	LinePointers string      `json:"line_pointers_md5"`
	Index        loadedIndex `json:"index"`
}

func digest(lines []string) string {
	sum := md5.Sum([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

func TestLoadRecorded(t *testing.T) {
	if *export != "" {
		for _, c := range loadCases {
			writeLoadScript(t, c)
		}
		for _, c := range databases {
			c.name = "database_" + c.name
			writeLoadScript(t, c)
		}
		return
	}
	data, err := os.ReadFile(filepath.Join("testdata", "recorded", "load.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]loadedState
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	for _, c := range loadCases {
		t.Run(c.name, func(t *testing.T) {
			want, ok := recorded[c.name]
			if !ok {
				t.Fatal("not recorded")
			}
			rows := c.texts()
			for _, every := range []bool{false, true} {
				s := subscribe(t, c.create+c.after, options())
				c.how.Every = every
				if err := s.Load("public", "t", rows, c.how); err != nil {
					t.Fatal(err)
				}
				s.check()
				got := stateOfLoaded(s.table("t"))
				s.check()
				compareLoaded(t, got, want)
			}
		})
	}
}

func compareLoaded(t *testing.T, got, want loadedState) {
	t.Helper()
	g, _ := json.MarshalIndent(got, "", " ")
	w, _ := json.MarshalIndent(want, "", " ")
	if string(g) != string(w) {
		t.Errorf("simulated %s\nrecorded %s", g, w)
	}
}

func writeLoadScript(t *testing.T, c loadCase) {
	f, err := os.Create(filepath.Join(*export, c.name+".sql"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	defer w.Flush()
	options := ""
	if c.how.Frozen && c.how.NewTable {
		options = " WITH (FREEZE)"
	}
	if c.how.NewTable {
		fmt.Fprintln(w, "BEGIN;")
	}
	fmt.Fprintln(w, c.create)
	fmt.Fprintf(w, "COPY t FROM stdin%s;\n", options)
	for n := range c.rows {
		r := c.row(n)
		for i := range r {
			if r[i] == null {
				r[i] = `\N`
			}
		}
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	fmt.Fprintln(w, `\.`)
	if c.how.NewTable {
		fmt.Fprintln(w, "COMMIT;")
	}
	fmt.Fprintln(w, c.after)
	fmt.Fprintln(w, c.maint)
}

// stateOfLoaded is the state of a table as the recorder shows it. With LOAD_DUMP it also
// writes the lines.
func stateOfLoaded(s apply.TableState) loadedState {
	st := figuresOf(s)
	st.LinePointers = digest(heapLines(s.Heap, "t"))
	dump("t.heap", heapLines(s.Heap, "t"))
	for _, x := range s.Indexes {
		i := st.Indexes[x.Schema.Name]
		if x.BTree != nil {
			i = stateOfIndex(x.BTree, x.Schema.Name)
		} else {
			i.Bytes = digest(rawPages(x.BRIN))
			dump(x.Schema.Name+".raw", rawPages(x.BRIN))
		}
		st.Indexes[x.Schema.Name] = i
	}
	if s.Toast != nil && s.Toast.Pages() > 0 {
		st.Toast = &loadedToast{s.Toast.Pages(), digest(heapLines(s.Toast, "toast")), stateOfIndex(s.ToastIndex, "toast_index")}
	}
	return st
}

// figuresOf is stateOfLoaded without what is on the pages.
func figuresOf(s apply.TableState) loadedState {
	st := loadedState{Pages: s.Heap.Pages(), Indexes: map[string]loadedIndex{}}
	var free, visible []string
	for b := range s.Heap.Pages() {
		n := storage.BlockNumber(b)
		free = append(free, fmt.Sprint(s.Heap.RecordedSpace(n)))
		visible = append(visible, fmt.Sprint(s.Heap.VisibilityBits(n)))
	}
	st.FreeSpace, st.Visible = digest(free), digest(visible)
	dump("t.fsm", free)
	for _, x := range s.Indexes {
		if x.BTree == nil {
			st.Indexes[x.Schema.Name] = loadedIndex{Pages: x.BRIN.Pages()}
			continue
		}
		st.Indexes[x.Schema.Name] = figuresOfIndex(x.BTree)
	}
	return st
}

func figuresOfIndex(x *index.BTree) loadedIndex {
	s := x.Stats()
	return loadedIndex{
		Pages: x.Pages(), Level: s.TreeLevel, Leaves: s.LeafPages, Upper: s.InternalPages, Density: math.Round(s.AvgLeafDensity*100) / 100,
	}
}

func heapLines(h *heap.Table, name string) (lines []string) {
	for b := range h.Pages() {
		line := string(h.AppendPageLine(nil, storage.BlockNumber(b)))
		f := strings.SplitN(line, "\t", 3)
		lines = append(lines, f[2])
	}
	return lines
}

func stateOfIndex(x *index.BTree, name string) loadedIndex {
	st := figuresOfIndex(x)
	var lines, raw []string
	for b := 1; b < x.Pages(); b++ {
		line := string(x.AppendPageLine(nil, storage.BlockNumber(b)))
		lines = append(lines, strings.SplitN(line, "\t", 3)[2])
		var page [storage.PageSize]byte
		x.PageBytes(&page, storage.BlockNumber(b))
		raw = append(raw, hex.EncodeToString(page[10:]))
	}
	st.Items = digest(lines)
	if name != "toast_index" { // it has object ids in it
		st.Bytes = digest(raw)
	}
	dump(name+".items", lines)
	dump(name+".raw", raw)
	return st
}

func rawPages(x *index.BRIN) (raw []string) {
	for b := range x.Pages() {
		var page [storage.PageSize]byte
		x.PageBytes(&page, storage.BlockNumber(b))
		raw = append(raw, hex.EncodeToString(page[10:]))
	}
	return raw
}

// dump writes lines to a file in the folder that LOAD_DUMP names.
func dump(name string, lines []string) {
	if dir := os.Getenv("LOAD_DUMP"); dir != "" {
		os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
	}
}
