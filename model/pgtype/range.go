package pgtype

// After src/backend/utils/adt/rangetypes.c and multirangetypes.c.

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"applysim/heap/datum"
	"applysim/index/opclass"
)

// bounds is a range that is not laid out yet.
type bounds struct {
	lower, upper opclass.Bound
	empty        bool
}

var errRangeOrder = errors.New("range lower bound must be less than or equal to range upper bound")

func malformedRange(text []byte) error { return fmt.Errorf("malformed range literal: \"%s\"", text) }

// parseRange reads a range's text. Bound values may lie in the scratch buffer,
// which grows by them.
func (t *Type) parseRange(text []byte, scratch []byte) (b bounds, _ []byte, err error) {
	s := trimSpace(text)
	if foldPrefix(s, "empty") {
		if len(s) > len("empty") {
			return b, scratch, malformedRange(text)
		}
		b.empty = true
		return b, scratch, nil
	}
	if len(s) == 0 || s[0] != '[' && s[0] != '(' {
		return b, scratch, malformedRange(text)
	}
	b.lower = opclass.Bound{Lower: true, Inclusive: s[0] == '['}
	read := func(bound *opclass.Bound) error {
		// A value of its own for each bound: the first one may alias it.
		var u unquoter
		value, rest, ok := u.next(s[1:], ",)]")
		if !ok {
			return malformedRange(text)
		}
		if len(rest) == len(s)-1 {
			bound.Infinite = true
		} else if bound.Value, scratch, err = t.Elem.Input(value, -1, scratch); err != nil {
			return err
		}
		s = rest
		return nil
	}
	if err := read(&b.lower); err != nil {
		return b, scratch, err
	}
	if s[0] != ',' {
		return b, scratch, malformedRange(text)
	}
	if err := read(&b.upper); err != nil {
		return b, scratch, err
	}
	if s[0] == ',' || len(s) > 1 {
		return b, scratch, malformedRange(text)
	}
	b.upper.Inclusive = s[0] == ']'
	return b, scratch, t.normalize(&b)
}

// normalize brings a range into its one form: checked, empty if nothing is
// in it, and [) for types whose values can be counted.
func (t *Type) normalize(b *bounds) error {
	if err := t.checkOrder(b); err != nil || b.empty {
		return err
	}
	if !t.discrete() {
		return nil
	}
	if !b.lower.Infinite && !b.lower.Inclusive {
		if err := t.next(&b.lower); err != nil {
			return err
		}
	}
	if !b.upper.Infinite && b.upper.Inclusive {
		if err := t.next(&b.upper); err != nil {
			return err
		}
	}
	return t.checkOrder(b)
}

func (t *Type) checkOrder(b *bounds) error {
	b.lower.Inclusive = b.lower.Inclusive && !b.lower.Infinite
	b.upper.Inclusive = b.upper.Inclusive && !b.upper.Infinite
	if b.empty || b.lower.Infinite || b.upper.Infinite {
		return nil
	}
	if t.Elem.class == nil {
		return fmt.Errorf("could not identify a comparison function for type %s", t.Elem.Name)
	}
	switch c := t.Elem.class.Compare(&b.lower.Value, &b.upper.Value); {
	case c > 0:
		return errRangeOrder
	case c == 0 && !(b.lower.Inclusive && b.upper.Inclusive):
		b.empty = true
	}
	return nil
}

// discrete says whether the range type has a canonical function; only
// built-in ones are known to.
func (t *Type) discrete() bool {
	if t.Schema != "pg_catalog" {
		return false
	}
	k := t.Elem.Kind
	return k == KindInt4 || k == KindInt8 || k == KindDate
}

// next moves a bound one value up and turns what it includes.
func (t *Type) next(b *opclass.Bound) error {
	n := int64(b.Value.Bits)
	switch t.Elem.Kind {
	case KindInt4:
		if n == math.MaxInt32 {
			return errors.New("integer out of range")
		}
	case KindInt8:
		if n == math.MaxInt64 {
			return errors.New("bigint out of range")
		}
	case KindDate:
		if n == math.MaxInt32 || n == math.MinInt32 {
			return nil // infinite dates stay as they are
		}
		if n+1 >= dateEnd {
			return errors.New("date out of range")
		}
	}
	b.Value.Bits = uint64(n + 1)
	b.Inclusive = !b.Inclusive
	return nil
}

func (b *bounds) flags() byte {
	if b.empty {
		return opclass.RangeEmpty
	}
	var f byte
	for _, x := range []struct {
		set bool
		bit byte
	}{
		{b.lower.Infinite, opclass.RangeLowerInf}, {b.lower.Inclusive, opclass.RangeLowerInc},
		{b.upper.Infinite, opclass.RangeUpperInf}, {b.upper.Inclusive, opclass.RangeUpperInc},
	} {
		if x.set {
			f |= x.bit
		}
	}
	return f
}

// appendBounds lays out the bounds that have values.
func (b *bounds) appendBounds(scratch []byte, origin int, a datum.Attr) []byte {
	if b.empty {
		return scratch
	}
	if !b.lower.Infinite {
		scratch = place(scratch, origin, len(scratch), &b.lower.Value, a, true)
	}
	if !b.upper.Infinite {
		scratch = place(scratch, origin, len(scratch), &b.upper.Value, a, true)
	}
	return scratch
}

// finishRange lays a range out behind its bounds' values and moves it to
// where those began.
func (t *Type) finishRange(b *bounds, scratch []byte, start int) (datum.Value, []byte, error) {
	from := len(scratch)
	scratch = le.AppendUint32(scratch, t.OID)
	scratch = b.appendBounds(scratch, from-4, t.Elem.Attr())
	scratch = append(scratch, b.flags())
	return moveDown(scratch, start, from)
}

func moveDown(scratch []byte, start, from int) (datum.Value, []byte, error) {
	n := copy(scratch[start:], scratch[from:])
	scratch = scratch[:start+n]
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

func (t *Type) inputRange(text, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	b, scratch, err := t.parseRange(text, scratch)
	if err != nil {
		return datum.Value{}, scratch[:start], err
	}
	return t.finishRange(&b, scratch, start)
}

func (t *Type) readRange(r *reader, scratch []byte) (b bounds, _ []byte, err error) {
	flags := r.u8() & 0x1F
	b.empty = flags&opclass.RangeEmpty != 0
	b.lower = opclass.Bound{Lower: true, Infinite: flags&opclass.RangeLowerInf != 0, Inclusive: flags&opclass.RangeLowerInc != 0}
	b.upper = opclass.Bound{Infinite: flags&opclass.RangeUpperInf != 0, Inclusive: flags&opclass.RangeUpperInc != 0}
	for _, bound := range []*opclass.Bound{&b.lower, &b.upper} {
		if b.empty || bound.Infinite {
			continue
		}
		if bound.Value, scratch, err = t.Elem.item(r, -1, scratch); err != nil {
			return b, scratch, err
		}
		if bound.Value.Null {
			return b, scratch, errShortMessage
		}
	}
	if r.short {
		return b, scratch, errShortMessage
	}
	return b, scratch, t.normalize(&b)
}

func (t *Type) receiveRange(r *reader, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	b, scratch, err := t.readRange(r, scratch)
	if err != nil {
		return datum.Value{}, scratch[:start], err
	}
	return t.finishRange(&b, scratch, start)
}

func malformedMultirange(text []byte) error {
	return fmt.Errorf("malformed multirange literal: \"%s\"", text)
}

func (t *Type) inputMultirange(text, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	fail := func(err error) (datum.Value, []byte, error) { return datum.Value{}, scratch[:start], err }
	s := trimSpace(text)
	if len(s) == 0 || s[0] != '{' {
		return fail(malformedMultirange(text))
	}
	s = trimSpace(s[1:])
	var ranges []bounds
	for first := true; ; first = false {
		if len(s) == 0 {
			return fail(malformedMultirange(text))
		}
		if first && s[0] == '}' {
			break
		}
		if foldPrefix(s, "empty") {
			s = trimSpace(s[len("empty"):])
		} else {
			n, ok := rangeEnd(s)
			if !ok {
				return fail(malformedMultirange(text))
			}
			b, grown, err := t.Elem.parseRange(s[:n], scratch)
			if err != nil {
				return fail(err)
			}
			scratch = grown
			if !b.empty {
				ranges = append(ranges, b)
			}
			s = trimSpace(s[n:])
		}
		if len(s) > 0 && s[0] == '}' {
			break
		}
		if len(s) == 0 || s[0] != ',' {
			return fail(malformedMultirange(text))
		}
		s = trimSpace(s[1:])
	}
	if len(s) > 1 {
		return fail(malformedMultirange(text))
	}
	return t.finishMultirange(ranges, scratch, start)
}

// rangeEnd finds where the range that begins s ends.
func rangeEnd(s []byte) (int, bool) {
	if s[0] != '[' && s[0] != '(' {
		return 0, false
	}
	quoted := false
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ']' || c == ')'):
			return i + 1, true
		}
	}
	return 0, false
}

func (t *Type) receiveMultirange(r *reader, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	count := int64(r.u32())
	if r.short || count*5 > int64(len(r.b)) {
		return datum.Value{}, scratch, errShortMessage
	}
	ranges := make([]bounds, 0, count)
	for range count {
		sub := reader{b: r.bytes(int(int32(r.u32())))}
		if r.short {
			return datum.Value{}, scratch[:start], errShortMessage
		}
		b, grown, err := t.Elem.readRange(&sub, scratch)
		if err == nil && len(sub.b) > 0 {
			err = errImproper
		}
		if err != nil {
			return datum.Value{}, scratch[:start], err
		}
		scratch = grown
		if !b.empty {
			ranges = append(ranges, b)
		}
	}
	return t.finishMultirange(ranges, scratch, start)
}

// merge sorts ranges and joins those that overlap or touch.
func (t *Type) merge(ranges []bounds) []bounds {
	class := t.Elem.Elem.class
	slices.SortStableFunc(ranges, func(a, b bounds) int {
		if c := opclass.CompareBounds(class, &a.lower, &b.lower); c != 0 {
			return c
		}
		return opclass.CompareBounds(class, &a.upper, &b.upper)
	})
	out := ranges[:0]
	for _, b := range ranges {
		if len(out) > 0 {
			last := &out[len(out)-1]
			if t.touch(&last.upper, &b.lower) {
				if opclass.CompareBounds(class, &last.upper, &b.upper) < 0 {
					last.upper = b.upper
				}
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

// touch says whether nothing lies between an upper bound and the lower bound
// of a range that does not begin before.
func (t *Type) touch(upper, lower *opclass.Bound) bool {
	if upper.Infinite || lower.Infinite {
		return true
	}
	switch c := t.Elem.Elem.class.Compare(&upper.Value, &lower.Value); {
	case c > 0:
		return true
	case c == 0:
		return upper.Inclusive || lower.Inclusive
	}
	return false
}

// multirangeStride: every fourth range's place is given as an offset
// (MULTIRANGE_ITEM_OFFSET_STRIDE, REL_18_1, multirangetypes.c).
const multirangeStride = 4

func (t *Type) finishMultirange(ranges []bounds, scratch []byte, start int) (datum.Value, []byte, error) {
	if len(ranges) > 0 && t.Elem.Elem.class == nil {
		return datum.Value{}, scratch[:start], fmt.Errorf("could not identify a comparison function for type %s", t.Elem.Elem.Name)
	}
	ranges = t.merge(ranges)
	sub := t.Elem.Elem.Attr()
	from := len(scratch)
	origin := from - 4
	scratch = le.AppendUint32(scratch, t.OID)
	scratch = le.AppendUint32(scratch, uint32(len(ranges)))
	items := len(scratch)
	for range max(len(ranges)-1, 0) {
		scratch = le.AppendUint32(scratch, 0)
	}
	for i := range ranges {
		scratch = append(scratch, ranges[i].flags())
	}
	scratch = pad(scratch, origin, sub.Align)
	base, previous := len(scratch), 0
	for i := range ranges {
		at := len(scratch) - base
		if i > 0 {
			item := uint32(at - previous)
			if i%multirangeStride == 0 {
				item = uint32(at) | 1<<31
			}
			le.PutUint32(scratch[items+4*(i-1):], item)
			previous = at
		}
		scratch = ranges[i].appendBounds(scratch, origin, sub)
		scratch = pad(scratch, origin, sub.Align)
	}
	return moveDown(scratch, start, from)
}
