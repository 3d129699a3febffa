package timeline

import (
	"fmt"
	"io/fs"
	"math"

	"applysim/model/cost"
	"applysim/model/timeline"
)

// Figure is one figure of a run, measured and simulated.
type Figure struct {
	Name, Unit          string
	Measured, Simulated float64
}

// Near says whether the simulated figure is within the tolerance.
func (f *Figure) Near() bool { return math.Abs(f.Error()) <= Tolerance }

// Error is the simulated figure's relative error.
func (f *Figure) Error() float64 { return f.Simulated/f.Measured - 1 }

// Tolerance is how near figures of a run must come.
const Tolerance = 0.15

// curve is a quantity by samples.
type curve struct{ t, v []float64 }

func (c *curve) add(t, v float64) { c.t, c.v = append(c.t, t), append(c.v, v) }

// peak is the greatest value and where it is.
func (c *curve) peak() (at int) {
	for i, v := range c.v {
		if v > c.v[at] {
			at = i
		}
	}
	return at
}

// mean weighs samples by the time between them.
func (c *curve) mean() float64 {
	sum := 0.0
	for i := 1; i < len(c.t); i++ {
		sum += float64((c.t[i] - c.t[i-1]) * (c.v[i] + c.v[i-1]) / 2)
	}
	return sum / (c.t[len(c.t)-1] - c.t[0])
}

// over is when the quantity has come down from its peak, to little.
func (c *curve) over(little float64) float64 {
	for i := c.peak(); i < len(c.v); i++ {
		if c.v[i] <= little {
			return c.t[i]
		}
	}
	return math.Inf(1)
}

// series is a run's behaviour, measured or simulated.
type series struct {
	written curve // WAL, bytes
	replay  curve // written and not yet replayed
	confirm curve // and not yet confirmed
	send    curve // and not yet sent
}

// measured are the recorded series.
func (c *Case) measured() *series {
	s := &series{}
	for i := range c.Rows {
		t, _ := c.Value(i, "t")
		current, ok := c.Value(i, "current_lsn")
		if !ok {
			continue
		}
		s.written.add(t, current)
		behind := func(to *curve, column string) {
			// An origin that has no position yet is at 0.
			if v, ok := c.Value(i, column); ok && v > -float64(c.Start) {
				to.add(t, max(current-v, 0))
			}
		}
		behind(&s.replay, "remote_lsn")
		behind(&s.confirm, "confirmed_flush_lsn")
		if c.stopped(t) {
			continue // there is no walsender
		}
		behind(&s.send, "sent_lsn")
	}
	return s
}

// stopped says whether the subscription is disabled at a time.
func (c *Case) stopped(t float64) bool {
	for _, p := range c.Scenario.Subscriptions[0].Stopped {
		if t >= p.From.Seconds() && (p.Until == 0 || t < p.Until.Seconds()) {
			return true
		}
	}
	return false
}

// simulated are the series of moments.
func (c *Case) simulated(moments []*timeline.Moment) *series {
	s := &series{}
	for _, m := range moments {
		v := &m.Consumers[0]
		s.written.add(m.T, m.Written)
		s.replay.add(m.T, m.Written-v.Replayed)
		s.confirm.add(m.T, m.Written-v.ReportedFlush)
		if !c.stopped(m.T) {
			s.send.add(m.T, m.Written-v.Sent)
		}
	}
	return s
}

// steady is how much WAL may be waiting, as a share of what is written in a second,
// before a run counts as being behind at all: it has samples that lie between a commit
// and its apply.
const steady = 0.1

// Compare simulates a run and puts its figures beside the measured ones.
func (c *Case) Compare(p *cost.Profile, v Calibration) ([]Figure, error) {
	moments, _, err := c.Simulate(p, v)
	if err != nil {
		return nil, err
	}
	// The simulated run ends when everything is applied.
	real, own := c.measured(), c.simulated(moments)
	last := len(real.written.v) - 1
	figures := []Figure{{Name: "WAL written", Unit: "bytes", Measured: real.written.v[last], Simulated: own.written.v[len(own.written.v)-1]}}
	add := func(name, unit string, measured, simulated float64) {
		figures = append(figures, Figure{Name: name, Unit: unit, Measured: measured, Simulated: simulated})
	}
	perSecond := real.written.v[last] / c.Scenario.Duration.Seconds()
	peak := real.replay.v[real.replay.peak()]
	if peak > steady*perSecond {
		add("most to be replayed", "bytes", peak, own.replay.v[own.replay.peak()])
		add("to be replayed, on average", "bytes", real.replay.mean(), own.replay.mean())
		from := c.disturbed()
		add("caught up after", "s", real.replay.over(peak/20)-from, own.replay.over(peak/20)-from)
	}
	if peak > steady*perSecond {
		add("most to be confirmed", "bytes", real.confirm.v[real.confirm.peak()], own.confirm.v[own.confirm.peak()])
	}
	add("to be confirmed, on average", "bytes", real.confirm.mean(), own.confirm.mean())
	figures = append(figures, c.slots(moments)...)
	return figures, nil
}

// disturbed is when what lets the subscriber fall behind is over: when it is enabled
// again, when the higher rate ends, when the large transaction commits.
func (c *Case) disturbed() float64 {
	at := 0.0
	for _, p := range c.Scenario.Subscriptions[0].Stopped {
		at = max(at, p.Until.Seconds())
	}
	for i, o := range c.Scenario.Operations {
		if o.Lasts > 0 {
			at = max(at, c.Scenario.Clock(i).Time(0)+o.Lasts.Seconds())
		}
	}
	if at == 0 {
		at = c.Scenario.Operations[0].Ends.Seconds()
	}
	return at
}

// calibration is the run by which the others are judged.
const calibration = "calibrate"

// slower is how much longer the machine of the recordings takes than the profile's: its
// server is built with -Os. It matters little, as the worker waits most of the time.
const slower = 1.5

// Calibrate finds what a worker waits for a change from a run in which it was behind.
func Calibrate(fsys fs.FS, p *cost.Profile) (Calibration, error) {
	return calibrate(fsys, calibration, p)
}

func calibrate(fsys fs.FS, dir string, p *cost.Profile) (Calibration, error) {
	c, err := Open(fsys, dir)
	if err != nil {
		return Calibration{}, err
	}
	costs, err := c.costs(p)
	if err != nil {
		return Calibration{}, err
	}
	o := costs.Operations[0] // its operations differ in nothing but their rates
	var a, b [2]float64      // time and position
	for i := range c.Rows {
		t, _ := c.Value(i, "t")
		current, _ := c.Value(i, "current_lsn")
		pos, ok := c.Value(i, "remote_lsn")
		if !ok || t < settled {
			continue
		}
		if a == [2]float64{} {
			a = [2]float64{t, pos}
		}
		if current-pos < (current)/20 {
			break
		}
		b = [2]float64{t, pos}
	}
	if b[1] <= a[1] {
		return Calibration{}, fmt.Errorf("%s: the worker is not behind", c.Name)
	}
	changes := (b[1] - a[1]) / o.WAL * o.Changes
	return Calibration{Slower: slower, Wait: (b[0]-a[0])/changes - slower*o.Subscriptions[0].Apply/o.Changes}, nil
}

// settled is after how long the run's worker is behind, seconds.
const settled = 1

// slots are the figures of slots beside the subscription's.
func (c *Case) slots(moments []*timeline.Moment) []Figure {
	var list []Figure
	for k, x := range c.Scenario.Slots {
		var safe, kept [2]curve
		changed := [2]map[string]float64{{}, {}}
		var order []string
		for i, m := range moments {
			v := &m.Consumers[len(c.Scenario.Subscriptions)+k]
			t, _ := c.Value(i, "t")
			for j, status := range []string{c.Text(i, "wal_status:"+x.Name), string(v.Status)} {
				if _, seen := changed[j][status]; !seen {
					changed[j][status] = t
					if j == 0 {
						order = append(order, status)
					}
				}
			}
			if n, ok := c.Value(i, "safe_wal_size:"+x.Name); ok && v.Safe != nil && n > 0 {
				safe[0].add(t, n)
				safe[1].add(t, float64(*v.Safe))
			}
			if n, ok := c.Value(i, "restart_lsn:"+x.Name); ok && v.Retained > 0 {
				current, _ := c.Value(i, "current_lsn")
				kept[0].add(t, current-n)
				kept[1].add(t, float64(v.Retained))
			}
		}
		for _, status := range order[1:] {
			at, ok := changed[1][status]
			if !ok {
				at = math.Inf(1)
			}
			list = append(list, Figure{Name: x.Name + " is " + status + " after", Unit: "s", Measured: changed[0][status], Simulated: at})
		}
		list = append(list, Figure{Name: x.Name + ": safe_wal_size, on average", Unit: "bytes", Measured: safe[0].mean(), Simulated: safe[1].mean()},
			Figure{Name: x.Name + ": kept, on average", Unit: "bytes", Measured: kept[0].mean(), Simulated: kept[1].mean()})
	}
	return list
}
