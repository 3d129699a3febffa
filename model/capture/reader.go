package capture

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"

	"applysim/model/pgtype"
	"applysim/model/stream"
)

// The plugins whose streams are read.
const (
	Pgoutput     = "pgoutput"
	TestDecoding = "test_decoding"
	Wal2JSON     = "wal2json"
)

// Reader reads the messages of a captured stream.
type Reader struct {
	raw    *stream.Reader // pgoutput; nil for a text
	src    *source
	plugin string

	out   []stream.Message // to be handed out
	taken int
	read  func() error // appends messages to out; io.EOF at the end

	number   int64
	at       int64 // where what is being read begins
	tables   tables
	warnings []string
	warned   map[string]bool

	open  bool // a transaction has begun in the text
	begun bool // and was handed out: it has some change
	xid   uint32
	time  stream.Timestamp
	final stream.LSN
	last  stream.LSN
	timed bool // some transaction had a time

	json jsonState

	newTuple, oldTuple stream.Tuple
	newRow, oldRow     []value
	encoded            []byte
	scratch            []byte
	err                error
}

// windowBytes is the size of the window that finds out what a stream is, and reads texts.
// The reader of pgoutput has one of its own, into which longer reads go past this one.
const windowBytes = 32 << 10

// NewReader returns a reader of r, which may be compressed. It reads the first bytes to
// find out what r holds. hints, which may be nil, tells of tables what a text does not;
// it returns nil for one that it does not know.
func NewReader(r io.Reader, hints func(schema, table string) *Hint) (*Reader, error) {
	b := bufio.NewReaderSize(r, windowBytes)
	head, err := b.Peek(2)
	if err == nil && head[0] == 0x1f && head[1] == 0x8b { // gzip, RFC 1952
		z, err := gzip.NewReader(b)
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, &stream.Error{Message: 1, Text: "reading the gzip header: " + err.Error(), Err: err}
		}
		b = bufio.NewReaderSize(z, windowBytes)
	}
	c := &Reader{warned: map[string]bool{}}
	c.tables = tables{byName: map[string]*table{}, typeName: map[string]typeOf{}, warn: c.warn, hints: hints}
	c.src = newSource(b)
	if c.plugin = c.src.sniff(); c.plugin == Pgoutput {
		c.raw, err = stream.NewReader(b, stream.DefaultOptions())
		return c, err
	}
	c.read = c.testDecoding
	if c.plugin == Wal2JSON {
		c.read = c.wal2json
	}
	return c, nil
}

// sniff finds out the plugin of a stream and what is around its messages. What is no
// text of the two plugins is left to package stream.
func (s *source) sniff() string {
	for {
		b, _ := s.r.Peek(frameBytes)
		if len(b) == 0 {
			return Pgoutput
		}
		line, _, _ := bytes.Cut(b, []byte{'\n'})
		if around(bytes.TrimSpace(line)) {
			s.skipLine()
			continue
		}
		text := bytes.TrimSpace(line)
		for _, s.frame = range []frame{frameUnaligned, frameAligned, frameNone} {
			if n, _, _ := s.fields(line); n > 0 && s.frame != frameNone {
				text = bytes.TrimSpace(line[n:])
				break
			}
		}
		switch {
		case startsWal2JSON(text):
			return Wal2JSON
		case startsTestDecoding(text):
			return TestDecoding
		}
		return Pgoutput
	}
}

// startsWal2JSON says whether a line may be wal2json's. No message of pgoutput begins
// so.
func startsWal2JSON(line []byte) bool {
	return bytes.HasPrefix(line, []byte("{")) || bytes.HasPrefix(line, []byte(`,{"`)) || string(line) == "]}"
}

// Plugin is the plugin whose stream it is.
func (c *Reader) Plugin() string { return c.plugin }

// Warnings are what the text did not tell, as far as it was read.
func (c *Reader) Warnings() []string { return c.warnings }

// warn notes a doubt, once.
func (c *Reader) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !c.warned[text] {
		c.warned[text] = true
		c.warnings = append(c.warnings, text)
	}
}

// Next reads the next message into m, as stream.Reader does. At the end it returns
// io.EOF, else an *Error or a *stream.Error, and then the same again.
func (c *Reader) Next(m *stream.Message) error {
	if c.raw != nil {
		return c.raw.Next(m)
	}
	for c.taken == len(c.out) {
		if c.err != nil {
			return c.err
		}
		c.out, c.taken, c.at = c.out[:0], 0, c.src.offset
		if c.err = c.read(); c.err == io.EOF {
			c.finish()
		}
	}
	*m = c.out[c.taken]
	c.taken++
	c.number++
	m.Number = c.number
	return nil
}

// finish notes what the end of the text leaves open.
func (c *Reader) finish() {
	if c.open && !c.begun {
		c.warn("line %d: the text ends within a transaction without changes", c.src.line)
	}
	if c.last > 0 && !c.timed {
		c.warn("no transaction has a time: nothing that depends on the clock happens between them")
	}
}

// emit hands out a message.
func (c *Reader) emit(m stream.Message) {
	m.LSN, m.LineXid, m.Offset = c.src.lsn, c.xid, c.at
	var err error
	if c.encoded, err = stream.AppendMessage(c.encoded[:0], &m); err == nil {
		m.Size = len(c.encoded)
	}
	c.out = append(c.out, m)
}

// begin begins a transaction. What is 0 is not known.
func (c *Reader) begin(xid uint32, lsn stream.LSN) error {
	if c.open {
		return c.src.fail("found the begin of a transaction within another one, expected its commit before it")
	}
	if xid == 0 {
		xid = c.src.xid
	}
	if xid == 0 {
		xid = max(c.xid+1, firstXID)
	}
	if lsn == 0 {
		lsn = c.src.lsn
	}
	c.xid, c.open, c.begun = xid, true, false
	c.final = max(lsn, c.last+1)
	return nil
}

// firstXID is FirstNormalTransactionId. Source: REL_18_1, src/include/access/transam.h.
const firstXID = 3

// within says that a change is in a transaction: if none has begun, it began before the
// capture did.
func (c *Reader) within() error {
	if !c.open {
		c.warn("line %d: the capture begins within a transaction: its changes before that are missing", c.src.line)
		if err := c.begin(0, 0); err != nil {
			return err
		}
	}
	if !c.begun {
		c.begun = true
		c.emit(stream.Message{Kind: stream.KindBegin, TxLSN: c.final, Time: c.time, Xid: c.xid})
	}
	return nil
}

// commit ends a transaction. One without changes is not handed out, as pgoutput sends
// none.
func (c *Reader) commit() {
	if !c.open {
		c.warn("line %d: the capture begins with the end of a transaction: its changes are missing", c.src.line)
		return
	}
	c.open = false
	if c.begun {
		c.emit(stream.Message{Kind: stream.KindCommit, TxLSN: c.final, EndLSN: c.final + 1, Time: c.time})
		c.last = c.final + 1
	}
}

// setTime takes a transaction's time as text.
func (c *Reader) setTime(text []byte) error {
	v, scratch, err := pgtype.Lookup("timestamptz").Input(text, -1, c.scratch[:0])
	if err != nil {
		return c.src.fail("expected a time such as 2026-01-01 00:00:00+00, found %q", text)
	}
	c.scratch = scratch
	c.time, c.timed = stream.Timestamp(v.Bits), true
	return nil
}

// relation hands out a table's description, if what is known of it has changed.
func (c *Reader) relation(x *table) {
	if !x.sent {
		x.sent = true
		c.emit(stream.Message{Kind: stream.KindRelation, Relation: x.relation})
	}
}

// change hands out a row change. old is nil if the text has no old row; nulls says that
// it has those of its columns that are NULL; always that an update has its key even if
// that did not change.
func (c *Reader) change(kind stream.Kind, schema, name string, row, old []value, nulls, always bool) error {
	x := c.tables.find(schema, name)
	row, old = c.published(x, row), c.published(x, old)
	if len(row) > maxColumns || len(old) > maxColumns {
		return c.src.fail("table %s: found %s, expected at most %d", quoted(schema, name), describe(max(len(row), len(old)), "column"), maxColumns)
	}
	if kind == stream.KindInsert && !x.lists(row) {
		// An insert has all columns, and in their order.
		x.change()
		x.relation.Columns, x.columns = nil, map[string]int{}
		x.keys, x.full, x.relation.Identity = nil, false, 'd'
		x.hinted()
	}
	if !c.tables.learn(x, row) || !c.tables.learn(x, old) {
		return c.src.fail("table %s: found a column twice", quoted(schema, name))
	}
	if len(x.relation.Columns) > maxColumns {
		return c.src.fail("table %s: found %s, expected at most %d", quoted(schema, name), describe(len(x.relation.Columns), "column"), maxColumns)
	}
	if kind == stream.KindDelete && len(old) == 0 {
		c.warn("table %s: deletes without an old row are left out: it has no replica identity", x.name())
		return nil
	}
	if kind == stream.KindUpdate && len(row) == 0 {
		return c.src.fail("table %s: found an update without columns", quoted(schema, name))
	}
	if len(old) > 0 {
		c.tables.identify(x, old, nulls)
	}
	if kind == stream.KindUpdate && len(row) < len(x.relation.Columns) {
		c.warn("table %s: columns that an update lacks are taken for out-of-line values that did not change", x.name())
	}
	if err := c.within(); err != nil {
		return err
	}
	c.relation(x)
	m := stream.Message{Kind: kind, RelationID: x.relation.ID}
	if kind != stream.KindDelete {
		m.New = c.tables.tuple(&c.newTuple, x, row, stream.ColumnUnchanged)
	}
	if kind != stream.KindInsert && len(old) > 0 {
		m.OldKind = stream.OldKey
		if x.full {
			m.OldKind = stream.OldRow
		}
		m.Old = c.tables.tuple(&c.oldTuple, x, old, stream.ColumnNull)
		if kind == stream.KindUpdate && always && !x.full && sameKey(m.Old, m.New) {
			m.OldKind, m.Old = stream.OldNone, nil
		}
	}
	c.emit(m)
	return nil
}

// published leaves out the columns that pgoutput does not send.
func (c *Reader) published(x *table, row []value) []value {
	if x.hint == nil || len(x.hint.Generated) == 0 {
		return row
	}
	return slices.DeleteFunc(row, func(v value) bool {
		if !slices.Contains(x.hint.Generated, v.name) {
			return false
		}
		c.warn("table %s: column %s is generated: left out, as pgoutput leaves it out", x.name(), v.name)
		return true
	})
}

// maxColumns is MaxTupleAttributeNumber's neighbour MaxHeapAttributeNumber. Source:
// REL_18_1, src/include/access/htup_details.h.
const maxColumns = 1600

// lists says whether a row has the columns that the table is known to have, in their
// order.
func (x *table) lists(row []value) bool {
	return slices.EqualFunc(row, x.relation.Columns, func(v value, c stream.RelationColumn) bool { return v.name == c.Name })
}

// sameKey says whether a key is that of the new row.
func sameKey(key, row stream.Tuple) bool {
	for i := range key {
		if key[i].Format == stream.ColumnText && (row[i].Format != stream.ColumnText || string(key[i].Data) != string(row[i].Data)) {
			return false
		}
	}
	return true
}

// truncate hands out a TRUNCATE.
func (c *Reader) truncate(list []*table, flags uint8) error {
	if err := c.within(); err != nil {
		return err
	}
	m := stream.Message{Kind: stream.KindTruncate, Flags: flags}
	for _, x := range list {
		if len(x.relation.Columns) == 0 {
			c.warn("table %s: its columns are not known when it is truncated", x.name())
		}
		c.relation(x)
		m.RelationIDs = append(m.RelationIDs, x.relation.ID)
	}
	c.emit(m)
	return nil
}

// message hands out a logical message.
func (c *Reader) message(transactional bool, prefix, content []byte) error {
	m := stream.Message{Kind: stream.KindMessage, Prefix: prefix, Content: content, TxLSN: max(c.src.lsn, c.last+1)}
	if bytes.IndexByte(prefix, 0) >= 0 {
		return c.src.fail("found a zero byte in a message's prefix")
	}
	if transactional {
		m.Flags = stream.MessageTransactional
		if err := c.within(); err != nil {
			return err
		}
	}
	c.emit(m)
	return nil
}

// checkName says what is wrong with a name.
func (c *Reader) checkName(what, name string) error {
	if name == "" || strings.IndexByte(name, 0) >= 0 || len(name) > maxName {
		return c.src.fail("expected the name of a %s, found %.80q", what, name)
	}
	return nil
}

// maxName is longer than any name that a server has.
const maxName = 1 << 10
