package decode

import (
	"fmt"
	"strings"

	"applysim/model/pgtype"
)

// varHeader is what the modifiers of text types and of numeric have in addition.
const varHeader = 4

// typeName is the name of a type as SQL has it, with its modifier if modified says so
// (format_type_be and format_type_with_typemod in format_type.c). Types of schema
// public need none before them.
func typeName(t *pgtype.Type, typmod int32, modified bool) string {
	if t.Kind == pgtype.KindArray && t.Elem != nil {
		return typeName(t.Elem, typmod, modified) + "[]"
	}
	if t.Schema != "pg_catalog" {
		if t.Schema == "public" || t.Schema == "" {
			return quoteIdentifier(t.Name)
		}
		return quoteQualified(t.Schema, t.Name)
	}
	given := modified && typmod >= 0
	switch t.Kind {
	case pgtype.KindBpchar:
		if given {
			return fmt.Sprintf("character(%d)", typmod-varHeader)
		}
		if modified {
			return "bpchar"
		}
		return "character"
	case pgtype.KindBit:
		if given {
			return fmt.Sprintf("bit(%d)", typmod)
		}
		if modified {
			return `"bit"`
		}
		return "bit"
	case pgtype.KindVarchar:
		if given {
			return fmt.Sprintf("character varying(%d)", typmod-varHeader)
		}
	case pgtype.KindVarbit:
		if given {
			return fmt.Sprintf("bit varying(%d)", typmod)
		}
	case pgtype.KindNumeric:
		if given {
			// The scale is signed and has 11 bits (numerictypmodout in numeric.c).
			scale := int32((typmod-varHeader)&0x7FF^1024) - 1024
			return fmt.Sprintf("numeric(%d,%d)", (typmod-varHeader)>>16&0xFFFF, scale)
		}
	case pgtype.KindTime, pgtype.KindTimeTZ, pgtype.KindTimestamp, pgtype.KindTimestampTZ:
		if given {
			word, rest, _ := strings.Cut(t.Name, " ")
			return fmt.Sprintf("%s(%d) %s", word, typmod, rest)
		}
	case pgtype.KindInterval:
		if given {
			return "interval" + intervalModifier(typmod)
		}
	}
	return t.Name
}

// The fields of an interval's modifier. Source: REL_18_1,
// src/include/utils/timestamp.h and datetime.h.
const (
	intervalFullRange     = 0x7FFF
	intervalFullPrecision = 0xFFFF
	fieldMonth            = 1 << 1
	fieldYear             = 1 << 2
	fieldDay              = 1 << 3
	fieldHour             = 1 << 10
	fieldMinute           = 1 << 11
	fieldSecond           = 1 << 12
)

// intervalModifier is intervaltypmodout in timestamp.c.
func intervalModifier(typmod int32) string {
	fields, precision := typmod>>16&intervalFullRange, typmod&intervalFullPrecision
	names := []struct {
		field int32
		name  string
	}{{fieldYear, "year"}, {fieldMonth, "month"}, {fieldDay, "day"}, {fieldHour, "hour"}, {fieldMinute, "minute"}, {fieldSecond, "second"}}
	text := ""
	if fields != intervalFullRange {
		first, last := "", ""
		for _, n := range names {
			if fields&n.field != 0 {
				if first == "" {
					first = n.name
				}
				last = n.name
			}
		}
		if text = " " + first; last != first {
			text += " to " + last
		}
	}
	if precision != intervalFullPrecision {
		text += fmt.Sprintf("(%d)", precision)
	}
	return text
}
