package pgtype

// After src/backend/utils/adt/rowtypes.c (record_in, record_recv) and
// heap_form_tuple.

import (
	"fmt"

	"applysim/heap/datum"
)

// A record's payload is a heap tuple without the first four bytes of its
// header, which are its length word (REL_18_1, src/include/access/htup_details.h):
//
//	-4 length   0 typmod (-1)   4 type   8 ctid (invalid)   14 number of columns
//	16 infomask   18 hoff   19 null bitmap   columns from hoff-4 on
const (
	recordHeader = 23 // SizeofHeapTupleHeader

	heapHasNull     = 0x0001
	heapHasVarWidth = 0x0002
)

func malformedRecord(text []byte) error { return fmt.Errorf("malformed record literal: \"%s\"", text) }

// recordBuilder appends a record's columns. Whether a null bitmap is needed
// decides where they begin, so it is asked first.
type recordBuilder struct {
	t        *Type
	start    int
	infomask uint16
}

func (b *recordBuilder) begin(scratch []byte, nulls bool) []byte {
	b.start = len(scratch)
	size := recordHeader
	if nulls {
		b.infomask |= heapHasNull
		size += (len(b.t.Fields) + 7) / 8
	}
	size = (size + 7) &^ 7
	for range size - 4 {
		scratch = append(scratch, 0)
	}
	h := scratch[b.start:]
	le.PutUint32(h, 0xFFFFFFFF)
	le.PutUint32(h[4:], b.t.OID)
	le.PutUint32(h[8:], 0xFFFFFFFF) // an invalid block number
	le.PutUint16(h[14:], uint16(len(b.t.Fields)))
	h[18] = byte(size)
	return scratch
}

func (b *recordBuilder) add(scratch []byte, before, i int, v *datum.Value) []byte {
	if v.Null {
		return scratch
	}
	if b.infomask&heapHasNull != 0 {
		scratch[b.start+19+i/8] |= 1 << (i % 8)
	}
	a := b.t.Fields[i].Type.Attr()
	if a.Len < 0 {
		b.infomask |= heapHasVarWidth
	}
	return place(scratch, b.start-4, before, v, a, true)
}

func (b *recordBuilder) end(scratch []byte) (datum.Value, []byte, error) {
	le.PutUint16(scratch[b.start+16:], b.infomask)
	return datum.Value{Bytes: scratch[b.start:]}, scratch, nil
}

// recordFields cuts a record's text into its columns: calls f with each,
// null where nothing at all stands between the commas.
func (t *Type) recordFields(text []byte, f func(i int, value []byte, null bool) error) error {
	s := trimSpace(text)
	if len(s) == 0 || s[0] != '(' {
		return malformedRecord(text)
	}
	var u unquoter
	for i := range t.Fields {
		if i > 0 && s[0] != ',' {
			return malformedRecord(text) // too few columns
		}
		value, rest, ok := u.next(s[1:], ",)")
		if !ok {
			return malformedRecord(text)
		}
		if err := f(i, value, len(rest) == len(s)-1); err != nil {
			return err
		}
		s = rest
	}
	if len(t.Fields) == 0 {
		s = s[1:]
	}
	if len(s) != 1 || s[0] != ')' {
		return malformedRecord(text)
	}
	return nil
}

func (t *Type) inputRecord(text, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	// The first pass only looks for NULLs; what is malformed is found by the
	// second, after the columns before it have been read.
	nulls := false
	_ = t.recordFields(text, func(_ int, _ []byte, null bool) error {
		nulls = nulls || null
		return nil
	})
	b := recordBuilder{t: t}
	scratch = b.begin(scratch, nulls)
	err := t.recordFields(text, func(i int, value []byte, null bool) (err error) {
		v := datum.Value{Null: null}
		before := len(scratch)
		f := t.Fields[i]
		if null {
			err = f.Type.inputNull()
		} else {
			v, scratch, err = f.Type.Input(value, f.Typmod, scratch)
		}
		if err != nil {
			return err
		}
		scratch = b.add(scratch, before, i, &v)
		return nil
	})
	if err != nil {
		return datum.Value{}, scratch[:start], err
	}
	return b.end(scratch)
}

func (t *Type) receiveRecord(r *reader, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	if n := int32(r.u32()); !r.short && n != int32(len(t.Fields)) {
		return datum.Value{}, scratch, fmt.Errorf("wrong number of columns: %d, expected %d", n, len(t.Fields))
	}
	nulls := false
	for ahead, i := *r, 0; i < len(t.Fields); i++ {
		ahead.u32()
		if n := int32(ahead.u32()); n == -1 {
			nulls = true
		} else {
			ahead.bytes(int(n))
		}
		if ahead.short {
			return datum.Value{}, scratch, errShortMessage
		}
	}
	b := recordBuilder{t: t}
	scratch = b.begin(scratch, nulls)
	for i, f := range t.Fields {
		r.u32() // the column's type
		before := len(scratch)
		v, grown, err := f.Type.item(r, f.Typmod, scratch)
		if err == errImproper {
			err = fmt.Errorf("improper binary format in record column %d", i+1)
		}
		if err != nil {
			return datum.Value{}, scratch[:start], err
		}
		scratch = b.add(grown, before, i, &v)
	}
	return b.end(scratch)
}
