package observed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Error is what is wrong with a file of statistics.
type Error struct {
	File string
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// Read reads a file that has one sample or several: JSON documents one after the other, or
// in an array. psql's headings around them (without -At) are passed over. Several give
// what came between the first and the last (see Since). file is its name, for errors.
func Read(r io.Reader, file string) (*Stats, error) {
	samples, err := ReadSamples(r, file)
	if err != nil {
		return nil, err
	}
	return Combine(samples)
}

// ReadSamples reads the samples of a file, in the order of their time.
func ReadSamples(r io.Reader, file string) ([]*Stats, error) {
	doc, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(doc, []byte{0xff, 0xfe}) || bytes.HasPrefix(doc, []byte{0xfe, 0xff}) {
		return nil, &Error{file, 1, "found UTF-16, expected UTF-8: the JSON of applysim init --query"}
	}
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	var samples []*Stats
	at := 0
	fail := func(offset int, format string, args ...any) error {
		offset = min(max(offset, 0), len(doc))
		return &Error{file, 1 + bytes.Count(doc[:offset], []byte("\n")), fmt.Sprintf(format, args...)}
	}
	for at < len(doc) {
		start := documentStart(doc[at:])
		if start < 0 {
			break
		}
		at += start
		d := json.NewDecoder(bytes.NewReader(doc[at:]))
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			offset := len(doc)
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				offset = at + int(syntax.Offset)
			}
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, fail(offset, "the JSON ends too early: expected all of the output of applysim init --query")
			}
			return nil, fail(offset, "found broken JSON (%v), expected the output of applysim init --query", err)
		}
		list := []json.RawMessage{raw}
		if raw[0] == '[' {
			list = nil
			if err := json.Unmarshal(raw, &list); err != nil {
				return nil, fail(at, "%v", err)
			}
		}
		for _, one := range list {
			s := &Stats{File: file}
			if err := json.Unmarshal(one, s); err != nil {
				var typ *json.UnmarshalTypeError
				offset := at
				if errors.As(err, &typ) {
					offset += bytes.Index(raw, one) + int(typ.Offset)
					return nil, fail(offset, "%s: found a JSON %s, expected %s", typ.Field, typ.Value, expectedType(typ.Type.String()))
				}
				// Only times have a reader of their own.
				return nil, fail(offset, "%s: expected times such as \"2026-12-01T03:27:14+00:00\"", strings.TrimPrefix(err.Error(), "Time.UnmarshalJSON: "))
			}
			switch {
			case s.Version == 0:
				return nil, fail(at, "found JSON without \"applysim_stats\", expected the output of applysim init --query")
			case s.Version != Version:
				return nil, fail(at, "applysim_stats: found version %d, expected %d", s.Version, Version)
			case s.Taken.IsZero():
				return nil, fail(at, "found no \"taken\", expected the time of the sample")
			}
			s.tidy()
			samples = append(samples, s)
		}
		at += int(d.InputOffset())
	}
	if len(samples) == 0 {
		return nil, fail(0, "found no JSON, expected the output of applysim init --query")
	}
	slices.SortStableFunc(samples, func(a, b *Stats) int { return a.Taken.Compare(b.Taken) })
	return samples, nil
}

// tidy takes nulls out of the lists.
func (s *Stats) tidy() {
	s.Tables = slices.DeleteFunc(s.Tables, func(t *Table) bool { return t == nil })
	for _, t := range s.Tables {
		t.Columns = slices.DeleteFunc(t.Columns, func(c *Column) bool { return c == nil })
		t.Indexes = slices.DeleteFunc(t.Indexes, func(x *Index) bool { return x == nil })
		for _, c := range t.Columns {
			if len(c.Values) != len(c.Freqs) {
				c.Values, c.Freqs = nil, nil
			}
		}
	}
}

// documentStart finds the first line that begins with a document, after blanks.
func documentStart(b []byte) int {
	at := 0
	for at < len(b) {
		line := b[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		trimmed := bytes.TrimLeft(line, " \t\r,")
		if len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
			return at + len(line) - len(trimmed)
		}
		at += len(line)
	}
	return -1
}

func expectedType(t string) string {
	switch {
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "*int"):
		return "a whole number"
	case strings.HasPrefix(t, "float"), strings.HasPrefix(t, "*float"):
		return "a number"
	case strings.HasPrefix(t, "[]"):
		return "an array"
	case t == "bool":
		return "true or false"
	case t == "string":
		return "a string"
	case strings.Contains(t, "time.Time"):
		return "a time"
	}
	return "an object"
}

// Combine makes one of several samples: the last one with what came since the first.
func Combine(samples []*Stats) (*Stats, error) {
	slices.SortStableFunc(samples, func(a, b *Stats) int { return a.Taken.Compare(b.Taken) })
	last := samples[len(samples)-1]
	last.index()
	if len(samples) == 1 {
		return last, nil
	}
	return last.since(samples[0])
}

func (s *Stats) index() {
	s.byName = map[string]*Table{}
	for _, t := range s.Tables {
		s.byName[t.QualifiedName()] = t
	}
}

// QualifiedName is the table's name as the program prints it: the schema is left out
// where it is public.
func (t *Table) QualifiedName() string {
	if t.Schema == "public" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}
