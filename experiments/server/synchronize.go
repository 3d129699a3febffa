package server

// Table synchronisation: what ALTER SUBSCRIPTION ... REFRESH PUBLICATION sets off. The
// proxy holds each worker's COPY until it is that table's turn, so that one follows the
// other and what happens on the publisher meanwhile is known.

import (
	"fmt"
	"strings"
	"time"
)

// copied is a table that a synchronisation worker has copied.
type copied struct {
	lines   []string   // names of columns, then lines of COPY's text format
	catchUp [][]string // what the worker applied afterwards, as messages of a stream
	table   string
}

// refreshes says whether a step of the subscriber brings new tables over.
func refreshes(sql string) bool {
	words := strings.Join(strings.Fields(strings.ToLower(sql)), " ")
	return strings.HasPrefix(words, "alter subscription ") && (strings.Contains(words, " publication ") || strings.HasSuffix(words, " refresh publication")) &&
		!strings.Contains(words, "copy_data = false") && !strings.Contains(words, "refresh = false")
}

// synchronize runs a command that brings new tables over and waits until they are there.
// during runs on the publisher while the first one waits to be copied.
func (r *recording) synchronize(s Step) error {
	r.between.hold(true)
	defer r.between.hold(false)
	// The names of slots stay the same when a table is copied once more.
	before := r.between.copies()
	k, err := Dial(r.sub.Port, database, nil)
	if err != nil {
		return err
	}
	defer k.Close()
	r.events = append(r.events, fmt.Sprintf("%d\t%s", len(r.between.passed()), s.Sub))
	if err := k.Script(s.Sub); err != nil {
		return err
	}
	during := s.During
	for done := before; ; {
		left, err := k.Value("select count(*) from pg_subscription_rel where srsubstate <> 'r'")
		if err != nil {
			return err
		}
		if left == "0" {
			break
		}
		h, err := r.held(done)
		if err != nil {
			return err
		}
		done++
		c := copied{table: h.table}
		if c.lines, err = r.copyLines(h); err != nil {
			return err
		}
		if during != "" {
			if err := r.pub.Script(during); err != nil {
				return err
			}
			if err := r.waitApplied(); err != nil {
				return err
			}
			during = ""
		}
		r.events = append(r.events, fmt.Sprintf("%d\tcopy %s", len(r.between.passed()), h.table))
		close(h.release)
		if err := r.waitSynchronized(k, h); err != nil {
			return err
		}
		c.catchUp = h.messages
		r.copied = append(r.copied, c)
	}
	return r.wait("the synchronisation workers' end", func() (bool, error) {
		n, err := k.Value("select count(*) from pg_stat_activity where backend_type like 'logical replication tablesync%'")
		return n == "0", err
	})
}

// held waits for the next COPY that a worker has asked for, after so many.
func (r *recording) held(after int) (h *heldCopy, err error) {
	err = r.wait("a synchronisation worker's COPY", func() (bool, error) {
		h = r.between.copy(after)
		return h != nil, nil
	})
	return h, err
}

// wait waits until done says so, or replication has stopped.
func (r *recording) wait(what string, done func() (bool, error)) error {
	for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if text := r.failure(); text != "" {
			return fmt.Errorf("replication has stopped: %s", text)
		}
		if time.Since(started) > applyTimeout {
			return fmt.Errorf("waited %v for %s: %s: %s", applyTimeout, what, r.workers(), tail(r.sub.log(), 500))
		}
	}
}

// workers says what the subscriber's workers and the publisher's senders are at, for error
// messages.
func (r *recording) workers() string {
	var text []string
	for _, x := range []struct {
		k   *Cluster
		sql string
	}{
		{r.sub, "select 'state', srrelid::regclass, srsubstate, srsublsn from pg_subscription_rel"},
		{r.sub, "select backend_type, pid, wait_event, state from pg_stat_activity where backend_type like 'logical%'"},
		{r.sub, "select 'worker', pid, relid::regclass, received_lsn, latest_end_lsn from pg_stat_subscription"},
		{r.pub, "select 'slot', slot_name, active, confirmed_flush_lsn from pg_replication_slots"},
		{r.pub, "select backend_type, application_name, wait_event, state, query from pg_stat_activity where backend_type = 'walsender'"},
	} {
		rows, err := x.k.Query(x.sql)
		if err != nil {
			text = append(text, err.Error())
		}
		for _, row := range rows {
			text = append(text, strings.Join(row, " "))
		}
	}
	return strings.Join(text, "; ")
}

// waitSynchronized waits until a table's worker is done and the apply worker has taken
// over: first until its slot is gone, so that nobody takes a snapshot of the subscriber
// while rows are changed there.
func (r *recording) waitSynchronized(k *Conn, h *heldCopy) error {
	err := r.wait("the synchronisation of "+h.table, func() (bool, error) {
		n, err := r.pub.Value("select count(*) from pg_replication_slots where slot_name = " + literal(h.slot))
		return n == "0", err
	})
	if err != nil {
		return err
	}
	return r.wait("the end of the synchronisation of "+h.table, func() (bool, error) {
		n, err := k.Value("select count(*) from pg_subscription_rel where srsubstate <> 'r' and srrelid = " + literal(h.table) + "::regclass")
		return n == "0", err
	})
}

// copyLines are the rows that a COPY is going to give, in text format.
func (r *recording) copyLines(h *heldCopy) ([]string, error) {
	sql := h.sql
	if i := strings.Index(sql, " TO STDOUT"); i >= 0 {
		sql = sql[:i] + " TO STDOUT"
	}
	rows, err := r.pub.Query(sql)
	if err != nil {
		return nil, err
	}
	lines := []string{strings.ReplaceAll(strings.ReplaceAll(h.columns, ", ", "\t"), `"`, "")}
	for _, x := range rows {
		lines = append(lines, x[0])
	}
	return lines, nil
}

// heldCopy is a COPY that a synchronisation worker has asked for.
type heldCopy struct {
	sql, table, columns string
	slot                string
	release             chan struct{}
	xid                 uint32     // of its next message
	messages            [][]string // of the worker's stream, afterwards
}

// readCopy reads COPY schema.table (columns) TO STDOUT, or COPY (SELECT columns FROM
// [ONLY] schema.table [WHERE ...]) TO STDOUT.
func readCopy(sql string) *heldCopy {
	h := &heldCopy{sql: sql, release: make(chan struct{})}
	rest := strings.TrimPrefix(sql, "COPY ")
	if strings.HasPrefix(rest, "(SELECT ") {
		var from string
		h.columns, from, _ = strings.Cut(rest[len("(SELECT "):], " FROM ")
		from = strings.TrimPrefix(from, "ONLY ")
		h.table = from[:strings.IndexAny(from+" ", " )")]
		return h
	}
	h.table, rest, _ = strings.Cut(rest, " (")
	h.columns, _, _ = strings.Cut(rest, ")")
	h.table = strings.TrimSuffix(strings.TrimSpace(h.table), " TO STDOUT")
	return h
}
