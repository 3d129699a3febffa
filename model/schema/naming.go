// After makeObjectName, ChooseRelationName, ChooseIndexName and their helpers
// in src/backend/commands/indexcmds.c, ChooseConstraintName in
// src/backend/catalog/pg_constraint.c (REL_18_1).

package schema

import "strconv"

// makeObjectName joins the parts with underscores and, where the result
// would be too long, shortens the longer of the first two.
func makeObjectName(name1, name2, label string) string {
	room := maxIdent
	if name2 != "" {
		room--
	}
	if label != "" {
		room -= len(label) + 1
	}
	n1, n2 := len(name1), len(name2)
	for n1+n2 > room {
		if n1 > n2 {
			n1--
		} else {
			n2--
		}
	}
	s := clip(name1, max(n1, 0))
	if name2 != "" {
		s += "_" + clip(name2, max(n2, 0))
	}
	if label != "" {
		s += "_" + label
	}
	return s
}

// relationExists reports whether pg_class has the name.
func (d *Database) relationExists(n objectName) bool {
	if d.tables[n] != nil || d.indexes[n] != nil {
		return true
	}
	_, ok := d.others[n]
	return ok
}

// chooseRelationName numbers the label until the name is free; the name of a
// constraint's index must be free among the schema's constraints too.
func (d *Database) chooseRelationName(name1, name2, label, schema string, constraint bool) string {
	for pass := 0; ; pass++ {
		l := label
		if pass > 0 {
			l += strconv.Itoa(pass)
		}
		n := objectName{schema, makeObjectName(name1, name2, l)}
		if !d.relationExists(n) && (!constraint || d.constraints[n] == 0) {
			return n.name
		}
	}
}

// chooseConstraintName does the same among constraints only.
func (d *Database) chooseConstraintName(name1, name2, label, schema string) string {
	for pass := 0; ; pass++ {
		l := label
		if pass > 0 {
			l += strconv.Itoa(pass)
		}
		if n := makeObjectName(name1, name2, l); d.constraints[objectName{schema, n}] == 0 {
			return n
		}
	}
}

// joinColumnNames is the middle part of a generated name: the columns joined
// by underscores, stopping once there is more than a name can hold.
func joinColumnNames(names []string) string {
	s := ""
	for _, n := range names {
		if s != "" {
			s += "_"
		}
		s += n
		if len(s) >= maxIdent+1 {
			break
		}
	}
	return s
}

// chooseIndexName names an index that the statement leaves unnamed.
func (d *Database) chooseIndexName(x *Index) string {
	table, schema := x.Table.Name, x.Table.Schema
	columns := joinColumnNames(x.colnames)
	switch {
	case x.Primary:
		return d.chooseRelationName(table, "", "pkey", schema, true)
	case len(x.operators) > 0:
		return d.chooseRelationName(table, columns, "excl", schema, true)
	case x.Constraint:
		return d.chooseRelationName(table, columns, "key", schema, true)
	}
	return d.chooseRelationName(table, columns, "idx", schema, false)
}

// uniqueColumnNames numbers repeated names of an index's columns, as the
// columns of a relation must differ.
func uniqueColumnNames(names []string) []string {
	list := make([]string, 0, len(names))
	used := map[string]bool{}
	for _, orig := range names {
		name := orig
		for i := 1; used[name]; i++ {
			n := strconv.Itoa(i)
			name = clip(orig, maxIdent-len(n)) + n
		}
		used[name] = true
		list = append(list, name)
	}
	return list
}
