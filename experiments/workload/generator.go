package workload

import (
	"io"
	"math/rand/v2"

	"applysim/model/stream"
)

// What the publisher is taken to write for a row and a commit, in bytes of WAL:
// about what a real one does. Nothing but the LSNs in begin and commit shows it.
const (
	firstLSN      stream.LSN = 0x1970000
	rowWALBytes   stream.LSN = 240
	commitWALSize stream.LSN = 48
)

// Generator makes the stream as it is read. It works in the reader's goroutine,
// transaction by transaction, and allocates nothing once its buffers have grown.
type Generator struct {
	o     Options
	rows  rowMaker
	turns rand.PCG

	nextID  int64
	left    int // rows that no transaction has taken yet
	nextXid uint32
	now     stream.Timestamp
	lsn     stream.LSN
	clients []client
	active  []int // the clients that may still make a step

	relationSent bool
	out          []byte // the last transaction
	pos          int    // what of out was read
}

// client is one connection to the publisher and its open transaction.
type client struct {
	open  bool
	left  int // rows to insert before the commit
	xid   uint32
	began stream.Timestamp
	buf   []byte // its inserts, encoded
}

// NewGenerator returns the stream of a run as an io.Reader. It also has
// WriteTo, so io.Copy does not copy twice.
func NewGenerator(o Options) (*Generator, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	g := &Generator{
		o: o, rows: newRowMaker(o), nextID: o.FirstID, left: o.Rows, nextXid: o.FirstXid,
		now: o.Start, lsn: firstLSN, clients: make([]client, o.Clients), active: make([]int, o.Clients),
	}
	g.turns.Seed(o.Seed, turnsStream)
	for i := range g.active {
		g.active[i] = i
	}
	return g, nil
}

// turnsStream parts the random numbers of turns from those of rows, which are
// seeded with ids: no id is as large as this.
const turnsStream = 1<<64 - 1

// Read reads the stream; io.EOF comes after the last transaction.
func (g *Generator) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if g.pos == len(g.out) && !g.transaction() {
			if n == 0 {
				return 0, io.EOF
			}
			break
		}
		c := copy(p[n:], g.out[g.pos:])
		g.pos += c
		n += c
	}
	return n, nil
}

// writeBytes is how much WriteTo gathers.
const writeBytes = 64 << 10

// WriteTo writes what was not read yet.
func (g *Generator) WriteTo(w io.Writer) (int64, error) {
	var total int64
	buf := make([]byte, writeBytes)
	for {
		n, err := g.Read(buf)
		if err == io.EOF {
			return total, nil
		}
		written, err := w.Write(buf[:n])
		total += int64(written)
		if err == nil && written < n {
			err = io.ErrShortWrite
		}
		if err != nil {
			return total, err
		}
	}
}

// transaction lets the clients make steps until one commits, whose transaction
// is then in g.out. It returns false when all rows are committed.
func (g *Generator) transaction() bool {
	for len(g.active) > 0 {
		turn := 0
		if len(g.active) > 1 {
			turn = int(scale(g.turns.Uint64(), uint64(len(g.active))))
		}
		c := &g.clients[g.active[turn]]
		if !c.open {
			if g.left == 0 {
				last := len(g.active) - 1
				g.active[turn] = g.active[last]
				g.active = g.active[:last]
				continue
			}
			g.begin(c)
		}
		g.now += stream.Timestamp(g.o.StepMicroseconds)
		if c.left > 0 {
			g.insert(c)
			continue
		}
		g.commit(c)
		return true
	}
	return false
}

func (g *Generator) begin(c *client) {
	c.open = true
	c.left = min(g.o.RowsPerTransaction, g.left)
	g.left -= c.left
	c.began = g.now + stream.Timestamp(g.o.StepMicroseconds)
	c.buf = c.buf[:0]
	c.xid = g.nextXid
	if g.nextXid++; g.nextXid < 3 {
		g.nextXid = 3 // xids wrap around to FirstNormalTransactionId
	}
}

func (g *Generator) insert(c *client) {
	var updated stream.Timestamp
	switch g.o.UpdatedAt {
	case FromID:
		updated = g.o.Start + stream.Timestamp((g.nextID-g.o.FirstID+1)*g.o.StepMicroseconds)
	case FromClock:
		updated = g.now
	case FromTransaction:
		updated = c.began
	}
	c.buf = g.rows.appendInsert(c.buf, g.nextID, updated)
	c.left--
	g.nextID++
	g.lsn += rowWALBytes
}

// commit puts the client's transaction into g.out.
func (g *Generator) commit(c *client) {
	c.open = false
	commitLSN := g.lsn
	g.lsn += commitWALSize
	g.out, g.pos = g.out[:0], 0
	g.out = append(stream.AppendBegin(g.out, commitLSN, g.now, c.xid), '\n')
	if !g.relationSent {
		g.relationSent = true
		g.out = append(stream.AppendRelation(g.out, 0, Relation(g.o.RelationID)), '\n')
	}
	g.out = append(g.out, c.buf...)
	g.out = append(stream.AppendCommit(g.out, commitLSN, g.lsn, g.now), '\n')
}
