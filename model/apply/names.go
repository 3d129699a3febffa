package apply

import (
	"strings"

	"applysim/model/schema"
)

// Names in commands, which may be in quotes.

// nameFields splits a list at blanks and commas outside of quotes.
func nameFields(s string) []string {
	return fieldsOutside(s, " ,\t\n")
}

// fieldsOutside splits a text at any of some characters outside of quotes; empty fields
// are left out.
func fieldsOutside(s, at string) []string {
	var list []string
	quoted, from := false, 0
	add := func(to int) {
		if to > from {
			list = append(list, s[from:to])
		}
		from = to + 1
	}
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(at, s[i]) >= 0:
			add(i)
		}
	}
	add(len(s))
	return list
}

// splitName takes a name apart: its schema, public unless it has one, and itself.
func splitName(name string) (space, table string) {
	parts := fieldsOutside(name, ".")
	switch len(parts) {
	case 0:
		return "public", name
	case 1:
		return "public", unquoteName(parts[0])
	}
	return unquoteName(parts[0]), unquoteName(parts[len(parts)-1])
}

func unquoteName(s string) string {
	if len(s) < 2 || s[0] != '"' {
		return strings.Trim(s, `"`)
	}
	return strings.ReplaceAll(strings.TrimSuffix(s[1:], `"`), `""`, `"`)
}

// quoteName is a name as a command has it: in quotes only if it needs them.
func quoteName(s string) string {
	plain := s != "" && (s[0] < '0' || s[0] > '9')
	for i := range len(s) {
		b := s[i]
		plain = plain && (b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z')
	}
	switch s {
	case "freeze", "verbose", "only", "full", "analyze", "analyse":
		plain = false
	}
	if plain {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// CommandName is the name of a table as a command has it.
func CommandName(t *schema.Table) string {
	return quoteName(t.Schema) + "." + quoteName(t.Name)
}
