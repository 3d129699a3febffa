package commit

import (
	"math"
	"os"
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
