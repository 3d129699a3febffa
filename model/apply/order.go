package apply

// order.go: what messages must have in common with those before them,
// after worker.c.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"applysim/model/stream"
)

// opened is what the begin of the current transaction said.
type opened struct {
	lsn stream.LSN // at which it ends
	xid uint32     // the publisher's id
}

// checkEnd checks that the end of a transaction goes with its begin
// (apply_handle_commit, apply_handle_prepare).
func (w *Worker) checkEnd(m *stream.Message) error {
	what := "commit"
	if m.Kind == stream.KindPrepare {
		what = "prepare"
	}
	switch {
	case w.twoPhase && m.Kind == stream.KindCommit:
		return w.protocol(m, "commit of a transaction that began with begin prepare: expected prepare")
	case !w.twoPhase && m.Kind == stream.KindPrepare:
		return w.protocol(m, "prepare of a transaction that began with begin: expected commit")
	case m.TxLSN != w.opened.lsn:
		return w.stop("incorrect %s LSN %s in %s message (expected %s)", what, m.TxLSN, what, w.opened.lsn)
	case m.Kind == stream.KindPrepare && m.Xid != w.opened.xid:
		return w.protocol(m, "prepare of transaction %d: expected %d, as its begin prepare says", m.Xid, w.opened.xid)
	case m.Kind == stream.KindPrepare && w.prepared[m.Xid] != nil:
		return w.alreadyPrepared(m)
	}
	return nil
}

// alreadyPrepared is the error of a second PREPARE (MarkAsPreparing in twophase.c).
func (w *Worker) alreadyPrepared(m *stream.Message) error {
	return w.stop("transaction identifier \"pg_gid_%d_%d\" is already in use", w.opts.SubscriptionOID, m.Xid)
}

// Unfinished says which transactions the stream has begun and not ended so far, "" if
// there are none that changed anything. Prepared ones may wait for long and are not among them.
func (w *Worker) Unfinished() string {
	switch {
	case w.streaming != 0:
		return fmt.Sprintf("a block of streamed transaction %d", w.streaming)
	case w.inTransaction && (w.command > 0 || w.xacts.Current != 0):
		return fmt.Sprintf("transaction %d", w.opened.xid)
	}
	ids := slices.Collect(maps.Keys(w.spools))
	for _, p := range w.parallel.pool {
		if p.remote != 0 {
			ids = append(ids, p.remote)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	slices.Sort(ids)
	const most = 5
	texts := make([]string, 0, most+1)
	for i, id := range ids {
		if i == most {
			texts = append(texts, fmt.Sprintf("%d more", len(ids)-most))
			break
		}
		texts = append(texts, fmt.Sprint(id))
	}
	return "streamed transaction " + strings.Join(texts, ", ")
}
