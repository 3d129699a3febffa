package synccommit

// Death is what dies, and what goes on then.
type Death int

// The deaths.
const (
	// Restart: the publisher crashes and comes back with its disks.
	Restart Death = iota
	// Promote: the publisher is gone, and a standby is promoted.
	Promote
	// Power: the publisher is gone, and the standby that is promoted has crashed with it:
	// it has what it had flushed.
	Power
	// Read is no death: it is what a query on the standby does not see.
	Read
	deaths
)

var deathNames = [...]string{Restart: "publisher restarts", Promote: "publisher gone, standby promoted", Power: "both lose power, standby promoted", Read: "a query on the standby"}

func (d Death) String() string { return deathNames[d] }

// place is a position that something would be recovered to, and what is missing there of
// what clients were told.
type place struct {
	death   Death
	standby int // -1 for none
	pos     float64
	missing float64 // transactions that clients were told of
	warned  float64 // whose clients were warned

	total, mostN, totalBytes, mostBytes, mostWarned float64
}

// ledger keeps what would be lost.
type ledger struct {
	places []place
	top    float64 // the last commit record that a client was told of
	since  float64
	left   int // transactions when some were dropped the last time
}

func (l *ledger) start(r *run) {
	l.places = append(l.places, place{death: Restart, standby: -1})
	for i := range r.standbys {
		for _, d := range []Death{Promote, Power, Read} {
			l.places = append(l.places, place{death: d, standby: i})
		}
	}
}

// pass lets time pass until t.
func (l *ledger) pass(r *run, t float64) {
	from := max(l.since, r.WarmUp)
	l.since = t
	if t <= from {
		return
	}
	for i := range l.places {
		p := &l.places[i]
		bytes := max(l.top-p.pos, 0)
		if p.missing == 0 {
			bytes = 0
		}
		p.total += float64(p.missing * (t - from))
		p.totalBytes += float64(bytes * (t - from))
		p.mostN, p.mostBytes, p.mostWarned = max(p.mostN, p.missing), max(p.mostBytes, bytes), max(p.mostWarned, p.warned)
	}
}

// wrote is told that the publisher has inserted a commit record. It drops transactions
// that are everywhere.
func (l *ledger) wrote(r *run) {
	const many = 8192
	if len(r.txns) < many || len(r.txns) < 2*l.left {
		return
	}
	least := r.flushed
	for _, s := range r.standbys {
		least = min(least, s.arrived, s.written, s.flushed, s.replayed)
	}
	drop := 0
	for drop < len(r.txns) && r.txns[drop].lsn <= least && r.txns[drop].answered < never {
		drop++
	}
	r.txns = append([]*txn(nil), r.txns[drop:]...)
	l.left = len(r.txns)
}

// answered is told that a client was answered.
func (l *ledger) answered(r *run, x *txn) {
	if !x.warned {
		l.top = max(l.top, x.lsn)
	}
	for i := range l.places {
		if p := &l.places[i]; x.lsn > p.pos {
			p.add(x, 1)
		}
	}
}

func (p *place) add(x *txn, n float64) {
	switch {
	case x.answered == never:
	case x.warned:
		p.warned += n
	default:
		p.missing += n
	}
}

// flushed is told that the publisher has flushed.
func (l *ledger) flushed(r *run) { l.set(r, &l.places[0], r.flushed) }

// moved is told that a standby's positions have changed.
func (l *ledger) moved(r *run, s *standby) {
	at := 1 + 3*s.number
	l.set(r, &l.places[at], s.written)
	l.set(r, &l.places[at+1], s.flushed)
	l.set(r, &l.places[at+2], s.replayed)
}

func (l *ledger) set(r *run, p *place, pos float64) {
	if pos == p.pos {
		return
	}
	sign, low, high := -1.0, p.pos, pos
	if pos < p.pos {
		sign, low, high = 1, pos, p.pos
	}
	for i := r.lookup(low); i < len(r.txns) && r.txns[i].lsn <= high; i++ {
		p.add(r.txns[i], sign)
	}
	p.pos = pos
}
