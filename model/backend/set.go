package backend

import "slices"

// The SET list of an UPDATE, or of an INSERT with ON CONFLICT.

// readSet reads a SET list.
func (d *dml) readSet(toks []token) {
	d.set = []int{}
	for _, item := range list(toks) {
		names := item
		if len(item) > 0 && item[0].is("(") {
			names = item[1:closing(item, 0)]
		} else if len(item) > 0 {
			names = item[:1]
		}
		for _, n := range names {
			if i := d.table.Column(n.text); i >= 0 && n.name() {
				d.set = append(d.set, i)
			}
		}
		if at := slices.IndexFunc(item, func(x token) bool { return x.is("=") }); at >= 0 {
			d.readComputed(item[at+1:])
		}
	}
}

// readComputed reads which columns of the row an expression of a SET list computes with.
// One that is taken over as it is, or only asked whether it is NULL, need not be whole. What
// a query in parentheses reads is not known.
func (d *dml) readComputed(toks []token) {
	if slices.ContainsFunc(toks, func(x token) bool { return x.kind == 'w' && x.is("select") }) {
		return
	}
	var calls []string // the functions whose parentheses are open
	for i, x := range toks {
		switch {
		case x.is("("):
			name := ""
			if i > 0 && toks[i-1].name() {
				name = toks[i-1].text
			}
			calls = append(calls, name)
			continue
		case x.is(")"):
			if len(calls) > 0 {
				calls = calls[:len(calls)-1]
			}
			continue
		case !x.name() || i+1 < len(toks) && toks[i+1].is("(", ".", "is"):
			continue
		}
		first := i
		if i > 1 && toks[i-1].is(".") {
			if q := toks[i-2].text; q != d.alias && q != d.table.Name {
				continue
			}
			first = i - 2
		}
		bare := first == 0 && i == len(toks)-1
		if len(calls) > 0 && calls[len(calls)-1] == "coalesce" {
			bare = toks[first-1].is("(", ",") && toks[i+1].is(")", ",")
		}
		if n := d.table.Column(x.text); n >= 0 && !bare {
			d.computes = append(d.computes, n)
		}
	}
}
