package recorded

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"applysim/model/decode"
	"applysim/model/stream"
)

// Decoding is a publisher case's decoding beside what the real server's slots gave.
type Decoding struct {
	Slots    []SlotResult `json:"slots"`
	Warnings []string     `json:"warnings"`
}

// SlotResult is one slot's.
type SlotResult struct {
	Result      string      `json:"result"` // Exact, ExactExcept or Differs
	Exceptions  []Exception `json:"exceptions,omitempty"`
	Differences []string    `json:"differences,omitempty"`
	// Decoded is what the simulated slot gave.
	Decoded decode.Result `json:"decoded"`
}

// Decode decodes the case as its slots did, after the whole run. Rows come from the
// stream of all changes; what no stream has (changes of catalogs, work that was rolled
// back, where subtransactions begin) from the recorded WAL's list of records.
func (c *PublisherCase) Decode(o decode.Options) (*decode.Decoder, error) {
	db, err := c.Schema()
	if err != nil {
		return nil, err
	}
	records, err := c.Records()
	if err != nil {
		return nil, err
	}
	in, err := c.openChanges()
	if err != nil {
		return nil, err
	}
	defer in.close()
	aborted := map[uint32]bool{}
	o.TwoPhase = o.TwoPhase || c.TwoPhase
	o.Aborted = func(xid uint32) bool { return aborted[xid] }
	d, err := decode.New(db, o)
	if err != nil {
		return nil, err
	}
	w := &walReader{c: c, d: d, in: in, aborted: aborted, major: o.Major, toasts: findToasts(records), prepared: map[uint32]*phase{}}
	if w.out = c.carryOut(); w.out != nil && w.out.fits(w, records) {
		w.notes = w.out.rows
	}
	start := 0
	for i, r := range records {
		if r.Manager != "Transaction" || r.Type != "COMMIT" && r.Type != prepare && !secondPhase(r) {
			continue
		}
		if secondPhase(r) {
			err = w.group(records[start:i])
			if err == nil {
				err = w.finish(r)
			}
		} else {
			err = w.group(records[start : i+1])
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", c.file("records.tsv.gz"), start+1, err)
		}
		start = i + 1
	}
	if err := w.group(records[start:]); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", c.file("records.tsv.gz"), start+1, err)
	}
	if x, err := in.next(); err != nil {
		return nil, err
	} else if x != nil {
		return nil, fmt.Errorf("%s: transaction %d has no COMMIT in the records", c.file("changes.tsv.gz"), x.begin.Xid)
	}
	return d, nil
}

// VerifyDecoding decodes the case and compares: messages and bytes by kind, and the
// slots' counters.
func (c *PublisherCase) VerifyDecoding() (*Decoding, error) {
	expected, err := c.Expected()
	if err != nil {
		return nil, err
	}
	r := &Decoding{Slots: []SlotResult{}, Warnings: []string{}}
	if len(expected.Decoded) == 0 {
		return r, nil
	}
	o, err := c.DecodeOptions()
	if err != nil {
		return nil, err
	}
	for _, way := range decode.Ways {
		if expected.Decoded[way] != nil {
			o.Ways = append(o.Ways, way)
		}
	}
	d, err := c.Decode(o)
	if err != nil {
		return nil, err
	}
	r.Warnings = append(r.Warnings, d.Warnings()...)
	for _, got := range d.Results() {
		r.Slots = append(r.Slots, compareSlot(got, expected.Decoded[got.Way]))
	}
	return r, nil
}

// DecodeOptions are what the case's server was set to, and its publications.
func (c *PublisherCase) DecodeOptions() (decode.Options, error) {
	o := decode.DefaultOptions()
	settings, err := c.Server()
	if err != nil {
		return o, err
	}
	o.Major, o.Compression = settings.ServerMajor, settings.ToastCompression
	if text := c.Settings["logical_decoding_work_mem"]; text != "" {
		if o.WorkMem, err = decode.ParseMemory(text); err != nil {
			return o, fmt.Errorf("%s: logical_decoding_work_mem: %w", c.file("case.json"), err)
		}
	}
	db, err := c.Schema()
	if err != nil {
		return o, err
	}
	for _, p := range db.Publications {
		o.Publications = append(o.Publications, p.Name)
	}
	return o, nil
}

// rolledBackRows is the reason of the named exception for messages that were streamed
// before their transaction was rolled back.
const rolledBackRows = "bytes of rows that were streamed and then rolled back: no stream has their values"

// verifySlots compares what the case's slots gave, and adds that to the result.
func (c *PublisherCase) verifySlots(r *Result) error {
	d, err := c.VerifyDecoding()
	var unsupported notDecoded
	if errors.As(err, &unsupported) {
		if r.Outcome != Differs {
			r.Outcome, r.Unsupported = Unsupported, "decoding: "+string(unsupported)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if len(d.Slots) == 0 {
		return nil
	}
	r.Decoding = d
	for _, s := range d.Slots {
		for _, text := range s.Differences {
			r.StateDifferences = append(r.StateDifferences, "slot "+s.Decoded.Way+": "+text)
		}
		r.Exceptions = append(r.Exceptions, s.Exceptions...)
	}
	if r.Outcome != Unsupported {
		r.settle()
	}
	return nil
}

// compareSlot compares one slot's messages and counters.
func compareSlot(got decode.Result, want *Decoded) SlotResult {
	r := SlotResult{Result: Exact, Decoded: got}
	differ := func(what string, expected, found int64) {
		if expected != found {
			r.Differences = append(r.Differences, fmt.Sprintf("%s: expected %d, got %d", what, expected, found))
		}
	}
	kinds := sortedKeys(want.ByKind)
	for _, k := range sortedKeys(got.ByKind) {
		if _, ok := want.ByKind[k]; !ok {
			kinds = append(kinds, k)
		}
	}
	for _, k := range kinds {
		w, g := want.ByKind[k], got.ByKind[k]
		differ(k+" messages", w.Messages, g.Messages)
		if n := got.Unknown[k]; n > 0 {
			r.Exceptions = append(r.Exceptions, Exception{Reason: rolledBackRows, Messages: n, Expected: w.Bytes, Simulated: g.Bytes})
			continue
		}
		differ(k+" bytes", w.Bytes, g.Bytes)
	}
	differ("spill_txns", want.SpillTxns, got.SpillTxns)
	differ("spill_count", want.SpillCount, got.SpillCount)
	differ("spill_bytes", want.SpillBytes, got.SpillBytes)
	differ("stream_txns", want.StreamTxns, got.StreamTxns)
	differ("stream_count", want.StreamCount, got.StreamCount)
	differ("stream_bytes", want.StreamBytes, got.StreamBytes)
	differ("total_txns", want.TotalTxns, got.TotalTxns)
	differ("total_bytes", want.TotalBytes, got.TotalBytes)
	switch {
	case r.Differences != nil:
		r.Result = Differs
	case r.Exceptions != nil:
		r.Result = ExactExcept
	}
	return r
}

// changedTransaction is one transaction of the stream of all changes.
type changedTransaction struct {
	begin, commit stream.Message
	messages      []stream.Message
	rows          int // those that are row changes or TRUNCATE
}

// changes reads the stream of all changes by transactions.
type changes struct {
	file  io.ReadCloser
	in    stream.Source
	ahead *changedTransaction
	// twoPhase says that transactions which were prepared are there as such, also if they
	// were rolled back.
	twoPhase bool
}

func (c *PublisherCase) openChanges() (*changes, error) {
	f, err := c.Changes()
	if err != nil {
		return nil, err
	}
	in, err := stream.NewReader(f, stream.DefaultOptions())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", c.file("changes.tsv.gz"), err)
	}
	list := &changes{file: f, in: in}
	if script, err := c.script(); err == nil && script.Prepares() {
		// In the order of the WAL.
		executed, err := stream.Execute(in)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", c.file("changes.tsv.gz"), err)
		}
		list.in, list.twoPhase = executed, executed.TwoPhase
	}
	return list, nil
}

func (c *changes) close() { c.file.Close() }

// peek returns the next transaction, nil at the end.
func (c *changes) peek() (*changedTransaction, error) {
	if c.ahead != nil {
		return c.ahead, nil
	}
	x := &changedTransaction{}
	for {
		var m stream.Message
		if err := c.in.Next(&m); errors.Is(err, io.EOF) && x.begin.Kind == 0 {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		m = m.Clone()
		switch m.Kind {
		case stream.KindBegin, stream.KindBeginPrepare:
			x.begin = m
		case stream.KindCommitPrepared, stream.KindRollbackPrepared:
		case stream.KindCommit, stream.KindPrepare:
			x.commit = m
			c.ahead = x
			return x, nil
		default:
			x.messages = append(x.messages, m)
			switch m.Kind {
			case stream.KindInsert, stream.KindUpdate, stream.KindDelete, stream.KindTruncate:
				x.rows++
			}
		}
	}
}

func (c *changes) next() (*changedTransaction, error) {
	x, err := c.peek()
	c.ahead = nil
	return x, err
}

// catalog says whether a record is of a catalog's row.
func (r Record) catalog() bool {
	return strings.HasPrefix(r.Relation, "pg_") && !r.toast()
}

// firstUserTable is FirstNormalObjectId: TOAST tables of lower numbers are those of
// catalogs. Source: REL_18_1, src/include/access/transam.h.
const firstUserTable = 16384

// toast says whether a record is of a user table's TOAST table.
func (r Record) toast() bool {
	var oid int
	n, _ := fmt.Sscanf(r.Relation, "pg_toast_%d", &oid)
	return n == 1 && oid >= firstUserTable && !strings.HasSuffix(r.Relation, "_index")
}
