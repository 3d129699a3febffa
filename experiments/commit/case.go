package commit

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"strconv"
)

// Waits is what a publisher made of synchronous_standby_names, and who waited for whom.
type Waits struct {
	Server string `json:"server"`
	Date   string `json:"date"`
	// Names are values of the setting; Error is the message with which one is refused.
	Names []struct {
		Text  string `json:"text"`
		Error string `json:"error,omitempty"`
	} `json:"names"`
	// Quorums are commits of one client with three standbys, whose round trips are 10, 30
	// and 80 ms.
	Quorums []Quorum `json:"quorums"`
	Dies    Dies     `json:"dies"`
}

// Quorum is a value of synchronous_standby_names with standbys s1, s2 and s3: their
// sync_priority and sync_state, and the median latency of commits, seconds.
type Quorum struct {
	Names    string   `json:"names"`
	Priority []int    `json:"sync_priority"`
	State    []string `json:"sync_state"`
	LocalS   float64  `json:"local_s"`
	OnS      float64  `json:"on_s"`
}

// Dies is what became of three clients' commits whose standby had died.
type Dies struct {
	WaitAfter2S         int     `json:"wait_after_2s"`
	VisibleWhileWaiting bool    `json:"visible_while_waiting"`
	Ended               []Ended `json:"ended"`
}

// Ended is how a wait ended.
type Ended struct {
	How       string `json:"how"`
	Error     string `json:"error,omitempty"` // the client's; a warning is none
	Committed bool   `json:"committed"`
	StillWait int    `json:"still_wait"` // clients that wait afterwards
}

// Row is a run of a file that `record` has written. Times are seconds.
type Row struct {
	Round            int     `col:"round"`
	Level            string  `col:"synchronous_commit"`
	RoundTrip        float64 `col:"round_trip"`
	Clients          int     `col:"clients"`
	Seconds          float64 `col:"seconds"`
	Transactions     float64 `col:"transactions"`
	Mean             float64 `col:"mean"`
	P50              float64 `col:"p50"`
	P99              float64 `col:"p99"`
	WAL              float64 `col:"wal_bytes"`
	Backends         float64 `col:"backends_cpu"`
	Client           float64 `col:"client_cpu"`
	Walsender        float64 `col:"walsender_cpu"`
	Walreceiver      float64 `col:"walreceiver_cpu"`
	Startup          float64 `col:"startup_cpu"`
	Waited           float64 `col:"waited_for_cores"`
	Flushes          float64 `col:"flushes"`
	FlushTime        float64 `col:"flush_time"`
	StandbyFlushes   float64 `col:"standby_flushes"`
	StandbyFlushTime float64 `col:"standby_flush_time"`
	Messages         float64 `col:"messages"`
	Replies          float64 `col:"replies"`
}

// ReadRows reads what `record` has written.
func ReadRows(fsys fs.FS, name string) ([]Row, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := csv.NewReader(f)
	c.Comma, c.Comment = '\t', '#'
	lines, err := c.ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, fmt.Errorf("%s: no lines: %w", name, err)
	}
	at := map[string]int{}
	for i, column := range lines[0] {
		at[column] = i
	}
	var list []Row
	for n, line := range lines[1:] {
		var r Row
		v := reflect.ValueOf(&r).Elem()
		for i := range v.NumField() {
			k, ok := at[v.Type().Field(i).Tag.Get("col")]
			if !ok {
				return nil, fmt.Errorf("%s: no column %s", name, v.Type().Field(i).Tag.Get("col"))
			}
			var err error
			switch to := v.Field(i); to.Kind() {
			case reflect.String:
				to.SetString(line[k])
			case reflect.Int:
				var x int64
				x, err = strconv.ParseInt(line[k], 10, 64)
				to.SetInt(x)
			default:
				var x float64
				x, err = strconv.ParseFloat(line[k], 64)
				to.SetFloat(x)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: row %d: %w", name, n+1, err)
			}
		}
		list = append(list, r)
	}
	return list, nil
}

// ReadWaits reads what `waits` has written.
func ReadWaits(fsys fs.FS, name string) (*Waits, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	w := &Waits{}
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return w, nil
}
