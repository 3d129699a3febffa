package expr

import (
	"fmt"
	"strings"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// sampleText is a text that follows from a hash and that a type's input function takes;
// false if nothing is known of how its values look.
func sampleText(t *pgtype.Type, h uint64) (string, bool) {
	t = t.Base()
	day := func(n uint64) string { return fmt.Sprintf("2026-08-%02d", 1+n%14) }
	switch t.Kind {
	case pgtype.KindInt2, pgtype.KindInt4, pgtype.KindInt8, pgtype.KindOid, pgtype.KindNumeric, pgtype.KindFloat4, pgtype.KindFloat8, pgtype.KindMoney:
		return fmt.Sprint(h % 10_000), true
	case pgtype.KindText, pgtype.KindVarchar, pgtype.KindName, pgtype.KindBpchar, pgtype.KindOpaque:
		return fmt.Sprintf("%08x", uint32(h)), true
	case pgtype.KindBool:
		return "ft"[h&1 : h&1+1], true
	case pgtype.KindDate:
		return day(h), true
	case pgtype.KindTimestamp, pgtype.KindTimestampTZ:
		return fmt.Sprintf("%s %02d:%02d:%02d", day(h), h>>8%24, h>>16%60, h>>24%60), true
	case pgtype.KindTime:
		return fmt.Sprintf("%02d:%02d:%02d", h>>8%24, h>>16%60, h>>24%60), true
	case pgtype.KindInterval:
		return fmt.Sprint(h%100_000, " seconds"), true
	case pgtype.KindUUID:
		return fmt.Sprintf("%016x%016x", h, h*0x9e3779b97f4a7c15), true
	case pgtype.KindInet, pgtype.KindCidr:
		return fmt.Sprintf("10.%d.%d.%d", h>>16&255, h>>8&255, h&255), true
	case pgtype.KindJSON, pgtype.KindJsonb:
		return fmt.Sprintf(`"%08x"`, uint32(h)), true
	case pgtype.KindEnum:
		if n := uint64(len(t.Labels)); n > 0 {
			return t.Labels[h%n], true
		}
	case pgtype.KindPath, pgtype.KindPolygon:
		return fmt.Sprintf("((0,0),(%d,0),(0,%d))", 1+h%100, 1+h>>8%100), true
	case pgtype.KindRange:
		switch t.Elem.Base().Kind {
		case pgtype.KindDate, pgtype.KindTimestamp, pgtype.KindTimestampTZ:
			return fmt.Sprintf("[%s,2026-08-%02d)", day(h), 15+h>>8%14), true
		}
		if _, ok := sampleText(t.Elem, h); ok {
			return fmt.Sprintf("[%d,%d)", h%10_000, 10_000+h>>16%1_000), true
		}
	case pgtype.KindMultirange:
		r, ok := sampleText(t.Elem, h)
		return "{" + r + "}", ok
	case pgtype.KindArray:
		e, ok := sampleText(t.Elem, h)
		return "{" + inQuotes(e) + "}", ok
	case pgtype.KindComposite:
		var fields []string
		for i, f := range t.Fields {
			e, ok := sampleText(f.Type, h+uint64(i))
			if !ok {
				return "", false
			}
			fields = append(fields, inQuotes(e))
		}
		return "(" + strings.Join(fields, ",") + ")", true
	}
	return "", false
}

// inQuotes is a value within an array or a row.
func inQuotes(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// sampleMaker makes values of types whose width does not depend on anything.
func sampleMaker(typ, base *pgtype.Type) (maker, *pgtype.Type, error) {
	input := func(h uint64) (v datum.Value, err error) {
		text, ok := sampleText(base, h)
		if !ok {
			return v, fmt.Errorf("nothing is known of how they look")
		}
		v, _, err = base.Input([]byte(text), -1, nil)
		return v, err
	}
	if _, err := input(0x5eed); err != nil {
		return nil, typ, fmt.Errorf("values of type %s cannot be made up: %v", typ, err)
	}
	return func(s *Scratch, h uint64, _ *inputs, _ []datum.Value) datum.Value {
		v, err := input(h)
		if err != nil {
			panic("expr: a value that was made up is not valid: " + err.Error())
		}
		return s.bytes(v.Bytes)
	}, typ, nil
}
