package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"applysim/experiments/server"
	"applysim/experiments/table"
	"applysim/model/advise"
	"applysim/model/cost"
	"applysim/model/scenario"
	"applysim/model/stream"
)

// vacuumed is what autovacuum comes to: on a real server, and as it was simulated.
type vacuumed struct {
	wal, pages map[string]int64 // by relation
	vacuums    int64
}

func (v *vacuumed) total() (wal, pages int64) {
	for _, n := range v.wal {
		wal += n
	}
	for _, n := range v.pages {
		pages += n
	}
	return wal, pages
}

// autovacuum follows advice about autovacuum on real servers, at the scenario's pace and with
// autovacuum at work, and compares WAL, sizes and numbers of VACUUMs. All of a scenario's
// candidates are tried, whether they save something or not.
func (o *options) autovacuum(files []string, price func(*cost.Usage) *scenario.CPU, stdout io.Writer) (_ *table.Table, err error) {
	pool, err := server.NewPool(server.Options{Prefix: o.prefix, Port: o.port, Dir: o.servers})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	t := &table.Table{
		Title: fmt.Sprintf("Autovacuum on a real subscriber, PostgreSQL %s, each scenario in its own time", pool.Version),
		Columns: []table.Column{
			{Name: "scenario"}, {Name: "advice"}, {Name: "relation"}, {Name: "WAL, bytes", Right: true}, {Name: "predicted", Right: true}, {Name: "error", Right: true, Decimals: 1, Unit: " %", Signed: true},
			{Name: "pages", Right: true}, {Name: "predicted", Right: true}, {Name: "VACUUMs", Right: true}, {Name: "predicted", Right: true},
		},
	}
	for _, file := range files {
		r, err := advised(file, price)
		if err != nil {
			return nil, err
		}
		list := []*advise.Advice{nil}
		for _, x := range append(slices.Clone(r.Advice), r.Rejected...) {
			if x.Kind == "autovacuum" && x.Result != nil {
				list = append(list, x)
			}
		}
		for _, x := range list {
			result, title := r.Base, asItIs
			if x != nil {
				result, title = x.Result, x.Title
			}
			got, err := live(pool, r, file, x)
			if err != nil {
				return nil, err
			}
			want := predicted(result)
			fmt.Fprintf(stdout, "%s, %s: %d VACUUMs\n", name(file), title, got.vacuums)
			for _, rel := range relationsOf(result) {
				t.Add(name(file), title, rel, got.wal[rel], want.wal[rel], 100*(float64(want.wal[rel])/float64(got.wal[rel])-1), got.pages[rel], want.pages[rel], nil, nil)
			}
			a, p := got.total()
			b, q := want.total()
			t.Add(name(file), title, "all", a, b, 100*(float64(b)/float64(a)-1), p, q, got.vacuums, want.vacuums)
		}
	}
	return t, nil
}

// relationsOf are a result's tables and indexes.
func relationsOf(r *scenario.Result) []string {
	var list []string
	for _, t := range r.Tables {
		list = append(list, t.Name)
		for _, x := range t.Indexes {
			list = append(list, x.Name)
		}
	}
	return list
}

// predicted is what was simulated.
func predicted(r *scenario.Result) *vacuumed {
	v := &vacuumed{wal: map[string]int64{}, pages: map[string]int64{}, vacuums: int64(len(r.Vacuums))}
	for _, t := range r.Tables {
		v.wal[t.Name], v.pages[t.Name] = t.WALBytes, int64(t.Pages)
		for _, x := range t.Indexes {
			v.wal[x.Name], v.pages[x.Name] = x.WALBytes, int64(x.Pages)
		}
	}
	return v
}

// live carries a piece of advice out.
func live(pool *server.Pool, r *advise.Report, file string, x *advise.Advice) (*vacuumed, error) {
	open := opener(file)
	s, v := follow(r, x, 1)
	ddl, err := text(open, s.Schema)
	if err != nil {
		return nil, err
	}
	c := &server.Case{Name: name(file), Pub: string(ddl), Sub: string(ddl), Checksums: true, SubConf: server.Settings{}}
	if x != nil {
		c.Sub += "\n" + x.DDL
	}
	if err := settings(c, append(slices.Clone(s.Settings), v.Settings...)); err != nil {
		return nil, err
	}
	c.SubConf["full_page_writes"] = "on"
	if c.Publication, err = publication(s, v, open); err != nil {
		return nil, err
	}
	if err := presets(c, s, v, open); err != nil {
		return nil, err
	}
	sql, err := paced(s, v, open)
	if err != nil {
		return nil, err
	}
	c.SQL = []server.Step{{Pub: sql}}
	got := &vacuumed{wal: map[string]int64{}, pages: map[string]int64{}}
	var start string
	before := func(sub *server.Cluster) (err error) {
		for _, x := range append(slices.Clone(s.Settings), scenario.Setting{Name: "autovacuum", Value: "on"}) {
			if strings.HasPrefix(x.Name, "autovacuum") {
				if _, err := sub.Query("alter system set " + x.Name + " = '" + x.Value + "'"); err != nil {
					return err
				}
			}
		}
		if _, err := sub.Query("select pg_reload_conf()"); err != nil {
			return err
		}
		start, err = sub.Value("select pg_current_wal_insert_lsn()")
		return err
	}
	after := func(sub *server.Cluster) error {
		for _, sql := range []string{"alter system reset all", "select pg_reload_conf()", "select pg_logical_emit_message(false, '', '', true)"} {
			if _, err := sub.Query(sql); err != nil {
				return err
			}
		}
		rows, err := sub.Query(fmt.Sprintf(`create extension if not exists pg_walinspect; select c.relname, coalesce(sum(w.record_length), 0), pg_relation_size(c.oid) / 8192
			from pg_class c left join (select r.record_length, b.relfilenode from pg_get_wal_records_info('%[1]s', pg_current_wal_flush_lsn()) r
				join (select distinct start_lsn, relfilenode from pg_get_wal_block_info('%[1]s', pg_current_wal_flush_lsn(), false)) b using (start_lsn)) w on w.relfilenode = pg_relation_filenode(c.oid)
			where c.relkind in ('r', 'i') and c.relnamespace = 'public'::regnamespace and c.relname not like 'marker%%' group by c.relname, c.oid`, start))
		if err != nil {
			return err
		}
		for _, row := range rows {
			if got.wal[row[0]], err = strconv.ParseInt(row[1], 10, 64); err != nil {
				return err
			}
			if got.pages[row[0]], err = strconv.ParseInt(row[2], 10, 64); err != nil {
				return err
			}
		}
		n, err := sub.Value("select sum(autovacuum_count) from pg_stat_user_tables where relname not like 'marker%'")
		if err != nil {
			return err
		}
		got.vacuums, err = strconv.ParseInt(n, 10, 64)
		return err
	}
	return got, pool.Live(c, before, after)
}

// paced is a scenario's changes as SQL, each transaction at its time.
func paced(s *scenario.Scenario, v *scenario.Variant, open func(string) (io.ReadCloser, error)) (string, error) {
	db, err := s.Database(nil, open)
	if err != nil {
		return "", err
	}
	now, err := s.Database(v, open)
	if err != nil {
		return "", err
	}
	gen, err := scenario.NewGenerator(s, db, now)
	if err != nil {
		return "", err
	}
	gen.SkipLoad()
	var b bytes.Buffer
	wait := func(at time.Duration) {
		fmt.Fprintf(&b, "select pg_sleep(greatest(0, extract(epoch from began + interval '%d microseconds' - clock_timestamp()))) from pace;\n", at.Microseconds())
	}
	b.WriteString("drop table if exists pace;\ncreate temp table pace as select clock_timestamp() as began;\n")
	w := scenario.NewSQLWriter(gen)
	var m stream.Message
	for gen.Next(&m) {
		switch m.Kind {
		case stream.KindBegin:
			wait(time.Duration(m.Time-s.Start) * time.Microsecond)
			b.WriteString("begin;\n")
		case stream.KindCommit:
			b.WriteString("commit;\n")
		default:
			if sql := w.Statement(&m); sql != "" {
				b.WriteString(strings.TrimSuffix(strings.TrimSpace(sql), ";") + ";\n")
			}
		}
	}
	wait(s.Duration)
	return b.String(), nil
}
