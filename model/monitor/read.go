package monitor

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"applysim/wal"
)

// Query is the SQL whose output Read reads.
//
//go:embed query.sql
var Query string

// queryVersion is the form of its output.
const queryVersion = 1

// Error is what is wrong with a file of samples.
type Error struct {
	File string
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// Sample is what one server's views said at a time. What a version does not have is nil.
type Sample struct {
	Version   int               `json:"applysim_pipeline"`
	Taken     time.Time         `json:"taken"`
	ServerNum int               `json:"server_version_num"`
	System    string            `json:"system"`
	Database  string            `json:"database"`
	Current   LSN               `json:"current_lsn"`
	Settings  map[string]string `json:"settings"`
	Tables    []TableCounters   `json:"tables"`

	Slots              []SlotRow         `json:"pg_replication_slots"`
	SlotStats          []SlotCounters    `json:"pg_stat_replication_slots"`
	Replication        []Walsender       `json:"pg_stat_replication"`
	Subscriptions      []Worker          `json:"pg_stat_subscription"`
	SubscriptionErrors []WorkerConflicts `json:"pg_stat_subscription_stats"`
}

// LSN is one that may be NULL.
type LSN struct {
	wal.LSN
	Known bool
}

// UnmarshalJSON reads an LSN as PostgreSQL writes it.
func (l *LSN) UnmarshalJSON(b []byte) error {
	*l = LSN{}
	if string(b) == "null" {
		return nil
	}
	text, err := strconv.Unquote(string(b))
	high, low, ok := strings.Cut(text, "/")
	h, err1 := strconv.ParseUint(high, 16, 32)
	w, err2 := strconv.ParseUint(low, 16, 32)
	if err != nil || !ok || err1 != nil || err2 != nil {
		return fmt.Errorf("found %.40s, expected an LSN such as \"0/1A2B3C4\"", b)
	}
	*l = LSN{wal.LSN(h<<32 | w), true}
	return nil
}

// TableCounters are those of pg_stat_user_tables.
type TableCounters struct {
	Schema     string `json:"schema"`
	Name       string `json:"name"`
	Inserts    int64  `json:"n_tup_ins"`
	Updates    int64  `json:"n_tup_upd"`
	Deletes    int64  `json:"n_tup_del"`
	HOTUpdates int64  `json:"n_tup_hot_upd"`
}

// qualified is the table's name as the program writes it.
func (t *TableCounters) qualified() string {
	if t.Schema == "public" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}

// SlotRow is one of pg_replication_slots.
type SlotRow struct {
	Name      string  `json:"slot_name"`
	Plugin    *string `json:"plugin"`
	Active    bool    `json:"active"`
	Restart   LSN     `json:"restart_lsn"`
	Confirmed LSN     `json:"confirmed_flush_lsn"`
	WALStatus *string `json:"wal_status"`
	Safe      *int64  `json:"safe_wal_size"`
}

// SlotCounters is a row of pg_stat_replication_slots.
type SlotCounters struct {
	Name        string `json:"slot_name"`
	SpillTxns   int64  `json:"spill_txns"`
	SpillCount  int64  `json:"spill_count"`
	SpillBytes  int64  `json:"spill_bytes"`
	StreamTxns  int64  `json:"stream_txns"`
	StreamCount int64  `json:"stream_count"`
	StreamBytes int64  `json:"stream_bytes"`
	TotalTxns   int64  `json:"total_txns"`
	TotalBytes  int64  `json:"total_bytes"`
}

// Walsender is a row of pg_stat_replication.
type Walsender struct {
	Name       string   `json:"application_name"`
	State      string   `json:"state"`
	Sent       LSN      `json:"sent_lsn"`
	Flush      LSN      `json:"flush_lsn"`
	Replay     LSN      `json:"replay_lsn"`
	ReplayLagS *float64 `json:"replay_lag_s"`
}

// Worker is a row of pg_stat_subscription.
type Worker struct {
	Name     string `json:"subname"`
	Received LSN    `json:"received_lsn"`
}

// WorkerConflicts is a row of pg_stat_subscription_stats: its counters by name.
type WorkerConflicts struct {
	Name   string
	Counts map[string]int64
}

// UnmarshalJSON reads the counters that the version has.
func (w *WorkerConflicts) UnmarshalJSON(b []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	w.Counts = map[string]int64{}
	for name, v := range all {
		if name == "subname" {
			if err := json.Unmarshal(v, &w.Name); err != nil {
				return err
			}
		}
		if strings.HasSuffix(name, "_count") || strings.HasPrefix(name, "confl_") {
			var n int64
			if err := json.Unmarshal(v, &n); err != nil {
				return fmt.Errorf("%s: found %.40s, expected a whole number", name, v)
			}
			w.Counts[name] = n
		}
	}
	return nil
}

// Read reads the samples of a file, in the order of their time: JSON documents one after
// the other. psql's headings around them (without -At) are passed over. file is its name,
// for errors.
func Read(r io.Reader, file string) ([]*Sample, error) {
	doc, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	fail := func(offset int, format string, args ...any) error {
		offset = min(max(offset, 0), len(doc))
		return &Error{file, 1 + bytes.Count(doc[:offset], []byte("\n")), fmt.Sprintf(format, args...)}
	}
	const expected = "expected the output of applysim compare-observed --query"
	var samples []*Sample
	for at := 0; at < len(doc); {
		start := documentStart(doc[at:])
		if start < 0 {
			break
		}
		at += start
		d := json.NewDecoder(bytes.NewReader(doc[at:]))
		s := &Sample{}
		if err := d.Decode(s); err != nil {
			var syntax *json.SyntaxError
			var typ *json.UnmarshalTypeError
			var when *time.ParseError
			switch {
			case errors.As(err, &when):
				return nil, fail(at, "found %.40q, expected a time such as 2026-08-03T00:00:00+00:00", strings.Trim(when.Value, "\""))
			case errors.As(err, &syntax):
				return nil, fail(at+int(syntax.Offset), "found broken JSON (%v), %s", err, expected)
			case errors.Is(err, io.ErrUnexpectedEOF):
				return nil, fail(len(doc), "the JSON ends too early: expected all of a document")
			case errors.As(err, &typ):
				return nil, fail(at+int(typ.Offset), "%s: found a JSON %s, expected %s", typ.Field, typ.Value, kindOf(typ))
			}
			return nil, fail(at, "%v", err)
		}
		switch {
		case s.Version == 0:
			return nil, fail(at, "found JSON without \"applysim_pipeline\", %s", expected)
		case s.Version != queryVersion:
			return nil, fail(at, "applysim_pipeline: found version %d, expected %d", s.Version, queryVersion)
		case s.Taken.IsZero():
			return nil, fail(at, "found no \"taken\", expected the time of the sample")
		case !s.Current.Known:
			return nil, fail(at, "found no \"current_lsn\", expected where the server's WAL is")
		}
		samples = append(samples, s)
		at += int(d.InputOffset())
	}
	if len(samples) == 0 {
		return nil, fail(0, "found no JSON, %s", expected)
	}
	Sort(samples)
	return samples, nil
}

// Sort puts samples in the order of their time.
func Sort(samples []*Sample) {
	slices.SortStableFunc(samples, func(a, b *Sample) int { return a.Taken.Compare(b.Taken) })
}

// documentStart finds the first line that begins with an object.
func documentStart(b []byte) int {
	for at := 0; at < len(b); {
		line := b[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if trimmed := bytes.TrimLeft(line, " \t\r,"); len(trimmed) > 0 && trimmed[0] == '{' {
			return at + len(line) - len(trimmed)
		}
		at += len(line)
	}
	return -1
}

func kindOf(t *json.UnmarshalTypeError) string {
	switch s := t.Type.String(); {
	case strings.Contains(s, "int"):
		return "a whole number"
	case strings.Contains(s, "float"):
		return "a number"
	case strings.HasPrefix(s, "[]"):
		return "an array"
	case s == "bool":
		return "true or false"
	case strings.Contains(s, "string"):
		return "a string"
	}
	return "an object"
}

// Pair are a server's first and last sample.
type Pair struct{ First, Last *Sample }

// Window is the time between them, seconds.
func (p *Pair) Window() float64 { return p.Last.Taken.Sub(p.First.Taken).Seconds() }

// Pairs sorts samples by server and database. file is for errors.
func Pairs(samples []*Sample, file string) ([]*Pair, error) {
	var list []*Pair
	for _, s := range samples {
		i := slices.IndexFunc(list, func(p *Pair) bool { return p.First.System == s.System && p.First.Database == s.Database })
		if i < 0 {
			list = append(list, &Pair{First: s})
			continue
		}
		list[i].Last = s
	}
	for _, p := range list {
		if p.Last == nil || p.Window() <= 0 {
			return nil, fmt.Errorf("%s: one sample of database %s of server %s: expected two of each, some time apart", file, p.First.Database, p.First.System)
		}
	}
	return list, nil
}
