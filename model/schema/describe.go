package schema

import (
	"maps"
	"slices"
	"strings"
)

// String describes the index as CREATE INDEX would, without its table.
func (x *Index) String() string {
	unique := ""
	if x.Unique {
		unique = " UNIQUE"
	}
	s := x.Name + unique + " " + x.Method + " " + x.columnsString()
	if x.Predicate != "" {
		s += " WHERE " + x.Predicate
	}
	return s
}

// Create is the statement that makes the index, by its qualified table.
func (x *Index) Create() string {
	unique := ""
	if x.Unique {
		unique = "UNIQUE "
	}
	s := "CREATE " + unique + "INDEX " + QuoteIdent(x.Name) + " ON " + QuoteName(x.Table.Schema, x.Table.Name) + " USING " + x.Method + " " + x.columnsString()
	if len(x.Options) > 0 {
		var options []string
		for _, name := range slices.Sorted(maps.Keys(x.Options)) {
			options = append(options, name+" = '"+strings.ReplaceAll(x.Options[name], "'", "''")+"'")
		}
		s += " WITH (" + strings.Join(options, ", ") + ")"
	}
	if x.Predicate != "" {
		s += " WHERE " + x.Predicate
	}
	return s
}

// QuoteIdent is a name as SQL has it: quoted where it must be.
func QuoteIdent(name string) string { return quoteIdent(name) }

// QuoteName is a relation's name as SQL has it; its schema is left out where it is public.
func QuoteName(schema, name string) string {
	if schema == "public" {
		return quoteIdent(name)
	}
	return quoteIdent(schema) + "." + quoteIdent(name)
}

// columnsString is the list of the index's columns with what follows it.
func (x *Index) columnsString() string {
	var b strings.Builder
	b.WriteString("(")
	for i, k := range x.Keys {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(x.keyString(k))
	}
	b.WriteString(")")
	for i, c := range x.Include {
		b.WriteString(map[bool]string{true: " INCLUDE (", false: ", "}[i == 0])
		b.WriteString(quoteIdent(x.Table.Columns[c].Name))
	}
	if len(x.Include) > 0 {
		b.WriteString(")")
	}
	if x.NullsNotDistinct {
		b.WriteString(" NULLS NOT DISTINCT")
	}
	return b.String()
}

func (x *Index) keyString(k IndexKey) string {
	s := k.Expr
	if k.Column >= 0 {
		s = quoteIdent(x.Table.Columns[k.Column].Name)
	} else if !isCall(s) {
		s = "(" + s + ")"
	}
	if k.Collation != "" {
		s += " COLLATE " + quoteIdent(k.Collation)
	}
	if k.OpClass != "" {
		s += " " + quoteIdent(k.OpClass)
		if k.OpClassOptions != "" {
			s += " (" + k.OpClassOptions + ")"
		}
	}
	if k.Desc {
		s += " DESC"
	}
	if k.NullsFirst != k.Desc {
		s += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
	}
	return s
}

// isCall reports whether an expression is one call of a function, which needs
// no parentheses around it in an index.
func isCall(s string) bool {
	i := strings.IndexByte(s, '(')
	if i <= 0 || s[len(s)-1] != ')' {
		return false
	}
	for j := 0; j < i; j++ {
		if charClass[s[j]]&charMore == 0 && s[j] != '.' {
			return false
		}
	}
	depth := 0
	src := []byte(s)
	for pos := i; ; {
		t, next, ok := lexOne(src, pos)
		if !ok || t.kind == tokEOF {
			return false
		}
		if t.kind == tokPunct {
			switch src[t.start] {
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					return next == len(src)
				}
			}
		}
		pos = next
	}
}
