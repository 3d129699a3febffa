package stream

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// Options are the settings of a Reader.
type Options struct {
	// Container is what the input holds, gzip aside; Auto finds out.
	Container Container
	// BufferBytes is the size of the window through which the input is read.
	BufferBytes int
}

// DefaultOptions has what suits any input: Auto and a window of 256 KiB, which
// stays within a core's second-level cache.
func DefaultOptions() Options { return Options{Container: Auto, BufferBytes: 64 << 10} }

// Validate says what is wrong with the options.
func (o Options) Validate() error {
	if o.Container > Hex {
		return fmt.Errorf("stream: Container: expected auto, raw, lines or hex, found %d", o.Container)
	}
	if o.BufferBytes < sniffBytes {
		return fmt.Errorf("stream: BufferBytes: expected at least %d, found %d", sniffBytes, o.BufferBytes)
	}
	return nil
}

// Reader reads messages from an input. It reads no further than it must: a
// message is handed out as soon as it and what frames it have arrived.
type Reader struct {
	src       io.Reader
	dec       Decoder
	container Container
	gzipped   bool
	window    int // bytes of the window while no message is larger

	buf      []byte // buf[pos:end] is what was read and not yet handed out
	pos, end int
	base     int64 // offset of buf[0] in the input
	readErr  error // why no more can be read: io.EOF or the source's error

	msg []byte // lines and hex: the message's bytes
	err error  // what Next keeps returning
}

// NewReader returns a Reader of r. It reads the first bytes to find out what r
// holds; the error is about the options or an *Error.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	d := &Reader{src: r, container: o.Container, window: o.BufferBytes, buf: make([]byte, o.BufferBytes)}
	for d.end < len(gzipMagic) && d.fill(0) {
	}
	if bytes.HasPrefix(d.buf[:d.end], gzipMagic) {
		// What was read is read again, through gzip.
		head := bytes.Clone(d.buf[:d.end])
		rest := r
		if d.readErr != nil {
			rest = failingReader{d.readErr}
		}
		z, err := gzip.NewReader(io.MultiReader(bytes.NewReader(head), rest))
		if err != nil {
			return nil, d.fail("reading the gzip header: "+unexpected(err).Error(), err)
		}
		d.src, d.gzipped, d.end, d.readErr = z, true, 0, nil
	}
	for d.container == Auto {
		c, wrong := sniff(d.buf[:d.end], d.readErr != nil)
		if wrong != "" {
			return nil, d.fail(wrong, nil)
		}
		if d.container = c; c == Auto {
			d.fill(0)
		}
	}
	return d, nil
}

// failingReader hands on the error that the source gave with its last bytes.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// Container returns what the input holds.
func (d *Reader) Container() Container { return d.container }

// Gzipped says whether the input is compressed.
func (d *Reader) Gzipped() bool { return d.gzipped }

// Next reads the next message into m. At the end of the input it returns
// io.EOF, else an *Error, and then the same again.
func (d *Reader) Next(m *Message) error {
	if d.err != nil {
		return d.err
	}
	if d.container == Raw {
		// The common case: the message and its newline are in the window.
		b := d.buf[d.pos:d.end]
		if n := d.dec.decode(b, m, false); n > 0 && n < len(b) && b[n] == '\n' {
			m.Offset, m.LSN, m.LineXid = d.base+int64(d.pos), 0, 0
			d.pos += n + 1
			return nil
		} else if n > 0 {
			return d.rawEnd(n, m)
		} else if n < 0 {
			return d.fail(d.dec.failure(b), nil)
		}
		return d.nextRaw(m)
	}
	return d.nextLine(m)
}

// nextRaw reads a message that is not in the window as a whole.
func (d *Reader) nextRaw(m *Message) error {
	for {
		// Each round has all the bytes that the last one asked for, or as many
		// as there are.
		for need := d.dec.need; d.end-d.pos < need; {
			if need > maxMessageBytes {
				return d.fail(fmt.Sprintf("expected a message of less than 1 GB, found one of at least %d bytes", need), nil)
			}
			if !d.fill(need) {
				return d.rawAtEnd(m)
			}
		}
		b := d.buf[d.pos:d.end]
		switch n := d.dec.decode(b, m, false); {
		case n > 0:
			return d.rawEnd(n, m)
		case n < 0:
			return d.fail(d.dec.failure(b), nil)
		}
	}
}

// rawAtEnd handles what is left of the input when it is too short for nextRaw.
func (d *Reader) rawAtEnd(m *Message) error {
	b := d.buf[d.pos:d.end]
	if d.readErr != io.EOF {
		return d.failRead()
	}
	if len(b) == 0 {
		d.err = io.EOF
		return io.EOF
	}
	// The one message that can be complete here is a short stream abort: with
	// more to come, it would be told from a long one by what follows.
	if Kind(b[0]) == KindStreamAbort && len(b) == abortShortBytes+1 && b[abortShortBytes] == '\n' {
		b = b[:abortShortBytes]
	}
	if n := d.dec.decode(b, m, true); n > 0 {
		return d.rawEnd(n, m)
	}
	return d.fail(d.dec.failure(b), nil)
}

// rawEnd ends the message of n bytes at d.pos: a newline must follow.
func (d *Reader) rawEnd(n int, m *Message) error {
	for d.pos+n >= d.end {
		if !d.fill(n + 1) {
			d.dec.number--
			if d.readErr != io.EOF {
				return d.failRead()
			}
			return d.fail(fmt.Sprintf("expected a newline after %s of %d bytes, found the end of the input", m.Kind, n), nil)
		}
		// Filling moved or replaced the bytes that m refers to.
		d.dec.again(d.buf[d.pos:d.pos+n], m)
	}
	if c := d.buf[d.pos+n]; c != '\n' {
		d.dec.number--
		return d.fail(fmt.Sprintf("expected a newline after %s of %d bytes, found %q", m.Kind, n, c), nil)
	}
	m.Offset, m.LSN, m.LineXid = d.base+int64(d.pos), 0, 0
	d.pos += n + 1
	return nil
}

// again decodes a message a second time, after its bytes were moved.
func (d *Decoder) again(b []byte, m *Message) {
	d.number--
	switch Kind(b[0]) {
	case KindStreamStart:
		d.streamed = false
	case KindStreamStop:
		d.streamed = true
	}
	d.decode(b, m, true)
}

// nextLine reads a message from a line of hex.
func (d *Reader) nextLine(m *Message) error {
	// Empty lines have no message. A line that begins must have its fields
	// before the hex within the window's smallest size.
	for {
		for d.pos < d.end && (d.buf[d.pos] == '\n' || d.buf[d.pos] == '\r') {
			d.pos++
		}
		if d.pos < d.end {
			break
		}
		if !d.fill(0) {
			if d.readErr != io.EOF {
				return d.failRead()
			}
			d.err = io.EOF
			return io.EOF
		}
	}
	offset := d.base + int64(d.pos)
	for d.end-d.pos < sniffBytes && bytes.IndexByte(d.buf[d.pos:d.end], '\n') < 0 {
		if !d.fill(0) {
			break
		}
	}
	var lsn LSN
	var xid uint32
	if d.container == Lines {
		n, wrong := lineFields(d.buf[d.pos:min(d.pos+sniffBytes, d.end)], &lsn, &xid)
		if wrong != "" {
			return d.fail(wrong, nil)
		}
		d.pos += n
	}
	// bytea's prefix, also as COPY writes it.
	for d.pos < d.end && d.buf[d.pos] == '\\' {
		d.pos++
		if d.pos < d.end && d.buf[d.pos] == 'x' {
			d.pos++
			break
		}
	}
	if wrong := d.readHex(m); wrong != "" {
		if wrong == readFailed {
			return d.failAt(offset, "reading the input: "+unexpected(d.readErr).Error(), d.readErr)
		}
		return d.failAt(offset, wrong, nil)
	}
	if d.dec.decode(d.msg, m, true) <= 0 {
		return d.failAt(offset, d.dec.failure(d.msg), nil)
	}
	m.Offset, m.LSN, m.LineXid = offset, lsn, xid
	return nil
}

// readFailed is what readHex returns when the source failed.
const readFailed = "read failed"

// readHex decodes hex up to the end of the line into d.msg and returns what is
// wrong with it. A line that does not fit into the window is decoded piece by
// piece, so that only the message itself is ever held in full.
func (d *Reader) readHex(m *Message) string {
	d.msg = d.msg[:0]
	for {
		b := d.buf[d.pos:d.end]
		n := bytes.IndexByte(b, '\n')
		ends := n >= 0 || d.readErr != nil
		if n >= 0 {
			b = b[:n]
		}
		if ends && d.readErr != nil && n < 0 && d.readErr != io.EOF {
			return readFailed
		}
		line := len(b)
		if ends && line > 0 && b[line-1] == '\r' {
			b = b[:line-1]
		}
		if ends && len(b)%2 != 0 {
			if i := notHex(b); i < 0 {
				return fmt.Sprintf("expected an even number of hex digits, found %d", 2*len(d.msg)+len(b))
			}
		}
		pairs := len(b) / 2
		have := len(d.msg)
		if cap(d.msg) < have+pairs {
			if wrong := d.growMessage(have+pairs, m); wrong != "" {
				return wrong
			}
		}
		d.msg = d.msg[:have+pairs]
		if !decodeHex(d.msg[have:], b) || ends && len(b)%2 != 0 {
			i := notHex(b)
			return fmt.Sprintf("expected a hex digit, found %q", b[i])
		}
		if ends {
			d.pos += line
			return ""
		}
		d.pos += 2 * pairs
		d.fill(0)
	}
}

// notHex returns where b first is not hex, -1 if nowhere.
func notHex(b []byte) int {
	for i, c := range b {
		if hexNibble(c) < 0 {
			return i
		}
	}
	return -1
}

// growMessage makes room for size bytes in d.msg. Before it grows beyond the
// window it has a look at the message: it may be wrong, or say how long it is.
func (d *Reader) growMessage(size int, m *Message) string {
	if size > maxMessageBytes {
		return fmt.Sprintf("expected a message of less than 1 GB, found one of at least %d bytes", size)
	}
	need := 0
	if len(d.msg) >= d.window {
		switch n := d.dec.decode(d.msg, m, false); {
		case n > 0:
			// Only a long stream abort may go on after what looks complete,
			// and it does not get here.
			d.dec.number--
			return fmt.Sprintf("expected the end of %s after %d bytes, found at least %d more", m.Kind, n, size-n)
		case n < 0:
			return d.dec.failure(d.msg)
		}
		need = d.dec.need
	}
	grown := make([]byte, len(d.msg), max(size, grownSize(cap(d.msg), need, d.window)))
	copy(grown, d.msg)
	d.msg = grown
	return ""
}

// grownSize is the next size of a full buffer whose message is known to have
// need bytes at least. A length field that lies cannot take more than four
// times what has arrived; and for one value of 1 GB the buffers before the last
// come to a third of it. Where the message is only known to be a little larger,
// more columns will follow: a quarter more keeps the copying in proportion.
func grownSize(size, need, window int) int {
	switch {
	case need <= size:
		return max(4*size, window)
	case need < 2*size:
		return need + need/4 + window
	}
	return min(4*size, need+window)
}

// fill reads more into the window, once, and says whether anything came. It
// moves what is left to the window's start and enlarges the window only when a
// message fills it; need is how many bytes that message is known to have.
func (d *Reader) fill(need int) bool {
	if d.readErr != nil {
		return false
	}
	left := d.end - d.pos
	switch {
	case d.pos == 0 && d.end == len(d.buf):
		d.move(make([]byte, grownSize(len(d.buf), need+1, d.window)))
	case len(d.buf) > largeWindows*d.window && left < d.window/2 && need < d.window/2:
		d.move(make([]byte, d.window)) // a huge message is past
	case left == 0 || d.end == len(d.buf):
		d.move(d.buf)
	}
	// A reader may return nothing and no error; but not for ever.
	for range 100 {
		n, err := d.src.Read(d.buf[d.end:])
		if n < 0 || n > len(d.buf)-d.end {
			n, err = 0, fmt.Errorf("stream: the input returned %d bytes for %d", n, len(d.buf)-d.end)
		}
		d.end += n
		d.readErr = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	d.readErr = io.ErrNoProgress
	return false
}

// largeWindows is how many times its usual size the window may stay: memory
// for a few large values is not worth giving back and taking again.
const largeWindows = 64

func (d *Reader) move(to []byte) {
	copy(to, d.buf[d.pos:d.end])
	d.base += int64(d.pos)
	d.buf, d.pos, d.end = to, 0, d.end-d.pos
}

// fail makes the error of the message at d.pos what Next returns from now on.
func (d *Reader) fail(text string, cause error) error {
	return d.failAt(d.base+int64(d.pos), text, cause)
}

func (d *Reader) failAt(offset int64, text string, cause error) error {
	d.err = &Error{Message: d.dec.number + 1, Offset: offset, Text: text, Err: cause}
	return d.err
}

func (d *Reader) failRead() error {
	return d.fail("reading the input: "+unexpected(d.readErr).Error(), d.readErr)
}

// unexpected makes the end of an input readable as a failure.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// lineFields reads LSN and xid at the start of a line and returns how many
// bytes they take, or what is wrong.
func lineFields(b []byte, lsn *LSN, xid *uint32) (int, string) {
	p := 0
	var half [2]uint64
	for i, end := range [2]byte{'/', '\t'} {
		start, v := p, uint64(0)
		for p < len(b) {
			n := hexNibbles[b[p]]
			if n < 0 {
				break
			}
			v = v<<4 | uint64(n)
			p++
		}
		if p == start || p-start > 8 || p == len(b) || b[p] != end && (i == 0 || !isFieldEnd(b[p])) {
			return 0, "expected an LSN such as 0/196FD20 and a tab at the start of the line"
		}
		half[i] = v
		p++
	}
	*lsn = LSN(half[0]<<32 | half[1])
	start := p
	value := uint64(0)
	for p < len(b) && b[p] >= '0' && b[p] <= '9' && p-start < 11 {
		value = value*10 + uint64(b[p]-'0')
		p++
	}
	if p == start || value > 0xffffffff || p == len(b) || !isFieldEnd(b[p]) {
		return 0, "expected an xid and a tab after the LSN"
	}
	*xid = uint32(value)
	return p + 1, ""
}
