package explain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"applysim/model/stream"
)

// mostShown is how many characters of a value are shown.
const mostShown = 60

// shown cuts a value that is long and makes it fit a line.
func shown(s string) string {
	if !utf8.ValidString(s) {
		s = fmt.Sprintf("%q", s)
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\u00b7'
		}
		return r
	}, s)
	if n := utf8.RuneCountInString(s); n > mostShown {
		r := []rune(s)
		return fmt.Sprintf("%s... (%d characters)", string(r[:mostShown-20]), n)
	}
	return s
}

// fields takes a change's message apart.
func fields(m *stream.Message, r *stream.Relation) []Field {
	f := &fieldList{}
	what := map[stream.Kind]string{stream.KindInsert: "insert", stream.KindUpdate: "update", stream.KindDelete: "delete", stream.KindTruncate: "truncate"}[m.Kind]
	f.add(1, "type of the message", fmt.Sprintf("%q: %s", byte(m.Kind), what))
	if m.Xid != 0 {
		f.add(4, "transaction, or subtransaction, on the publisher", strconv.Itoa(int(m.Xid)))
	}
	if m.Kind == stream.KindTruncate {
		f.add(4, "number of tables", strconv.Itoa(len(m.RelationIDs)))
		f.add(1, "flags", strconv.Itoa(int(m.Flags)))
		for _, id := range m.RelationIDs {
			f.add(4, "table, by the number that its relation message gave it", strconv.Itoa(int(id)))
		}
		return f.list
	}
	name := ""
	if r != nil {
		name = " (" + relationName(r) + ")"
	}
	f.add(4, "table, by the number that its relation message gave it", strconv.Itoa(int(m.RelationID))+name)
	switch m.OldKind {
	case stream.OldKey:
		f.tuple('K', "the old row's key follows", "old ", m.Old, r)
	case stream.OldRow:
		f.tuple('O', "the whole old row follows", "old ", m.Old, r)
	}
	if m.Kind != stream.KindDelete {
		f.tuple('N', "the new row follows", "", m.New, r)
	}
	return f.list
}

func relationName(r *stream.Relation) string {
	if r.Namespace == "" {
		return "pg_catalog." + r.Name
	}
	return r.Namespace + "." + r.Name
}

type fieldList struct {
	list []Field
	at   int
}

func (f *fieldList) add(bytes int, name, value string) {
	f.list = append(f.list, Field{f.at, bytes, name, value})
	f.at += bytes
}

func (f *fieldList) tuple(tag byte, what, prefix string, t stream.Tuple, r *stream.Relation) {
	f.add(1, what, fmt.Sprintf("%q", tag))
	f.add(2, "number of columns", strconv.Itoa(len(t)))
	for i, c := range t {
		name := fmt.Sprintf("column %d", i+1)
		if r != nil && i < len(r.Columns) {
			name = r.Columns[i].Name
		}
		name = prefix + name
		switch c.Format {
		case stream.ColumnNull:
			what := "'n': NULL"
			if prefix != "" && tag == stream.OldKey && r != nil && i < len(r.Columns) && !r.Columns[i].Key() {
				what = "'n': not part of the key"
			}
			f.add(1, name, what)
		case stream.ColumnUnchanged:
			f.add(1, name, "'u': stored out of line on the publisher and not changed, so not sent")
		case stream.ColumnBinary:
			f.add(5+len(c.Data), name, "'b', length, value in binary: "+hexText(c.Data))
		default:
			f.add(5+len(c.Data), name, "'t', length, value as text: "+shown(string(c.Data)))
		}
	}
}

func hexText(b []byte) string {
	if len(b) > 16 {
		return fmt.Sprintf("%x... (%d bytes)", b[:16], len(b))
	}
	return fmt.Sprintf("%x", b)
}
