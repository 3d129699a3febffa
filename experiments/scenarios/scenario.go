package scenarios

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/publisher"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

// Scenario is one workload.
type Scenario struct {
	Name    string
	DDL     string // of the subscriber
	Changes int
	PerTx   int // rows a transaction
	Binary  bool
	make    func(*feeder) error // what is measured
	load    func(*feeder) error // what is applied before
}

// The DDL of the measured subscribers.
const (
	events      = "create table events (id bigint primary key, account_id integer not null, status smallint not null, payload text not null, updated_at timestamptz not null);"
	fourIndexes = "create index e_upd on events(updated_at); create index e_acc on events(account_id); create index e_acc_st on events(account_id, status); create index e_st_upd on events(status, updated_at);"
	fourOthers  = "create index e_upd on events(updated_at); create index e_acc on events(account_id); create index e_acc_upd on events(account_id, updated_at); create index e_upd_acc on events(updated_at, account_id);"
	fourMore    = "create index e1 on events(account_id, id); create index e2 on events(status, id); create index e3 on events(updated_at, id); create index e4 on events(updated_at, account_id);"
	full        = "create table f (id bigint, a int, payload text);"
)

// Sizes of the measured workloads.
const (
	payloadWidth = 128
	accounts     = 10_000
	statuses     = 5
	loadedRows   = 20_000 // of the tables that are updated and deleted from
	loadPerTx    = 1000
	fullRows     = 50_000
)

// All lists the scenarios in the order in which they were measured.
func All() []*Scenario {
	insert := func(name, ddl string, rows, perTx, width int) *Scenario {
		return &Scenario{
			Name: name, DDL: ddl, Changes: rows, PerTx: perTx,
			make: func(f *feeder) error { return f.insertEvents(1, rows, perTx, width) },
		}
	}
	loaded := func(f *feeder) error { return f.insertEvents(1, loadedRows, loadPerTx, payloadWidth) }
	update := func(name, ddl string) *Scenario {
		const n = MeasuredUpdates
		return &Scenario{Name: name, DDL: ddl, Changes: n, PerTx: 1, load: loaded, make: func(f *feeder) error { return f.updateStatus(loadedRows, n) }}
	}
	byFull := func(name, ddl string, last int) *Scenario {
		return &Scenario{
			Name: name, DDL: ddl, Changes: last, PerTx: last,
			load: func(f *feeder) error { return f.insertFull(fullRows) }, make: func(f *feeder) error { return f.updateFull(fullRows-last, fullRows) },
		}
	}
	binary := insert("insert_binary_pk", events, 200_000, 25, payloadWidth)
	binary.Binary = true
	return []*Scenario{
		insert("insert_text_no_index", strings.Replace(events, " primary key", "", 1), 200_000, 25, payloadWidth),
		insert("insert_text_pk", events, 200_000, 25, payloadWidth),
		insert("insert_text_pk_1", events+"create index e_acc on events(account_id);", 200_000, 25, payloadWidth),
		insert("insert_text_pk_4", events+fourIndexes, 200_000, 25, payloadWidth),
		insert("insert_text_pk_8", events+fourIndexes+fourMore, 100_000, 25, payloadWidth),
		binary,
		insert("insert_text_pk_tx1", events, 50_000, 1, payloadWidth),
		insert("insert_text_pk_tx1000", events, 200_000, 1000, payloadWidth),
		insert("insert_text_pk_width16", events, 200_000, 25, 16),
		insert("insert_text_pk_width1024", events, 100_000, 25, 1024),
		insert("insert_text_pk_published", events, 500_000, 25, payloadWidth),
		insert("insert_text_pk_4_published", events+fourIndexes, 500_000, 25, payloadWidth),
		update("update_hot", events),
		update("update_hot_4_other", events+fourOthers),
		update("update_status_4", events+fourIndexes),
		{
			Name: "delete_pk", DDL: events, Changes: loadedRows, PerTx: 1, load: loaded,
			make: func(f *feeder) error { return f.deleteEvents(loadedRows) },
		},
		byFull("full_seq_50000", full, 200),
		byFull("full_index_50000", full+"create index f_id on f(id);", 10_000),
		{Name: "start_worker", DDL: events, make: func(*feeder) error { return nil }},
	}
}

// Outcome is what a scenario did.
type Outcome struct {
	Usage *cost.Usage        // the work that is measured
	Sent  *publisher.Counter // all that the walsender sent,
	// and of that what is measured.
	SentUsage *cost.Usage
	Worker    *apply.Worker
	// Before counts the WAL that was written before.
	Before wal.Count
}

// Do applies the scenario.
func (s *Scenario) Do() (*Outcome, error) {
	w, err := s.Worker()
	if err != nil {
		return nil, err
	}
	f := &feeder{worker: w, binary: s.Binary, xid: 750, counter: &publisher.Counter{}}
	if s.load != nil {
		if err := s.load(f); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
	}
	o := &Outcome{Worker: w, Before: w.Log().Total()}
	before, sent := cost.Measure(w), f.counter.Usage()
	if err := s.make(f); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	o.Usage = cost.Measure(w).Sub(before)
	o.Sent = f.counter
	o.SentUsage = f.counter.Usage().Sub(sent)
	return o, nil
}

// Run applies the scenario and returns the work that was measured.
func (s *Scenario) Run() (*cost.Usage, error) {
	o, err := s.Do()
	if err != nil {
		return nil, err
	}
	return o.Usage, nil
}

// Full is the experiment with REPLICA IDENTITY FULL: rows are loaded, and the last
// ones of them updated in one transaction, with or without an index on the first
// column.
func Full(rows, last int, index bool) *Scenario {
	s := &Scenario{
		Name: "full", DDL: full, Changes: last, PerTx: last,
		load: func(f *feeder) error { return f.insertFull(rows) }, make: func(f *feeder) error { return f.updateFull(rows-last, rows) },
	}
	if index {
		s.DDL += "create index f_id on f(id);"
	}
	return s
}

// HOTSets are the sets of indexes of the HOT experiment: none but the primary key, four
// on other columns than status, four of which two have status.
var HOTSets = []struct{ Name, DDL, Measured string }{
	{"no index on it", "", "update_hot"},
	{"four on others", fourOthers, "update_hot_4_other"},
	{"on it, among four", fourIndexes, "update_status_4"},
}

// HOT is the experiment with updates of status by key: random rows of a table of
// events that was loaded by inserts are updated, one a transaction. With
// MeasuredRows and MeasuredUpdates it is a measured scenario.
func HOT(set, fillfactor, rows, updates int) *Scenario {
	ddl := strings.Replace(events, "not null);", fmt.Sprintf("not null) with (fillfactor = %d);", fillfactor), 1)
	return &Scenario{
		Name: HOTSets[set].Measured, DDL: ddl + HOTSets[set].DDL, Changes: updates, PerTx: 1,
		load: func(f *feeder) error { return f.load(rows) },
		make: func(f *feeder) error { return f.updateStatus(rows, updates) },
	}
}

// Sizes of the measured updates of status.
const (
	MeasuredRows    = loadedRows
	MeasuredUpdates = 40_000
)

// Worker is the scenario's subscriber, with empty tables and the settings of the
// measured one.
func (s *Scenario) Worker() (*apply.Worker, error) {
	db, err := schema.Read(strings.NewReader(s.DDL), s.Name+".sql")
	if err != nil {
		return nil, err
	}
	settings := guc.Defaults()
	for _, v := range [][2]string{{"wal_level", "logical"}, {"full_page_writes", "off"}, {"data_checksums", "off"}, {"shared_buffers", "256MB"}} {
		if err := settings.Set(v[0], v[1]); err != nil {
			return nil, err
		}
	}
	return apply.New(db, apply.Options{Settings: settings, NextXID: 750})
}

// feeder makes messages and applies them.
type feeder struct {
	worker  *apply.Worker
	binary  bool
	xid     uint32
	sent    bool // the relation was described
	counter *publisher.Counter
	now     stream.Timestamp
	status  []int // of each row of events that was updated
}

// Tables are numbered like a publisher's first ones.
const relationID = 16384

// Type oids, from src/include/catalog/pg_type.dat (REL_18_1).
const (
	int8OID = 20
	int2OID = 21
	int4OID = 23
	textOID = 25
	tstzOID = 1184
)

func (f *feeder) apply(m *stream.Message) error {
	m.Size = size(m)
	f.counter.Add(m)
	return f.worker.Apply(m)
}

// size is the length of a message, from src/backend/replication/logical/proto.c:
// a type byte, the relation, a tag for each tuple and the number of its columns; for
// each column a byte, and its length and data unless it is NULL.
func size(m *stream.Message) int {
	if m.RelationID == 0 {
		return 0
	}
	n := 1 + 4
	for _, t := range []stream.Tuple{m.New, m.Old} {
		if t == nil {
			continue
		}
		n += 1 + 2
		for _, c := range t {
			n++
			if c.Data != nil {
				n += 4 + len(c.Data)
			}
		}
	}
	return n
}

func (f *feeder) describe(r *stream.Relation) error {
	if f.sent {
		return nil
	}
	f.sent = true
	return f.apply(&stream.Message{Kind: stream.KindRelation, Relation: r})
}

// transaction applies n changes as one transaction.
func (f *feeder) transaction(r *stream.Relation, n int, change func(i int) *stream.Message) error {
	f.xid++
	f.now += 1000
	if err := f.apply(&stream.Message{Kind: stream.KindBegin, Xid: f.xid, Time: f.now}); err != nil {
		return err
	}
	if err := f.describe(r); err != nil {
		return err
	}
	for i := range n {
		if err := f.apply(change(i)); err != nil {
			return err
		}
	}
	return f.apply(&stream.Message{Kind: stream.KindCommit, Time: f.now})
}

var eventsRelation = &stream.Relation{
	ID: relationID, Namespace: "public", Name: "events", Identity: 'd',
	Columns: []stream.RelationColumn{
		{Flags: 1, Name: "id", TypeID: int8OID, Typmod: -1}, {Name: "account_id", TypeID: int4OID, Typmod: -1},
		{Name: "status", TypeID: int2OID, Typmod: -1}, {Name: "payload", TypeID: textOID, Typmod: -1},
		{Name: "updated_at", TypeID: tstzOID, Typmod: -1},
	},
}

// hash stands for hashint4: it spreads numbers evenly, and the same way each time.
// The constants are those of splitmix64 (Steele, Lea, Flood: Fast splittable
// pseudorandom number generators, 2014).
func hash(n int) int {
	z := uint64(n) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 1)
}

// epoch is where updated_at begins, and step by how much it goes on with each row.
var epoch = time.Date(2026, 8, 3, 0, 0, 0, 0, time.UTC)

const step = 1700 * time.Microsecond

// postgresEpoch is the time from which binary timestamps count microseconds.
var postgresEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// event is the row of events with an id.
func (f *feeder) event(id, width, status int) stream.Tuple {
	sum := md5.Sum([]byte(strconv.Itoa(id)))
	digits := hex.EncodeToString(sum[:])
	payload := strings.Repeat(digits, width/len(digits)+1)[:width]
	at := epoch.Add(time.Duration(id) * step)
	account := hash(id) % accounts
	if f.binary {
		b := binary.BigEndian
		return columns(stream.ColumnBinary,
			b.AppendUint64(nil, uint64(id)), b.AppendUint32(nil, uint32(account)), b.AppendUint16(nil, uint16(status)),
			[]byte(payload), b.AppendUint64(nil, uint64(at.Sub(postgresEpoch).Microseconds())))
	}
	return columns(stream.ColumnText,
		strconv.AppendInt(nil, int64(id), 10), strconv.AppendInt(nil, int64(account), 10), strconv.AppendInt(nil, int64(status), 10),
		[]byte(payload), at.AppendFormat(nil, "2006-01-02 15:04:05.999999-07"))
}

func columns(format byte, values ...[]byte) stream.Tuple {
	t := make(stream.Tuple, len(values))
	for i, v := range values {
		t[i] = stream.Column{Format: format, Data: v}
	}
	return t
}

func (f *feeder) insertEvents(first, rows, perTx, width int) error {
	for at := 0; at < rows; at += perTx {
		if err := f.transaction(eventsRelation, min(perTx, rows-at), func(i int) *stream.Message {
			id := first + at + i
			return &stream.Message{Kind: stream.KindInsert, RelationID: relationID, New: f.event(id, width, id%statuses)}
		}); err != nil {
			return err
		}
	}
	return nil
}

// load gives the table events so many rows, as inserts leave them.
func (f *feeder) load(rows int) error {
	// In binary format, which is stored as what text says and read faster.
	return f.worker.Load("public", "events", eventRows{&feeder{binary: true}, rows}, apply.LoadOptions{Inserted: true, Binary: true})
}

// eventRows are rows of events from id 1.
type eventRows struct {
	*feeder
	rows int
}

func (e eventRows) Len() int { return e.rows }

func (e eventRows) Row(n int, _ []int, row stream.Tuple) {
	copy(row, e.event(n+1, payloadWidth, (n+1)%statuses))
}

// updateStatus adds one to the status of a random one of the rows, n times.
func (f *feeder) updateStatus(rows, n int) error {
	f.status = make([]int, rows+1)
	for id := range f.status {
		f.status[id] = id % statuses
	}
	for t := 1; t <= n; t++ {
		if err := f.transaction(eventsRelation, 1, func(int) *stream.Message {
			id := 1 + hash(t)%rows
			f.status[id]++
			return &stream.Message{Kind: stream.KindUpdate, RelationID: relationID, New: f.event(id, payloadWidth, f.status[id])}
		}); err != nil {
			return err
		}
	}
	return nil
}

func (f *feeder) deleteEvents(n int) error {
	for id := 1; id <= n; id++ {
		if err := f.transaction(eventsRelation, 1, func(int) *stream.Message {
			old := make(stream.Tuple, len(eventsRelation.Columns))
			for i := range old {
				old[i].Format = stream.ColumnNull
			}
			old[0] = stream.Column{Format: stream.ColumnText, Data: strconv.AppendInt(nil, int64(id), 10)}
			return &stream.Message{Kind: stream.KindDelete, RelationID: relationID, OldKind: stream.OldKey, Old: old}
		}); err != nil {
			return err
		}
	}
	return nil
}

var fullRelation = &stream.Relation{
	ID: relationID, Namespace: "public", Name: "f", Identity: 'f',
	Columns: []stream.RelationColumn{
		{Flags: 1, Name: "id", TypeID: int8OID, Typmod: -1}, {Flags: 1, Name: "a", TypeID: int4OID, Typmod: -1}, {Flags: 1, Name: "payload", TypeID: textOID, Typmod: -1},
	},
}

// fullRow is the row of f with an id, after so many updates.
func fullRow(id, updates int) stream.Tuple {
	sum := md5.Sum([]byte(strconv.Itoa(id)))
	return columns(stream.ColumnText, strconv.AppendInt(nil, int64(id), 10), strconv.AppendInt(nil, int64(id%100+updates), 10), hex.AppendEncode(nil, sum[:]))
}

func (f *feeder) insertFull(n int) error {
	return f.transaction(fullRelation, n, func(i int) *stream.Message {
		return &stream.Message{Kind: stream.KindInsert, RelationID: relationID, New: fullRow(i+1, 0)}
	})
}

// updateFull updates the rows after first up to last in one transaction.
func (f *feeder) updateFull(first, last int) error {
	return f.transaction(fullRelation, last-first, func(i int) *stream.Message {
		id := first + i + 1
		return &stream.Message{Kind: stream.KindUpdate, RelationID: relationID, OldKind: stream.OldRow, Old: fullRow(id, 0), New: fullRow(id, 1)}
	})
}
