package commit

import (
	"math"
	"os"
	"slices"
	"testing"

	"applysim/model/synccommit"
)

func waits(t *testing.T) *Waits {
	t.Helper()
	w, err := ReadWaits(os.DirFS("testdata/recorded"), "waits.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Names) < 30 || len(w.Quorums) < 7 || len(w.Dies.Ended) != 3 {
		t.Fatalf("%d names, %d quorums, %d ends", len(w.Names), len(w.Quorums), len(w.Dies.Ended))
	}
	return w
}

// TestNames: which values of synchronous_standby_names the server took and refused.
func TestNames(t *testing.T) {
	accepted := 0
	for _, n := range waits(t).Names {
		_, err := synccommit.ParseStandbyNames(n.Text)
		if (err == nil) != (n.Error == "") {
			t.Errorf("%q: %v, the server: %q", n.Text, err, n.Error)
		}
		if n.Error == "" {
			accepted++
		}
	}
	if accepted == 0 {
		t.Error("the server took none")
	}
}

// TestQuorums: priorities, states, and how long commits waited. A commit takes a local one
// and the round trip that is waited for; what it is beyond that on the busy machine, some
// milliseconds, is taken from the standby with the longest round trip, so that the others
// judge.
func TestQuorums(t *testing.T) {
	list := waits(t).Quorums
	trips := []float64{0.010, 0.030, 0.080}
	setup := func(q *Quorum, beside float64) *synccommit.Setup {
		n, err := synccommit.ParseStandbyNames(q.Names)
		if err != nil {
			t.Fatal(err)
		}
		s := synccommit.New()
		s.Names, s.Flush, s.Duration = n, q.LocalS, 20
		x := synccommit.Transaction{Name: "update", Weight: 1, WAL: 200, Execute: 1e-6}
		for i, trip := range trips {
			s.Hosts = append(s.Hosts, synccommit.Host{})
			s.Standbys = append(s.Standbys, synccommit.Standby{Name: []string{"s1", "s2", "s3"}[i], Host: i + 1, RoundTrip: trip, Flush: beside})
			x.Standbys = append(x.Standbys, synccommit.Replay{})
		}
		s.Transactions = []synccommit.Transaction{x}
		return s
	}
	run := func(q *Quorum, beside float64) *synccommit.Result {
		r, err := synccommit.Run(setup(q, beside))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	beside, n := 0.0, 0.0
	for i := range list {
		if q := &list[i]; run(q, 0).Latency.Mean > 0.08 {
			beside += max(q.OnS-run(q, 0).Latency.Mean, 0)
			n++
		}
	}
	beside /= n
	for i := range list {
		q := &list[i]
		r := run(q, beside)
		for k, s := range r.Standbys {
			if s.SyncState != q.State[k] || s.SyncPriority != q.Priority[k] {
				t.Errorf("%s: %s is %s with priority %d, on the server %s with %d", q.Names, s.Name, s.SyncState, s.SyncPriority, q.State[k], q.Priority[k])
			}
		}
		off := r.Latency.Mean/q.OnS - 1
		t.Logf("%s: %.1f ms, on the server %.1f (%+.0f %%)", q.Names, 1e3*r.Latency.Mean, 1e3*q.OnS, 100*off)
		if math.Abs(off) > 0.15 {
			t.Errorf("%s: a commit takes %.1f ms, on the server %.1f", q.Names, 1e3*r.Latency.Mean, 1e3*q.OnS)
		}
	}
}

// TestDies: the clients of a standby that has died wait, and what they wait for cannot be
// seen; a wait that is cancelled, or whose session is ended, has committed; without names
// nobody waits any more.
func TestDies(t *testing.T) {
	d := waits(t).Dies
	if d.WaitAfter2S != 3 || d.VisibleWhileWaiting {
		t.Errorf("%d clients waited, seen meanwhile: %v", d.WaitAfter2S, d.VisibleWhileWaiting)
	}
	for i, e := range d.Ended {
		if !e.Committed || e.StillWait != 2-i {
			t.Errorf("%s: committed %v, %d still wait", e.How, e.Committed, e.StillWait)
		}
	}
	// The model: nobody is answered, and cancelled waits count as committed.
	s := synccommit.New()
	s.Names, _ = synccommit.ParseStandbyNames("s1")
	s.Clients, s.Flush, s.Duration, s.WarmUp = 3, 1e-3, 4, 1
	s.Hosts = append(s.Hosts, synccommit.Host{})
	s.Standbys = []synccommit.Standby{{Name: "s1", Host: 1, RoundTrip: 0.01, Flush: 1e-3, Lost: []synccommit.Loss{{At: 0.5, Until: math.Inf(1)}}}}
	s.Transactions = []synccommit.Transaction{{Name: "update", Weight: 1, WAL: 200, Execute: 1e-4, Standbys: make([]synccommit.Replay, 1)}}
	r, err := synccommit.Run(s)
	if err != nil {
		t.Fatal(err)
	}
	if r.PerSecond != 0 || r.Waiting != d.WaitAfter2S {
		t.Errorf("the model answers %v a second, %d wait", r.PerSecond, r.Waiting)
	}
	s.CancelAfter = 0.5
	if r, err = synccommit.Run(s); err != nil {
		t.Fatal(err)
	}
	if r.Cancelled == 0 || r.PerSecond == 0 {
		t.Errorf("the model cancels %d waits and answers %v a second", r.Cancelled, r.PerSecond)
	}
}

// TestRuns: clients at the levels that wait for a standby. What a commit takes beside the
// round trip comes from one client and one round trip, at each level; other clients and the
// other round trip are predicted. The machine was busy with other work: what counts is the
// median of six rounds' mean latencies, and off and local, which are as fast as the cores
// that are left, are not judged. Throughput is clients by latency.
func TestRuns(t *testing.T) {
	rows, err := ReadRows(os.DirFS("testdata/recorded"), "runs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		level   string
		trip    float64
		clients int
	}
	means := map[key][]float64{}
	wal, n := 0.0, 0.0
	for i := range rows {
		r := &rows[i]
		k := key{r.Level, r.RoundTrip, r.Clients}
		means[k] = append(means[k], r.Mean)
		wal, n = wal+r.WAL, n+r.Transactions
	}
	wal /= n
	median := func(k key) float64 {
		list := slices.Clone(means[k])
		if len(list) < 5 {
			t.Fatalf("%d runs of %v, expected five or more", len(list), k)
		}
		slices.Sort(list)
		return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
	}
	from := func(level string) float64 { return median(key{level, 0.03, 1}) }
	execute, local := from("off"), from("local")
	way := from("remote_write") - local - 0.03 // of messages and replies, beside the network's delay
	flush := max(from("on")-from("remote_write"), 0)
	replay := max(from("remote_apply")-from("on"), 0)
	t.Logf("execute %.2f ms, flush %.2f, way %.2f, standby's flush %.2f, replay %.2f, %.0f bytes of WAL", 1e3*execute, 1e3*(local-execute), 1e3*way, 1e3*flush, 1e3*replay, wal)
	judged := 0
	for _, clients := range []int{1, 4} {
		for _, trip := range []float64{0.01, 0.03} {
			for _, level := range []string{"remote_write", "on", "remote_apply"} {
				k := key{level, trip, clients}
				real := median(k)
				s := synccommit.New()
				s.Level, err = synccommit.ParseLevel(level)
				if err != nil {
					t.Fatal(err)
				}
				s.Names, _ = synccommit.ParseStandbyNames("s1")
				s.Clients, s.Flush, s.Duration, s.WarmUp = clients, max(local-execute, 0), 20, 1
				s.Hosts = append(s.Hosts, synccommit.Host{})
				s.Standbys = []synccommit.Standby{{Name: "s1", Host: 1, RoundTrip: trip + way, Flush: flush}}
				s.Transactions = []synccommit.Transaction{{Name: "update", Weight: 1, WAL: wal, Execute: execute, Standbys: []synccommit.Replay{{Replay: replay}}}}
				x, err := synccommit.Run(s)
				if err != nil {
					t.Fatal(err)
				}
				off := x.Latency.Mean/real - 1
				t.Logf("%-12s %2.0f ms, %d clients: %5.1f ms, on the server %5.1f (%+.0f %%)", level, 1e3*trip, clients, 1e3*x.Latency.Mean, 1e3*real, 100*off)
				if trip == 0.03 && clients == 1 {
					continue // calibrated on
				}
				judged++
				if math.Abs(off) > 0.15 {
					t.Errorf("%s with a round trip of %.0f ms and %d clients: %.1f ms, on the server %.1f", level, 1e3*trip, clients, 1e3*x.Latency.Mean, 1e3*real)
				}
			}
		}
	}
	if judged != 9 {
		t.Errorf("%d runs judged, expected nine", judged)
	}
}
