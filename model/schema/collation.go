package schema

import (
	"fmt"
	"strings"

	"applysim/model/collation"
)

// Collation is a CREATE COLLATION.
type Collation struct {
	Schema, Name string
	collation.Spec
	// Rules says that it has RULES, which change the order.
	Rules bool
}

// name is how columns and index keys refer to it.
func (c *Collation) name() string {
	if c.Schema == "public" {
		return c.Name
	}
	return c.Schema + "." + c.Name
}

// Collation finds a collation by its name as a column, an index key or an
// expression has it: one that initdb makes, or one that the script does. The
// default collation is not among them. The error says what else there is.
func (d *Database) Collation(name string) (*Collation, error) {
	if s, ok := collation.Named(strings.TrimPrefix(name, "pg_catalog.")); ok {
		return &Collation{Schema: "pg_catalog", Name: name, Spec: s}, nil
	}
	if c := d.Collations[name]; c != nil {
		return c, nil
	}
	for _, schema := range append([]string{"public"}, d.path...) {
		if c := d.Collations[schema+"."+name]; c != nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("found collation %q, expected one that CREATE COLLATION makes before it, %s", name, collation.Expected)
}

// collation reads a collation's name; pg_catalog and public are left out.
func (p *parser) collation() string {
	at := p.peek()
	schema, name := p.qname("the name of a collation")
	if p.err != nil || name == "default" && (schema == "" || schema == "pg_catalog") {
		return name
	}
	if schema != "" && schema != "pg_catalog" {
		if c := p.db.Collations[schema+"."+name]; c != nil {
			return c.name()
		}
		for _, c := range p.db.Collations {
			if c.Name == name && len(p.db.Collations) == 1 {
				return c.name() // the script is read into another schema than its own
			}
		}
		name = schema + "." + name
	}
	c, err := p.db.Collation(name)
	if err != nil {
		// It may be one that the server has and the script does not make.
		if text := fmt.Sprintf("collation %q is not known: taken for the default one (%v)", name, err); !p.db.warned[text] {
			p.db.warned[text] = true
			p.db.warn(p.st.file, p.st.lineOf(at), "%s", text)
		}
		return ""
	}
	if c.Schema == "pg_catalog" {
		return name
	}
	return c.name()
}

// createCollation reads CREATE COLLATION after those words.
func (p *parser) createCollation() {
	p.accept("if", "not", "exists")
	at := p.peek()
	c := &Collation{}
	c.Schema, c.Name = p.newName("the name of the collation")
	if p.accept("from") {
		space, name := p.qname("the name of a collation")
		if space != "" && space != "pg_catalog" {
			name = space + "." + name
		}
		if p.err == nil {
			from, err := p.db.Collation(name)
			if err != nil {
				p.failAt(at, "%v", err)
				return
			}
			c.Spec, c.Rules = from.Spec, from.Rules
		}
	} else {
		p.collationOptions(c, at)
	}
	p.end()
	if p.err == nil {
		p.db.Collations[c.Schema+"."+c.Name] = c
	}
}

func (p *parser) collationOptions(c *Collation, at token) {
	o := p.options()
	if p.err != nil {
		return
	}
	provider, err := collation.ParseProvider(o["provider"])
	if err == nil {
		c.Provider, c.Locale = provider, o["locale"]
		if c.Locale == "" {
			c.Locale = o["lc_collate"]
		}
		c.Deterministic = boolOption(o, "deterministic", true)
		c.Rules = o["rules"] != ""
		err = c.Check()
	}
	if err != nil {
		p.failAt(at, "collation %s: %v", qualified(c.Schema, c.Name), err)
	}
}
