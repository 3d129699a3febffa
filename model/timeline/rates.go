package timeline

import "math"

// process is what wants cores of a host.
type process struct {
	host int
	n    float64 // processes of that kind
	want float64 // cores that they could use together
}

// leastPerByte is the CPU time in seconds that a walsender takes for a byte at the least: far
// less than copying it does, but time, so that a full buffer stops it wherever it is.
const leastPerByte = 1e-15

// densities notes what the next of each stage's way takes it.
func (r *Run) densities(c *consumer) {
	for k := range c.stage {
		s := &c.stage[k]
		p := &r.axis.pieces[s.piece]
		w := &p.work[c.number]
		switch {
		case !math.IsInf(c.Rate, 1): // no subscription: it only reads
			s.density = 0
			if k == send && p.lump == nil && c.Rate > 0 {
				s.density = p.perS / c.Rate
			}
		case k == send:
			s.density = max(w.Read+w.Send, float64(w.Bytes*leastPerByte))
		case k == pass:
			s.density = 0
			if !math.IsInf(r.bandwidth(), 1) {
				s.density = w.Bytes
			}
		default:
			s.density = w.Pass
			if !r.passed(c, p) {
				s.density += w.Apply
			}
		}
	}
}

// passed says whether parallel workers do what a piece takes.
func (r *Run) passed(c *consumer, p *piece) bool {
	return p.lump != nil && c.Streaming == Parallel && (!p.lump.commit || p.lump.txn != nil && p.lump.txn.parts > 0)
}

// speed is how fast a stage could go with a share of a core or of the bandwidth.
func speed(density, share, wait float64) float64 {
	if density == 0 && wait == 0 {
		return math.Inf(1)
	}
	return 1 / (density/share + wait)
}

// chain computes how fast the stages of a consumer go with their shares.
func (r *Run) chain(c *consumer) {
	for k := range c.stage {
		c.stage[k].rate = 0
	}
	c.held = false
	if c.stopped || c.lost {
		return
	}
	held := func(k int) float64 { // stage k by itself
		s := &c.stage[k]
		wait := 0.0
		if k == apply {
			wait = r.axis.pieces[s.piece].work[c.number].Wait
		}
		return speed(s.density, c.share[k], wait)
	}
	limited := func(k int, before float64) float64 {
		rate := held(k)
		if c.stage[k].caught && rate > before*(1-1e-9) {
			rate = before
		}
		if math.IsInf(rate, 1) {
			rate = 0 // it has moved already
		}
		return rate
	}
	if c.debt == 0 {
		c.stage[send].rate = limited(send, 1)
	}
	c.stage[pass].rate = limited(pass, c.stage[send].rate)
	if a := &c.stage[apply]; !r.waits(c) {
		a.rate = limited(apply, c.stage[pass].rate)
	}
	if !c.full {
		return
	}
	if in, out := r.through(c); in > 0 && float64(c.stage[send].rate*in) > out {
		c.stage[send].rate = out / in
		c.stage[pass].rate = limited(pass, c.stage[send].rate)
		c.held = true
	}
}

// through is how many bytes a unit of the walsender's way puts into the buffer, and how many
// the worker takes out of it in a second.
func (r *Run) through(c *consumer) (in, out float64) {
	a := &c.stage[apply]
	return r.axis.pieces[c.stage[send].piece].work[c.number].Bytes, float64(a.rate * r.axis.pieces[a.piece].work[c.number].Bytes)
}

// waits says whether a leader waits for a parallel worker's commit.
func (r *Run) waits(c *consumer) bool {
	a := &c.stage[apply]
	p := &r.axis.pieces[a.piece]
	return p.lump != nil && p.lump.commit && a.pos >= 1 && c.backlog > 0
}

// rates shares the cores and the bandwidth and computes how fast everything goes until the
// next event. That follows from what the stages have come to, whatever the rates were before.
func (r *Run) rates() {
	r.levels = r.levels[:0]
	for range r.Hosts {
		r.levels = append(r.levels, 1)
	}
	for _, c := range r.consumers {
		r.densities(c)
	}
	r.flow()
	for range 100 {
		changed := false
		for h := range r.Hosts {
			was := r.levels[h]
			if was == 1 && r.level(h) == 1 {
				continue
			}
			r.levels[h] = r.solve(h)
			changed = changed || math.Abs(r.levels[h]-was) > 1e-12
		}
		if !changed {
			break
		}
	}
	r.crowded = r.backends > float64(r.levels[0]*max(math.Ceil(r.backends), 1))+1e-9
	for _, c := range r.consumers {
		c.full = c.held
		c.parallel = 0
		if !c.stopped && !c.lost {
			if c.parallel = c.share[apply]; c.backlog == 0 {
				c.parallel = min(c.parallel, r.passing(c))
			}
			if p := &r.axis.pieces[c.stage[apply].piece]; r.passing(c) > 0 {
				r.passes(c, p)
			}
		}
	}
}

// solve finds how much of a core each process of a host gets at most, given that of the
// other hosts. What a process gets decides how much comes to those after it, so that the
// more they get the more they want: it is where what they want leaves them just that.
func (r *Run) solve(host int) float64 {
	try := func(level float64) float64 {
		r.levels[host] = level
		r.flow()
		return r.level(host)
	}
	low := try(1)
	if low == 1 {
		return 1
	}
	high := try(low)
	for high > low {
		mid := low + float64((high-low)/2)
		if mid <= low || mid >= high {
			break
		}
		if try(mid) > mid {
			low = mid
		} else {
			high = mid
		}
	}
	try(low)
	return low
}

// flow computes how fast everything goes where processes get so much of a core, and what
// they could use then.
func (r *Run) flow() {
	for _, c := range r.consumers {
		c.share = [stages]float64{r.levels[0], r.bandwidth(), r.levels[c.Host]}
		if !math.IsInf(c.Rate, 1) { // its rate is what it is given as
			c.share[send], c.share[apply] = 1, 1
		}
		r.chain(c)
	}
	if r.Network.Bandwidth > 0 {
		r.network()
		for _, c := range r.consumers {
			r.chain(c)
		}
	}
	r.procs = append(r.procs[:0], process{0, max(math.Ceil(r.backends), 1), r.backends})
	for _, c := range r.consumers {
		r.wants(c)
	}
}

// wants notes what a consumer's processes could use, if what comes to them goes on coming
// at its present rate.
func (r *Run) wants(c *consumer) {
	if c.stopped || c.lost || !math.IsInf(c.Rate, 1) {
		return
	}
	want := func(k int, before float64) float64 {
		s := &c.stage[k]
		if s.density == 0 {
			return 0
		}
		if s.caught {
			return min(float64(before*s.density), 1)
		}
		return 1
	}
	w := 1.0
	if c.debt == 0 {
		w = want(send, 1)
		// A full buffer takes what the worker takes out of it, whatever the walsender gets.
		if in, out := r.through(c); c.full && in > 0 {
			w = min(w, float64(out/in*c.stage[send].density))
		}
	}
	r.procs = append(r.procs, process{0, 1, w})
	if !r.waits(c) {
		w = want(apply, c.stage[pass].rate)
		p := &r.axis.pieces[c.stage[apply].piece]
		if wait := p.work[c.number].Wait; wait > 0 && w > 0 {
			w = min(w, c.stage[apply].density/(c.stage[apply].density+wait))
		}
		r.procs = append(r.procs, process{c.Host, 1, w})
	}
	if c.backlog > 0 {
		r.procs = append(r.procs, process{c.Host, 1, 1})
	} else if p := r.passing(c); p > 0 {
		r.procs = append(r.procs, process{c.Host, 1, min(p, 1)})
	}
}

// level is how much of a core each process of a host gets at most.
func (r *Run) level(host int) float64 {
	cores := r.Hosts[host].Cores
	if cores == 0 {
		return 1
	}
	total := 0.0
	for _, p := range r.procs {
		if p.host == host {
			total += p.want
		}
	}
	if total <= cores {
		return 1
	}
	// Those that want less than the level get what they want.
	level := 0.0
	for range len(r.procs) + 1 {
		left, n := cores, 0.0
		for _, p := range r.procs {
			if p.host != host {
				continue
			}
			if p.want/p.n <= level {
				left -= p.want
			} else {
				n += p.n
			}
		}
		if n == 0 {
			break
		}
		next := left / n
		if next <= level {
			break
		}
		level = next
	}
	return min(level, 1)
}

// bandwidth is what one consumer's stream could get, bytes a second.
func (r *Run) bandwidth() float64 {
	b := math.Inf(1)
	if r.Network.Bandwidth > 0 {
		b = r.Network.Bandwidth
	}
	if r.Network.RoundTrip > 0 && r.Network.Buffer > 0 { // so much is on its way at a time
		b = min(b, r.Network.Buffer/r.Network.RoundTrip)
	}
	return b
}

// network shares the bandwidth among the consumers.
func (r *Run) network() {
	if r.Network.Bandwidth == 0 {
		return
	}
	level := 0.0
	rate := func(c *consumer) float64 { // what it could use, bytes a second
		if c.stopped || c.lost {
			return 0
		}
		s := &c.stage[pass]
		if s.caught {
			return float64(min(c.stage[send].rate, 1e300) * s.density)
		}
		if s.density == 0 {
			return 0
		}
		return r.bandwidth()
	}
	total := 0.0
	for _, c := range r.consumers {
		total += rate(c)
	}
	if total <= r.Network.Bandwidth {
		return
	}
	for range len(r.consumers) + 1 {
		left, n := r.Network.Bandwidth, 0.0
		for _, c := range r.consumers {
			if w := rate(c); w <= level {
				left -= w
			} else {
				n++
			}
		}
		if n == 0 || left/n <= level {
			break
		}
		level = left / n
	}
	for _, c := range r.consumers {
		c.share[pass] = min(c.share[pass], level)
	}
}

// falls says whether a stage is behind the one before it, or begins to be.
func (c *consumer) falls(k int) bool {
	s := &c.stage[k]
	before := 1.0
	if k > send {
		before = c.stage[k-1].rate
	}
	return !s.caught || s.rate < before*(1-1e-9) && s.density > 0
}
