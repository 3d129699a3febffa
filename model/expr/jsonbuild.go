package expr

// Functions that make a jsonb: they write its text and let the input function
// store it, so that there is one writer of the stored form.

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// members calls f with the text of each member (and of its key, for objects).
func (d jsonDoc) members(f func(key, value string)) {
	var keys []string
	n := d.count()
	d.children(func(i int, v jsonValue) bool {
		var s Scratch
		text := typeJsonb.Text(v.doc(&s))
		switch {
		case !d.isObject():
			f("", text)
		case i < n:
			keys = append(keys, text)
		default:
			f(keys[i-n], text)
		}
		return true
	})
}

func storeJsonb(s *Scratch, text string) (datum.Value, error) {
	v, buf, err := typeJsonb.Input([]byte(text), -1, s.buf)
	s.buf = buf
	return v, err
}

// jsonWriter joins members with commas.
type jsonWriter struct {
	b     strings.Builder
	count int
}

func (w *jsonWriter) add(key, value string) {
	if w.count > 0 {
		w.b.WriteByte(',')
	}
	w.count++
	if key != "" {
		w.b.WriteString(key + ":")
	}
	w.b.WriteString(value)
}

// jsonbConcat is ||: objects are merged, everything else is joined as arrays.
func jsonbConcat(s *Scratch, a []datum.Value) (datum.Value, error) {
	x, y := jsonDoc(a[0].Bytes), jsonDoc(a[1].Bytes)
	var w jsonWriter
	open, closing := "[", "]"
	if x.isObject() && y.isObject() {
		open, closing = "{", "}"
		x.members(w.add)
		y.members(w.add) // the last value of a key wins
	} else {
		for _, d := range []jsonDoc{x, y} {
			if d.isObject() {
				w.add("", typeJsonb.Text(datum.Value{Bytes: d}))
			} else {
				d.members(w.add)
			}
		}
	}
	return storeJsonb(s, open+w.b.String()+closing)
}

func jsonbDelete(s *Scratch, a []datum.Value) (datum.Value, error) {
	return deleteKeys(s, a[0], func(key []byte) bool { return string(key) == string(a[1].Bytes) })
}

func jsonbDeleteArray(s *Scratch, a []datum.Value) (datum.Value, error) {
	keys := map[string]bool{}
	elements(a[1].Bytes, typeText, func(v datum.Value) bool {
		if !v.Null {
			keys[string(v.Bytes)] = true
		}
		return true
	})
	return deleteKeys(s, a[0], func(key []byte) bool { return keys[string(key)] })
}

// deleteKeys drops keys of an object, or strings of an array.
func deleteKeys(s *Scratch, doc datum.Value, drop func(key []byte) bool) (datum.Value, error) {
	d := jsonDoc(doc.Bytes)
	if d.isScalar() {
		return null, errors.New("cannot delete from scalar")
	}
	if d.count() == 0 {
		return doc, nil
	}
	var w jsonWriter
	open, closing := "[", "]"
	if d.isObject() {
		open, closing = "{", "}"
	}
	d.members(func(key, value string) {
		test := key
		if !d.isObject() {
			test = value
		}
		if !strings.HasPrefix(test, `"`) || !drop(unescapeJSON([]byte(test))) {
			w.add(key, value)
		}
	})
	return storeJsonb(s, open+w.b.String()+closing)
}

func jsonbDeleteIndex(s *Scratch, a []datum.Value) (datum.Value, error) {
	d := jsonDoc(a[0].Bytes)
	switch {
	case d.isScalar():
		return null, errors.New("cannot delete from scalar")
	case d.isObject():
		return null, errors.New("cannot delete from object using integer index")
	}
	at := argInt(a[1])
	if at < 0 {
		at += d.count()
	}
	if at < 0 || at >= d.count() {
		return a[0], nil
	}
	var w jsonWriter
	d.members(func(_, value string) {
		if at != 0 {
			w.add("", value)
		}
		at--
	})
	return storeJsonb(s, "["+w.b.String()+"]")
}

// quoteJSON writes a string.
func quoteJSON(text []byte) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			const hexDigits = "0123456789abcdef"
			b.WriteString(`\u00` + string(hexDigits[c>>4]) + string(hexDigits[c&15]))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// jsonable reports whether toJSON knows the type.
func jsonable(t *pgtype.Type) bool {
	t = t.Base()
	switch t.Kind {
	case pgtype.KindComposite, pgtype.KindOpaque, pgtype.KindTimeTZ:
		return false
	case pgtype.KindArray:
		return jsonable(t.Elem)
	}
	return printable(t)
}

// toJSON gives the JSON text of a value; ok is false for what is not done.
func toJSON(t *pgtype.Type, v datum.Value) (text string, ok bool) {
	t = t.Base()
	if v.Null {
		return "null", true
	}
	switch t.Kind {
	case pgtype.KindBool:
		return strconv.FormatBool(isTrue(&v)), true
	case pgtype.KindInt2, pgtype.KindInt4, pgtype.KindInt8, pgtype.KindNumeric, pgtype.KindFloat4, pgtype.KindFloat8:
		text = t.Text(v)
		if text[len(text)-1]-'0' > 9 { // NaN, Infinity
			text = `"` + text + `"`
		}
		return text, true
	case pgtype.KindJSON, pgtype.KindJsonb:
		return t.Text(v), true
	case pgtype.KindDate:
		return quoteJSON([]byte(t.Text(v))), true
	case pgtype.KindTimestamp, pgtype.KindTimestampTZ:
		text = t.Text(v)
		if !isInfinite(int64(v.Bits)) {
			text = strings.Replace(text, " ", "T", 1)
			if t.Kind == pgtype.KindTimestampTZ {
				text = strings.Replace(text, "+00", "+00:00", 1)
			}
		}
		return `"` + text + `"`, true
	case pgtype.KindArray:
		var w jsonWriter
		ok = true
		if n := le.Uint32(v.Bytes); n > 1 {
			return "", false
		}
		elements(v.Bytes, t.Elem, func(e datum.Value) bool {
			var item string
			item, ok = toJSON(t.Elem, e)
			w.add("", item)
			return ok
		})
		return "[" + w.b.String() + "]", ok
	}
	var s Scratch
	return quoteJSON(output(&s, t, v).Bytes), true
}

var errJSONArray = &UnsupportedError{What: "JSON of a multidimensional array"}

func toJsonb(call *callee) evalFunc {
	t := call.args[0].typ
	if !jsonable(t) {
		return nil
	}
	return call.eval(func(s *Scratch, a []datum.Value) (datum.Value, error) {
		text, ok := toJSON(t, a[0])
		if !ok {
			return null, errJSONArray
		}
		return storeJsonb(s, text)
	})
}

// jsonbBuild is jsonb_build_array, or jsonb_build_object.
func jsonbBuild(object bool) func(*callee) evalFunc {
	return func(call *callee) evalFunc {
		if call.variadic {
			return nil
		}
		for _, a := range call.args {
			if !jsonable(a.typ) {
				return nil
			}
		}
		args := call.args
		return evalCall(args, false, func(s *Scratch, a []datum.Value) (datum.Value, error) {
			var w jsonWriter
			if object && len(a)%2 != 0 {
				return null, errors.New("argument list must have even number of elements")
			}
			key := ""
			for i := range a {
				if object && i%2 == 0 {
					if a[i].Null {
						return null, errors.New("argument " + strconv.Itoa(i+1) + ": key must not be null")
					}
					if k := args[i].typ.Base().Kind; k == pgtype.KindArray || k == pgtype.KindJSON || k == pgtype.KindJsonb {
						return null, errors.New("key value must be scalar, not array, composite, or json")
					}
					text, _ := toJSON(args[i].typ, a[i])
					if text[0] != '"' {
						text = `"` + text + `"`
					}
					key = text
					continue
				}
				text, ok := toJSON(args[i].typ, a[i])
				if !ok {
					return null, errJSONArray
				}
				w.add(key, text)
			}
			if object {
				return storeJsonb(s, "{"+w.b.String()+"}")
			}
			return storeJsonb(s, "["+w.b.String()+"]")
		})
	}
}

var _ = register(map[string]impl{
	"jsonb_concat": jsonbConcat, "jsonb_delete": jsonbDelete, "jsonb_delete_array": jsonbDeleteArray, "jsonb_delete_idx": jsonbDeleteIndex,
})

var _ = registerSpecial(map[string]func(*callee) evalFunc{
	"to_jsonb": toJsonb, "jsonb_build_object": jsonbBuild(true), "jsonb_build_array": jsonbBuild(false),
	"jsonb_build_object_noargs": jsonbBuild(true), "jsonb_build_array_noargs": jsonbBuild(false),
})

// powFloat is dpow for whole exponents and square roots, which exact
// arithmetic decides; the rest is the C library's.
func powFloat(_ *Scratch, a []datum.Value) (datum.Value, error) {
	x, y := f8(a[0]), f8(a[1])
	switch {
	case x != x || y != y || math.IsInf(x, 0) || math.IsInf(y, 0):
		return null, &UnsupportedError{What: "power of NaN or infinity"}
	case x == 0 && y < 0:
		return null, errPowerZero
	case y != math.Trunc(y) && x < 0:
		return null, errors.New("a negative number raised to a non-integer power yields a complex result")
	case y == 0.5:
		return float(math.Sqrt(x)), nil
	case y != math.Trunc(y) || math.Abs(y) > 2000:
		return null, &UnsupportedError{What: "power with an exponent that is not a small integer"}
	}
	r, ok := wholePower(x, int(y))
	if !ok {
		return null, &UnsupportedError{What: "power that no exact arithmetic decides"}
	}
	r, err := checked(r, false, x == 0)
	return float(r), err
}
