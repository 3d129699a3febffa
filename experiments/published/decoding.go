package published

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"applysim/experiments/workload"
	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/decode"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// The second source tells what decoding costs a publisher. It does not give its tables, so
// that a figure of it can only be consistent with what is computed, if what is assumed
// here holds.
const decodingSource = "decoding-cost"

// orderLines is a table like the source's, with room on its pages for updates in place.
const orderLines = `create table order_lines (order_id int, line int, sku text not null, qty int, price numeric(10,2),
	note text, updated_at timestamptz, primary key (order_id, line)) with (fillfactor = 50);`

// Sizes of the experiment. The ratios do not depend on them.
const (
	lineRows  = 400
	rowsATx   = 25
	longNote  = 330        // so that a row takes 400 bytes with its header
	shortNote = 20         // of rows of the other figures
	batchRows = 30_000_000 // of the source's large transaction
)

// lines are messages about order_lines.
type lines struct {
	relation stream.Relation
	number   int64
}

func newLines(db *schema.Database, full bool) *lines {
	t := db.Table("public", "order_lines")
	l := &lines{relation: stream.Relation{ID: 1, Namespace: "public", Name: "order_lines", Identity: 'd'}}
	if full {
		l.relation.Identity = 'f'
	}
	types := map[string]uint32{"int4": 23, "integer": 23, "text": 25, "numeric": 1700, "timestamptz": 1184}
	for i := range t.Columns {
		c := &t.Columns[i]
		flags := uint8(0)
		if full || i < 2 {
			flags = 1 // it is part of the identity
		}
		l.relation.Columns = append(l.relation.Columns, stream.RelationColumn{Name: c.Name, TypeID: types[c.Type.Name], Typmod: c.Typmod, Flags: flags})
	}
	return l
}

// row is a row's values as text.
func (l *lines) row(n, qty, note int) stream.Tuple {
	text := func(s string) stream.Column { return stream.Column{Format: stream.ColumnText, Data: []byte(s)} }
	t := stream.Tuple{text(strconv.Itoa(n / 5)), text(strconv.Itoa(n % 5)), text(fmt.Sprintf("sku-%d", n%97)), text(strconv.Itoa(qty)),
		text(fmt.Sprintf("%.2f", float64(n)*1.13)), text(strings.Repeat("n", note)), text("2026-01-01 00:00:00+00")}
	return t
}

// message numbers a message.
func (l *lines) message(m stream.Message) *stream.Message {
	l.number++
	m.Number, m.RelationID = l.number, l.relation.ID
	return &m
}

// session carries out messages on both sides of the experiment.
type session struct {
	*lines
	b       *apply.Backend
	d       *decode.Decoder
	table   *schema.Table
	updates int64 // bytes of WAL of the updates
}

func newSession(full bool) (*session, error) {
	ddl := orderLines
	if full {
		ddl += "alter table order_lines replica identity full;"
	}
	db, err := schema.Read(strings.NewReader(ddl), "order_lines")
	if err != nil {
		return nil, err
	}
	set := guc.Defaults()
	for _, v := range [][2]string{{"wal_level", "logical"}, {"full_page_writes", "off"}, {"data_checksums", "off"}} {
		if err := set.Set(v[0], v[1]); err != nil {
			return nil, err
		}
	}
	s := &session{lines: newLines(db, full), table: db.Table("public", "order_lines")}
	if s.b, err = apply.NewBackend(db, apply.Options{Settings: set}); err != nil {
		return nil, err
	}
	o := decode.DefaultOptions()
	o.AllTables, o.Ways = true, []string{decode.PgoutputText}
	s.d, err = decode.New(db, o)
	return s, err
}

// transaction carries out changes, each a statement that finds its row by its key.
func (s *session) transaction(xid uint32, changes ...stream.Message) error {
	begin := s.message(stream.Message{Kind: stream.KindBegin, Xid: xid})
	commit := s.message(stream.Message{Kind: stream.KindCommit})
	relation := s.message(stream.Message{Kind: stream.KindRelation, Relation: &s.relation})
	if err := s.d.Message(begin); err != nil {
		return err
	}
	if err := s.d.Message(relation); err != nil {
		return err
	}
	if err := s.b.Describe(relation); err != nil {
		return err
	}
	s.b.Begin(0)
	for i := range changes {
		m := s.message(changes[i])
		st := &apply.Statement{Table: s.table}
		if m.Kind == stream.KindUpdate {
			st.Method, st.Index, st.Equal = apply.IndexScan, s.table.PrimaryKey(), 2
		}
		if err := s.b.BeginStatement(st); err != nil {
			return err
		}
		if err := s.b.Change(m); err != nil {
			return err
		}
		if err := s.d.Message(m); err != nil {
			return err
		}
	}
	if err := s.b.Commit(); err != nil {
		return err
	}
	return s.d.Message(commit)
}

// run inserts rows with notes of so many characters and updates each of them.
func (s *session) run(full bool, note int) error {
	xid := uint32(800)
	each := func(change func(n int) stream.Message) error {
		for n := 0; n < lineRows; n += rowsATx {
			var changes []stream.Message
			for i := range rowsATx {
				changes = append(changes, change(n+i))
			}
			xid++
			if err := s.transaction(xid, changes...); err != nil {
				return err
			}
		}
		return nil
	}
	if err := each(func(n int) stream.Message { return stream.Message{Kind: stream.KindInsert, New: s.row(n, 1, note)} }); err != nil {
		return err
	}
	log := s.b.Worker().Log()
	before := log.Total().Bytes
	err := each(func(n int) stream.Message {
		m := stream.Message{Kind: stream.KindUpdate, New: s.row(n, 2, note)}
		if full {
			m.Old, m.OldKind = s.row(n, 1, note), stream.OldRow
		}
		return m
	})
	s.updates = log.Total().Bytes - before
	return err
}

// sent are the bytes that slots send of so many rows of the first source.
func sent(rows int) (map[string]float64, error) {
	o := workload.DefaultOptions()
	o.Rows = rows
	g, err := workload.NewGenerator(o)
	if err != nil {
		return nil, err
	}
	db, err := schema.Read(strings.NewReader(workload.Schema(0)), "events.sql")
	if err != nil {
		return nil, err
	}
	d := decode.DefaultOptions()
	d.AllTables, d.Ways = true, []string{decode.PgoutputText, decode.Wal2JSON1, decode.Wal2JSON2}
	decoder, err := decode.New(db, d)
	if err != nil {
		return nil, err
	}
	in, err := stream.NewReader(g, stream.DefaultOptions())
	if err != nil {
		return nil, err
	}
	var m stream.Message
	for {
		if err := in.Next(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if err := decoder.Message(&m); err != nil {
			return nil, err
		}
	}
	slots := map[string]float64{}
	for _, r := range decoder.Results() {
		slots[r.Way] = float64(r.Bytes)
	}
	return slots, nil
}

// Decoding are the figures of the second source that can be computed, beside those of a
// list like figures.csv, whose name is for messages.
func Decoding(name string, list []map[string]string) ([]Figure, error) {
	values := map[string]float64{}
	for _, r := range list {
		if r["source"] == decodingSource {
			low, err1 := strconv.ParseFloat(r["low"], 64)
			high, err2 := strconv.ParseFloat(r["high"], 64)
			if err1 != nil || err2 != nil {
				return nil, fmt.Errorf("%s: %s %s: low %q and high %q, expected numbers", name, r["scenario"], r["figure"], r["low"], r["high"])
			}
			values[r["scenario"]] = (low + high) / 2
		}
	}
	if len(values) == 0 {
		return nil, nil // another list
	}
	plain, err := newSession(false)
	if err != nil {
		return nil, err
	}
	full, err := newSession(true)
	if err != nil {
		return nil, err
	}
	for _, s := range []*session{plain, full} {
		if err := s.run(s == full, longNote); err != nil {
			return nil, err
		}
	}
	figure := func(scenario, name, unit string, v float64, note string) Figure {
		return Figure{Source: decodingSource, Scenario: scenario, Figure: name, Published: values[scenario], Simulated: &v, Unit: unit, Kind: cost.Predicted, Note: "consistent if " + note}
	}
	slots, err := sent(lineRows * rowsATx)
	if err != nil {
		return nil, err
	}
	json1, json2 := slots[decode.Wal2JSON1]/slots[decode.PgoutputText], slots[decode.Wal2JSON2]/slots[decode.PgoutputText]
	_, length, err := plain.d.RowLengths(plain.message(stream.Message{Kind: stream.KindInsert, New: plain.row(4, 1, shortNote)}))
	if err != nil {
		return nil, err
	}
	high := decode.RowSize(0, length)
	return []Figure{
		figure("identity_full_400_byte_row", "publisher_wal_of_update", "x", float64(full.updates)/float64(plain.updates),
			fmt.Sprintf("the row stays on its page, its key stays, %d rows are updated in a transaction and pages have no images", rowsATx)),
		figure("wal2json_30_minutes", "stream", "GB", values["pgoutput_30_minutes"]*json1,
			fmt.Sprintf("pgoutput's %.1f GB are of rows like those of the other source, and wal2json writes format 1: %.2f times as much (format 2: %.2f times)", values["pgoutput_30_minutes"], json1, json2)),
		figure("batch_one_transaction_30M_rows", "spill_bytes", "GB", float64(batchRows)*float64(high)/1e9,
			fmt.Sprintf("30 million rows are inserted that take %d bytes each with their headers (order lines with short notes): the reorder buffer keeps %d bytes of each, %d beside the row's", length, high, high-length)),
	}, nil
}
