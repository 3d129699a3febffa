package expr

// After json.c and jsonfuncs.c (REL_18_1, src/backend/utils/adt): a json value
// is text, which operators cut pieces out of.

import (
	"errors"
	"strconv"

	"applysim/heap/datum"
)

// jsonText walks over a document that its input function has checked.
type jsonText struct {
	b  []byte
	at int
}

func (j *jsonText) space() {
	for j.at < len(j.b) && isSpace(j.b[j.at]) {
		j.at++
	}
}

func (j *jsonText) peek() byte {
	j.space()
	if j.at < len(j.b) {
		return j.b[j.at]
	}
	return 0
}

// value passes over the next value and returns its text.
func (j *jsonText) value() []byte {
	j.space()
	start := j.at
	switch j.peek() {
	case '"':
		for j.at++; j.at < len(j.b) && j.b[j.at] != '"'; j.at++ {
			if j.b[j.at] == '\\' {
				j.at++
			}
		}
		j.at++
	case '{', '[':
		depth := 0
		for j.at < len(j.b) {
			switch j.b[j.at] {
			case '"':
				j.value()
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			j.at++
			if depth == 0 {
				break
			}
		}
	default:
		for j.at < len(j.b) && j.b[j.at] != ',' && j.b[j.at] != '}' && j.b[j.at] != ']' && !isSpace(j.b[j.at]) {
			j.at++
		}
	}
	j.at = min(j.at, len(j.b))
	return j.b[start:j.at]
}

// jsonMembers calls f for each member of an object (with its key as written)
// or array.
func jsonMembers(doc []byte, f func(i int, key, value []byte)) (open byte) {
	j := jsonText{b: doc}
	open = j.peek()
	if open != '{' && open != '[' {
		return open
	}
	j.at++
	for i := 0; j.at < len(j.b); i++ {
		if c := j.peek(); c == '}' || c == ']' || c == 0 {
			break
		}
		var key []byte
		if open == '{' {
			key = j.value()
			j.peek()
			j.at++ // the colon
		}
		f(i, key, j.value())
		if j.peek() == ',' {
			j.at++
		}
	}
	return open
}

// unescapeJSON gives a string's characters.
func unescapeJSON(quoted []byte) []byte {
	v, _, err := typeJsonb.Input(quoted, -1, nil)
	if err != nil {
		return nil
	}
	return jsonDoc(v.Bytes).scalar().data
}

func jsonAnswer(v []byte, asText bool) (datum.Value, error) {
	if v == nil {
		return null, nil
	}
	if asText {
		if string(v) == "null" {
			return null, nil
		}
		if v[0] == '"' {
			return datum.Value{Bytes: unescapeJSON(v)}, nil
		}
	}
	return datum.Value{Bytes: v}, nil
}

func jsonFind(doc, key []byte) (v []byte) {
	jsonMembers(doc, func(_ int, k, value []byte) {
		if k != nil && string(unescapeJSON(k)) == string(key) {
			v = value // the last one wins
		}
	})
	return v
}

func jsonAt(doc []byte, n int) (v []byte) {
	if n < 0 {
		count := 0
		jsonMembers(doc, func(int, []byte, []byte) { count++ })
		n += count
	}
	jsonMembers(doc, func(i int, k, value []byte) {
		if i == n && k == nil {
			v = value
		}
	})
	return v
}

func jsonField(asText bool) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return jsonAnswer(jsonFind(a[0].Bytes, a[1].Bytes), asText)
	}
}

func jsonElement(asText bool) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return jsonAnswer(jsonAt(a[0].Bytes, argInt(a[1])), asText)
	}
}

func jsonPath(asText bool) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		j := jsonText{b: a[0].Bytes}
		v := j.value()
		elements(a[1].Bytes, typeText, func(step datum.Value) bool {
			j := jsonText{b: v}
			switch {
			case step.Null:
				v = nil
			case j.peek() == '{':
				v = jsonFind(v, step.Bytes)
			case j.peek() == '[':
				n, err := strconv.ParseInt(string(step.Bytes), 10, 32)
				if err != nil {
					v = nil
				} else {
					v = jsonAt(v, int(n))
				}
			default:
				v = nil
			}
			return v != nil
		})
		return jsonAnswer(v, asText)
	}
}

var _ = register(map[string]impl{
	"json_object_field": jsonField(false), "json_object_field_text": jsonField(true),
	"json_array_element": jsonElement(false), "json_array_element_text": jsonElement(true),
	"json_extract_path": jsonPath(false), "json_extract_path_text": jsonPath(true),
	"json_array_length": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		n := 0
		switch jsonMembers(a[0].Bytes, func(int, []byte, []byte) { n++ }) {
		case '[':
			return intResult(n)
		case '{':
			return null, errors.New("cannot get array length of a non-array")
		}
		return null, errors.New("cannot get array length of a scalar")
	},
	"json_typeof": func(s *Scratch, a []datum.Value) (datum.Value, error) {
		j := jsonText{b: a[0].Bytes}
		switch c := j.peek(); c {
		case '{':
			return s.text("object"), nil
		case '[':
			return s.text("array"), nil
		case '"':
			return s.text("string"), nil
		case 't', 'f':
			return s.text("boolean"), nil
		case 'n':
			return s.text("null"), nil
		}
		return s.text("number"), nil
	},
})
