package capture

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"applysim/model/stream"
)

// Error is what is wrong with a text, at the line where it was found.
type Error struct {
	Line int
	Text string
	Err  error // the cause, where there is one
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// frame is what psql puts around the messages.
type frame uint8

const (
	frameNone      frame = iota // the messages alone
	frameUnaligned              // LSN|xid|message
	frameAligned                // columns with spaces around them
)

// source gives a text byte by byte, without its frame.
type source struct {
	r     *bufio.Reader
	frame frame
	line  int
	// lsn and xid are those before the message at hand, 0 if there are none.
	lsn stream.LSN
	xid uint32
	// start says that nothing of the line has been taken yet.
	start  bool
	offset int64 // of the next byte in the text
	err    error // why there is no more, io.EOF aside
}

// frameBytes is how far a line is looked at for its frame.
const frameBytes = 256

func newSource(r *bufio.Reader) *source { return &source{r: r, line: 1, start: true} }

// fail makes an error of the line at hand.
func (s *source) fail(format string, args ...any) error {
	if s.err != nil {
		return &Error{s.line, "reading the input: " + s.err.Error(), s.err}
	}
	return &Error{Line: s.line, Text: fmt.Sprintf(format, args...)}
}

// peek returns the next byte, false at the end.
func (s *source) peek() (byte, bool) {
	b, err := s.r.Peek(1)
	if err != nil {
		if err != io.EOF {
			s.err = err
		}
		return 0, false
	}
	return b[0], true
}

// next takes a byte.
func (s *source) next() (byte, bool) {
	c, ok := s.peek()
	if !ok {
		return 0, false
	}
	s.drop(1)
	if s.start = c == '\n'; s.start {
		s.line++
	}
	return c, true
}

// drop passes over bytes that were looked at.
func (s *source) drop(n int) {
	s.r.Discard(n)
	s.offset += int64(n)
}

// takes takes a text if it comes next, within a line.
func (s *source) takes(text string) bool {
	b, _ := s.r.Peek(len(text))
	if string(b) != text {
		return false
	}
	s.drop(len(text))
	s.start = false
	return true
}

// unframe takes what psql has put before the text of a line.
func (s *source) unframe() {
	if !s.start || s.frame == frameNone {
		return
	}
	b, _ := s.r.Peek(frameBytes)
	if n, lsn, xid := s.fields(b); n > 0 {
		s.drop(n)
		s.start = false
		if lsn != 0 {
			s.lsn, s.xid = lsn, xid
		}
	}
}

// fields returns how long the frame at the start of a line is, and what is in it: an
// LSN and an id, or nothing where a message of psql's goes on.
func (s *source) fields(b []byte) (n int, lsn stream.LSN, xid uint32) {
	spaces := func() {
		for s.frame == frameAligned && n < len(b) && b[n] == ' ' {
			n++
		}
	}
	separator := func() bool {
		if n < len(b) && (b[n] == '|' || b[n] == '\t' && s.frame == frameUnaligned) {
			n++
			return true
		}
		return false
	}
	spaces()
	if s.frame == frameAligned && separator() {
		spaces()
		if !separator() {
			return 0, 0, 0
		}
		return afterSpace(b, n), 0, 0
	}
	end := n
	for end < len(b) && (isHex(b[end]) || b[end] == '/') {
		end++
	}
	lsn, ok := parseLSN(b[n:end])
	if !ok {
		return 0, 0, 0
	}
	n = end
	spaces()
	if !separator() {
		return 0, 0, 0
	}
	spaces()
	end = n
	for end < len(b) && b[end] >= '0' && b[end] <= '9' {
		end++
	}
	id, err := strconv.ParseUint(string(b[n:end]), 10, 32)
	if err != nil {
		return 0, 0, 0
	}
	n = end
	spaces()
	if !separator() {
		return 0, 0, 0
	}
	if s.frame == frameAligned {
		n = afterSpace(b, n)
	}
	return n, lsn, uint32(id)
}

func afterSpace(b []byte, n int) int {
	if n < len(b) && b[n] == ' ' {
		n++
	}
	return n
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f'
}

// parseLSN reads 0/196FD20.
func parseLSN(b []byte) (stream.LSN, bool) {
	high, low, ok := bytes.Cut(b, []byte{'/'})
	if !ok {
		return 0, false
	}
	h, err1 := strconv.ParseUint(string(high), 16, 32)
	l, err2 := strconv.ParseUint(string(low), 16, 32)
	return stream.LSN(h<<32 | l), err1 == nil && err2 == nil
}

// message goes to the start of the next message, over empty lines and what psql prints
// above and below. It returns false at the end.
func (s *source) message() bool {
	for {
		if s.start {
			b, _ := s.r.Peek(frameBytes)
			line, _, _ := bytes.Cut(b, []byte{'\n'})
			if around(bytes.TrimSpace(line)) {
				s.skipLine()
				if _, ok := s.peek(); !ok {
					return false
				}
				continue
			}
			s.unframe()
		}
		c, ok := s.peek()
		switch {
		case !ok:
			return false
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			s.next()
		default:
			return true
		}
	}
}

// around says whether a line is one that psql prints around a table's rows.
func around(line []byte) bool {
	if len(line) == 0 {
		return true
	}
	if line[0] == '(' {
		n := bytes.TrimRight(bytes.TrimSuffix(line[1:], []byte{')'}), "s")
		number, ok := bytes.CutSuffix(n, []byte(" row"))
		_, err := strconv.ParseUint(string(number), 10, 64)
		return ok && err == nil
	}
	if len(bytes.Trim(line, "-+")) == 0 {
		return true
	}
	// Of a long heading only the beginning is looked at.
	heading := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '|' || r == '\t' })
	return len(heading) > 1 && string(heading[0]) == "lsn" && string(heading[1]) == "xid" || len(heading) == 1 && string(heading[0]) == "data"
}

// skipLine takes the rest of a line.
func (s *source) skipLine() {
	for {
		if c, ok := s.next(); !ok || c == '\n' {
			return
		}
	}
}

// Where psql breaks a message's line, it writes this at the end of the column.
const goesOn = '+'

// brokenLine takes the end of a line that a text goes over: the text so far without
// psql's mark and padding, and the frame of the next line.
func (s *source) brokenLine(text []byte) []byte {
	if s.frame == frameAligned {
		if n := len(text); n > 0 && text[n-1] == goesOn {
			text = bytes.TrimRight(text[:n-1], " ")
		}
		s.unframe()
	}
	return append(text, '\n')
}
