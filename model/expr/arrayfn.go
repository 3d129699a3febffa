package expr

// After arrayfuncs.c, array_userfuncs.c and varlena.c (REL_18_1,
// src/backend/utils/adt).

import (
	"bytes"
	"errors"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/model/pgtype"
)

func arrayValues(b []byte, elem *pgtype.Type) []datum.Value {
	var list []datum.Value
	elements(b, elem, func(v datum.Value) bool {
		list = append(list, v)
		return true
	})
	return list
}

// dimension gives a property of one dimension of an array.
func dimension(f func(length, lower int32) int32) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		h, ok := opclass.DecodeArray(a[0].Bytes)
		n := argInt(a[1])
		if !ok || n < 1 || n > len(h.Dims) {
			return null, nil
		}
		return intResult(int(f(h.Dims[n-1], h.Lower[n-1])))
	}
}

// elemOf is the element type of an array argument.
func elemOf(n *node) *pgtype.Type { return n.typ.Base().Elem }

// equalElements gives the order of two elements, or nil if they have none.
func equalElements(call *callee, elem *pgtype.Type) comparer {
	n := &node{typ: elem, typmod: -1, col: -1}
	return call.c.comparer(opEQ, n, n)
}

// sets makes && @> <@ of arrays, which compare elements and never find NULL.
func sets(any, swap bool) func(*callee) evalFunc {
	return func(call *callee) evalFunc {
		elem := elemOf(call.args[0])
		equal := equalElements(call, elem)
		if equal == nil {
			return nil
		}
		return call.eval(func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			x, y := a[0].Bytes, a[1].Bytes
			if swap {
				x, y = y, x
			}
			have := arrayValues(x, elem)
			result := !any
			elements(y, elem, func(v datum.Value) bool {
				found := false
				for i := range have {
					if !v.Null && !have[i].Null && equal(&have[i], &v) == 0 {
						found = true
						break
					}
				}
				if found == any {
					result = any
				}
				return found != any
			})
			return boolean(result), nil
		})
	}
}

func arrayPosition(call *callee) evalFunc {
	elem := elemOf(call.args[0])
	equal := equalElements(call, elem)
	if equal == nil {
		return nil
	}
	return call.eval(func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		if a[0].Null {
			return null, nil
		}
		h, _ := opclass.DecodeArray(a[0].Bytes)
		if len(h.Dims) == 0 {
			return null, nil
		}
		if len(h.Dims) > 1 {
			return null, errors.New("searching for elements in multidimensional arrays is not supported")
		}
		at, found := h.Lower[0], false
		elements(a[0].Bytes, elem, func(v datum.Value) bool {
			if found = v.Null == a[1].Null && (v.Null || equal(&v, &a[1]) == 0); !found {
				at++
			}
			return !found
		})
		if !found {
			return null, nil
		}
		return intResult(int(at))
	})
}

// arrayConcat is || of arrays of one dimension.
func arrayConcat(call *callee) evalFunc {
	elem := call.ret.Base().Elem
	return call.eval(func(s *Scratch, a []datum.Value) (datum.Value, error) {
		switch {
		case a[0].Null:
			return a[1], nil
		case a[1].Null:
			return a[0], nil
		}
		x, _ := opclass.DecodeArray(a[0].Bytes)
		y, _ := opclass.DecodeArray(a[1].Bytes)
		switch {
		case len(x.Dims) == 0:
			return a[1], nil
		case len(y.Dims) == 0:
			return a[0], nil
		case len(x.Dims) > 1 || len(y.Dims) > 1:
			return null, &UnsupportedError{What: "concatenation of multidimensional arrays"}
		}
		values := append(arrayValues(a[0].Bytes, elem), arrayValues(a[1].Bytes, elem)...)
		return buildArray(s, elem, []int32{int32(len(values))}, x.Lower, values), nil
	})
}

// arrayPush is array_append, or array_prepend.
func arrayPush(front bool) func(*callee) evalFunc {
	return func(call *callee) evalFunc {
		elem := call.ret.Base().Elem
		return call.eval(func(s *Scratch, a []datum.Value) (datum.Value, error) {
			arr, v := a[0], a[1]
			if front {
				arr, v = a[1], a[0]
			}
			lower := []int32{1}
			var values []datum.Value
			if !arr.Null {
				h, _ := opclass.DecodeArray(arr.Bytes)
				if len(h.Dims) > 1 {
					return null, errors.New("argument must be empty or one-dimensional array")
				}
				values = arrayValues(arr.Bytes, elem)
				if len(h.Lower) == 1 {
					lower = h.Lower
				}
			}
			if front {
				values = append([]datum.Value{v}, values...)
			} else {
				values = append(values, v)
			}
			return buildArray(s, elem, []int32{int32(len(values))}, lower, values), nil
		})
	}
}

// arrayRemove is array_remove.
func arrayRemove(call *callee) evalFunc {
	elem := call.ret.Base().Elem
	equal := equalElements(call, elem)
	if equal == nil {
		return nil
	}
	return call.eval(func(s *Scratch, a []datum.Value) (datum.Value, error) {
		if a[0].Null {
			return null, nil
		}
		h, _ := opclass.DecodeArray(a[0].Bytes)
		if len(h.Dims) > 1 {
			return null, errors.New("removing elements from multidimensional arrays is not supported")
		}
		var kept []datum.Value
		for _, v := range arrayValues(a[0].Bytes, elem) {
			if v.Null != a[1].Null || !v.Null && equal(&v, &a[1]) != 0 {
				kept = append(kept, v)
			}
		}
		if len(kept) == h.Items {
			return a[0], nil
		}
		return buildArray(s, elem, []int32{int32(len(kept))}, h.Lower, kept), nil
	})
}

func arrayToString(call *callee) evalFunc {
	elem := elemOf(call.args[0])
	if !printable(elem.Base()) {
		return nil
	}
	return call.eval(func(s *Scratch, a []datum.Value) (datum.Value, error) {
		if a[0].Null || a[1].Null {
			return null, nil
		}
		var b []byte
		first := true
		elements(a[0].Bytes, elem, func(v datum.Value) bool {
			var text []byte
			switch {
			case !v.Null:
				text = output(s, elem.Base(), v).Bytes
			case len(a) == 3 && !a[2].Null:
				text = a[2].Bytes
			default:
				return true
			}
			if !first {
				b = append(b, a[1].Bytes...)
			}
			first = false
			b = append(b, text...)
			return true
		})
		return s.bytes(b), nil
	})
}

func stringToArray(s *Scratch, a []datum.Value) (datum.Value, error) {
	if a[0].Null {
		return null, nil
	}
	var parts [][]byte
	switch text := a[0].Bytes; {
	case a[1].Null:
		for len(text) > 0 {
			n := min(charLen(text[0]), len(text))
			parts = append(parts, text[:n])
			text = text[n:]
		}
	case len(text) == 0:
	case len(a[1].Bytes) == 0:
		parts = [][]byte{text}
	default:
		parts = bytes.Split(text, a[1].Bytes)
	}
	values := make([]datum.Value, len(parts))
	for i := range parts {
		values[i] = datum.Value{Bytes: parts[i], Null: len(a) == 3 && !a[2].Null && bytes.Equal(parts[i], a[2].Bytes)}
	}
	return buildArray(s, typeText, []int32{int32(len(values))}, []int32{1}, values), nil
}

var _ = register(map[string]impl{
	"array_length": dimension(func(length, _ int32) int32 { return length }),
	"array_lower":  dimension(func(_, lower int32) int32 { return lower }),
	"array_upper":  dimension(func(length, lower int32) int32 { return lower + length - 1 }),
	"array_ndims": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		h, _ := opclass.DecodeArray(a[0].Bytes)
		return datum.Value{Bits: uint64(len(h.Dims)), Null: len(h.Dims) == 0}, nil
	},
	"array_cardinality": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		h, _ := opclass.DecodeArray(a[0].Bytes)
		return intResult(h.Items)
	},
	"text_to_array": stringToArray, "text_to_array_null": stringToArray,
})

var _ = registerSpecial(map[string]func(*callee) evalFunc{
	"arrayoverlap": sets(true, false), "arraycontains": sets(false, false), "arraycontained": sets(false, true),
	"array_position": arrayPosition, "array_cat": arrayConcat, "array_append": arrayPush(false), "array_prepend": arrayPush(true),
	"array_remove": arrayRemove, "array_to_text": arrayToString, "array_to_text_null": arrayToString,
})
