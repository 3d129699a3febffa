package published

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"applysim/model/cost"
	"applysim/model/pipeline"
	"applysim/model/scenario"
	"applysim/model/synccommit"
)

// The third source has eight clients commit with a standby. It names neither its machine
// nor its transactions, so that its figures can only be consistent with what is computed,
// if what is assumed here holds.
const synchronousSource = "replication-lab"

// tpcb is the transaction that pgbench has unless told otherwise, taken to be the
// source's.
const (
	tpcbTables = `create table pgbench_branches(bid int not null primary key, bbalance int, filler char(88)) with (fillfactor = 100);
create table pgbench_tellers(tid int not null primary key, bid int, tbalance int, filler char(84)) with (fillfactor = 100);
create table pgbench_accounts(aid int not null primary key, bid int, abalance int, filler char(84)) with (fillfactor = 100);
create table pgbench_history(tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));`
	tpcb = `schema = "pgbench.sql"
duration = "10s"
seed = 1
[settings]
full_page_writes = "off"
autovacuum = "off"
[publisher.settings]
full_page_writes = "off"
autovacuum = "off"
[tables.pgbench_branches]
rows = 10
[tables.pgbench_tellers]
rows = 100
[tables.pgbench_accounts]
rows = 10_000
[[operation]]
table = "pgbench_accounts"
do = "update"
columns = ["abalance"]
count = 1_000
then = [
  { table = "pgbench_tellers", do = "update", columns = ["tbalance"] },
  { table = "pgbench_branches", do = "update", columns = ["bbalance"] },
  { table = "pgbench_history", do = "insert" },
]
`
)

// Lab is what was solved from the source's figures.
type Lab struct {
	Execute, Flush float64 // seconds
	setup          *synccommit.Setup
}

// labClients is the number of the source's clients.
const labClients = 8

// newLab makes the setup that the source is taken to have: both servers on one host with
// more cores than are needed, no round trip, one kind of disk.
func newLab(op *pipeline.Operation) *Lab {
	rates := pipeline.Physical()
	s := synccommit.New()
	s.Clients, s.Names = labClients, synccommit.StandbyNames{Method: synccommit.First, Count: 1, Names: []string{"*"}}
	s.Work = synccommit.Work{Send: rates.Send.Value, Hear: rates.Send.Value, Receive: rates.Receive.Value, Reply: rates.Receive.Value, Wake: rates.Wake.Value}
	s.Spread, s.Seed, s.Duration, s.WarmUp, s.Limit = 0.2, 1, 10, 0.02, 4_000
	s.Standbys = []synccommit.Standby{{Name: "standby", StatusInterval: synccommit.DefaultStatusInterval}}
	s.Transactions = []synccommit.Transaction{{Name: "tpcb", Weight: 1, WAL: op.WAL, Standbys: []synccommit.Replay{{Replay: float64(op.Records * rates.Replay.Value), Send: float64(op.WAL * rates.SendByte.Value)}}}}
	return &Lab{setup: s}
}

// run is the latency and the rate at a level.
func (l *Lab) run(level synccommit.Level) (*synccommit.Result, error) {
	s := *l.setup
	s.Level, s.Flush = level, l.Flush
	s.Transactions = append([]synccommit.Transaction{}, s.Transactions...)
	s.Transactions[0].Execute = l.Execute
	s.Standbys = append([]synccommit.Standby{}, s.Standbys...)
	s.Standbys[0].Flush = l.Flush
	return synccommit.Run(&s)
}

// solve finds what a transaction takes to execute, from the rate with a standby that
// nobody waits for, and a flush, from the one with `on`: what is missing of each latency is
// added, until both come out.
func (l *Lab) solve(async, on float64) error {
	const least = 1e-6
	l.Execute, l.Flush = 0.5*labClients/async, 0.1*labClients/async
	for range 40 {
		a, err := l.run(synccommit.Local)
		if err != nil {
			return err
		}
		b, err := l.run(synccommit.On)
		if err != nil {
			return err
		}
		missing, beside := labClients/async-a.Latency.Mean, labClients/on-b.Latency.Mean
		if math.Abs(missing) < 1e-3*labClients/async && math.Abs(beside) < 1e-3*labClients/on {
			return nil
		}
		l.Flush = max(l.Flush+float64(0.4*(beside-missing)), least)
		l.Execute = max(l.Execute+missing-float64(0.4*(beside-missing)), least)
	}
	return fmt.Errorf("%s: no time of a flush gives both rates, %.0f and %.0f transactions a second", synchronousSource, async, on)
}

// Synchronous are the figures of the third source, beside those of a list like
// figures.csv, whose name is for messages.
func Synchronous(name string, list []map[string]string) ([]Figure, error) {
	var figures []Figure
	values := map[string]float64{}
	for _, r := range list {
		if r["source"] != synchronousSource {
			continue
		}
		v, err := strconv.ParseFloat(r["low"], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %s %s: low %q, expected a number", name, r["scenario"], r["figure"], r["low"])
		}
		values[r["scenario"]+" "+r["figure"]] = v
		figures = append(figures, Figure{Source: synchronousSource, Scenario: r["scenario"], Figure: r["figure"], Published: v, Unit: r["unit"]})
	}
	async, on := values["async tps"], values["sync_on tps"]
	if len(figures) == 0 || async <= 0 || on <= 0 {
		return nil, nil // another list
	}
	op, err := tpcbCosts()
	if err != nil {
		return nil, err
	}
	lab := newLab(op)
	if err := lab.solve(async, on); err != nil {
		return nil, err
	}
	results := map[string]*synccommit.Result{}
	for scenario, level := range map[string]synccommit.Level{"async": synccommit.Local, "sync_on": synccommit.On, "sync_remote_apply": synccommit.RemoteApply} {
		if results[scenario], err = lab.run(level); err != nil {
			return nil, err
		}
	}
	rates := pipeline.Physical()
	for i := range figures {
		f := &figures[i]
		r := results[f.Scenario]
		f.Kind = cost.Solved
		switch {
		case r != nil && f.Figure == "tps":
			f.Simulated = &r.PerSecond
		case r != nil && f.Figure == "latency":
			ms := r.Latency.Mean * 1e3
			f.Simulated = &ms
		case f.Scenario == "unused_slot":
			seconds := f.Published * (1 << 20) / (op.WAL * async)
			mb := seconds * op.WAL * async / (1 << 20)
			f.Simulated = &mb
			f.Note = fmt.Sprintf("nothing is left to predict: at the asynchronous rate a transaction of pgbench, %.0f bytes of WAL without images, writes so much in %.0f s", op.WAL, seconds)
			continue
		default:
			f.Kind, f.Note = cost.Assumed, "not simulated"
			continue
		}
		switch f.Scenario {
		case "async":
			f.Note = fmt.Sprintf("solved: a transaction takes %.0f µs beside its flush", lab.Execute*1e6)
		case "sync_on":
			f.Note = fmt.Sprintf("solved: a flush takes %.0f µs, on both servers, which are on one host", lab.Flush*1e6)
		case "sync_remote_apply":
			f.Kind = cost.Predicted
			f.Note = fmt.Sprintf("consistent if transactions are pgbench's (%.1f records each) and replay takes what it takes on the machine of profile %s: %.0f µs to wake up and %.2f µs a record", op.Records, cost.DefaultProfile, rates.Wake.Value*1e6, rates.Replay.Value*1e6)
		}
	}
	return figures, nil
}

// tpcbCosts are those of pgbench's transaction.
func tpcbCosts() (*pipeline.Operation, error) {
	s, err := scenario.Read(strings.NewReader(tpcb), "tpcb")
	if err != nil {
		return nil, err
	}
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		return nil, err
	}
	c, err := pipeline.Measure(s, &pipeline.Options{Profile: p, Schema: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(tpcbTables)), nil }})
	if err != nil {
		return nil, err
	}
	return &c.Operations[0], nil
}
