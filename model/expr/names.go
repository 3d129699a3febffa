package expr

import (
	"slices"

	"applysim/model/schema"
)

// Names lists the columns that an expression names, 0-based and ascending, also if
// it cannot be compiled: its words are compared with the table's columns. A word
// before a parenthesis is a function, one after a cast's colons a type; the table's
// own name stands for all columns. The error is that of text which has no words.
func Names(sql string, t *schema.Table) ([]int, error) {
	toks, err := lex(sql)
	if err != nil || t == nil {
		return nil, err
	}
	var columns []int
	var add func(i int)
	add = func(i int) {
		if t.Columns[i].Generated != 'v' {
			columns = append(columns, i)
			return
		}
		// A virtual column is not stored: it is its expression.
		inner, _ := Names(t.Columns[i].GeneratedExpr, t)
		columns = append(columns, inner...)
	}
	for i, tok := range toks {
		if tok.kind != tokIdent && tok.kind != tokQuoted {
			continue
		}
		next := toks[min(i+1, len(toks)-1)].text
		if next == "(" || i > 0 && (toks[i-1].text == "::" || toks[i-1].text == "as") {
			continue
		}
		if n := t.Column(tok.text); n >= 0 && !(tok.kind == tokIdent && reserved[tok.text]) {
			add(n)
		} else if tok.text == t.Name && (next != "." || toks[min(i+2, len(toks)-1)].text == "*") {
			for n := range t.Columns {
				if !t.Columns[n].Dropped {
					add(n)
				}
			}
		}
	}
	slices.Sort(columns)
	return slices.Compact(columns), nil
}
