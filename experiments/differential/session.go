package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"applysim/experiments/server"
)

// Session is a random case of a publisher: what sessions do to its own tables.
type Session struct {
	Name      string
	Tables    []string // DDL, one table each
	Conf      server.Settings
	Checksums bool
	Units     []string // scripts, one after the other
}

// Case renders it.
func (s *Session) Case() *server.PublisherCase {
	return &server.PublisherCase{Name: s.Name, Pub: strings.Join(s.Tables, "; "), Conf: s.Conf, Checksums: s.Checksums, SQL: s.Units}
}

func (s *Session) name() string { return s.Name }

// record records it; views are not compared.
func (s *Session) record(d *differential, dir string, _ bool) error {
	_, err := d.pool.RecordPublisher(s.Case(), dir)
	return err
}

// shrink leaves out scripts, then statements of transactions, settings and tables.
func (s *Session) shrink(k *shrinker) {
	best := s
	try := func(change func(*Session)) bool {
		if k.left <= 0 {
			return false
		}
		c := *best
		c.Units, c.Tables, c.Conf = slices.Clone(best.Units), slices.Clone(best.Tables), cloneSettings(best.Conf)
		change(&c)
		if !k.differs(&c) {
			return false
		}
		best = &c
		return true
	}
	for progress := true; progress && k.left > 0; {
		progress = false
		for size := max(1, len(best.Units)/2); size > 0; size /= 2 {
			for at := len(best.Units); at > 0; at -= size {
				from, to := max(0, at-size), min(at, len(best.Units))
				if from < to {
					progress = try(func(c *Session) { c.Units = slices.Delete(c.Units, from, to) }) || progress
				}
			}
		}
		for i := len(best.Tables) - 1; i >= 0 && len(best.Tables) > 1; i-- {
			progress = try(func(c *Session) { c.Tables = slices.Delete(c.Tables, i, i+1) }) || progress
		}
		for name := range cloneSettings(best.Conf) {
			progress = try(func(c *Session) { delete(c.Conf, name) }) || progress
		}
		for i, text := range best.Units {
			list := server.Split(text)
			for j := len(list) - 2; j > 0 && strings.HasPrefix(text, "begin"); j-- {
				fewer := slices.Delete(slices.Clone(list), j, j+1)
				if try(func(c *Session) { c.Units[i] = strings.Join(fewer, "; ") }) {
					list, progress = fewer, true
				}
			}
		}
	}
}

// sessionTable is what the generator knows of a table.
type sessionTable struct {
	name     string
	columns  []sessionColumn // but for the key
	rows     int64           // the last key that was used
	keyText  bool            // keys are texts
	parent   *sessionTable   // that column parent refers to
	action   string          // of the foreign key
	children bool            // others refer to it
	parts    bool
	serial   bool // column s draws numbers
}

// sessionColumn is a column, and how its values are made of a number.
type sessionColumn struct {
	name, typ, expr string // %n stands for the number
	indexed, unique bool
}

// sessionKinds are the types of columns. Their expressions are such that the model
// computes them, too: rows that do not last come from nowhere else.
var sessionKinds = []sessionColumn{
	{typ: "int", expr: "(%n) % 50"}, {typ: "int", expr: "(%n) * 7"}, {typ: "bigint", expr: "((%n) * 1000003) % 100000"},
	{typ: "smallint", expr: "((%n) % 100)::smallint"}, {typ: "boolean", expr: "(%n) % 3 = 0"},
	{typ: "text", expr: "'v' || (%n) % 200"}, {typ: "text", expr: "md5((%n)::text)"}, {typ: "text", expr: "repeat(md5((%n)::text), 1 + (%n) % 8)"},
	{typ: "varchar(40)", expr: "substr(md5((%n)::text), 1, 1 + (%n) % 30)"}, {typ: "numeric(12,2)", expr: "((%n) % 9999) / 100.0"},
	{typ: "timestamptz", expr: "timestamptz '2026-01-01 00:00:00Z' + (%n) * interval '1 s'"}, {typ: "date", expr: "date '2026-01-01' + (%n) % 900"},
	{typ: "uuid", expr: "md5((%n)::text)::uuid"}, {typ: "double precision", expr: "(%n) / 8.0::float8"},
	{typ: "text", expr: "case when (%n) % 4 = 0 then null else 'sometimes ' || (%n) end"},
}

// sessionMaker makes a session.
type sessionMaker struct {
	*generator
	s      *Session
	tables []*sessionTable
	alive  map[*sessionTable]int64 // keys of a parent up to this one are there
	number int64
}

// generateSession makes the publisher's case of a seed.
func generateSession(seed uint64, f features) *Session {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 60)), features: f, spec: &Spec{SubConf: server.Settings{}, PubConf: server.Settings{}}}
	g.settings()
	m := &sessionMaker{generator: g, s: &Session{Name: fmt.Sprintf("session_%d", seed), Conf: g.spec.SubConf, Checksums: g.spec.Checksums}, alive: map[*sessionTable]int64{}}
	for range g.oneOf(1, 1, 2, 2, 3) {
		m.table()
	}
	for range 3 + g.IntN(20) {
		m.unit()
	}
	m.more(seed)
	return m.s
}

func (m *sessionMaker) table() {
	t := &sessionTable{name: fmt.Sprintf("t%d", len(m.tables)+1)}
	key := "int"
	if m.chance(15) {
		key, t.keyText = "text", true
	}
	t.parts = m.chance(10) && !t.keyText
	items := []string{"id " + key + " not null"}
	var after []string
	if m.chance(25) && !t.parts {
		t.serial = true
		items = append(items, "s "+pick(m.generator, []string{"bigserial", "int generated by default as identity", "serial", "bigint generated always as identity"}))
	}
	for range m.oneOf(1, 2, 3, 4, 6, 9) {
		c := pick(m.generator, sessionKinds)
		c.name = m.newName("c")
		if m.chance(10) {
			c.expr, c.typ, c.unique = "(%n) + 5", "int", true
		}
		item := c.name + " " + c.typ
		if m.chance(20) && !strings.Contains(c.expr, "null") {
			item += " not null"
		}
		items = append(items, item)
		t.columns = append(t.columns, c)
	}
	if m.chance(20) && t.columns[0].typ == "text" {
		items = append(items, "g int generated always as ("+"length("+t.columns[0].name+"::text)) stored")
	}
	if len(m.tables) > 0 && m.chance(45) && !t.parts {
		if p := m.tables[0]; !p.keyText && !p.parts {
			t.parent, p.children = p, true
			t.action = pick(m.generator, []string{"", "on delete cascade", "on delete set null", "on delete cascade on update cascade", "deferrable initially deferred"})
			items = append(items, "parent int references "+p.name+" "+t.action)
			if m.chance(60) {
				after = append(after, fmt.Sprintf("create index %s_parent on %[1]s (parent)", t.name))
			}
		}
	}
	items = append(items, "primary key (id)")
	ddl := "create table " + t.name + " (" + strings.Join(items, ", ") + ")"
	if t.parts {
		ddl += " partition by range (id)"
	} else if m.chance(35) {
		ddl += fmt.Sprintf(" with (fillfactor = %d)", m.oneOf(10, 40, 70, 90))
	}
	if t.parts {
		after = append(after, fmt.Sprintf("create table %s_1 partition of %[1]s for values from (minvalue) to (500)", t.name), fmt.Sprintf("create table %s_2 partition of %[1]s for values from (500) to (maxvalue)", t.name))
	}
	for range m.oneOf(0, 0, 1, 1, 2, 3) {
		c := &t.columns[m.IntN(len(t.columns))]
		x := fmt.Sprintf("create index %s on %s ", m.newName(t.name+"_i"), t.name)
		if c.unique && !t.parts {
			x = strings.Replace(x, "create index", "create unique index", 1)
		}
		x += "(" + c.name
		if m.chance(25) {
			x += ", " + t.columns[m.IntN(len(t.columns))].name
		}
		x += ")"
		// No condition implies it: it is not modelled that the planner takes a partial index.
		if m.chance(15) && c.typ == "text" {
			x += " where " + c.name + " like 'v%'"
		}
		c.indexed = true
		after = append(after, x)
	}
	m.tables = append(m.tables, t)
	m.s.Tables = append(m.s.Tables, strings.Join(append([]string{ddl}, after...), "; "))
}

func (t *sessionTable) key(n string) string {
	if t.keyText {
		return "'key ' || (" + n + ")"
	}
	return n
}

func (c *sessionColumn) value(n string) string { return strings.ReplaceAll(c.expr, "%n", n) }

// literal is a key as a constant.
func (t *sessionTable) literal(n int64) string {
	if t.keyText {
		return fmt.Sprintf("'key %d'", n)
	}
	return fmt.Sprint(n)
}

// unit adds a script.
func (m *sessionMaker) unit() {
	var text string
	switch k := m.IntN(100); {
	case k < 50:
		text = m.statement(false)
	case k < 80:
		text = m.transaction()
	case k < 90:
		text = "vacuum " + m.heap(pick(m.generator, m.tables))
	case k < 94:
		text = "checkpoint"
	case k < 97:
		text = m.loop()
	default:
		text = m.other()
	}
	m.s.Units = append(m.s.Units, text)
}

func (m *sessionMaker) heap(t *sessionTable) string {
	if t.parts {
		return fmt.Sprintf("%s_%d", t.name, 1+m.IntN(2))
	}
	return t.name
}

// transaction is one of several statements, with savepoints.
func (m *sessionMaker) transaction() string {
	lost := m.chance(20)
	text, depth := "begin; ", 0
	for range 1 + m.IntN(5) {
		if m.chance(25) && depth < 3 {
			depth++
			text += fmt.Sprintf("savepoint s%d; ", depth)
		}
		if depth > 0 && m.chance(40) {
			text += m.statement(true) + "; "
			text += fmt.Sprintf("rollback to s%d; ", depth)
			if again := m.chance(50); again {
				text += m.statement(lost) + "; "
				if !lost || m.chance(40) { // else another rollback could take it back
					text += fmt.Sprintf("release s%d; ", depth)
					depth--
				}
			}
			continue
		}
		text += m.statement(lost) + "; "
	}
	if lost {
		return text + "rollback"
	}
	return text + "commit"
}

// statement is one on rows. Those that do not last must not change what the generator
// takes to be there.
func (m *sessionMaker) statement(lost bool) string {
	t := pick(m.generator, m.tables)
	if lost && t.parts {
		// It is not modelled which rows of partitions do not last.
		t = m.childless()
		if t.parts {
			return "select 1"
		}
	}
	switch k := m.IntN(100); {
	case t.rows < 5 || k < 35:
		return m.insert(t, lost)
	case k < 70:
		return m.update(t)
	case k < 88:
		return m.delete(t, lost)
	case k < 94 && !t.parts:
		return "select * from " + t.name + m.where(t)
	}
	return m.insert(t, lost)
}

func (m *sessionMaker) insert(t *sessionTable, lost bool) string {
	if t.parent != nil && m.alive[t.parent] == 0 {
		if lost {
			return "select * from " + t.name
		}
		t = t.parent
	}
	n := m.between(1, 800)
	from := t.rows + 1
	conflict := ""
	// The pins of triggers on such rows are not modelled: they keep a page from being pruned.
	if m.chance(12) && t.rows > 10 && !lost && !t.parts && t.parent == nil && !t.children {
		from = max(1, t.rows-n/2)
		conflict = " on conflict (id) do nothing"
		if m.chance(50) {
			c := t.columns[m.IntN(len(t.columns))]
			if !c.unique {
				conflict = " on conflict (id) do update set " + c.name + " = excluded." + c.name
			}
		}
		for _, c := range t.columns {
			if c.unique {
				from, conflict = t.rows+1, ""
			}
		}
	}
	// What does not last uses numbers up all the same; parents have all of theirs.
	if t.children && lost {
		return m.update(t)
	}
	t.rows = max(t.rows, from+n-1)
	if t.children {
		m.alive[t] = t.rows
	}
	names, values := []string{"id"}, []string{t.key("g")}
	for _, c := range t.columns {
		names, values = append(names, c.name), append(values, c.value("g"))
	}
	if t.parent != nil {
		names, values = append(names, "parent"), append(values, fmt.Sprintf("1 + g %% %d", m.alive[t.parent]))
	}
	list := " (" + strings.Join(names, ", ") + ") "
	if n < 4 && conflict == "" {
		var rows []string
		for i := from; i < from+n; i++ {
			rows = append(rows, "("+strings.ReplaceAll(strings.Join(values, ", "), "g", fmt.Sprint(i))+")")
		}
		text := strings.Join(rows, ", ")
		if !strings.ContainsAny(strings.ReplaceAll(strings.Join(values, ""), "g", ""), "abcdefhijklmnopqrstuvwxyz'") {
			return "insert into " + t.name + list + "values " + text
		}
	}
	return fmt.Sprintf("insert into %s%sselect %s from generate_series(%d, %d) g%s", t.name, list, strings.Join(values, ", "), from, from+n-1, conflict)
}

// where is a condition, with the space before it.
func (m *sessionMaker) where(t *sessionTable) string {
	lo := 1 + m.Int64N(max(1, t.rows))
	switch m.IntN(6) {
	case 0:
		return " where id = " + t.literal(lo)
	case 1:
		if !t.keyText {
			return fmt.Sprintf(" where id between %d and %d", lo, lo+m.between(1, 300))
		}
	case 2:
		if !t.keyText {
			return fmt.Sprintf(" where id %% %d = %d", m.oneOf(2, 3, 7, 20), m.IntN(2))
		}
	case 3:
		return fmt.Sprintf(" where id in (%s, %s, %s)", t.literal(lo), t.literal(lo+1), t.literal(lo+5))
	case 4:
		for range 5 {
			if c := t.columns[m.IntN(len(t.columns))]; c.typ == "int" || c.typ == "bigint" {
				return fmt.Sprintf(" where %s = %d", c.name, m.IntN(60))
			}
		}
	}
	return " where id = " + t.literal(lo)
}

func (m *sessionMaker) update(t *sessionTable) string {
	var set []string
	m.number++
	for range m.oneOf(1, 1, 2, 3) {
		c := t.columns[m.IntN(len(t.columns))]
		if c.unique || strings.Contains(strings.Join(set, " "), c.name+" =") {
			continue
		}
		value := c.value(fmt.Sprint(m.number * 13))
		switch {
		case c.typ == "int" && m.chance(50):
			value = c.name + " + 1"
		case m.chance(10):
			value = c.name // nothing changes
		}
		set = append(set, c.name+" = "+value)
	}
	if len(set) == 0 {
		set = []string{t.columns[0].name + " = " + t.columns[0].name}
	}
	return "update " + t.name + " set " + strings.Join(set, ", ") + m.where(t)
}

func (m *sessionMaker) delete(t *sessionTable, lost bool) string {
	if !t.children {
		return "delete from " + t.name + m.where(t)
	}
	for _, c := range m.tables {
		if c.parent == t && (c.action == "" || strings.HasPrefix(c.action, "deferrable")) {
			return m.update(t)
		}
	}
	if lost || m.alive[t] < 20 {
		return m.update(t)
	}
	n := m.between(1, 10)
	m.alive[t] -= n
	t.rows = m.alive[t] // the numbers are used again
	return fmt.Sprintf("delete from %s where id > %d", t.name, m.alive[t])
}

// loop is a statement for each of many rows.
func (m *sessionMaker) loop() string {
	t := pick(m.generator, m.tables)
	if t.keyText || t.rows == 0 || m.childless().keyText {
		return "checkpoint"
	}
	n := m.between(1, 500)
	for _, c := range t.columns {
		if c.typ == "int" && !c.unique {
			return fmt.Sprintf(`select format('update %s set %s = %s + 1 where id = %%s', 1 + g * 7919 %% %d) from generate_series(1, %d) g \gexec`, t.name, c.name, c.name, t.rows, n)
		}
	}
	return fmt.Sprintf(`select format('delete from %s where id = %%s', 1 + g * 7919 %% %d) from generate_series(1, %d) g \gexec`, m.childless().name, t.rows, min(n, 20))
}

// childless is a table that no other one refers to: the last.
func (m *sessionMaker) childless() *sessionTable { return m.tables[len(m.tables)-1] }

// other is something rare.
func (m *sessionMaker) other() string {
	t := m.childless()
	switch m.IntN(4) {
	case 0:
		if t.parent == nil || !t.parts {
			t.rows = max(t.rows, 1)
			return "truncate " + t.name
		}
	case 1:
		return "select pg_logical_emit_message(" + pick(m.generator, []string{"true", "false"}) + ", 'prefix', 'content of a message')"
	case 2:
		return fmt.Sprintf("alter table %s add column %s %s", t.name, m.newName("new"), pick(m.generator, []string{"int", "int default 5", "text default 'there'"}))
	}
	if !t.parts && !t.serial && t.parent == nil && !t.keyText {
		var lines strings.Builder
		n := m.between(1, 400)
		for i := range n {
			fmt.Fprintf(&lines, "%d\n", t.rows+1+i)
		}
		t.rows += n
		for _, x := range m.s.Tables {
			if strings.Contains(x, "create table "+t.name+" ") && strings.Count(x, "not null") > 1 {
				return "checkpoint"
			}
		}
		return "copy " + t.name + " (id) from stdin;\n" + lines.String() + "\\.\n"
	}
	return "checkpoint"
}
