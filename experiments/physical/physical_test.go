package physical

import (
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"applysim/model/cost"
	"applysim/model/pipeline"
	"applysim/wal"
)

func cases(t *testing.T) ([]*Case, *cost.Profile) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	fsys := os.DirFS("testdata/recorded")
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	var list []*Case
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		c, err := Open(fsys, e.Name())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	if len(list) < 9 {
		t.Fatalf("%d runs, expected nine", len(list))
	}
	return list, p
}

// background is the WAL of records that belong to no transaction, as LSNs advance but for
// page headers.
func (s *Shipped) background() (bytes, count int64) {
	for name, r := range s.Records {
		if strings.HasPrefix(name, "Standby/") || strings.HasPrefix(name, "catalog ") {
			bytes += (r.Bytes + 7*r.Count) &^ 7
			count += r.Count
		}
	}
	return bytes, count
}

// relationMessage is what describes the table events, once: R, its id, two names, its
// identity, five columns.
const relationMessage = 1 + 4 + len("public\x00") + len("events\x00") + 1 + 2 + 5*(1+4+4) + len("id\x00account_id\x00status\x00payload\x00updated_at\x00")

// TestShipped: what passes on the wire, both ways, to the byte.
func TestShipped(t *testing.T) {
	list, p := cases(t)
	for _, c := range list {
		s := &c.Shipped
		costs, err := c.Costs(p)
		if err != nil {
			t.Fatal(err)
		}
		op := &costs.Operations[0]
		u := &op.Subscriptions[0]
		n := op.Transactions
		start, err1 := lsn(s.Start)
		end, err2 := lsn(s.End)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		written := int64(end - start)
		// A standby gets all WAL, nothing else, in messages of one kind. One that connects
		// again begins with the segment that it has come to.
		sent := s.Physical[">dw"]
		again := int64(0)
		if s.Backlog {
			again = int64(start % wal.DefaultSegmentSize)
		}
		if int64(s.SentBytes) != written || sent.Bytes != written+again+int64(pipeline.Framing)*sent.Messages {
			t.Errorf("%s: %d bytes written, sent_lsn moved by %d, %d on the wire in %d messages", c.Name, written, s.SentBytes, sent.Bytes, sent.Messages)
		}
		// The model's WAL is that of the transactions.
		others, count := s.background()
		off := math.Abs(float64(written-others) - float64(op.WAL*n))
		limit := 24 * float64(count) // a record that lies in between moves page headers
		if op.Images > 0 {
			limit = 0.001 * float64(written) // an image has another hole in one page
		}
		if off > limit {
			t.Errorf("%s: the model writes %.0f bytes, the server %d and %d in the background", c.Name, op.WAL*n, written-others, others)
		}
		data := s.Logical[">dw"]
		if float64(data.Messages) != u.Messages*n+1 || math.Abs(float64(data.Bytes)-float64(u.Bytes*n)-float64(pipeline.Framing+relationMessage)) > 0.5 {
			t.Errorf("%s: the model's stream has %.0f messages of %.0f bytes, the server's %d of %d, one of them for the table", c.Name, u.Messages*n, u.Bytes*n, data.Messages, data.Bytes)
		}
		// How many messages a standby gets depends on when its walsender looks.
		most := pipeline.PhysicalMessages(op.WAL) * n
		if s.Backlog {
			most = float64(op.WAL*n) / pipeline.MaxSend
		}
		if float64(sent.Messages) > 1.05*most+2 {
			t.Errorf("%s: %d messages to the standby, expected at most %.0f", c.Name, sent.Messages, most)
		}
	}
}

// TestRates: the rates of package pipeline are those that the runs give.
func TestRates(t *testing.T) {
	list, p := cases(t)
	r, err := Fit(list, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", *r)
	own := pipeline.Physical()
	for _, x := range []struct {
		rate   cost.Rate
		fitted float64
	}{{own.Send, r.SendWake}, {own.SendByte, r.SendByte}, {own.Receive, r.ReceiveWake}, {own.ReceiveByte, r.ReceiveByte}, {own.Wake, r.ReplayWake}, {own.Replay, r.ReplayRecord}} {
		if math.Abs(x.rate.Value/x.fitted-1) > 0.01 {
			t.Errorf("%s: %v, the runs give %v", x.rate.Name, x.rate.Value, x.fitted)
		}
	}
	for _, c := range list {
		s := &c.Shipped
		w, back := s.Physical[">dw"], s.Physical["<dr"]
		n := float64(w.Messages + back.Messages)
		t.Logf("%-22s walsender %.3f s, fitted %.3f; walreceiver %.3f, %.3f; startup %.3f, %.3f", c.Name, s.CPU["physical walsender"], r.Slower*(r.SendWake*n+r.SendByte*float64(w.Bytes)),
			s.CPU["walreceiver"], r.Slower*(r.ReceiveWake*n+r.ReceiveByte*float64(w.Bytes)), s.CPU["startup"], r.Slower*(r.ReplayWake*float64(w.Messages)+r.ReplayRecord*float64(s.records())))
	}
}

// TestReplies: how many replies walreceivers send for a message.
func TestReplies(t *testing.T) {
	list, _ := cases(t)
	var sum, n [2]float64
	for _, c := range list {
		k := 0
		if c.Shipped.Backlog {
			k = 1
		}
		sum[k] += float64(c.Shipped.Physical["<dr"].Messages) / float64(c.Shipped.Physical[">dw"].Messages)
		n[k]++
	}
	for k, want := range []float64{pipeline.Replies, pipeline.RepliesBacklog} {
		if got := sum[k] / n[k]; math.Abs(got/want-1) > 0.03 {
			t.Errorf("%.3f replies a message, taken for %v", got, want)
		}
	}
}

// TestPredicted: what `applysim physical` says of a run, with rates that the other eight
// have given. CPU of these short runs on a busy machine is within a factor of 2.2 for each
// process; which way takes less is right for each backlog.
func TestPredicted(t *testing.T) {
	list, p := cases(t)
	for i, c := range list {
		others := append(append([]*Case{}, list[:i]...), list[i+1:]...)
		r, err := Fit(others, p)
		if err != nil {
			t.Fatal(err)
		}
		costs, err := c.Costs(p)
		if err != nil {
			t.Fatal(err)
		}
		s := &c.Shipped
		op := &costs.Operations[0]
		n := op.Transactions
		messages, replies := pipeline.PhysicalMessages(op.WAL)*n, pipeline.Replies
		if s.Backlog {
			messages, replies = op.WAL*n/pipeline.MaxSend, pipeline.RepliesBacklog
		}
		bytes := op.WAL * n
		for _, x := range []struct {
			process string
			says    float64
		}{
			{"physical walsender", r.SendWake*messages*(1+replies) + r.SendByte*bytes},
			{"walreceiver", r.ReceiveWake*messages*(1+replies) + r.ReceiveByte*bytes},
			{"startup", r.ReplayWake*messages + r.ReplayRecord*op.Records*n},
		} {
			ratio := r.Slower * x.says / s.CPU[x.process]
			t.Logf("%-22s %-18s %.3f s, predicted %.3f (%+.0f %%)", c.Name, x.process, s.CPU[x.process], r.Slower*x.says, 100*(ratio-1))
			if !(ratio > 1/2.2 && ratio < 2.2) {
				t.Errorf("%s: %s took %.3f s, predicted %.3f", c.Name, x.process, s.CPU[x.process], r.Slower*x.says)
			}
		}
		if s.Backlog && !(s.CPU["physical walsender"] < s.CPU["logical walsender"] && s.CPU["walreceiver"]+s.CPU["startup"] < s.CPU["apply worker"]) {
			t.Errorf("%s: shipping WAL took more than shipping changes", c.Name)
		}
	}
}

// TestLeastSquares: two unknowns by hand; a value below zero becomes zero.
func TestLeastSquares(t *testing.T) {
	v, err := leastSquares([][]float64{{1, 2}, {3, 1}, {2, 1.5}})
	if err != nil || math.Abs(v[0]-0.2) > 1e-9 || math.Abs(v[1]-0.4) > 1e-9 {
		t.Errorf("%v %v, by hand 0.2 and 0.4", v, err)
	}
	v, err = leastSquares([][]float64{{1, 1}, {1, 2}, {1, 3}})
	if err != nil || v[0] != 1 || v[1] != 0 {
		t.Errorf("%v %v, by hand 1 and 0", v, err)
	}
}
