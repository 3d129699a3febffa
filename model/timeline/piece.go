package timeline

import "math"

// piece is a part of the WAL in the order in which it is handed out.
type piece struct {
	from, to float64 // when it was written; to is infinite while it is being written
	wal      float64 // position of its beginning, bytes since the start
	perS     float64 // bytes of WAL a second; a lump has none
	changes  float64 // a second, or of the whole lump
	lump     *lump   // nil for a flow
	// work is what it takes each consumer: a second of a flow, or the whole lump.
	work []Cost
	// delay is how long the transactions of a flow are on their way to each consumer where
	// every stage keeps up, seconds on average.
	delay []float64
	// commits are how many transactions of a flow come to each consumer in a second.
	commits []float64
}

// lump is what a lump is.
type lump struct {
	source int
	txn    *large
	// commit says that the transaction ends here; otherwise it is a streamed part.
	commit bool
	// running says that it is no transaction, but a running-xacts record.
	running bool
	open    *large // the oldest transaction that was open there
	changes float64
	xid     int64
	parts   []int // streamed parts that it stands for, by consumer
}

// large is a transaction that is looked at by itself.
type large struct {
	source  int
	begin   float64
	commits float64
	parts   int     // streamed so far
	first   float64 // position of its first WAL
	// restart is, by consumer, the last running-xacts record that its decoder had seen
	// before.
	restart []float64
	// taken are the parts that a consumer's worker has taken from its walsender, by consumer,
	// and again those that a consumer that was stopped must be sent once more.
	taken, again []int
}

// axis is the WAL.
type axis struct {
	pieces []piece
}

// open is the piece that is being written.
func (a *axis) open() *piece { return &a.pieces[len(a.pieces)-1] }

// at is the WAL position of something written at a time within piece k.
func (p *piece) at(pos float64) float64 {
	if p.lump != nil {
		return p.wal
	}
	return p.wal + float64(p.perS*(pos-p.from))
}

// cut closes the open piece at t and begins another one.
func (a *axis) cut(t float64, next piece) {
	p := a.open()
	p.to = t
	next.wal = p.at(t)
	next.from, next.to = t, math.Inf(1)
	a.pieces = append(a.pieces, next)
}

// put adds a lump at t, which closes the open piece, and goes on as before.
func (a *axis) put(t float64, l piece) {
	open := *a.open()
	a.cut(t, l)
	at := a.open()
	at.from, at.to = t, t
	open.from, open.to, open.wal = t, math.Inf(1), at.wal
	a.pieces = append(a.pieces, open)
}
