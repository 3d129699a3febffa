package expr

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

type castImpl = func(s *Scratch, v datum.Value) (datum.Value, error)

// widthOf gives the width of an integer type in bits, 0 for other types.
func widthOf(k pgtype.Kind) int {
	switch k {
	case pgtype.KindInt2:
		return 16
	case pgtype.KindInt4:
		return 32
	case pgtype.KindInt8:
		return 64
	}
	return 0
}

// directCast finds the cast function between two types, nil if there is none
// here.
func directCast(src, dst *pgtype.Type) castImpl {
	from, to := src.Kind, dst.Kind
	switch {
	case widthOf(from) != 0:
		return fromInteger(from, to)
	case isFloat(from):
		return fromFloat(from, to)
	case from == pgtype.KindNumeric:
		return fromNumeric(to)
	case isMoment(from), from == pgtype.KindTime, from == pgtype.KindInterval, from == pgtype.KindTimeTZ:
		return fromTime(from, to)
	}
	switch {
	case from == pgtype.KindBool && isText(to):
		return func(s *Scratch, v datum.Value) (datum.Value, error) {
			return datum.Value{Bytes: []byte([2]string{"false", "true"}[v.Bits&1])}, nil
		}
	case from == pgtype.KindBool && to == pgtype.KindInt4:
		return same
	case from == pgtype.KindBpchar && (to == pgtype.KindText || to == pgtype.KindVarchar):
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			return datum.Value{Bytes: trimBlanks(v.Bytes)}, nil
		}
	case from == pgtype.KindName && isText(to):
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			return datum.Value{Bytes: untilNUL(v.Bytes)}, nil
		}
	case isText(from) && to == pgtype.KindName:
		return func(s *Scratch, v datum.Value) (datum.Value, error) {
			if from == pgtype.KindBpchar {
				v.Bytes = trimBlanks(v.Bytes)
			}
			w, buf, err := dst.Input(v.Bytes, -1, s.buf)
			s.buf = buf
			return w, err
		}
	case from == pgtype.KindChar && isText(to), isText(from) && to == pgtype.KindChar:
		return func(s *Scratch, v datum.Value) (datum.Value, error) { return inputTo(s, dst, output(s, src, v).Bytes) }
	case from == pgtype.KindChar && to == pgtype.KindInt4:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			return datum.Value{Bits: uint64(int64(int8(v.Bits)))}, nil
		}
	case from == pgtype.KindOid && to == pgtype.KindInt8:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			return datum.Value{Bits: uint64(uint32(v.Bits))}, nil
		}
	case (from == pgtype.KindInet || from == pgtype.KindCidr) && isText(to):
		// The cast shows the mask's length always, the output function does not.
		return func(s *Scratch, v datum.Value) (datum.Value, error) {
			return s.text(pgtype.ByOID(650).Text(v)), nil
		}
	case from == pgtype.KindJsonb && (to == pgtype.KindBool || to == pgtype.KindNumeric || widthOf(to) != 0 || isFloat(to)):
		return fromJsonb(dst)
	}
	return nil
}

func same(_ *Scratch, v datum.Value) (datum.Value, error) { return v, nil }

func fromInteger(from, to pgtype.Kind) castImpl {
	switch {
	case widthOf(to) != 0:
		if widthOf(to) >= widthOf(from) {
			return same
		}
		width := widthOf(to)
		return func(_ *Scratch, v datum.Value) (datum.Value, error) { return ranged(int64(v.Bits), width) }
	case to == pgtype.KindFloat8:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) { return float(float64(int64(v.Bits))), nil }
	case to == pgtype.KindFloat4:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			return datum.Value{Bits: uint64(math.Float32bits(float32(int64(v.Bits))))}, nil
		}
	case to == pgtype.KindNumeric:
		return func(s *Scratch, v datum.Value) (datum.Value, error) {
			var text [24]byte
			w, buf, err := typeNumeric.Input(strconv.AppendInt(text[:0], int64(v.Bits), 10), -1, s.buf)
			s.buf = buf
			return w, err
		}
	case to == pgtype.KindBool && from == pgtype.KindInt4:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) { return boolean(v.Bits != 0), nil }
	case to == pgtype.KindOid:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			if n := int64(v.Bits); from == pgtype.KindInt8 && n != int64(uint32(n)) {
				return null, errOidRange
			}
			return datum.Value{Bits: uint64(uint32(v.Bits))}, nil
		}
	case to == pgtype.KindChar && from == pgtype.KindInt4:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			if n := int64(v.Bits); n != int64(int8(n)) {
				return null, errors.New(`"char" out of range`)
			}
			return datum.Value{Bits: v.Bits & 0xFF}, nil
		}
	}
	return nil
}

func fromFloat(from, to pgtype.Kind) castImpl {
	get, digits := f8, 15
	if from == pgtype.KindFloat4 {
		get, digits = f4, 6
	}
	switch {
	case widthOf(to) != 0:
		width := widthOf(to)
		return func(_ *Scratch, v datum.Value) (datum.Value, error) { return floatToInt(get(v), width) }
	case to == pgtype.KindFloat8:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) { return float(get(v)), nil }
	case to == pgtype.KindFloat4:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			f := get(v)
			r, err := checked(float64(float32(f)), math.IsInf(f, 0), f == 0)
			return float4(r), err
		}
	case to == pgtype.KindNumeric:
		return func(s *Scratch, v datum.Value) (datum.Value, error) { return floatToNumeric(s, get(v), digits) }
	}
	return nil
}

func fromNumeric(to pgtype.Kind) castImpl {
	switch {
	case widthOf(to) != 0:
		width := widthOf(to)
		return func(_ *Scratch, v datum.Value) (datum.Value, error) { return integerOf(decodeNumeric(v.Bytes), width) }
	case to == pgtype.KindFloat8:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			d := decodeNumeric(v.Bytes)
			f := float64Of(d)
			if math.IsInf(f, 0) && d.special == 0 || f == 0 && d.sign() != 0 {
				return null, fmt.Errorf("\"%s\" is out of range for type double precision", d.text(nil))
			}
			return float(f), nil
		}
	case to == pgtype.KindFloat4:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			d := decodeNumeric(v.Bytes)
			if d.special != 0 {
				return float4(float64Of(d)), nil
			}
			f, err := strconv.ParseFloat(string(d.text(nil)), 32)
			if err != nil || f == 0 && d.sign() != 0 {
				return null, fmt.Errorf("\"%s\" is out of range for type real", d.text(nil))
			}
			return float4(f), nil
		}
	}
	return nil
}

func fromTime(from, to pgtype.Kind) castImpl {
	zoned := func(k pgtype.Kind) bool { return k == pgtype.KindTimestamp || k == pgtype.KindTimestampTZ }
	switch {
	case from == pgtype.KindDate && zoned(to):
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			n, err := dateToTimestamp(int64(v.Bits))
			return datum.Value{Bits: uint64(n)}, err
		}
	case zoned(from) && zoned(to): // TimeZone is UTC
		return same
	case zoned(from) && to == pgtype.KindDate:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			return datum.Value{Bits: uint64(timestampToDate(int64(v.Bits)))}, nil
		}
	case zoned(from) && to == pgtype.KindTime:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			if isInfinite(int64(v.Bits)) {
				return null, nil
			}
			_, usecs := split(int64(v.Bits))
			return datum.Value{Bits: uint64(usecs)}, nil
		}
	case from == pgtype.KindTime && to == pgtype.KindInterval:
		return func(s *Scratch, v datum.Value) (datum.Value, error) {
			return s.interval(span{usecs: int64(v.Bits)}), nil
		}
	case from == pgtype.KindInterval && to == pgtype.KindTime:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			i := spanOf(v)
			if i.infinite() {
				return null, errors.New("cannot convert infinite interval to time")
			}
			_, usecs := split(i.usecs)
			return datum.Value{Bits: uint64(usecs)}, nil
		}
	case from == pgtype.KindTimeTZ && to == pgtype.KindTime:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			return datum.Value{Bits: le.Uint64(v.Bytes)}, nil
		}
	}
	return nil
}
