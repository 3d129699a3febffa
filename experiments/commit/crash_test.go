package commit

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"applysim/model/synccommit"
)

// TestCrashes: how many of the transactions that clients were told of are gone after a
// crash, on the publisher when it has recovered and on its standby. Where a level promises
// that none is, none was; where some are, it is within a factor of two as long a time of them
// as is predicted, on average of twelve crashes, and never more than half longer than the
// longest. Two reasons for less: moments are random, and the processes of a server do not end
// at one instant, so that a walsender may send a little that backends flushed before they did.
// How fast transactions come is taken from the runs.
func TestCrashes(t *testing.T) {
	f, err := os.Open("testdata/recorded/crashes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := csv.NewReader(f)
	c.Comma, c.Comment = '\t', '#'
	lines, err := c.ReadAll()
	if err != nil || len(lines) < 2 || strings.Join(lines[0], " ") != "synchronous_commit round_trip clients seconds transactions wal_bytes lost_restart lost_standby" {
		t.Fatalf("%v, %v", lines, err)
	}
	type sums struct{ n, seconds, transactions, wal, restart, standby, mostRestart, mostStandby float64 } // lost: seconds of transactions
	levels := map[string]*sums{}
	const trip, clients = 0.02, 4
	for _, line := range lines[1:] {
		var v [8]float64
		for i := 1; i < len(v); i++ {
			if v[i], err = strconv.ParseFloat(line[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		if v[1] != trip || v[2] != clients {
			t.Fatalf("%v: expected a round trip of %v s and %v clients", line, trip, clients)
		}
		x := levels[line[0]]
		if x == nil {
			x = &sums{}
			levels[line[0]] = x
		}
		rate := v[4] / v[3]
		x.n, x.seconds, x.transactions, x.wal = x.n+1, x.seconds+v[3], x.transactions+v[4], x.wal+v[5]
		x.restart, x.standby = x.restart+v[6]/rate, x.standby+v[7]/rate
		x.mostRestart, x.mostStandby = max(x.mostRestart, v[6]/rate), max(x.mostStandby, v[7]/rate)
	}
	latency := func(level string) float64 { return clients * levels[level].seconds / levels[level].transactions }
	execute := latency("off")
	for _, level := range []string{"off", "local", "remote_write", "on", "remote_apply"} {
		x := levels[level]
		if x == nil || x.n < 8 {
			t.Fatalf("%s: fewer than eight crashes", level)
		}
		s := synccommit.New()
		if s.Level, err = synccommit.ParseLevel(level); err != nil {
			t.Fatal(err)
		}
		s.Names, _ = synccommit.ParseStandbyNames("s1")
		s.Clients, s.Flush, s.Duration, s.WarmUp = clients, latency("local")-execute, 20, 1
		s.Hosts = append(s.Hosts, synccommit.Host{})
		s.Standbys = []synccommit.Standby{{Name: "s1", Host: 1, RoundTrip: trip}}
		s.Transactions = []synccommit.Transaction{{Name: "insert", Weight: 1, WAL: x.wal / x.transactions, Execute: execute, Standbys: []synccommit.Replay{{}}}}
		r, err := synccommit.Run(s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Losses {
			m := &r.Losses[i]
			var mean, most float64
			switch m.Kind() {
			case synccommit.Restart:
				mean, most = x.restart/x.n, x.mostRestart
			case synccommit.Promote:
				mean, most = x.standby/x.n, x.mostStandby
			default:
				continue
			}
			predicted, longest := m.MeanTransactions/r.PerSecond, m.MostTransactions/r.PerSecond
			t.Logf("%-12s %-32s %6.1f ms of transactions, at most %6.1f; predicted %6.1f, at most %6.1f", level, m.Death, 1e3*mean, 1e3*most, 1e3*predicted, 1e3*longest)
			if predicted == 0 {
				if most > 0 {
					t.Errorf("%s, %s: %.1f ms of transactions were lost, expected none", level, m.Death, 1e3*most)
				}
				continue
			}
			if mean < predicted/2 || mean > 2*predicted || most > 1.5*longest {
				t.Errorf("%s, %s: %.1f ms of transactions were lost, at most %.1f; predicted %.1f and %.1f", level, m.Death, 1e3*mean, 1e3*most, 1e3*predicted, 1e3*longest)
			}
		}
	}
}
