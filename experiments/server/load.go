package server

import (
	"fmt"
	"strings"
)

// loaded is what a load was, for start.json.
type loaded struct {
	XID int64 `json:"xid"` // the transaction that inserted the rows
	OID int64 `json:"oid"` // that of the first value out of line, if there is one
}

// load gives tables of both sides the rows that they have before the case, and the
// subscriber its indexes.
func (r *recording) load() error {
	c := r.case_
	if len(c.Load) == 0 && c.After == "" {
		return nil
	}
	// Hint bits are set where the transaction before is on disk.
	k, err := Dial(r.sub.Port, database, map[string]string{"synchronous_commit": "on"})
	if err != nil {
		return err
	}
	defer k.Close()
	for i := range c.Load {
		l := &c.Load[i]
		if err := l.check(); err != nil {
			return err
		}
		if _, err := r.pub.Query("insert into " + l.Table + " " + l.Query); err != nil {
			return fmt.Errorf("load of table %q: %w", l.Table, err)
		}
		columns, err := r.pub.Value("select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute where attrelid = " + literal(l.Table) + "::regclass and attnum > 0 and not attisdropped and attgenerated = ''")
		if err != nil {
			return err
		}
		rows, err := r.pub.Query("copy (" + l.Query + ") to stdout")
		if err != nil {
			return fmt.Errorf("load of table %q: %w", l.Table, err)
		}
		lines := []string{strings.ReplaceAll(strings.ReplaceAll(columns, ", ", "\t"), `"`, "")}
		for _, x := range rows {
			lines = append(lines, x[0])
		}
		r.loaded = append(r.loaded, lines)
		v, err := put(k, l, columns, lines[1:])
		if err != nil {
			return fmt.Errorf("load of table %q: %w", l.Table, err)
		}
		r.start.Loaded = append(r.start.Loaded, v)
	}
	if err := k.Script(c.After); err != nil {
		return err
	}
	// What this session has counted is there before VACUUM, which sets the numbers of rows,
	// and before the case begins.
	flush := func() error {
		if r.sub.Major < 15 {
			return nil
		}
		_, err := k.Query("select pg_stat_force_next_flush()")
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	for i := range c.Load {
		if l := &c.Load[i]; l.Vacuum != "" {
			if _, err := k.Query(l.Vacuum + " " + l.Table); err != nil {
				return fmt.Errorf("load of table %q: %w", l.Table, err)
			}
		}
	}
	return flush()
}

// put puts rows into a table of the subscriber. Nothing reads them before the case: a
// reader would leave hint bits.
func put(k *Conn, l *Load, columns string, lines []string) (v loaded, err error) {
	in := l.Table + " (" + columns + ")"
	// The object ids that values out of line get come after one that is used up here.
	oid, err := k.Value("select lo_create(0)")
	if err != nil {
		return v, err
	}
	v.OID = atoi(oid) + 1
	if _, err = k.Query("select lo_unlink(" + oid + ")"); err != nil {
		return v, err
	}
	if _, err = k.Query("begin"); err != nil {
		return v, err
	}
	xid, err := k.Value("select pg_current_xact_id()")
	if err != nil {
		return v, err
	}
	v.XID = atoi(xid)
	if l.How == LoadInserts {
		// Each row is inserted by a command of its own, from constants: a value that comes
		// from another table would be compressed already, or have that one's header.
		for _, line := range lines {
			if _, err = k.Query("insert into " + in + " values (" + constants(line) + ")"); err != nil {
				return v, err
			}
		}
	} else if err = k.CopyIn("copy "+in+" from stdin", lines); err != nil {
		return v, err
	}
	_, err = k.Query("commit")
	return v, err
}

// constants are the values of a line of COPY as SQL has them. Both write control
// characters alike, but for the vertical tab.
func constants(line string) string {
	fields := strings.Split(line, "\t")
	for i, f := range fields {
		if f == `\N` {
			fields[i] = "null"
			continue
		}
		f = strings.NewReplacer(`\\`, `\\`, `\v`, `\x0b`, "'", "''").Replace(f)
		fields[i] = "E'" + f + "'"
	}
	return strings.Join(fields, ", ")
}
