package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/model/spelling"
)

// decodeVariant takes a variant over. What it changes about the schema becomes DDL.
func decodeVariant(d *decoder, t *section) *Variant {
	v := &Variant{Name: t.text("name", ""), at: t.path}
	add := func(at, format string, args ...any) {
		v.DDL = append(v.DDL, Statement{SQL: fmt.Sprintf(format, args...), at: at})
	}
	for _, key := range []string{"drop_index", "ddl"} {
		if text, one := t.values[key].(string); one {
			t.values[key] = []any{text}
		}
	}
	for _, name := range t.texts("drop_index") {
		add(t.at("drop_index"), "DROP INDEX %s", Quoted(name))
		v.DDL[len(v.DDL)-1].index = name
	}
	for _, sql := range t.texts("ddl") {
		add(t.at("ddl"), "%s", strings.TrimRight(strings.TrimSpace(sql), ";"))
	}
	each := func(key string, f func(at, name string, value any)) {
		m := t.table(key)
		if m == nil {
			return
		}
		for _, name := range slices.Sorted(keys(m.values)) {
			f(m.at(name), name, m.values[name])
		}
	}
	each("fillfactor", func(at, name string, value any) {
		n, ok := value.(int64)
		if !ok || n < 10 || n > 100 {
			d.fail(at, "fillfactor of %s: found %s, expected a whole number from 10 to 100", name, describe(value))
		}
		add(at, "ALTER TABLE %s SET (fillfactor = %s)", Quoted(name), strconv.FormatInt(n, 10))
	})
	each("replica_identity", func(at, name string, value any) {
		identity, _ := value.(string)
		switch identity {
		case "default", "full", "nothing":
			add(at, "ALTER TABLE %s REPLICA IDENTITY %s", Quoted(name), strings.ToUpper(identity))
		case "":
			d.fail(at, "replica identity of %s: found %s, expected \"full\", \"default\", \"nothing\" or an index's name", name, describe(value))
		default:
			add(at, "ALTER TABLE %s REPLICA IDENTITY USING INDEX %s", Quoted(name), Quoted(identity))
		}
	})
	each("column_type", func(at, name string, value any) {
		if columns, ok := value.(map[string]any); ok { // [variant.column_type.TABLE]
			for _, column := range slices.Sorted(keys(columns)) {
				text, ok := columns[column].(string)
				if !ok {
					d.fail(at, "column_type of %s.%s: found %s, expected a type", name, column, describe(columns[column]))
				}
				add(at, "ALTER TABLE %s ALTER COLUMN %s TYPE %s", Quoted(name), quoteOne(column), text)
			}
			return
		}
		text, ok := value.(string)
		table, column, dotted := cutLast(name, ".")
		if !ok || !dotted {
			d.fail(at, "column_type: expected the form \"table.column\" = \"type\"")
			return
		}
		add(at, "ALTER TABLE %s ALTER COLUMN %s TYPE %s", Quoted(table), Quoted(column), text)
	})
	v.Settings = settings(d, t.table("settings"), true)
	t.done()
	if len(v.DDL)+len(v.Settings) == 0 && t.path != "" && d.err == nil {
		d.fail(t.path, "a variant that changes nothing: expected ddl, drop_index, fillfactor, replica_identity, column_type or settings")
	}
	return v
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// Quoted is a name as SQL has it, with its schema if there is one.
func Quoted(name string) string {
	parts := strings.SplitN(name, ".", 2)
	for i, p := range parts {
		parts[i] = quoteOne(p)
	}
	return strings.Join(parts, ".")
}

func quoteOne(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Variant finds a variant by its name.
func (s *Scenario) Variant(name string) (*Variant, error) {
	var names []string
	for _, v := range s.Variants {
		if v.Name == name {
			return v, nil
		}
		names = append(names, v.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no variants, and so none called %q", s.File, name)
	}
	return nil, fmt.Errorf("%s has no variant %q: expected one of %s (nearest: %s)", s.File, name, list(names), spelling.Nearest(name, names))
}
