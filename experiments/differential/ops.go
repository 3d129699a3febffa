package main

import (
	"fmt"
	"strings"

	"applysim/experiments/server"
)

// Op is something that happens: a statement or loop on the publisher, a transaction
// of several, or a command on the subscriber.
type Op struct {
	Kind  opKind
	Table string

	Lo, N   int64 // numbers of the rows
	Order   order
	Hot     int64    // with orderHot, how many rows there are to hit
	Fresh   int64    // the first number that no row has had
	Columns []string // that are changed
	Every   int64    // rows in a transaction, 0 for all in one
	Subs    subs

	Body    []*Op // of a transaction
	End     string
	Between []*Op  // between PREPARE TRANSACTION and its end
	Text    string // a command, or what a savepoint does
}

type opKind string

const (
	opInsert    opKind = "insert"
	opUpdate    opKind = "update"
	opDelete    opKind = "delete"
	opRekey     opKind = "rekey"
	opChurn     opKind = "churn"
	opBulk      opKind = "bulk update"
	opBulkDel   opKind = "bulk delete"
	opTruncate  opKind = "truncate"
	opTx        opKind = "transaction"
	opSavepoint opKind = "savepoint"
	opEvent     opKind = "event"
	opSync      opKind = "synchronization"
)

// order is that in which a loop goes through the rows.
type order int

const (
	orderAscending order = iota
	orderDescending
	orderScattered
	orderHot
	numOrders
)

// subs says whether each row of a loop is a subtransaction.
type subs int

const (
	subsNone subs = iota
	subsReleased
	subsSome // some are rolled back
	numSubs
)

// The ends of a transaction.
const (
	endCommit                = "commit"
	endRollback              = "rollback"
	endPrepare               = "prepare"
	endPrepareRollback       = "prepare, rollback"
	scatterPrime       int64 = 7919
)

// steps renders the op.
func (o *Op) steps(s *Spec) []server.Step {
	switch o.Kind {
	case opEvent:
		return []server.Step{{Sub: o.Text}}
	case opTx:
		return o.transaction(s)
	case opSync:
		var during []string
		for _, b := range o.Body {
			during = append(during, b.sql(s))
		}
		return []server.Step{
			{Pub: "alter publication p add table " + o.Table},
			{Sub: "alter subscription s refresh publication", During: strings.Join(during, "; ")},
		}
	}
	return []server.Step{{Pub: o.sql(s)}}
}

// transaction renders a transaction of several ops.
func (o *Op) transaction(s *Spec) []server.Step {
	text := "begin; "
	for _, b := range o.Body {
		text += b.sql(s) + "; "
	}
	switch o.End {
	case endPrepare, endPrepareRollback:
		name := fmt.Sprintf("'tx %d'", o.Lo)
		var between []server.Step
		for _, b := range o.Between {
			between = append(between, b.steps(s)...)
		}
		how := "commit"
		if o.End == endPrepareRollback {
			how = "rollback"
		}
		prepare, end := server.Step{Pub: text + "prepare transaction " + name}, server.Step{Pub: how + " prepared " + name}
		if s.parallelUnfinished() {
			return append([]server.Step{prepare, end}, between...)
		}
		return append(append([]server.Step{prepare}, between...), end)
	}
	return []server.Step{{Pub: text + o.End}}
}

// parallelUnfinished says whether a parallel worker may still apply what was sent of a
// prepared transaction while other transactions come: nobody waits for it, so that the order
// of their records is not determined. With two_phase the worker is waited for.
func (s *Spec) parallelUnfinished() bool {
	options := strings.Join(s.SubOptions, " ")
	return !strings.Contains(options, "two_phase") && (strings.Contains(options, "streaming = parallel") || !strings.Contains(options, "streaming"))
}

// sql renders an op that is a statement.
func (o *Op) sql(s *Spec) string {
	var t *Table
	for _, x := range s.Tables {
		if x.Name == o.Table {
			t = x
		}
	}
	switch o.Kind {
	case opSavepoint:
		return o.Text
	case opTruncate:
		return "truncate " + o.Text
	case opBulk:
		n := fmt.Sprintf("(hashtextextended(%s::text, %d) & 1073741823)", t.KeyName, o.Fresh)
		return fmt.Sprintf("update %s set %s where hashtext(%s::text) %% %d = 0", t.Name, t.set(o.Columns, n), t.KeyName, max(1, o.N))
	case opBulkDel:
		return fmt.Sprintf("delete from %s where hashtext(%s::text) %% %d = %d", t.Name, t.KeyName, max(1, o.N), o.Fresh%max(1, o.N))
	case opInsert:
		if o.Every == 0 && o.Subs == subsNone {
			g := strings.ReplaceAll(o.number(), "i::bigint", "i")
			return t.insert(fmt.Sprintf("generate_series(0::bigint, %d) i", o.N-1), g, "0")
		}
	}
	return o.loop(t)
}

// number is the number of the row of a loop's i-th step.
func (o *Op) number() string {
	switch o.Order {
	case orderDescending:
		return fmt.Sprintf("(%d - i::bigint)", o.Lo+o.N-1)
	case orderScattered:
		return fmt.Sprintf("(%d + i::bigint * %d %% %d)", o.Lo, scatterPrime, o.N)
	case orderHot:
		return fmt.Sprintf("(%d + (hashint8(i::bigint + %d) & 2147483647) %% %d)", o.Lo, o.Fresh, max(1, o.Hot))
	}
	return fmt.Sprintf("(%d + i::bigint)", o.Lo)
}

// set is the list of a statement's new values.
func (t *Table) set(columns []string, number string) string {
	var list []string
	for _, name := range columns {
		if c := t.column(name); c != nil {
			list = append(list, name+" = "+c.value(number))
		}
	}
	if len(list) == 0 {
		return t.KeyName + " = " + t.KeyName
	}
	return strings.Join(list, ", ")
}

// loop renders an op as a loop of statements for single rows.
func (o *Op) loop(t *Table) string {
	where := fmt.Sprintf(" where %s = %s", t.KeyName, t.key("g"))
	fresh := fmt.Sprintf("(%d + i::bigint)", o.Fresh)
	update := fmt.Sprintf("update %s set %s%s; ", t.Name, t.set(o.Columns, fresh), where)
	var body string
	switch o.Kind {
	case opInsert:
		body = t.insert("", "g", "0") + "; "
	case opUpdate:
		body = update
	case opDelete:
		body = "delete from " + t.Name + where + "; "
	case opRekey:
		body = fmt.Sprintf("update %s set %s = %s%s; ", t.Name, t.KeyName, t.key(fresh), where)
	case opChurn:
		body = fmt.Sprintf("case (hashint8(i::bigint + 77) & 2147483647) %% 5 when 0, 1 then %s; when 2 then delete from %s%s; else %send case; ",
			t.insert("", fresh, "0"), t.Name, where, update)
	}
	switch o.Subs {
	case subsReleased:
		body = "begin " + body + "exception when division_by_zero then null; end; "
	case subsSome:
		body = "begin " + body + "if (hashint8(i::bigint) & 3) = 0 then perform 1 / (i - i); end if; exception when division_by_zero then null; end; "
	}
	if o.Every > 0 {
		body += fmt.Sprintf("if i %% %d = %d then commit; end if; ", o.Every, o.Every-1)
	}
	return fmt.Sprintf("do $$ declare g bigint; begin for i in 0..%d loop g := %s; %send loop; end $$", o.N-1, o.number(), body)
}

// clone copies a spec so that it can be changed.
func (s *Spec) clone() *Spec {
	c := *s
	c.Tables = nil
	for _, t := range s.Tables {
		u := *t
		u.Columns, u.Indexes, u.Constraints = nil, nil, append([]string(nil), t.Constraints...)
		for _, x := range t.Columns {
			y := *x
			u.Columns = append(u.Columns, &y)
		}
		for _, x := range t.Indexes {
			y := *x
			y.Include = append([]string(nil), x.Include...)
			y.Keys = append([]Key(nil), x.Keys...)
			u.Indexes = append(u.Indexes, &y)
		}
		if t.Parts != nil {
			p := *t.Parts
			u.Parts = &p
		}
		c.Tables = append(c.Tables, &u)
	}
	c.Ops = cloneOps(s.Ops)
	c.SubConf, c.PubConf = cloneSettings(s.SubConf), cloneSettings(s.PubConf)
	c.SubOptions = append([]string(nil), s.SubOptions...)
	return &c
}

func cloneOps(list []*Op) []*Op {
	var c []*Op
	for _, o := range list {
		p := *o
		p.Columns = append([]string(nil), o.Columns...)
		p.Body, p.Between = cloneOps(o.Body), cloneOps(o.Between)
		c = append(c, &p)
	}
	return c
}

func cloneSettings(s server.Settings) server.Settings {
	c := server.Settings{}
	for k, v := range s {
		c[k] = v
	}
	return c
}
