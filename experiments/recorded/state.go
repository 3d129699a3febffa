package recorded

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"applysim/heap"
	"applysim/index"
	"applysim/model/apply"
	"applysim/wal/storage"
)

// Expected is expected.json: the real subscriber at the end.
type Expected struct {
	StartLSN string                        `json:"start_lsn"`
	EndLSN   string                        `json:"end_lsn"`
	Messages int64                         `json:"messages"`
	Tables   map[string]map[string]anyJSON `json:"tables"`
	// Error is that with which the worker has stopped, nil if it has not.
	Error *struct {
		Text   string `json:"text"`
		Detail string `json:"detail"`
	} `json:"error"`
}

// anyJSON is a value that is a number, a string or an object.
type anyJSON = any

// Expected reads the case's expected.json.
func (c *Case) Expected() (*Expected, error) {
	e := new(Expected)
	return e, c.readJSON("expected.json", e)
}

// TableReport describes a simulated table as expected.json does a real one.
type TableReport struct {
	Inserts        int64                   `json:"n_tup_ins"`
	Updates        int64                   `json:"n_tup_upd"`
	HOTUpdates     int64                   `json:"n_tup_hot_upd"`
	NewPageUpdates int64                   `json:"n_tup_newpage_upd"`
	Deletes        int64                   `json:"n_tup_del"`
	Live           int64                   `json:"n_live_tup"`
	Dead           int64                   `json:"n_dead_tup"`
	SeqScans       int64                   `json:"seq_scan"`
	SeqTupRead     int64                   `json:"seq_tup_read"`
	IdxScans       int64                   `json:"idx_scan"`
	IdxTupFetch    int64                   `json:"idx_tup_fetch"`
	Pages          int                     `json:"pages"`
	LinePointers   Digest                  `json:"line_pointers_md5"`
	NotHOT         NotHOT                  `json:"not_hot"`
	Indexes        map[string]*IndexReport `json:"indexes"`

	truncated bool
	preset    int64 // rows before the run
}

// NotHOT counts by the reason the updates that were not HOT.
type NotHOT struct {
	Changed int64 `json:"indexed_column_changed"` // alone
	NoRoom  int64 `json:"no_room"`                // alone: the new version did not fit on the page
	Both    int64 `json:"both"`
}

// IndexReport describes a simulated index as expected.json does a real one.
type IndexReport struct {
	AM                string   `json:"am"`
	Pages             int      `json:"pages"`
	TreeLevel         int      `json:"tree_level"`
	InternalPages     int      `json:"internal_pages"`
	LeafPages         int      `json:"leaf_pages"`
	EmptyPages        int      `json:"empty_pages"`
	DeletedPages      int      `json:"deleted_pages"`
	AvgLeafDensity    *float64 `json:"avg_leaf_density"`   // null for an index without leaves
	LeafFragmentation *float64 `json:"leaf_fragmentation"` // likewise
	Items             Digest   `json:"items_md5"`
	// Prevented is the number of updates that changed a column which the index
	// depends on, so that they could not be HOT.
	Prevented int64 `json:"hot_updates_prevented"`
	// NotModelled says that nothing is known of the index but that and the number of rows
	// it got an entry for.
	NotModelled bool  `json:"not_modelled,omitempty"`
	Entries     int64 `json:"entries,omitempty"`
}

// Describe reports on a table.
func Describe(t *apply.TableState) *TableReport {
	c := &t.Heap.Counters
	rows := t.Preset + c.Inserts
	r := &TableReport{
		Inserts: rows, Updates: c.Updates, HOTUpdates: c.HOTUpdates, NewPageUpdates: c.NewPageUpdates, Deletes: c.Deletes,
		Live: t.Heap.Live(), Dead: t.Heap.Dead(),
		SeqScans: t.SeqScans, SeqTupRead: t.SeqTupRead, IdxScans: t.IdxScans, IdxTupFetch: t.IdxTupFetch,
		Pages: t.Heap.Pages(), Indexes: map[string]*IndexReport{},
		NotHOT: NotHOT{c.ChangedIndexed, c.NoRoom, c.ChangedNoRoom},
	}
	r.truncated, r.preset = t.Truncated, t.Preset
	r.LinePointers = heapDigest(t.Heap)
	for i := range t.Indexes {
		x := &t.Indexes[i]
		if x.BRIN != nil {
			r.Indexes[x.Schema.Name] = &IndexReport{AM: "brin", Pages: x.BRIN.Pages()}
			continue
		}
		if x.Foreign {
			r.Indexes[x.Schema.Name] = &IndexReport{AM: x.Schema.Method, NotModelled: true, Entries: x.Entries, Prevented: x.Prevented}
			continue
		}
		s := x.BTree.Stats()
		r.Indexes[x.Schema.Name] = &IndexReport{
			AM: "btree", Pages: x.BTree.Pages(), TreeLevel: s.TreeLevel, InternalPages: s.InternalPages,
			LeafPages: s.LeafPages, EmptyPages: s.EmptyPages, DeletedPages: s.DeletedPages,
			AvgLeafDensity: twoDigits(s.AvgLeafDensity), LeafFragmentation: twoDigits(s.LeafFragmentation),
			Items: indexDigest(x.BTree), Prevented: x.Prevented,
		}
	}
	return r
}

// Digest is an MD5 digest in hexadecimal digits. It is computed when somebody asks
// for it, for it takes as long as a tenth of a replay.
type Digest struct{ compute func() string }

// String computes the digest; one that is missing is empty.
func (d Digest) String() string {
	if d.compute == nil {
		return ""
	}
	return d.compute()
}

// MarshalJSON writes the digest as a string.
func (d Digest) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// twoDigits rounds as pgstatindex prints, nil for NaN.
func twoDigits(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 2, 64), 64)
	return &y
}

// digest is the MD5 of lines joined by newlines.
func digest(n int, line func(dst []byte, i int) []byte) string {
	h := md5.New()
	var buf []byte
	for i := range n {
		buf = buf[:0]
		if i > 0 {
			buf = append(buf, '\n')
		}
		buf = line(buf, i)
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func heapDigest(t *heap.Table) Digest {
	return Digest{func() string {
		return digest(t.Pages(), func(dst []byte, i int) []byte { return t.AppendPageLine(dst, storage.BlockNumber(i)) })
	}}
}

func indexDigest(t *index.BTree) Digest {
	return Digest{func() string { return itemsDigest(t) }}
}

func itemsDigest(t *index.BTree) string {
	var blocks []storage.BlockNumber
	for b := 1; b < t.Pages(); b++ {
		if !t.Deleted(storage.BlockNumber(b)) {
			blocks = append(blocks, storage.BlockNumber(b))
		}
	}
	return digest(len(blocks), func(dst []byte, i int) []byte { return t.AppendPageLine(dst, blocks[i]) })
}

// compareState compares the end of the run: LSN, counters, pages, digests.
func (k *comparison) compareState(c *Case, e *Expected, w *apply.Worker) {
	if k.result.FirstDifference == nil && !k.beside {
		if got := k.log.InsertLSN().String(); got != e.EndLSN {
			k.state("end_lsn: expected %s, got %s", e.EndLSN, got)
		}
	}
	states := w.Tables()
	reports := map[string]*TableReport{}
	for i := range states {
		t := &states[i]
		name := t.Schema.QualifiedName()
		want, ok := e.Tables[name]
		if !ok && t.Schema.Schema != "public" {
			continue // of other schemas only the records are recorded
		}
		if !ok {
			k.state("table %s: expected none, as expected.json has no such table", name)
			continue
		}
		reports[name] = Describe(t)
		k.compareTable(name, want, reports[name])
	}
	k.compareCounters(c, e, reports, w.ParallelStatistics())
	for _, name := range sortedKeys(e.Tables) {
		if reports[name] == nil {
			k.state("table %s: expected, but the schema has none", name)
		}
	}
}

// compareTable compares a table's pages and indexes.
func (k *comparison) compareTable(name string, want map[string]anyJSON, got *TableReport) {
	k.compareValue(name+".pages", want["pages"], got.Pages)
	k.compareValue(name+".line_pointers_md5", want["line_pointers_md5"], got.LinePointers.String())
	indexes, _ := want["indexes"].(map[string]any)
	for _, x := range sortedKeys(indexes) {
		w, _ := indexes[x].(map[string]any)
		g := got.Indexes[x]
		if g == nil {
			k.state("%s.%s: expected an index, got none", name, x)
			continue
		}
		at := name + "." + x + "."
		if k.beside && foreign(g.AM) {
			continue
		}
		k.compareValue(at+"pages", w["pages"], g.Pages)
		if g.AM != w["am"] {
			k.state("%sam: expected %v, got %s", at, w["am"], g.AM)
		}
		if g.AM != "btree" {
			continue
		}
		for _, f := range []struct {
			name  string
			value any
		}{
			{"tree_level", g.TreeLevel}, {"internal_pages", g.InternalPages}, {"leaf_pages", g.LeafPages},
			{"empty_pages", g.EmptyPages}, {"deleted_pages", g.DeletedPages},
			{"avg_leaf_density", number(g.AvgLeafDensity)}, {"leaf_fragmentation", number(g.LeafFragmentation)},
			{"items_md5", g.Items.String()},
		} {
			k.compareValue(at+f.name, w[f.name], f.value)
		}
	}
	for _, x := range sortedKeys(got.Indexes) {
		if _, ok := indexes[x]; !ok {
			k.state("%s.%s: expected no such index", name, x)
		}
	}
}

// number prints a percentage as PostgreSQL prints a double.
func number(x *float64) string {
	if x == nil {
		return "NaN"
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

func (k *comparison) compareValue(what string, want, got any) {
	if w, g := fmt.Sprint(want), fmt.Sprint(got); w != g {
		k.state("%s: expected %s, got %s", what, w, g)
	}
}
