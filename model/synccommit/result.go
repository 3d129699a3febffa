package synccommit

import (
	"math"
	"slices"
)

// Result is what becomes of a setup. Times are seconds.
type Result struct {
	Level        string  `json:"synchronous_commit"`
	Names        string  `json:"synchronous_standby_names"`
	Clients      int     `json:"clients"`
	Seconds      float64 `json:"seconds"` // that are counted
	End          float64 `json:"end_s"`
	Transactions int     `json:"transactions"`
	PerSecond    float64 `json:"transactions_per_s"`
	Latency      Latency `json:"latency_s"`
	// Stages are where a transaction's time goes, on average; together they are the mean
	// latency.
	Stages    []Stage `json:"stages"`
	Limit     string  `json:"limit"`
	Flushes   int     `json:"publisher_flushes"`
	Cancelled int     `json:"cancelled_waits"`
	// Waiting are transactions that wait for a standby at the end: they have committed.
	Waiting int `json:"waiting_at_the_end"`
	// Stall is the longest time without an answer to any client, and when it began.
	Stall    float64          `json:"longest_stall_s"`
	StallAt  float64          `json:"longest_stall_at_s"`
	Cores    []HostUse        `json:"cores"`
	Standbys []StandbySummary `json:"standbys"`
	Losses   []Missing        `json:"losses"`
	Events   []Happening      `json:"events"`
}

// Latency is how long clients wait from a transaction's begin to its answer.
type Latency struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Stage is a part of a transaction's time.
type Stage struct {
	Name string  `json:"name"`
	Mean float64 `json:"mean_s"`
}

// HostUse is how busy a host was.
type HostUse struct {
	Name string  `json:"host"`
	Used float64 `json:"cores_used"`
}

// StandbySummary is a standby at the end.
type StandbySummary struct {
	Name         string  `json:"application_name"`
	SyncState    string  `json:"sync_state"`
	SyncPriority int     `json:"sync_priority"`
	Messages     float64 `json:"messages"`
	Bytes        float64 `json:"bytes"` // on the wire, without those of TCP and IP
}

// Missing is what would be lost, or not seen, on average and at the worst moment.
type Missing struct {
	Death            string  `json:"death"`
	Standby          string  `json:"standby,omitempty"`
	MeanTransactions float64 `json:"mean_transactions"`
	MostTransactions float64 `json:"most_transactions"`
	MeanBytes        float64 `json:"mean_bytes"`
	MostBytes        float64 `json:"most_bytes"`
	// MostWarned are those whose wait was cancelled, at the worst moment.
	MostWarned float64 `json:"most_warned"`

	death Death
}

// Kind is what dies.
func (m *Missing) Kind() Death { return m.death }

// Happening is what becomes of a standby's connection.
type Happening struct {
	T       float64 `json:"t_s"`
	Standby string  `json:"standby"`
	What    string  `json:"what"`
}

// The stages of a transaction.
const (
	stageExecute = iota
	stageFlush
	stageSend
	stageWrite
	stageRemoteFlush
	stageReplay
	stageReply
	numStages
)

var stageNames = [numStages]string{"execute", "flush", "to the standby", "write there", "flush there", "replay there", "answer"}

// volume is what was sent.
type volume struct{ messages, bytes float64 }

func (v *volume) add(bytes float64) { v.messages++; v.bytes += bytes }

// tally counts.
type tally struct {
	latencies   []float64
	sums        [numStages]float64
	sent        [maxStandbys]volume
	flushes     int
	cancelled   int
	lastAnswer  float64
	stall, from float64
	used        []float64 // by host, at the warm-up's end
	parts       map[*txn][numStages]float64
	happenings  []Happening
}

// begin begins to count, after the warm-up.
func (y *tally) begin(r *run) {
	y.flushes, y.cancelled, y.stall = 0, 0, 0
	y.lastAnswer = r.t
	y.sent = [maxStandbys]volume{}
	for i := range r.hosts {
		y.used = append(y.used, r.hosts[i].used)
	}
}

// stages notes where the time of a transaction has gone that a standby's reply releases.
func (y *tally) stages(r *run, x *txn, by *standby) {
	p := x.passed[by.number]
	if y.parts == nil {
		y.parts = map[*txn][numStages]float64{}
	}
	var part [numStages]float64
	at := x.flushed
	next := func(k int, t float64) {
		if t > at {
			part[k] += t - at
			at = t
		}
	}
	next(stageSend, min(p.arrived, r.t))
	next(stageWrite, min(p.written, r.t))
	if r.Level >= On {
		next(stageRemoteFlush, min(p.flushed, r.t))
	}
	if r.Level == RemoteApply {
		next(stageReplay, min(p.replayed, r.t))
	}
	y.parts[x] = part
}

// answered counts a transaction.
func (y *tally) answered(r *run, x *txn) {
	part := y.parts[x]
	delete(y.parts, x)
	if r.t < r.WarmUp {
		return
	}
	y.stalled(r)
	y.latencies = append(y.latencies, r.t-x.begun)
	part[stageExecute] = x.inserted - x.begun
	sum := part[stageExecute]
	if r.Level > Off {
		part[stageFlush] = x.flushed - x.inserted
		for _, p := range part[1:] {
			sum += p
		}
	}
	part[stageReply] = r.t - x.begun - sum
	for k := range part {
		y.sums[k] += part[k]
	}
}

func (y *tally) stalled(r *run) {
	if d := r.t - y.lastAnswer; d > y.stall {
		y.stall, y.from = d, y.lastAnswer
	}
	y.lastAnswer = r.t
}

func (y *tally) happened(r *run, s *standby, what string) {
	y.happenings = append(y.happenings, Happening{r.t, s.Name, what})
}

// result sums up.
func (r *run) result() *Result {
	last := r.tally.lastAnswer
	r.tally.stalled(r)
	r.tally.lastAnswer = last
	length := r.t - r.WarmUp
	out := &Result{
		Level: r.Level.String(), Names: r.Names.String(), Clients: r.Setup.Clients, Seconds: length, End: r.t, Transactions: len(r.tally.latencies),
		Flushes: r.tally.flushes, Cancelled: r.tally.cancelled, Waiting: len(r.queue), Stall: r.tally.stall, StallAt: r.tally.from, Events: append([]Happening{}, r.tally.happenings...),
	}
	if n := float64(len(r.tally.latencies)); n > 0 {
		out.PerSecond = n / length
		slices.Sort(r.tally.latencies)
		sum := 0.0
		for _, l := range r.tally.latencies {
			sum += l
		}
		at := func(q float64) float64 {
			return r.tally.latencies[max(int(math.Ceil(float64(q*n)))-1, 0)]
		}
		out.Latency = Latency{sum / n, at(0.5), at(0.95), at(0.99), r.tally.latencies[len(r.tally.latencies)-1]}
		for k, s := range r.tally.sums {
			out.Stages = append(out.Stages, Stage{stageNames[k], s / n})
		}
	}
	for i := range r.hosts {
		used := r.hosts[i].used
		if i < len(r.tally.used) {
			used -= r.tally.used[i]
		}
		out.Cores = append(out.Cores, HostUse{r.Hosts[i].Name, used / length})
	}
	out.Limit = r.limit(out)
	sync := r.candidates()
	for _, s := range r.standbys {
		state := "async"
		switch {
		case !s.connected:
			state = ""
		case s.priority > 0 && r.Names.Method == Any:
			state = "quorum"
		case slices.Contains(sync, s):
			state = "sync"
		case s.priority > 0:
			state = "potential"
		}
		v := r.tally.sent[s.number]
		out.Standbys = append(out.Standbys, StandbySummary{s.Name, state, s.priority, v.messages, v.bytes})
	}
	for _, p := range r.ledger.places {
		m := Missing{Death: p.death.String(), MeanTransactions: p.total / length, MostTransactions: p.mostN, MeanBytes: p.totalBytes / length, MostBytes: p.mostBytes, MostWarned: p.mostWarned, death: p.death}
		if p.standby >= 0 {
			m.Standby = r.standbys[p.standby].Name
		}
		out.Losses = append(out.Losses, m)
	}
	return out
}

// busy is from which share of its cores on a host is the limit.
const busy = 0.97

// limit is what the throughput hangs on: a host without free cores, or else the longest
// stage.
func (r *run) limit(out *Result) string {
	for i, h := range out.Cores {
		if c := r.Hosts[i].Cores; c > 0 && h.Used >= busy*float64(c) {
			return "cores of " + h.Name
		}
	}
	best := ""
	most := r.Trip
	if most > 0 {
		best = "clients"
	}
	for _, s := range out.Stages {
		if s.Mean > most {
			best, most = s.Name, s.Mean
		}
	}
	return best
}

// Stuck says whether clients wait at the end for a standby that is not there, and nobody
// has been answered since.
func (r *Result) Stuck() bool {
	return r.Waiting == r.Clients && (r.Transactions == 0 || r.StallAt+r.Stall >= r.End-1e-9)
}
