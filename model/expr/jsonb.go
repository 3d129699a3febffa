package expr

// After jsonb_util.c, jsonb_op.c and jsonfuncs.c (REL_18_1,
// src/backend/utils/adt). Package pgtype, jsonb.go, draws the stored form.

import (
	"bytes"
	"errors"
	"strconv"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

const (
	jsonbCountMask = 0x0FFFFFFF
	jsonbScalar    = 0x10000000
	jsonbObject    = 0x20000000
	jsonbArray     = 0x40000000

	jsonbHasOff    = 0x80000000
	jsonbTypeMask  = 0x70000000
	jsonbString    = 0x00000000
	jsonbNumeric   = 0x10000000
	jsonbFalse     = 0x20000000
	jsonbTrue      = 0x30000000
	jsonbNull      = 0x40000000
	jsonbContainer = 0x50000000
)

var (
	typeJsonb = pgtype.Lookup("jsonb")
	typeJSON  = pgtype.Lookup("json")
)

// jsonValue is one value within a document: for a number data begins with a
// length word, for a container it is the container.
type jsonValue struct {
	kind uint32
	data []byte
}

// jsonDoc is an object or array.
type jsonDoc []byte

func (d jsonDoc) header() uint32 {
	if len(d) < 4 {
		return 0
	}
	return le.Uint32(d)
}

func (d jsonDoc) count() int     { return int(d.header() & jsonbCountMask) }
func (d jsonDoc) isObject() bool { return d.header()&jsonbObject != 0 }
func (d jsonDoc) isScalar() bool { return d.header()&jsonbScalar != 0 }

// children calls f for each child in stored order: an object's keys, then its
// values; until f returns false.
func (d jsonDoc) children(f func(i int, v jsonValue) bool) {
	n := d.count()
	if d.isObject() {
		n *= 2
	}
	base := 4 + 4*n
	if base > len(d) {
		return
	}
	at := 0
	for i := range n {
		e := le.Uint32(d[4+4*i:])
		end := int(e & jsonbCountMask)
		if e&jsonbHasOff == 0 {
			end += at
		}
		v := jsonValue{kind: e & jsonbTypeMask}
		from, to := base+at, min(base+end, len(d))
		if v.kind == jsonbNumeric || v.kind == jsonbContainer {
			from = (from + 3) &^ 3
		}
		if from <= to {
			v.data = d[from:to]
		}
		at = end
		if !f(i, v) {
			return
		}
	}
}

// field finds a key's value in an object.
func (d jsonDoc) field(key []byte) (found jsonValue, ok bool) {
	if !d.isObject() {
		return found, false
	}
	at := -1
	n := d.count()
	d.children(func(i int, v jsonValue) bool {
		if i < n && bytes.Equal(v.data, key) {
			at = n + i
		}
		if i >= n && at < 0 {
			return false
		}
		if i == at {
			found, ok = v, true
		}
		return !ok
	})
	return found, ok
}

// element finds element i of an array; negative numbers count from the end.
func (d jsonDoc) element(at int) (found jsonValue, ok bool) {
	if d.isObject() {
		return found, false
	}
	if at < 0 {
		at += d.count()
	}
	d.children(func(i int, v jsonValue) bool {
		if i == at {
			found, ok = v, true
		}
		return !ok
	})
	return found, ok
}

// doc makes a value a document of its own.
func (v jsonValue) doc(s *Scratch) datum.Value {
	if v.kind == jsonbContainer {
		return datum.Value{Bytes: v.data}
	}
	start := len(s.buf)
	b := le.AppendUint32(s.buf, 1|jsonbScalar|jsonbArray)
	b = le.AppendUint32(b, v.kind|jsonbHasOff|uint32(len(v.data)))
	return s.keep(append(b, v.data...), start)
}

// text is what ->> gives: a string without quotes, NULL for null.
func (v jsonValue) text(s *Scratch) datum.Value {
	switch v.kind {
	case jsonbNull:
		return null
	case jsonbString:
		return datum.Value{Bytes: v.data}
	case jsonbNumeric:
		return s.text(typeNumeric.Text(datum.Value{Bytes: v.data[min(4, len(v.data)):]}))
	}
	return s.text(typeJsonb.Text(v.doc(s)))
}

// scalar gives the only value of a bare scalar.
func (d jsonDoc) scalar() jsonValue {
	v, _ := d.element(0)
	return v
}

func (v jsonValue) equal(w jsonValue) bool {
	if v.kind != w.kind {
		return false
	}
	switch v.kind {
	case jsonbString:
		return bytes.Equal(v.data, w.data)
	case jsonbNumeric:
		a, b := datum.Value{Bytes: v.data[4:]}, datum.Value{Bytes: w.data[4:]}
		return typeNumeric.OpClass().Compare(&a, &b) == 0
	}
	return true
}

// contains is JsonbDeepContains.
func (d jsonDoc) contains(w jsonDoc) bool {
	if d.isObject() != w.isObject() {
		return false
	}
	if d.isObject() {
		if d.count() < w.count() {
			return false
		}
		n := w.count()
		keys := make([][]byte, 0, n)
		ok := true
		w.children(func(i int, v jsonValue) bool {
			if i < n {
				keys = append(keys, v.data)
				return true
			}
			mine, found := d.field(keys[i-n])
			switch {
			case !found || mine.kind != v.kind:
				ok = false
			case v.kind == jsonbContainer:
				ok = jsonDoc(mine.data).contains(v.data)
			default:
				ok = mine.equal(v)
			}
			return ok
		})
		return ok
	}
	if d.isScalar() && !w.isScalar() {
		return false
	}
	ok := true
	w.children(func(_ int, v jsonValue) bool {
		ok = false
		d.children(func(_ int, mine jsonValue) bool {
			if v.kind == jsonbContainer {
				ok = mine.kind == jsonbContainer && jsonDoc(mine.data).contains(v.data)
			} else {
				ok = mine.equal(v)
			}
			return !ok
		})
		return ok
	})
	return ok
}

// exists reports whether a string is a key of the object or an element of the
// array.
func (d jsonDoc) exists(key []byte) bool {
	if d.isObject() {
		_, ok := d.field(key)
		return ok
	}
	found := false
	d.children(func(_ int, v jsonValue) bool {
		found = v.kind == jsonbString && bytes.Equal(v.data, key)
		return !found
	})
	return found
}

// path follows the elements of a text[]; ok is false where it leads nowhere.
func (d jsonDoc) path(array []byte) (v jsonValue, ok bool) {
	v = jsonValue{jsonbContainer, d}
	if d.isScalar() {
		v, ok = d.scalar(), true
	} else {
		ok = true
	}
	elements(array, typeText, func(step datum.Value) bool {
		if step.Null || v.kind != jsonbContainer {
			ok = false
			return false
		}
		in := jsonDoc(v.data)
		if in.isObject() {
			v, ok = in.field(step.Bytes)
			return ok
		}
		n, err := strconv.ParseInt(string(step.Bytes), 10, 32)
		if ok = err == nil; ok {
			v, ok = in.element(int(n))
		}
		return ok
	})
	return v, ok
}

func jsonTypeName(v jsonValue) string {
	switch v.kind {
	case jsonbNull:
		return "null"
	case jsonbString:
		return "string"
	case jsonbNumeric:
		return "number"
	case jsonbTrue, jsonbFalse:
		return "boolean"
	}
	if jsonDoc(v.data).isObject() {
		return "object"
	}
	return "array"
}

func rootValue(b []byte) jsonValue {
	if d := jsonDoc(b); d.isScalar() {
		return d.scalar()
	}
	return jsonValue{jsonbContainer, b}
}

// found makes the answer of -> or ->>.
func found(s *Scratch, v jsonValue, ok, asText bool) (datum.Value, error) {
	switch {
	case !ok:
		return null, nil
	case asText:
		return v.text(s), nil
	}
	return v.doc(s), nil
}

func jsonbField(asText bool) impl {
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		v, ok := jsonDoc(a[0].Bytes).field(a[1].Bytes)
		return found(s, v, ok, asText)
	}
}

func jsonbElement(asText bool) impl {
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		v, ok := jsonDoc(a[0].Bytes).element(argInt(a[1]))
		return found(s, v, ok, asText)
	}
}

func jsonbPath(asText bool) impl {
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		v, ok := jsonDoc(a[0].Bytes).path(a[1].Bytes)
		return found(s, v, ok, asText)
	}
}

func jsonbAnyAll(all bool) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		result := all
		elements(a[1].Bytes, typeText, func(v datum.Value) bool {
			if !v.Null && jsonDoc(a[0].Bytes).exists(v.Bytes) != all {
				result = !all
			}
			return result == all
		})
		return boolean(result), nil
	}
}

// fromJsonb casts a scalar to a number or a boolean.
func fromJsonb(dst *pgtype.Type) castImpl {
	var number castImpl
	if dst.Kind != pgtype.KindNumeric && dst.Kind != pgtype.KindBool {
		number = fromNumeric(dst.Kind)
	}
	return func(s *Scratch, v datum.Value) (datum.Value, error) {
		j := rootValue(v.Bytes)
		switch {
		case j.kind == jsonbNull:
			return null, nil
		case dst.Kind == pgtype.KindBool && (j.kind == jsonbTrue || j.kind == jsonbFalse):
			return boolean(j.kind == jsonbTrue), nil
		case dst.Kind == pgtype.KindNumeric && j.kind == jsonbNumeric:
			return datum.Value{Bytes: j.data[4:]}, nil
		case number != nil && j.kind == jsonbNumeric:
			return number(s, datum.Value{Bytes: j.data[4:]})
		}
		name := jsonTypeName(j)
		if name == "number" {
			name = "numeric"
		}
		if j.kind == jsonbContainer {
			return null, errors.New("cannot cast jsonb " + name + " to type " + dst.Name)
		}
		return null, errors.New("cannot cast jsonb " + name + " to type " + dst.Name)
	}
}

func (c *compiler) jsonbSubscript(l, r *node) *node {
	unsupported("jsonb subscript")
	return nil
}

var _ = register(map[string]impl{
	"jsonb_object_field": jsonbField(false), "jsonb_object_field_text": jsonbField(true),
	"jsonb_array_element": jsonbElement(false), "jsonb_array_element_text": jsonbElement(true),
	"jsonb_extract_path": jsonbPath(false), "jsonb_extract_path_text": jsonbPath(true),
	"jsonb_exists": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return boolean(jsonDoc(a[0].Bytes).exists(a[1].Bytes)), nil
	},
	"jsonb_exists_any": jsonbAnyAll(false), "jsonb_exists_all": jsonbAnyAll(true),
	"jsonb_contains": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return boolean(jsonDoc(a[0].Bytes).contains(a[1].Bytes)), nil
	},
	"jsonb_contained": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return boolean(jsonDoc(a[1].Bytes).contains(a[0].Bytes)), nil
	},
	"jsonb_typeof": func(s *Scratch, a []datum.Value) (datum.Value, error) {
		return s.text(jsonTypeName(rootValue(a[0].Bytes))), nil
	},
	"jsonb_array_length": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		switch d := jsonDoc(a[0].Bytes); {
		case d.isScalar():
			return null, errors.New("cannot get array length of a scalar")
		case d.isObject():
			return null, errors.New("cannot get array length of a non-array")
		default:
			return intResult(d.count())
		}
	},
})
