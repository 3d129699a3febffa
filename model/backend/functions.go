package backend

// What a SELECT of functions writes: numbers drawn from sequences, logical messages.

import (
	"strings"

	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/expr"
	"applysim/model/schema"
)

// call is a call of a function in a SELECT's list.
type call struct {
	name string
	args [][]token
}

// writing are the functions that write to the WAL.
var writing = []string{"nextval", "setval", "pg_logical_emit_message"}

// calls are the calls of functions that write among a SELECT's expressions, and how often
// they are made; nil if there are none.
func (s *statement) calls() (list []call, times int64) {
	if !s.toks[0].is("select") {
		return nil, 0
	}
	for i := 0; i+1 < len(s.toks); i++ {
		if s.toks[i].kind == 'w' && s.toks[i].is(writing...) && s.toks[i+1].is("(") {
			list = append(list, call{s.toks[i].text, args(s.toks[i+2 : closing(s.toks, i+1)])})
		}
	}
	times = 1
	if from := find(s.toks, "from"); from < len(s.toks) {
		times = -1
		if r := readSeries(s.toks[from+1:]); r != nil {
			times = r.rows()
		}
	}
	return list, times
}

// args are the arguments of a call.
func args(toks []token) [][]token {
	if len(toks) == 0 {
		return nil
	}
	return list(toks)
}

// call carries out a SELECT of functions that write.
func (r *Runner) call(s *statement, calls []call, times int64) error {
	if times < 0 || s.valueless {
		return &apply.UnsupportedError{What: "a function that writes, called for rows of a table: " + s.text[:min(80, len(s.text))]}
	}
	if err := r.peek(); err != nil {
		return err
	}
	r.begin()
	if err := r.b.EndStatement(); err != nil {
		return err
	}
	r.lost = s.rolledBack
	defer func() { r.lost = false }()
	for range times {
		for _, c := range calls {
			if err := r.function(s, c); err != nil {
				return err
			}
		}
	}
	return r.ended()
}

func (r *Runner) function(s *statement, c call) error {
	unknown := &apply.UnsupportedError{What: "the arguments of " + c.name + " in " + s.text[:min(80, len(s.text))]}
	least := map[string]int{"nextval": 1, "setval": 2, "pg_logical_emit_message": 3}[c.name]
	if len(c.args) < least {
		return unknown
	}
	var values []datum.Value
	var types []string
	for i, a := range c.args {
		text := s.source(a)
		if i == 0 && c.name != "pg_logical_emit_message" {
			name, ok := unquote(a[0].text)
			if !ok {
				return unknown
			}
			values, types = append(values, datum.Value{Bytes: []byte(name)}), append(types, "")
			continue
		}
		e, err := expr.Compile(text, new(schema.Table), nil)
		if err != nil || e.Volatile() || len(e.Columns()) > 0 {
			return unknown
		}
		v, err := e.Eval(nil, new(expr.Scratch))
		if err != nil || v.Null {
			return unknown
		}
		if v.Form == datum.Compressed {
			v = datum.Decompress(&v)
		}
		values, types = append(values, v), append(types, e.Type().Name)
	}
	switch c.name {
	case "nextval":
		return r.b.Nextval(string(values[0].Bytes))
	case "setval":
		n := int64(int32(values[1].Bits))
		if types[1] == "int8" || types[1] == "bigint" {
			n = int64(values[1].Bits)
		}
		return r.b.Setval(string(values[0].Bytes), n, len(values) < 3 || values[2].Bits&1 != 0)
	}
	m := LogicalMessage{Transactional: values[0].Bits&1 != 0, Prefix: string(values[1].Bytes), Content: append([]byte(nil), values[2].Bytes...), RolledBack: s.rolledBack}
	if strings.Contains(m.Prefix, "\x00") {
		return unknown
	}
	r.b.EmitMessage(m.Transactional, len(m.Prefix), len(m.Content))
	if r.Emitted != nil {
		r.Emitted(m)
	}
	return nil
}

// LogicalMessage is what pg_logical_emit_message has written.
type LogicalMessage struct {
	Transactional, RolledBack bool
	Prefix                    string
	Content                   []byte
}
