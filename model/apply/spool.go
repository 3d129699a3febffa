package apply

import (
	"slices"

	"applysim/model/stream"
)

// spool is a streamed transaction that waits for its end, as the worker keeps it in
// a file: its changes with their subtransactions, in order.
type spool struct {
	changes []spooled
	bytes   []byte // what the changes' values alias
}

// spooled is one change of a streamed transaction.
type spooled struct {
	message stream.Message
	xid     uint32 // of the subtransaction
}

// streamStart begins a block of a streamed transaction.
func (w *Worker) streamStart(m *stream.Message) error {
	if w.inTransaction || w.streaming != 0 {
		return w.protocol(m, "stream start within a transaction: expected its end first")
	}
	if m.Xid == 0 {
		return w.protocol(m, "stream start without a transaction id")
	}
	if m.First {
		if w.parallel.find(m.Xid) != nil {
			return w.protocol(m, "a second first stream start of transaction %d", m.Xid)
		}
		w.allocateWorker(m.Xid)
	}
	w.streaming = m.Xid
	if p := w.parallel.find(m.Xid); p != nil {
		w.enter(p)
		return nil
	}
	if w.spools[m.Xid] == nil {
		if !m.First {
			return w.protocol(m, "stream start of transaction %d that is not its first: expected the first one before", m.Xid)
		}
		w.spools[m.Xid] = &spool{}
	}
	return nil
}

// streamStop ends a block of a streamed transaction.
func (w *Worker) streamStop() {
	w.streaming = 0
	if p := w.parallel.active; p != nil {
		w.leave(p)
	}
}

// spoolChange keeps a change of the streamed transaction.
func (w *Worker) spoolChange(m *stream.Message) {
	w.Counters.Spooled++
	w.Counters.SpooledBytes += int64(m.Size)
	s := w.spools[w.streaming]
	c := spooled{message: *m, xid: m.Xid}
	c.message.New = s.keep(m.New)
	c.message.Old = s.keep(m.Old)
	c.message.RelationIDs = slices.Clone(m.RelationIDs)
	s.changes = append(s.changes, c)
}

// keep copies a tuple.
func (s *spool) keep(t stream.Tuple) stream.Tuple {
	if len(t) == 0 {
		return nil
	}
	k := make(stream.Tuple, len(t))
	for i, c := range t {
		k[i] = c
		if c.Data == nil {
			continue
		}
		if cap(s.bytes)-len(s.bytes) < len(c.Data) {
			s.bytes = make([]byte, 0, max(spoolChunk, len(c.Data)))
		}
		at := len(s.bytes)
		s.bytes = append(s.bytes, c.Data...)
		k[i].Data = s.bytes[at:len(s.bytes):len(s.bytes)]
	}
	return k
}

// spoolChunk is the size of the chunks that spooled values are kept in, bytes.
const spoolChunk = 64 << 10

// streamAbort drops the changes of an aborted subtransaction, and of all that came
// after its first one, or the whole transaction (stream_abort_internal).
func (w *Worker) streamAbort(m *stream.Message) error {
	if p := w.parallel.find(m.Xid); p != nil {
		err := w.abortParallel(p, m)
		if m.Xid == m.SubXid {
			w.freeWorker(p)
		}
		return err
	}
	s := w.spools[m.Xid]
	if s == nil && m.Xid != m.SubXid {
		// A publisher tells of subtransactions that were rolled back also where none of
		// their transaction's changes were sent: there are no subxacts of it then
		// (subxact_info_read).
		return nil
	}
	if s == nil {
		return w.protocol(m, "the abort of streamed transaction %d without a stream start before it", m.Xid)
	}
	if m.Xid == m.SubXid {
		delete(w.spools, m.Xid)
		return nil
	}
	for i := range s.changes {
		if s.changes[i].xid == m.SubXid {
			s.changes = s.changes[:i]
			break
		}
	}
	return nil
}

// replaySpool applies a streamed transaction as one of its own
// (apply_spooled_messages).
func (w *Worker) replaySpool(m *stream.Message) error {
	s := w.spools[m.Xid]
	if s == nil {
		return w.protocol(m, "the end of streamed transaction %d without a stream start before it", m.Xid)
	}
	delete(w.spools, m.Xid)
	w.begin()
	for i := range s.changes {
		if w.observe != nil {
			w.observe(&s.changes[i].message, false)
		}
		err := w.change(&s.changes[i].message)
		if w.observe != nil {
			w.observe(&s.changes[i].message, true)
		}
		if err != nil {
			return err
		}
		if w.skipping {
			w.skipping = false
			break
		}
	}
	return nil
}
