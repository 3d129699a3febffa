package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// statement is one SQL statement, or one psql meta-command, of a script.
type statement struct {
	src  string // from the first token to the last
	toks []token
	file string
	line int // of the first token

	match []int32 // for "(" the index of its ")"; made by prepare
}

// scanner cuts a script into statements. It holds no more than one statement
// at a time, so the data of a dump (COPY blocks) does not fill the memory.
type scanner struct {
	r    io.Reader
	file string
	buf  []byte
	pos  int // where the next statement is looked for
	line int // line number of buf[pos]
	eof  bool
	toks []token
	dump bool // the header comment of pg_dump was seen
}

func newScanner(r io.Reader, file string) *scanner {
	return &scanner{r: r, file: file, line: 1}
}

// fill reads more of the script behind what is buffered, after dropping what
// was consumed. At the end of the script it sets eof.
func (s *scanner) fill() error {
	if s.pos > 0 {
		n := copy(s.buf, s.buf[s.pos:])
		s.buf = s.buf[:n]
		s.pos = 0
	}
	if cap(s.buf)-len(s.buf) < cap(s.buf)/2+4096 {
		grown := make([]byte, len(s.buf), 2*cap(s.buf)+64<<10)
		copy(grown, s.buf)
		s.buf = grown
	}
	for idle := 0; len(s.buf) < cap(s.buf); {
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if err == io.EOF {
			s.eof = true
			return nil
		}
		if err != nil {
			return err
		}
		if idle++; n > 0 {
			idle = 0
		}
		if idle == 100 {
			return io.ErrNoProgress
		}
	}
	return nil
}

// advance moves to pos in the buffer and keeps the line number.
func (s *scanner) advance(pos int) {
	s.line += bytes.Count(s.buf[s.pos:pos], []byte{'\n'})
	s.pos = pos
}

// skipByteOrderMark drops what some editors put first.
func (s *scanner) skipByteOrderMark() {
	if bytes.HasPrefix(s.buf[s.pos:], []byte("\ufeff")) {
		s.pos += 3
	}
}

// next returns the next statement; io.EOF after the last. The statement is
// valid until the following call.
func (s *scanner) next() (*statement, error) {
	for {
		st, err := s.scan()
		if err != errMore {
			return st, err
		}
		if err := s.fill(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", s.file, s.line, err)
		}
	}
}

// errMore says that the statement runs over the end of the buffer.
var errMore = errors.New("more input needed")

// scan looks for one whole statement in the buffer.
func (s *scanner) scan() (*statement, error) {
	if len(s.buf) == 0 && !s.eof {
		return nil, errMore
	}
	s.skipByteOrderMark()
	toks := s.toks[:0]
	defer func() { s.toks = toks[:0] }()
	pos := s.pos
	depth := 0  // of parentheses
	open := 0   // where the outermost one stands
	atomic := 0 // depth of BEGIN ATOMIC ... CASE ... END
	for {
		t, next, ok := lexOne(s.buf, pos)
		if !s.eof && (!ok || next == len(s.buf)) {
			return nil, errMore // even a whole token may go on in what is not read yet
		}
		if !ok {
			s.advance(int(t.start))
			return nil, fmt.Errorf("%s:%d: found the end of the script, expected the end of %s that starts here", s.file, s.line, unterminated(s.buf[t.start:]))
		}
		if len(toks) == 0 {
			if !s.dump && s.line < 10 {
				s.dump = bytes.Contains(s.buf[s.pos:t.start], []byte("-- PostgreSQL database dump"))
			}
			if t.kind == tokEOF {
				return nil, io.EOF
			}
			s.advance(int(t.start))
		}
		switch t.kind {
		case tokEOF:
			if depth > 0 {
				s.advance(open)
				return nil, fmt.Errorf(`%s:%d: found the end of the script, expected ")" for the "(" here`, s.file, s.line)
			}
			return s.statement(toks, int(t.start)), nil
		case tokMeta:
			if len(toks) == 0 {
				toks = append(toks, t)
				return s.statement(toks, next), nil
			}
			// \g and its like end the statement as a semicolon does; any other
			// command within one (\echo, say) is passed over.
			if cmd := s.buf[t.start+1 : t.end]; bytes.HasPrefix(cmd, []byte("g")) || bytes.HasPrefix(cmd, []byte(";")) || bytes.HasPrefix(cmd, []byte("crosstabview")) {
				return s.statement(toks, next), nil
			}
			pos = next
			continue
		case tokPunct:
			switch s.buf[t.start] {
			case '(':
				if depth == 0 {
					open = int(t.start)
				}
				depth++
			case ')':
				depth = max(0, depth-1)
			case ';':
				if depth == 0 && atomic == 0 {
					if len(toks) == 0 {
						s.advance(next)
						pos = next
						continue
					}
					return s.statement(toks, next), nil
				}
			}
		case tokIdent:
			// Within a routine's BEGIN ATOMIC body semicolons do not end the
			// statement; CASE has an END of its own there.
			if w := s.buf[t.start:t.end]; len(w) >= 3 && len(w) <= 6 {
				switch {
				case atomic == 0 && len(w) == 6 && asciiEqual(w, "atomic"):
					if n := len(toks); n > 0 && s.isRoutine(toks) && asciiEqual(s.buf[toks[n-1].start:toks[n-1].end], "begin") {
						atomic = 1
					}
				case atomic > 0 && asciiEqual(w, "case"):
					atomic++
				case atomic > 0 && asciiEqual(w, "end"):
					atomic--
				}
			}
		}
		toks = append(toks, t)
		pos = next
	}
}

// isRoutine reports whether the tokens start CREATE [OR REPLACE] FUNCTION or
// PROCEDURE, the only statements with a BEGIN ATOMIC body.
func (s *scanner) isRoutine(toks []token) bool {
	for _, t := range toks[:min(4, len(toks))] {
		if w := s.buf[t.start:t.end]; asciiEqual(w, "function") || asciiEqual(w, "procedure") {
			return true
		}
	}
	return false
}

func asciiEqual(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, c := range b {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}

func unterminated(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("/*")):
		return "the comment"
	case b[0] == '"' || len(b) > 2 && b[2] == '"':
		return "the quoted identifier"
	case b[0] == '$':
		return "the dollar-quoted string"
	}
	return "the string"
}

// statement takes the tokens out of the buffer: their offsets become
// relative to the statement's own text. The buffer is advanced to next.
func (s *scanner) statement(toks []token, next int) *statement {
	base := toks[0].start
	end := toks[len(toks)-1].end
	st := &statement{src: string(s.buf[base:end]), file: s.file, line: s.line}
	for i := range toks {
		toks[i].start -= base
		toks[i].end -= base
	}
	st.toks = toks
	s.advance(next)
	return st
}

// skipCopyData passes over the lines of a COPY ... FROM stdin block, up to
// the line that says \.
func (s *scanner) skipCopyData() error {
	// The data starts on the line after the statement.
	first := true
	for {
		i := bytes.IndexByte(s.buf[s.pos:], '\n')
		if i < 0 && !s.eof {
			if err := s.fill(); err != nil {
				return fmt.Errorf("%s:%d: %w", s.file, s.line, err)
			}
			continue
		}
		end := s.pos + i + 1
		if i < 0 {
			end = len(s.buf)
		}
		line := strings.TrimRight(string(s.buf[s.pos:min(end, s.pos+4)]), "\r\n")
		s.advance(end)
		if !first && line == `\.` || i < 0 {
			return nil // a block that the file's end cuts off is taken to be whole
		}
		first = false
	}
}

// prepare fills in the texts of the tokens and adds the end marker. It is
// not done for statements that are passed over.
func (st *statement) prepare() {
	w := 0
	for i := 0; i < len(st.toks); i++ {
		t := st.toks[i]
		switch t.kind {
		case tokUnicode:
			escape := byte('\\')
			if i+2 < len(st.toks) && st.toks[i+1].kind == tokIdent && st.toks[i+2].kind == tokString && foldIdent(st.raw(st.toks[i+1])) == "uescape" {
				if e := stringValue(st.raw(st.toks[i+2])); len(e) == 1 {
					escape = e[0]
				}
				i += 2
			}
			raw := st.raw(t)
			t.text = unicodeValue(raw, escape)
			t.kind = tokString
			if raw[2] == '"' {
				t.kind = tokQuoted
				t.text = clip(t.text, maxIdent)
			}
			t.end = st.toks[i].end
		default:
			t.text = tokenText(st.src, t)
		}
		st.toks[w] = t
		w++
	}
	st.toks = append(st.toks[:w], token{kind: tokEOF, start: int32(len(st.src)), end: int32(len(st.src))})
	st.pair()
}

// pair finds the closing parenthesis of each opening one; of one that has
// none, the end marker.
func (st *statement) pair() {
	st.match = make([]int32, len(st.toks))
	var open []int32
	for i, t := range st.toks {
		if t.kind != tokPunct {
			continue
		}
		switch t.text {
		case "(":
			st.match[i] = int32(len(st.toks) - 1)
			open = append(open, int32(i))
		case ")":
			if n := len(open); n > 0 {
				st.match[open[n-1]] = int32(i)
				open = open[:n-1]
			}
		}
	}
}

func (st *statement) raw(t token) string { return st.src[t.start:t.end] }

// lineOf gives the line in the file of a token.
func (st *statement) lineOf(t token) int {
	return st.line + strings.Count(st.src[:min(int(t.start), len(st.src))], "\n")
}
