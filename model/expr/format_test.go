package expr

import (
	"fmt"

	"applysim/model/pgtype"
)

// formatType prints a type with its modifier as format_type does.
func formatType(t *pgtype.Type, typmod int32) string {
	name := t.String()
	if t.Kind == pgtype.KindArray {
		return formatType(t.Elem, typmod) + "[]"
	}
	if t.Kind == pgtype.KindBpchar {
		if name = "character"; typmod < 0 {
			return "bpchar"
		}
	}
	if t.Schema == "public" {
		name = t.Name
	}
	if t.Kind == pgtype.KindBit && typmod < 0 {
		return `"bit"`
	}
	if typmod < 0 {
		return name
	}
	if t.Kind == pgtype.KindInterval {
		return fmt.Sprintf("interval(%d)", typmod&0xFFFF)
	}
	switch t.Kind {
	case pgtype.KindVarchar, pgtype.KindBpchar:
		return fmt.Sprintf("%s(%d)", name, typmod-4)
	case pgtype.KindNumeric:
		return fmt.Sprintf("%s(%d,%d)", name, (typmod-4)>>16, (typmod-4)&0x7FF)
	case pgtype.KindTimestamp:
		return fmt.Sprintf("timestamp(%d) without time zone", typmod)
	case pgtype.KindTimestampTZ:
		return fmt.Sprintf("timestamp(%d) with time zone", typmod)
	case pgtype.KindTime:
		return fmt.Sprintf("time(%d) without time zone", typmod)
	}
	return fmt.Sprintf("%s(%d)", name, typmod)
}
