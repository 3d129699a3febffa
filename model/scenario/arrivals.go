package scenario

import (
	"fmt"
	"math"
	"time"
)

// Arrivals say how the rate of an operation changes with time. The zero value is an even
// rate over the whole run.
type Arrivals struct {
	// Begins and Ends bound the time in which transactions come; Ends is 0 if they go on
	// to the end of the run.
	Begins, Ends time.Duration
	// Daily has a factor for each hour of the day; nil if all are alike.
	Daily []float64
	// Bursts come every so often, each lasts a while, and multiply the rate.
	Bursts *Bursts
}

// Bursts are times at which more transactions come, again and again: the first begins
// Every after the run does.
type Bursts struct {
	Every, Lasts time.Duration
	Factor       float64
}

func (a *Arrivals) even() bool {
	return a.Begins == 0 && a.Ends == 0 && a.Daily == nil && a.Bursts == nil
}

// decodeArrivals reads what an operation says of them.
func decodeArrivals(t *section, o *Operation) {
	o.Begins, o.Ends, o.Lasts = t.duration("begins", 0), t.duration("ends", 0), t.duration("lasts", 0)
	if o.Ends != 0 && o.Ends <= o.Begins {
		t.d.fail(t.at("ends"), "ends = %v: expected a time after begins, %v", o.Ends, o.Begins)
	}
	if o.Daily = t.numbers("daily"); o.Daily != nil {
		sum := 0.0
		for _, f := range o.Daily {
			if sum += f; !(f >= 0 && f <= 1e6) {
				t.d.fail(t.at("daily"), "daily: found %v, expected factors from 0 on", f)
			}
		}
		if len(o.Daily) != 24 || sum == 0 {
			t.d.fail(t.at("daily"), "daily: found %d factors, expected 24, one for each hour of the day, not all 0", len(o.Daily))
			o.Daily = nil
		}
	}
	if b := t.table("bursts"); b != nil {
		o.Bursts = &Bursts{Every: b.duration("every", 0), Lasts: b.duration("lasts", 0), Factor: b.number("factor", 0, 0, 1e6)}
		if o.Bursts.Every == 0 || o.Bursts.Lasts == 0 || !b.has("factor") {
			t.d.fail(b.path, "expected every, lasts and factor, as in bursts = { every = \"10min\", lasts = \"30s\", factor = 10 }")
			o.Bursts = nil
		} else if o.Bursts.Lasts >= o.Bursts.Every {
			t.d.fail(b.at("lasts"), "lasts = %v: expected a time shorter than every, %v", o.Bursts.Lasts, o.Bursts.Every)
			o.Bursts = nil
		}
		b.done()
	}
}

// Clock tells when the transactions of an operation come: at a rate that is constant
// between moments at which it changes.
type Clock struct {
	a     Arrivals
	hour  float64 // of the day, seconds since midnight at the start of the run
	rate  float64 // transactions a second where no factor changes it
	first float64 // count that the first transaction is at: operations take turns

	from, count float64 // the piece of constant rate that was asked for last
}

// clock is an operation's. number is its place among the operations.
func (s *Scenario) clock(o *Operation, number int) *Clock {
	const day = 24 * 3600
	midnight := math.Mod(float64(s.Start)/1e6, day)
	c := &Clock{a: o.Arrivals, hour: midnight, first: float64(number) / float64(len(s.Operations))}
	if o.Count == 0 {
		c.rate = o.Rate / float64(o.Rows)
		return c
	}
	// The count is spread over the run as the factors say.
	n := float64((o.Count + int64(o.Rows) - 1) / int64(o.Rows))
	c.rate = 1
	end := s.Duration.Seconds()
	sum := 0.0
	for t := 0.0; t < end; {
		rate, until := c.Rate(t)
		until = min(until, end)
		sum += float64(rate * (until - t))
		t = until
	}
	if c.rate = 0; sum > 0 {
		c.rate = n / sum
	}
	return c
}

// Clock tells when the transactions of operation number n come.
func (s *Scenario) Clock(n int) *Clock { return s.clock(s.Operations[n], n) }

// Rate is how many transactions come a second at a moment, and until when that is so.
func (c *Clock) Rate(t float64) (rate, until float64) {
	until = math.Inf(1)
	ends := func(at float64) {
		if at > t {
			until = min(until, at)
		}
	}
	factor := 1.0
	if begins := c.a.Begins.Seconds(); t < begins {
		factor = 0
		ends(begins)
	}
	if e := c.a.Ends.Seconds(); e > 0 {
		if t >= e {
			return 0, math.Inf(1)
		}
		ends(e)
	}
	if c.a.Daily != nil {
		hour := math.Floor((c.hour + t) / 3600)
		next := float64((hour+1)*3600) - c.hour
		if next <= t { // the next hour begins within the rounding
			hour++
			next = float64((hour+1)*3600) - c.hour
		}
		factor *= c.a.Daily[int(math.Mod(hour, 24))]
		ends(next)
	}
	if b := c.a.Bursts; b != nil {
		every, lasts := b.Every.Seconds(), b.Lasts.Seconds()
		n := math.Floor(t / every)
		if next := float64((n + 1) * every); next <= t {
			n++
		}
		if n >= 1 && t < float64(n*every)+lasts {
			factor *= b.Factor
			ends(float64(n*every) + lasts)
		} else {
			ends(float64((n + 1) * every))
		}
	}
	return c.rate * factor, until
}

// Time is when transaction n comes, from 0 on; infinite if it does not. It must be asked
// in order.
func (c *Clock) Time(n float64) float64 {
	for quiet := 0; ; {
		rate, until := c.Rate(c.from)
		if rate > 0 {
			quiet = 0
			if at := c.from + (n+c.first-c.count)/rate; at < until {
				return at
			}
			c.count += float64(rate * (until - c.from))
		} else if quiet++; quiet > 1000 {
			return math.Inf(1) // factors that are all 0 while the operation runs
		}
		if c.from = until; math.IsInf(until, 1) {
			return until
		}
	}
}

// String describes the arrivals, for a report.
func (a Arrivals) String() string {
	text := "even"
	if a.Daily != nil {
		text = "by the hour of the day"
	}
	if b := a.Bursts; b != nil {
		text += fmt.Sprintf(", %v times as many for %v every %v", b.Factor, b.Lasts, b.Every)
	}
	if a.Begins > 0 {
		text += fmt.Sprintf(", from %v", a.Begins)
	}
	if a.Ends > 0 {
		text += fmt.Sprintf(", until %v", a.Ends)
	}
	return text
}
