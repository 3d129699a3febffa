package schema

import "slices"

// createTrigger reads CREATE [CONSTRAINT] TRIGGER after those words.
func (p *parser) createTrigger(constraint bool) {
	tr := Trigger{Name: p.name("the name of the trigger"), Constraint: constraint, Enabled: 'O'}
	switch {
	case p.accept("before"):
		tr.Timing = "before"
	case p.accept("after"):
		tr.Timing = "after"
	case p.accept("instead", "of"):
		tr.Timing = "instead of"
	default:
		p.expected(`"BEFORE", "AFTER" or "INSTEAD OF"`)
	}
	for p.err == nil {
		at := p.peek()
		event := p.name("an event")
		switch event {
		case "insert", "delete", "truncate":
		case "update":
			if p.accept("of") {
				for p.err == nil {
					tr.Columns = append(tr.Columns, p.name("the name of a column"))
					if !p.accept(",") {
						break
					}
				}
			}
		default:
			p.failAt(at, "found %q, expected INSERT, UPDATE, DELETE or TRUNCATE", event)
		}
		tr.Events = append(tr.Events, event)
		if !p.accept("or") {
			break
		}
	}
	p.expect("on")
	t := p.table(false)
	if t == nil {
		return // a view's, or an error
	}
	for p.err == nil && !p.is("execute") {
		switch {
		case p.accept("from"):
			p.qname("the name of a table")
		case p.accept("not", "deferrable"), p.accept("deferrable"), p.accept("initially", "deferred"), p.accept("initially", "immediate"):
		case p.accept("referencing"):
			for p.isAny("old", "new") {
				p.i++
				if !p.accept("table") {
					p.accept("row")
				}
				p.accept("as")
				p.name("a name for the rows")
			}
		case p.accept("for"):
			p.accept("each")
			if p.accept("row") {
				tr.Row = true
			} else {
				p.expect("statement")
			}
		case p.accept("when"):
			tr.When, _, _ = p.parenExpr("a condition")
		default:
			p.expected(`"EXECUTE FUNCTION"`)
		}
	}
	p.expect("execute")
	if !p.accept("procedure") {
		p.expect("function")
	}
	schema, name := p.qname("the name of a function")
	tr.Function = name
	if schema != "" {
		tr.Function = schema + "." + name
	}
	p.skipParens()
	p.end()
	if p.err == nil {
		addTrigger(t, tr)
	}
}

// addTrigger enters a trigger, a row trigger also in the partitions.
func addTrigger(t *Table, tr Trigger) {
	t.Triggers = slices.DeleteFunc(t.Triggers, func(o Trigger) bool { return o.Name == tr.Name })
	t.Triggers = append(t.Triggers, tr)
	if tr.Row {
		for _, child := range t.Children {
			if child.Parent == t {
				addTrigger(child, tr)
			}
		}
	}
}

// cloneTriggers gives a new partition its parent's row triggers.
func (p *parser) cloneTriggers(child, parent *Table) {
	for _, tr := range parent.Triggers {
		if tr.Row {
			addTrigger(child, tr)
		}
	}
}

// setTrigger enables or disables triggers; it reports whether there is one.
func setTrigger(t *Table, name string, all bool, state byte) bool {
	found := false
	for i := range t.Triggers {
		if tr := &t.Triggers[i]; all || tr.Name == name {
			tr.Enabled = state
			found = true
		}
	}
	if found {
		for _, child := range t.Children {
			setTrigger(child, name, all, state)
		}
	}
	return found
}

// dropTrigger reads DROP TRIGGER after those words.
func (p *parser) dropTrigger() {
	exists := p.accept("if", "exists")
	name := p.name("the name of a trigger")
	p.expect("on")
	schema, table := p.qname("the name of a table")
	p.dropBehavior()
	p.end()
	if p.err != nil {
		return
	}
	t := p.db.findTable(schema, table)
	if (t == nil || !removeTrigger(t, name)) && !exists && p.db.findOther(schema, table) == "" {
		p.db.nothingToDrop(p, "trigger", "", name)
	}
}

func removeTrigger(t *Table, name string) bool {
	n := len(t.Triggers)
	t.Triggers = slices.DeleteFunc(t.Triggers, func(tr Trigger) bool { return tr.Name == name })
	if len(t.Triggers) == n {
		return false
	}
	for _, child := range t.Children {
		removeTrigger(child, name)
	}
	return true
}
