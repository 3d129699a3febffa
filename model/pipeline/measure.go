package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"applysim/model/apply"
	"applysim/model/backend"
	"applysim/model/background"
	"applysim/model/cost"
	"applysim/model/decode"
	"applysim/model/guc"
	"applysim/model/publisher"
	"applysim/model/scenario"
	"applysim/model/slots"
	"applysim/model/spelling"
	"applysim/model/stream"
	"applysim/wal"
)

// Options are what a pipeline is worked out with.
type Options struct {
	Schema  func(path string) (io.ReadCloser, error)
	Profile *cost.Profile
	// Limit is how many changes are simulated row by row, about; 0 stands for 100,000.
	Limit int64
	// Start is where the publisher's WAL is before the run; 0 stands for where that of a
	// new cluster is, about. It decides which records page headers fall into.
	Start wal.LSN
}

// Costs are what transactions of each operation of a scenario cost, on average.
type Costs struct {
	Operations []Operation
	// Simulated is how many changes were simulated, of so many in the whole run.
	Simulated, Changes float64
	Length             float64 // of the part that was simulated, seconds
	Warnings           []string
	// Runs are the simulated parts by subscription: what became of the rows there.
	Runs []*scenario.Result

	filtered [2]kinds // changes of a filter's table: made, sent
}

// Operation is what one of its transactions costs.
type Operation struct {
	Name         string
	Transactions float64 // simulated
	Changes      float64 // a transaction
	WAL          float64 // bytes of the publisher's WAL, as LSNs advance
	Records      float64 // of WAL, and bytes of full-page images in them
	Images       float64
	Memory       float64 // bytes that decoding keeps of it
	// Decoded is what decoding one counts (pg_stat_replication_slots), for a slot whose large
	// transactions go to disk and for one whose are streamed.
	Decoded [2]decode.Counters
	// Backend is what it takes the backend that carries it out, in seconds of CPU, if the
	// profile prices that (HasBackend): each change is a statement of its own that the client
	// waits for.
	Backend    float64
	HasBackend bool
	// Subscriptions are what it costs those.
	Subscriptions []Cost
}

// Cost is what a transaction costs one subscription.
type Cost struct {
	Sender float64 // CPU seconds of the walsender
	Bytes  float64 // of the stream, with the framing of each message
	// Messages are begin, commit, changes and what describes relations.
	Messages float64
	Apply    float64 // CPU seconds of the apply worker
	Pass     float64 // of the leader, if it is streamed
	WAL      float64 // bytes of WAL on the subscriber
	// Changes are those that are sent.
	Changes float64
}

// Framing is what stands around each message: type and length of CopyData, and the head
// of an XLogData message. Source: REL_18_1, src/backend/replication/walsender.c,
// WalSndPrepareWrite.
const Framing = 1 + 4 + 1 + 8 + 8 + 8

// readShare is the part of a walsender's CPU that it is taken to spend when it reads a
// transaction's WAL, before the commit.
const readShare = 0.5

// Measure simulates a part of a scenario and says what its transactions cost.
func Measure(s *scenario.Scenario, o *Options) (*Costs, error) { return measure(s, o, nil) }

// measure does it with a row filter; nil for none.
func measure(s *scenario.Scenario, o *Options, filter *scenario.Filter) (*Costs, error) {
	part, changes := sample(s, o.Limit)
	c := &Costs{Changes: changes, Length: part.Duration.Seconds()}
	for i := range s.Operations {
		c.Operations = append(c.Operations, Operation{Name: nameOf(s, i), Subscriptions: make([]Cost, max(len(s.Subscriptions), 1))})
	}
	if err := c.publisher(part, o, filter); err != nil {
		return nil, err
	}
	c.Runs = make([]*scenario.Result, len(c.Operations[0].Subscriptions))
	var done [][]string
	for i := range c.Operations[0].Subscriptions {
		var tables []string
		if len(s.Subscriptions) > 0 {
			tables = s.Subscriptions[i].Tables
		}
		if like := slices.IndexFunc(done, func(d []string) bool { return slices.Equal(d, tables) }); like >= 0 {
			for k := range c.Operations {
				c.Operations[k].Subscriptions[i] = c.Operations[k].Subscriptions[like]
			}
			c.Runs[i] = c.Runs[like]
		} else if err := c.subscription(part, o, i, tables, filter); err != nil {
			return nil, err
		}
		done = append(done, tables)
	}
	return c, nil
}

// nameOf describes an operation.
func nameOf(s *scenario.Scenario, n int) string {
	p := s.Operations[n]
	name := fmt.Sprintf("%s %s", p.Do, p.Table)
	for _, then := range p.Then {
		name += fmt.Sprintf(", %s %s", then.Do, then.Table)
	}
	return name
}

// sample is a scenario with the same mix of transactions, but not more than about limit
// changes: each operation has at least one of its own.
func sample(s *scenario.Scenario, limit int64) (*scenario.Scenario, float64) {
	if limit == 0 {
		limit = 100_000
	}
	part := *s
	part.Operations = nil
	total := 0.0
	counts := make([]float64, len(s.Operations)) // transactions in the whole run
	rows := make([]float64, len(s.Operations))
	for i, op := range s.Operations {
		rows[i] = float64(op.Rows)
		for _, then := range op.Then {
			rows[i] += float64(then.Rows)
		}
		counts[i] = transactions(s, i)
		total += float64(counts[i] * rows[i])
	}
	share := min(float64(limit)/max(total, 1), 1)
	length := s.Duration.Seconds()
	if s.Duration == 0 {
		length = float64(s.Changes) / max(total, 1) // total is a second's
		if total > 0 {
			share = min(float64(limit)/float64(s.Changes), 1)
		}
	}
	for i, op := range s.Operations {
		x := *op
		n := counts[i] * share
		if s.Duration == 0 {
			n *= length
		}
		if n == 0 {
			n = 1e-9 // it never comes in the run
		}
		x.Arrivals, x.Lasts = scenario.Arrivals{}, 0
		x.Rate, x.Count = 0, max(int64(math.Round(n)), 1)*int64(op.Rows)
		part.Operations = append(part.Operations, &x)
	}
	part.Changes = 0
	part.Duration = max(seconds(length*share), seconds(0.001))
	if s.Duration == 0 {
		total *= length
	}
	return &part, total
}

// transactions is how many of an operation come in the whole run, or in a second if the
// run ends after a number of changes.
func transactions(s *scenario.Scenario, n int) float64 {
	end := s.Duration.Seconds()
	if end == 0 {
		return s.Operations[n].Rate / float64(s.Operations[n].Rows)
	}
	clock := s.Clock(n)
	sum := 0.0
	for t := 0.0; t < end; {
		rate, until := clock.Rate(t)
		until = min(until, end)
		sum += float64(rate * (until - t))
		t = until
	}
	return sum
}

// publisher runs the publisher's side.
func (c *Costs) publisher(s *scenario.Scenario, o *Options, filter *scenario.Filter) error {
	s = whole(s)
	db, err := s.Database(nil, o.Schema)
	if err != nil {
		return err
	}
	identity := ""
	if filter != nil {
		if identity = filter.Identity(s, db); identity != "" {
			if err := db.Exec(identity, ""); err != nil {
				return err
			}
		}
	}
	gen, err := scenario.NewGenerator(s, db, db)
	if err != nil {
		return err
	}
	own := db
	set := guc.Defaults()
	set.WALLevel = "logical"
	if p := s.Publisher; p != nil {
		if p.Schema != "" {
			like := *s
			like.Schema = p.Schema
			if own, err = like.Database(nil, o.Schema); err != nil {
				return err
			}
			if identity != "" {
				if err := own.Exec(identity, ""); err != nil {
					return err
				}
			}
		}
		for _, x := range p.Server {
			if err := set.Set(x.Name, x.Value); err != nil {
				return err
			}
		}
	}
	b, err := apply.NewBackend(own, apply.Options{Settings: set, Start: max(o.Start, 16<<20), NextXID: 750, Seed: s.Seed, Collation: s.Collation})
	if err != nil {
		return err
	}
	gen.SkipLoad()
	if err := s.Load(gen, b.Worker()); err != nil {
		return err
	}
	var raw bytes.Buffer
	w := stream.NewWriter(&raw, stream.Raw)
	var ops []int
	var times []stream.Timestamp
	dec := make([]decoders, len(s.Operations))
	sizes := decode.Options{WorkMem: 1 << 40, AllTables: true, Ways: []string{decode.PgoutputText}, Major: 18}
	counts := sizes
	counts.WorkMem, counts.Ways = int64(slots.DefaultSettings().DecodingWorkMem), []string{decode.PgoutputText, decode.PgoutputStreaming}
	if p := s.Publisher; p != nil {
		counts.WorkMem = int64(p.Settings.DecodingWorkMem)
	}
	var described []stream.Message
	var m stream.Message
	for gen.Next(&m) {
		if err := w.Write(&m); err != nil {
			return err
		}
		k := gen.Operation()
		switch m.Kind {
		case stream.KindBegin:
			ops, times = append(ops, k), append(times, m.Time)
			c.Operations[k].Transactions++
		case stream.KindInsert, stream.KindUpdate, stream.KindDelete:
			c.Operations[k].Changes++
			c.Simulated++
		case stream.KindRelation, stream.KindType:
			described = append(described, m)
			for _, d := range dec {
				if err := d.each(func(d *decode.Decoder) error { return d.Describe(&m) }); err != nil {
					return err
				}
			}
			continue
		}
		if dec[k] == nil && c.Operations[k].Transactions == 1 {
			for _, o := range []decode.Options{sizes, counts} {
				d, err := decode.New(db, o)
				if err != nil {
					return err
				}
				for i := range described {
					if err := d.Describe(&described[i]); err != nil {
						return err
					}
				}
				dec[k] = append(dec[k], d)
			}
		}
		if c.Operations[k].Transactions == 1 {
			if err := dec[k].each(func(d *decode.Decoder) error { return d.Message(&m) }); err != nil {
				return err
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	in, err := stream.NewReader(&raw, stream.DefaultOptions())
	if err != nil {
		return err
	}
	runner := backend.NewRunner(b, own, in)
	schedule := background.NewSchedule(b.Worker())
	schedule.Checkpoints, schedule.WALWriter = true, true
	log := b.Worker().Log()
	if o.Start > 0 {
		log.MoveTo(o.Start)
	}
	priced, err := newBackends(s, o, runner, len(s.Operations))
	if err != nil {
		return err
	}
	for i, k := range ops {
		schedule.Before(&stream.Message{Kind: stream.KindBegin, Time: times[i]})
		before, total := log.LSN(), log.Total()
		priced.begins(k)
		if more, err := runner.RunTransaction(); err != nil {
			return fmt.Errorf("the publisher: %w", err)
		} else if !more {
			return fmt.Errorf("the publisher's stream ends after %d of %d transactions", i, len(ops))
		}
		priced.committed(k)
		op, now := &c.Operations[k], log.Total()
		op.WAL += float64(log.LSN() - before)
		op.Records += float64(now.Records - total.Records)
		op.Images += float64(now.FPIBytes - total.FPIBytes)
	}
	for i := range c.Operations {
		op := &c.Operations[i]
		if op.Transactions == 0 {
			continue
		}
		op.Backend, op.HasBackend = priced.seconds(i)
		op.Changes /= op.Transactions
		op.WAL /= op.Transactions
		op.Records /= op.Transactions
		op.Images /= op.Transactions
		if dec[i] != nil {
			op.Memory = float64(dec[i][0].Results()[0].TotalBytes)
			for k, r := range dec[i][1].Results() {
				op.Decoded[k] = r.Counters
			}
		}
	}
	return nil
}

// decoders are those of an operation's first transaction: with memory for all of it, and
// with as much as the publisher has.
type decoders []*decode.Decoder

func (list decoders) each(do func(*decode.Decoder) error) error {
	for _, d := range list {
		if err := do(d); err != nil {
			return err
		}
	}
	return nil
}

// exactly is up to how many transactions the work of each is told apart.
const exactly = 10_000

// sums are what was counted of an operation's transactions.
type sums struct {
	n, told    float64           // transactions, and those whose work was told apart
	apply, wal float64           // of the latter
	sent, made publisher.Counter // of what there would be without a filter
	messages   float64
	changes    float64
	kinds      [2]kinds // of the filter's table: made, sent
}

// kinds are changes by kind.
type kinds struct{ inserts, updates, deletes float64 }

func (k *kinds) plus(x kinds) {
	k.inserts, k.updates, k.deletes = k.inserts+x.inserts, k.updates+x.updates, k.deletes+x.deletes
}

func (k *kinds) add(m *stream.Message) {
	switch m.Kind {
	case stream.KindInsert:
		k.inserts++
	case stream.KindUpdate:
		k.updates++
	case stream.KindDelete:
		k.deletes++
	}
}

// whole is a scenario whose publications leave no columns out: the publisher's WAL has all.
func whole(s *scenario.Scenario) *scenario.Scenario {
	if !slices.ContainsFunc(s.Tables, func(t *scenario.Table) bool { return len(t.Unpublished) > 0 }) {
		return s
	}
	n := *s
	n.Tables = nil
	for _, t := range s.Tables {
		x := *t
		x.Unpublished = nil
		n.Tables = append(n.Tables, &x)
	}
	return &n
}

// decodedWhole counts what walsenders read where column lists leave columns out of what they
// send: rows with all of them.
func decodedWhole(s *scenario.Scenario, o *Options, tables []string, all []sums) error {
	n := whole(s)
	db, err := n.Database(nil, o.Schema)
	if err != nil {
		return err
	}
	gen, err := scenario.NewGenerator(n, db, db)
	if err != nil {
		return err
	}
	gen.SkipLoad()
	left := map[string]int{}
	for _, t := range s.Tables {
		left[t.Name] = len(t.Unpublished)
	}
	names := map[uint32]string{}
	var m stream.Message
	for gen.Next(&m) {
		if m.Kind == stream.KindRelation {
			names[m.Relation.ID] = relationName(m.Relation)
			for i := range all {
				all[i].made.Add(&m)
			}
			continue
		}
		k := gen.Operation()
		all[k].made.Add(&m)
		if name, of := names[m.RelationID]; of && (tables == nil || slices.Contains(tables, name)) {
			all[k].sent.LeaveOut(left[name])
		}
	}
	return nil
}

// relationName is a table's name with its schema, unless that is public.
func relationName(r *stream.Relation) string {
	if r.Namespace == "public" {
		return r.Name
	}
	return r.Namespace + "." + r.Name
}

// transactionBytes are the lengths of begin and commit.
const transactionBytes = 1 + 8 + 8 + 4 + 1 + 1 + 8 + 8 + 8

// sender is what a walsender takes for what it sent, in seconds.
func sender(p *cost.Profile, prices *cost.Model, sent *publisher.Counter, transactions float64) float64 {
	if p.Publisher == nil {
		return 0
	}
	q := p.Publisher
	return float64(prices.Instructions(sent.Usage())/1000*q.Sender.Value*1e-9) +
		float64(transactions*q.Transaction.Value*1e-6) + float64(float64(sent.Bytes())*q.Send.Value*1e-9)
}

// known says whether a subscription's tables are in the schema.
func known(s *scenario.Scenario, o *Options, tables []string) error {
	if tables == nil {
		return nil
	}
	db, err := s.Database(nil, o.Schema)
	if err != nil {
		return err
	}
	var names []string
	for _, t := range db.Tables {
		names = append(names, t.QualifiedName())
	}
	for _, t := range tables {
		if !slices.Contains(names, t) {
			return fmt.Errorf("%s: a subscription's table %q is not in %s (nearest: %s)", s.File, t, s.Schema, spelling.Nearest(t, names))
		}
	}
	return nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
