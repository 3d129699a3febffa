package synccommit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Times of the setups that are computed by hand, in seconds.
const (
	execute = 100e-6
	flush   = 1e-3
	trip    = 4e-3
	remote  = 2e-3
	replays = 500e-6
)

// simple is one client, and standbys with the given round trips.
func simple(level Level, names string, trips ...float64) *Setup {
	s := New()
	s.Level, s.Flush, s.Duration = level, flush, 10
	n, err := ParseStandbyNames(names)
	if err != nil {
		panic(err)
	}
	s.Names = n
	x := Transaction{Name: "t", Weight: 1, WAL: 500, Execute: execute}
	for i, t := range trips {
		s.Hosts = append(s.Hosts, Host{})
		s.Standbys = append(s.Standbys, Standby{Name: []string{"s1", "s2", "s3"}[i], Host: i + 1, RoundTrip: t, Flush: remote, StatusInterval: DefaultStatusInterval})
		x.Standbys = append(x.Standbys, Replay{Replay: replays})
	}
	s.Transactions = []Transaction{x}
	return s
}

func mustRun(t interface{ Fatal(...any) }, s *Setup) *Result {
	r, err := Run(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9+1e-6*math.Abs(want) {
		t.Errorf("%s: %v, by hand %v", what, got, want)
	}
}

// TestOneClient: latencies are sums.
func TestOneClient(t *testing.T) {
	for level, want := range map[Level]float64{
		Off: execute, Local: execute + flush, RemoteWrite: execute + flush + trip, On: execute + flush + trip + remote,
		RemoteApply: execute + flush + trip + remote + replays,
	} {
		r := mustRun(t, simple(level, "s1", trip))
		near(t, level.String()+" latency", r.Latency.Mean, want)
		near(t, level.String()+" rate", r.PerSecond, math.Floor(10/want*(1+1e-9))/10)
		sum := 0.0
		for _, x := range r.Stages {
			sum += x.Mean
		}
		near(t, level.String()+" stages", sum, want)
	}
	// Without names remote levels are local.
	near(t, "on without names", mustRun(t, simple(On, "", trip)).Latency.Mean, execute+flush)
	// Stages of remote_apply.
	r := mustRun(t, simple(RemoteApply, "s1", trip))
	for k, want := range []float64{execute, flush, trip / 2, 0, remote, replays, trip / 2} {
		near(t, r.Stages[k].Name, r.Stages[k].Mean, want)
	}
	if r.Limit != "to the standby" && r.Limit != "flush there" && r.Limit != "answer" {
		t.Errorf("limit %q, expected one of the longest stages", r.Limit)
	}
}

// TestGroupCommit: where flushes take long, a flush serves all that have come during the
// one before, so that a client is in every other one.
func TestGroupCommit(t *testing.T) {
	s := simple(Local, "")
	s.Clients, s.Duration, s.WarmUp = 8, 10, 1
	r := mustRun(t, s)
	near(t, "rate", r.PerSecond, 8/(2*flush))
	near(t, "flushes a second", float64(r.Flushes)/r.Seconds, 1/flush)
	// commit_delay collects them all; its own time comes on top.
	s.CommitDelay, s.CommitSiblings = 500e-6, 5
	r = mustRun(t, s)
	near(t, "rate with commit_delay", r.PerSecond, 8/(execute+500e-6+flush))
	s.CommitSiblings = 8 // there are only seven others
	near(t, "rate with too few siblings", mustRun(t, s).PerSecond, 8/(2*flush))
}

// TestCores: a host's cores are shared, work is done in turn.
func TestCores(t *testing.T) {
	s := simple(Off, "")
	s.Clients, s.Hosts[0].Cores, s.WarmUp = 8, 2, 1
	r := mustRun(t, s)
	near(t, "rate", r.PerSecond, 2/execute)
	near(t, "cores", r.Cores[0].Used, 2)
	if r.Limit != "cores of publisher" {
		t.Errorf("limit %q, expected the cores", r.Limit)
	}
}

// TestQuorum: which standbys are waited for.
func TestQuorum(t *testing.T) {
	base := execute + flush + remote
	for names, want := range map[string]float64{
		"ANY 1 (s1, s2, s3)": 1e-3, "ANY 2 (s1, s2, s3)": 2e-3, "ANY 3 (*)": 9e-3, "FIRST 1 (s3, s1)": 9e-3, "FIRST 2 (s1, s2, s3)": 2e-3, "s2": 2e-3, "2 (s3, s1, s2)": 9e-3,
	} {
		r := mustRun(t, simple(On, names, 1e-3, 2e-3, 9e-3))
		near(t, names, r.Latency.Mean, base+want)
	}
	r := mustRun(t, simple(On, "FIRST 1 (s2, s1)", 1e-3, 2e-3, 9e-3))
	for i, want := range []string{"potential", "sync", "async"} {
		if r.Standbys[i].SyncState != want {
			t.Errorf("%s is %s, expected %s", r.Standbys[i].Name, r.Standbys[i].SyncState, want)
		}
	}
	// Fewer than are needed: nobody is ever answered.
	if r := mustRun(t, simple(On, "2 (s1, elsewhere)", 1e-3)); r.Transactions != 0 || r.Waiting != 1 {
		t.Errorf("%d answers and %d wait, expected none and 1", r.Transactions, r.Waiting)
	}
}

// TestLostStandby: a standby that is needed and lost holds all commits up; one that
// another stands in for holds them up until the publisher knows, and that one has told
// how far it is.
func TestLostStandby(t *testing.T) {
	s := simple(On, "s1", trip)
	s.Standbys[0].Lost = []Loss{{At: 2, Until: 5}}
	r := mustRun(t, s)
	if r.Stall < 3 || r.Stall > 3+2*(execute+flush+trip+remote) {
		t.Errorf("no answers for %v s, expected 3", r.Stall)
	}
	if r.Waiting > 1 || r.Transactions < 900 {
		t.Errorf("%d transactions and %d waiting: expected that they go on", r.Transactions, r.Waiting)
	}
	// It takes wal_sender_timeout until a standby that is silent is given up, and then up
	// to wal_receiver_status_interval until the other one replies.
	s = simple(On, "FIRST 1 (s1, s2)", trip, trip)
	s.SenderTimeout, s.Standbys[1].StatusInterval, s.Duration = 3, 1, 20
	s.Standbys[0].Lost = []Loss{{At: 2, Until: math.Inf(1), How: Silent}}
	r = mustRun(t, s)
	if r.Stall < 3 || r.Stall > 4+0.1 {
		t.Errorf("silent: no answers for %v s, expected from 3 to 4", r.Stall)
	}
	// A quorum does not notice.
	s = simple(On, "ANY 1 (s1, s2)", trip, trip)
	s.Standbys[0].Lost = []Loss{{At: 2, Until: math.Inf(1), How: Silent}}
	near(t, "stall of a quorum", mustRun(t, s).Stall, execute+flush+trip+remote)
}

// TestCancelledWait: it has committed, and the client goes on with a warning.
func TestCancelledWait(t *testing.T) {
	s := simple(On, "s1", trip)
	s.Standbys[0].Lost = []Loss{{At: 0, Until: math.Inf(1)}}
	s.CancelAfter = 0.5
	r := mustRun(t, s)
	near(t, "latency", r.Latency.Mean, execute+flush+0.5)
	if r.Cancelled != r.Transactions || r.Transactions != 19 {
		t.Errorf("%d of %d were cancelled, expected all 19", r.Cancelled, r.Transactions)
	}
	for _, m := range r.Losses {
		if m.MostTransactions != 0 {
			t.Errorf("%s: %v lost that clients were told of, expected none: they were warned", m.Death, m.MostTransactions)
		}
		if m.Kind() == Promote && m.MostWarned != 19 {
			t.Errorf("%v with a warning would be lost, expected 19", m.MostWarned)
		}
	}
}

// TestLosses: what is lost, by hand.
func TestLosses(t *testing.T) {
	// One client, local: after an answer the walsender sends at once, and the transaction
	// arrives half a round trip later, which is before the next is answered. So one
	// transaction is missing on the standby for trip/2 of each execute + flush.
	half := 0.5e-3
	s := simple(Local, "", 2*half)
	s.Standbys[0].Flush = 0 // while a walreceiver flushes, it does not read
	r := mustRun(t, s)
	for _, m := range r.Losses {
		switch m.Kind() {
		case Restart:
			near(t, "restart", m.MostTransactions, 0)
		case Promote:
			near(t, "promote, most", m.MostTransactions, 1)
			near(t, "promote, bytes", m.MostBytes, 500)
			if want := half / (execute + flush); math.Abs(m.MeanTransactions/want-1) > 1e-3 {
				t.Errorf("promote: %v missing on average, by hand %v", m.MeanTransactions, want)
			}
		}
	}
	// Off: the WAL writer flushes every 0.2 s to a page's end; at most what is written in
	// between, and the rest of a page.
	s = simple(Off, "")
	s.Duration, s.WarmUp = 10, 1
	r = mustRun(t, s)
	most := (DefaultWriterDelay+2*flush)/execute + walPage/500
	if m := r.Losses[0]; m.MostTransactions < DefaultWriterDelay/execute || m.MostTransactions > most+1 {
		t.Errorf("off: %v transactions would be lost, by hand from %v to %v", m.MostTransactions, DefaultWriterDelay/execute, most)
	}
}

// TestSynchronousNeverLoses: with any load no transaction that was answered is missing
// where its level promises it.
func TestSynchronousNeverLoses(t *testing.T) {
	each(t, func(t *testing.T, s *Setup) {
		r := mustRun(t, s)
		for _, m := range r.Losses {
			safe := m.Kind() == Restart && s.Level >= Local
			if s.Names.Count == len(s.Standbys) && s.Names.Method == First && s.CancelAfter == 0 {
				safe = safe || m.Kind() == Promote && s.Level >= RemoteWrite || m.Kind() == Power && s.Level >= On || m.Kind() == Read && s.Level >= RemoteApply
			}
			if safe && (m.MostTransactions != 0 || m.MostBytes != 0) {
				t.Fatalf("%s: %s at %s: %v transactions would be lost, expected none", m.Standby, m.Death, r.Level, m.MostTransactions)
			}
			if m.MeanTransactions > m.MostTransactions+1e-9 || m.MeanBytes > m.MostBytes+1e-6 {
				t.Fatalf("%s: mean %v and most %v", m.Death, m.MeanTransactions, m.MostTransactions)
			}
		}
	})
}

// each tries a number of setups without losses of standbys, each made from a seed.
func each(t *testing.T, check func(*testing.T, *Setup)) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(3)
		var trips []float64
		for range n {
			trips = append(trips, 0.01*r.Float64())
		}
		names := []string{"s1", "2 (s1, s2)", "3 (s1, s2, s3)"}[n-1]
		s := simple(Levels[r.IntN(len(Levels))], names, trips...)
		s.Clients, s.Hosts[0].Cores = 1+r.IntN(20), r.IntN(4)
		s.Spread = float64(r.IntN(2)) * 0.3
		s.Seed = seed
		s.Work = Work{Send: 5e-6, Receive: 5e-6, Reply: 3e-6, Hear: 3e-6, Wake: 2e-6}
		s.Trip, s.Duration = 0.002*r.Float64(), 0.5
		for i := range s.Standbys {
			x := &s.Standbys[i]
			x.Logical, x.SynchronousCommit = r.IntN(2) == 0, true
			if r.IntN(2) == 0 {
				x.Bandwidth = 1e6
			}
		}
		check(t, s)
		if t.Failed() {
			t.Fatalf("seed %d: %v, %d clients, %d standbys", seed, s.Level, s.Clients, n)
		}
	}
}

// TestLittle: clients are either thinking or have a transaction on its way, whatever the
// setup is.
func TestLittle(t *testing.T) {
	each(t, func(t *testing.T, s *Setup) {
		s.Duration = 3
		r := mustRun(t, s)
		clients := float64(r.PerSecond * (r.Latency.Mean + s.Trip))
		// Those on their way at the end are missing, the first ones come out of step.
		slack := float64(s.Clients) * (r.Latency.Max + s.Trip) / s.Duration
		if clients > float64(s.Clients)+slack+1e-9 || clients < float64(s.Clients)-slack-1e-9 {
			t.Fatalf("%v transactions a second of %v s make %v clients, expected %d", r.PerSecond, r.Latency.Mean, clients, s.Clients)
		}
	})
}

// TestLevelsInOrder: each level waits for what the one before does.
func TestLevelsInOrder(t *testing.T) {
	each(t, func(t *testing.T, s *Setup) {
		s.Clients, s.Spread = 1, 0
		before := 0.0
		for _, l := range Levels {
			s.Level = l
			mean := mustRun(t, s).Latency.Mean
			if mean < before*(1-1e-6) {
				t.Fatalf("%v takes %v s, the level before it %v", l, mean, before)
			}
			before = mean
		}
	})
}

// TestRepeats: a seed gives one run.
func TestRepeats(t *testing.T) {
	s := simple(On, "s1", trip)
	s.Clients, s.Spread, s.Seed = 4, 0.5, 3
	a, b := mustRun(t, s), mustRun(t, s)
	if a.PerSecond != b.PerSecond || a.Latency != b.Latency {
		t.Errorf("%v and %v, expected the same", a.Latency, b.Latency)
	}
	s.Seed = 4
	if c := mustRun(t, s); c.Latency == a.Latency {
		t.Error("another seed gives the same times")
	}
}

// TestApplyDelay: recovery_min_apply_delay holds remote_apply up, and nothing else.
func TestApplyDelay(t *testing.T) {
	s := simple(RemoteApply, "s1", trip)
	s.Standbys[0].ApplyDelay = 0.05
	// It counts from the commit.
	near(t, "remote_apply", mustRun(t, s).Latency.Mean, execute+0.05+trip/2)
	s.Level = On
	near(t, "on", mustRun(t, s).Latency.Mean, execute+flush+trip+remote)
}

// TestSubscription: a subscription as the synchronous standby. With synchronous_commit =
// off its WAL writer decides when something is flushed.
func TestSubscription(t *testing.T) {
	s := simple(On, "s1", trip)
	s.Standbys[0].Logical, s.Standbys[0].SynchronousCommit = true, true
	near(t, "synchronous", mustRun(t, s).Latency.Mean, execute+flush+trip+replays+remote)
	s.Standbys[0].SynchronousCommit = false
	s.Transactions[0].Standbys[0].WAL = 400
	r := mustRun(t, s)
	if low := DefaultWriterDelay / 2; r.Latency.Mean < low || r.Latency.Max > 2.2*DefaultWriterDelay {
		t.Errorf("asynchronous: %v s, expected about wal_writer_delay", r.Latency.Mean)
	}
	s.Level = RemoteApply
	near(t, "remote_apply", mustRun(t, s).Latency.Mean, execute+flush+trip+replays)
}

// TestUnusable: setups that say so.
func TestUnusable(t *testing.T) {
	for name, change := range map[string]func(*Setup){
		"no clients": func(s *Setup) { s.Clients = 0 }, "no time": func(s *Setup) { s.Duration = 0 }, "warm-up": func(s *Setup) { s.WarmUp = s.Duration },
		"nothing takes time": func(s *Setup) { s.Transactions[0].Execute = 0 }, "no WAL": func(s *Setup) { s.Transactions[0].WAL = 0 },
		"no such host": func(s *Setup) { s.Standbys[0].Host = 9 }, "costs": func(s *Setup) { s.Transactions[0].Standbys = nil },
		"order": func(s *Setup) { s.Standbys[0].Lost = []Loss{{At: 3, Until: 2}} }, "delay": func(s *Setup) { s.WriterDelay = 0 },
	} {
		s := simple(On, "s1", trip)
		change(s)
		if _, err := Run(s); err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}
