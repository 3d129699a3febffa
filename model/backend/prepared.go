package backend

// Transactions that the script prepares.

import "applysim/model/stream"

// preparing begins a transaction of the script that is going to be prepared. If it is not
// committed in the end its rows are carried out from the SQL: a slot without two_phase never
// sends them, and one with it, which is read later, stops at the first table that it has to
// look up in the catalogs, and drops what goes beyond logical_decoding_work_mem. Where that
// cannot be done the stream's are taken.
func (r *Runner) preparing(s *statement) error {
	r.gid, r.fromSQL = s.gid, false
	if s.gid == "" || s.end == "commit" {
		return nil
	}
	if err := r.peek(); err != nil {
		return err
	}
	r.fromSQL = !r.twoPhase
	if r.twoPhase && s.end == "rollback" {
		r.fromSQL = true
		for _, st := range s.work {
			if d := readDML(st, r.db); d != nil && !r.computable(d) {
				r.fromSQL = false
			}
		}
	}
	return nil
}

// prepare ends the first phase of the script's transaction.
func (r *Runner) prepare() error {
	r.block = false
	gid := r.gid
	if r.open && !r.fromSQL {
		return r.rest()
	}
	// A transaction that did nothing is prepared, too.
	r.begin()
	r.begun, r.open, r.gid = false, false, ""
	fromSQL := r.fromSQL
	defer func() { r.fromSQL = false }()
	if err := r.peek(); err != nil {
		return err
	}
	if m := &r.feed.m; r.feed.ready && r.feed.begin && r.feed.gid == gid && (m.Kind == stream.KindPrepare || fromSQL) {
		for r.feed.ready && m.Kind != stream.KindPrepare {
			r.take()
			if err := r.peek(); err != nil {
				return err
			}
		}
		r.take()
	}
	return r.b.Prepare(gid)
}

// reads notes the tables that a statement reads beside the one that it is about, if the
// transaction is going to be prepared.
func (r *Runner) reads(d *dml) {
	if r.gid == "" {
		return
	}
	own := d.verb == "delete" || d.verb == "select"
	for i := 0; i+1 < len(d.toks); i++ {
		if !d.toks[i].is("from", "join", "using") || d.toks[i].kind != 'w' || !d.toks[i+1].name() {
			continue
		}
		if own && d.toks[i].is("from") {
			own = false
			continue
		}
		space, name := "public", d.toks[i+1].text
		if i+3 < len(d.toks) && d.toks[i+2].is(".") {
			space, name = name, d.toks[i+3].text
		}
		if t := r.db.Table(space, name); t != nil {
			r.b.Reads(t)
		}
	}
}
