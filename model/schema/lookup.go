package schema

// setPath takes over a search path. With an empty one the server refuses to
// create anything without a schema; here it goes to public.
func (d *Database) setPath(path []string) {
	d.path = d.path[:0]
	for _, s := range path {
		if s != "" && s != "$user" && s != "pg_catalog" && s != "pg_temp" {
			d.path = append(d.path, s)
		}
	}
	if len(d.path) == 0 {
		d.path = append(d.path, "public")
	}
}

// tempSchema stands for the session's schema of temporary objects.
const tempSchema = "pg_temp"

// creationSchema is where unqualified names are created: the first schema of
// the path that exists. A dump of one schema may not create it, so that the
// first of the path counts where none is known.
func (d *Database) creationSchema() string {
	for _, s := range d.path {
		if d.schemas[s] {
			return s
		}
	}
	return d.path[0]
}

// newName reads the name of something to create.
func (p *parser) newName(what string) (schema, name string) {
	schema, name = p.qname(what)
	if schema == "" {
		schema = p.db.creationSchema()
	}
	return schema, name
}

// findTable looks a table up along the search path.
func (d *Database) findTable(schema, name string) *Table {
	if schema != "" {
		return d.tables[objectName{schema, name}]
	}
	if t := d.tables[objectName{tempSchema, name}]; t != nil {
		return t
	}
	for _, s := range d.path {
		if t := d.tables[objectName{s, name}]; t != nil {
			return t
		}
	}
	return nil
}

func (d *Database) findIndex(schema, name string) *Index {
	if schema != "" {
		return d.indexes[objectName{schema, name}]
	}
	for _, s := range append([]string{tempSchema}, d.path...) {
		if x := d.indexes[objectName{s, name}]; x != nil {
			return x
		}
	}
	return nil
}

// findOther gives the kind of a relation that is neither table nor index.
func (d *Database) findOther(schema, name string) string {
	return d.others[objectName{d.schemaOf(schema, name), name}]
}

// schemaOf completes the name of an existing relation.
func (d *Database) schemaOf(schema, name string) string {
	if schema != "" {
		return schema
	}
	for _, s := range append([]string{tempSchema}, d.path...) {
		if d.relationExists(objectName{s, name}) {
			return s
		}
	}
	return d.path[0]
}

func (p *parser) noTable(at token, schema, name string) {
	p.failAt(at, "found table %s, expected one that a statement before creates", qualified(schema, name))
}

func (p *parser) noColumn(at token, t *Table, name string) {
	p.failAt(at, "found column %q, expected one of table %s", name, t.QualifiedName())
}

// table reads the name of a table that must exist. For a view or the like it
// returns nil with the cursor at the end.
func (p *parser) table(exists bool) *Table {
	at := p.peek()
	schema, name := p.qname("the name of a table")
	if p.err != nil {
		return nil
	}
	t := p.db.findTable(schema, name)
	if t == nil {
		if p.db.findOther(schema, name) == "" && !exists {
			p.noTable(at, schema, name)
		}
		p.i = len(p.st.toks) - 1
	}
	return t
}
