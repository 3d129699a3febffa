package schema

import "slices"

// attachPartition makes a table a partition: what the parent's indexes lack
// there is created.
func (p *parser) attachPartition(parent, child *Table, bound *Bound) {
	if p.err != nil {
		return
	}
	child.Parent, child.Bound = parent, bound
	parent.Children = append(parent.Children, child)
	for i := range parent.Columns {
		if c := &parent.Columns[i]; !c.Dropped {
			j := child.Column(c.Name)
			if j < 0 {
				p.fail("found table %s without column %q, expected the columns of %s", child.QualifiedName(), c.Name, parent.QualifiedName())
				return
			}
			if c.Identity != 0 {
				child.Columns[j].Identity = c.Identity
			}
		}
	}
	parent.adopt(child)
	for _, x := range parent.Indexes {
		p.ensureIndex(child, x)
	}
	p.cloneTriggers(child, parent)
}

// isBelow reports whether t is a or one of its descendants.
func isBelow(t, a *Table) bool {
	seen := map[*Table]bool{}
	var below func(t *Table) bool
	below = func(t *Table) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		return t == a || below(t.Parent) || slices.ContainsFunc(t.Inherits, below)
	}
	return below(t)
}

// detachPartition leaves the former partition its indexes.
func (p *parser) detachPartition(parent, child *Table) {
	if child.Parent != parent {
		p.fail("found table %s, expected a partition of %s", child.QualifiedName(), parent.QualifiedName())
		return
	}
	parent.release(child)
	child.Parent, child.Bound = nil, nil
	parent.Children = slices.DeleteFunc(parent.Children, func(t *Table) bool { return t == child })
	for _, x := range child.Indexes {
		x.Parent = nil
	}
	child.Triggers = slices.DeleteFunc(child.Triggers, func(tr Trigger) bool {
		return slices.ContainsFunc(parent.Triggers, func(o Trigger) bool { return o.Name == tr.Name && o.Row })
	})
}
