package server

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// startState is start.json.
type startState struct {
	Version       string                        `json:"version"`
	Settings      map[string]string             `json:"settings"`
	DataChecksums string                        `json:"data_checksums"`
	NextXID       int64                         `json:"next_xid"`
	NextOID       int64                         `json:"next_oid"` // the object id that is given out next
	Subscription  int64                         `json:"subscription_oid"`
	NextMulti     int64                         `json:"next_multixact"`
	NextOffset    int64                         `json:"next_multixact_offset"` // of members
	Relations     []relation                    `json:"relations"`
	Types         []userType                    `json:"types"`
	Marker        markerState                   `json:"marker"`
	Statistics    map[string]map[string]*number `json:"statistics"`
	PageLSNs      map[string]string             `json:"page_lsns"`
	MapLSNs       map[string]string             `json:"map_lsns,omitempty"` // of free space maps
	VisibleLSNs   map[string]string             `json:"vm_lsns,omitempty"`  // of visibility maps
	StartLSN      string                        `json:"start_lsn"`
	Loaded        []loaded                      `json:"loaded,omitempty"` // by the case's load
}

// number is a counter that may be unknown.
type number = int64

type relation struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	OID         int64  `json:"oid"`
	Relfilenode int64  `json:"relfilenode"`
	Table       string `json:"table"`
	ToastTable  string `json:"toast_table"`
}

type userType struct {
	Name   string  `json:"name"`
	OID    int64   `json:"oid"`
	Labels []int64 `json:"labels,omitempty"`
}

type markerState struct {
	DDL  string  `json:"ddl"`
	Rows []int64 `json:"rows"`
}

// told are settings that start.json names beside those of configuration and of the
// case.
var told = []string{
	"wal_compression", "wal_log_hints", "max_wal_size", "checkpoint_timeout", "server_version", "block_size",
	"wal_segment_size", "default_toast_compression", "logical_decoding_work_mem",
}

// counters are columns of pg_stat_user_tables.
var counters = []string{
	"n_tup_ins", "n_tup_upd", "n_tup_hot_upd", "n_tup_newpage_upd", "n_tup_del", "n_live_tup", "n_dead_tup",
	"seq_scan", "seq_tup_read", "idx_scan", "idx_tup_fetch",
}

// objectIDs finds out which object id comes next: it uses one up. It runs before the
// marker's first row, the last transaction before the case.
func (r *recording) objectIDs() error {
	oid, err := r.sub.Value("select lo_create(0)")
	if err != nil {
		return err
	}
	r.start.NextOID = atoi(oid) + 1
	_, err = r.sub.Query("select lo_unlink(" + oid + ")")
	return err
}

// begin reads the state of the subscriber before the case.
func (r *recording) begin() error {
	s := &r.start
	names := append(slices.Collect(maps.Keys(configuration)), told...)
	names = append(names, slices.Collect(maps.Keys(r.case_.SubConf))...)
	slices.Sort(names)
	s.Settings, s.Statistics, s.PageLSNs = map[string]string{}, map[string]map[string]*number{}, map[string]string{}
	rows, err := r.sub.Query("select name, current_setting(name) from pg_settings where name = any(string_to_array('" + strings.Join(names, ",") + "', ','))")
	if err != nil {
		return err
	}
	for _, x := range rows {
		s.Settings[x[0]] = x[1]
	}
	// This session's own setting is not that of the worker.
	if v := r.case_.SubConf["synchronous_commit"]; v == "" {
		s.Settings["synchronous_commit"] = configuration["synchronous_commit"]
	} else {
		s.Settings["synchronous_commit"] = v
	}
	rows, err = r.sub.Query(`select version(), current_setting('data_checksums'), pg_snapshot_xmax(pg_current_snapshot()),
		next_multixact_id, next_multi_offset, (select oid from pg_subscription where subname = '` + subscription + `') from pg_control_checkpoint()`)
	if err != nil {
		return err
	}
	x := rows[0]
	s.Version, s.DataChecksums = x[0], x[1]
	s.NextXID, s.NextMulti, s.NextOffset, s.Subscription = atoi(x[2]), atoi(x[3]), atoi(x[4]), atoi(x[5])
	rows, err = r.sub.Query(`select c.relname, c.relkind, c.oid, coalesce(pg_relation_filenode(c.oid), 0), coalesce(t.relname, ''), coalesce(x.relname, '')
		from pg_class c left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid left join pg_class x on x.oid = c.reltoastrelid
		where c.relnamespace = 'public'::regnamespace or c.oid in (select reltoastrelid from pg_class where relnamespace = 'public'::regnamespace)
		or c.oid in (select indexrelid from pg_index where indrelid in (select reltoastrelid from pg_class where relnamespace = 'public'::regnamespace)) order by c.oid`)
	if err != nil {
		return err
	}
	for _, x := range rows {
		s.Relations = append(s.Relations, relation{x[0], x[1], atoi(x[2]), atoi(x[3]), x[4], x[5]})
	}
	rows, err = r.sub.Query(`select t.typname, t.oid, coalesce((select string_agg(e.oid::text, ' ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid), '')
		from pg_type t left join pg_class c on c.oid = t.typrelid where t.typnamespace = 'public'::regnamespace and t.typtype in ('c', 'd', 'e', 'r', 'm') and (c.relkind is null or c.relkind = 'c') order by t.oid`)
	if err != nil {
		return err
	}
	for _, x := range rows {
		u := userType{Name: x[0], OID: atoi(x[1])}
		for _, l := range strings.Fields(x[2]) {
			u.Labels = append(u.Labels, atoi(l))
		}
		s.Types = append(s.Types, u)
	}
	s.Marker = markerState{marker, []int64{1}}
	if s.Statistics, err = r.statistics(); err != nil {
		return err
	}
	rows, err = r.sub.Query(`select c.relname, coalesce((select string_agg((page_header(get_raw_page(c.oid::regclass::text, b::int))).lsn::text, ' ' order by b)
		from generate_series(0, pg_relation_size(c.oid) / 8192 - 1) b), '')
		from pg_class c where c.relkind in ('r', 't', 'i') and c.oid in (` + oids(s.Relations) + ")")
	if err != nil {
		return err
	}
	for _, x := range rows {
		s.PageLSNs[x[0]] = x[1]
	}
	if s.MapLSNs, err = r.forkLSNs("fsm"); err != nil {
		return err
	}
	if s.VisibleLSNs, err = r.forkLSNs("vm"); err != nil {
		return err
	}
	s.StartLSN, err = r.sub.Value("select pg_current_wal_insert_lsn()")
	return err
}

// forkLSNs reads the LSNs of the pages of a map, by relation.
func (r *recording) forkLSNs(fork string) (map[string]string, error) {
	rows, err := r.sub.Query(fmt.Sprintf(`select c.relname, string_agg((page_header(get_raw_page(c.oid::regclass::text, '%s', b::int))).lsn::text, ' ' order by b)
		from pg_class c, generate_series(0, pg_relation_size(c.oid, '%[1]s') / 8192 - 1) b where c.relkind in ('r', 't', 'i') and c.oid in (%s) group by 1`, fork, oids(r.start.Relations)))
	lsns := map[string]string{}
	for _, x := range rows {
		lsns[x[0]] = x[1]
	}
	return lsns, err
}

func oids(list []relation) string {
	var b strings.Builder
	for i, r := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, r.OID)
	}
	return b.String()
}

// statistics reads the counters of all tables.
func (r *recording) statistics() (map[string]map[string]*number, error) {
	if _, err := r.sub.Query("select pg_stat_force_next_flush()"); err != nil {
		if r.sub.Major >= 15 {
			return nil, err
		}
	}
	columns := strings.Join(counters, ", ")
	if r.sub.Major < 16 {
		columns = strings.Replace(columns, "n_tup_newpage_upd", "null", 1)
	}
	rows, err := r.sub.Query("select relname, " + columns + " from pg_stat_user_tables where schemaname = 'public' order by 1")
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]*number{}
	for _, x := range rows {
		m := map[string]*number{}
		for i, name := range counters {
			m[name] = nil
			if x[i+1] != "" {
				n := atoi(x[i+1])
				m[name] = &n
			}
		}
		all[x[0]] = m
	}
	return all, nil
}

func atoi(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// finish reads the state at the end and writes the folder.
func (r *recording) finish(f *folder, end string, cpu time.Duration) (*Summary, error) {
	stream := r.between.passed()
	records, err := r.records(end)
	if err != nil {
		return nil, err
	}
	rows, err := r.sub.Query("select wal_records, wal_fpi, wal_bytes from pg_stat_wal")
	if err != nil {
		return nil, err
	}
	if r.views {
		if err := r.inspectSubscription(); err != nil {
			return nil, err
		}
	}
	// Without their subscription the workers end, and report all that they have
	// counted.
	if _, err := r.sub.Query("drop subscription " + subscription); err != nil {
		return nil, err
	}
	tables, err := r.tables()
	if err != nil {
		return nil, err
	}
	if r.views {
		if err := r.inspect(end, len(records)); err != nil {
			return nil, err
		}
	}
	conf := maps.Clone(configuration)
	maps.Copy(conf, r.case_.SubConf)
	s := &Summary{Messages: len(stream), Records: len(records), CPUSeconds: cpu.Seconds()}
	wal := map[string]map[string]*walCount{}
	for _, x := range records {
		byType := wal[x[2]]
		if byType == nil {
			byType = map[string]*walCount{}
			wal[x[2]] = byType
		}
		n := byType[x[0]+"/"+x[1]]
		if n == nil {
			n = new(walCount)
			byType[x[0]+"/"+x[1]] = n
		}
		n.Count++
		n.Bytes += atoi(x[5])
		n.FPIBytes += atoi(x[6])
		s.Bytes += atoi(x[5])
	}
	f.json("case.json", r.case_)
	f.json("start.json", &r.start)
	for i, lines := range r.loaded {
		f.compressed("load_"+r.case_.Load[i].Table+".copy.gz", lines)
	}
	for i, c := range r.copied {
		name := fmt.Sprintf("copy_%d", i+1)
		f.compressed(name+".copy.gz", c.lines)
		if len(c.catchUp) > 0 {
			f.lines(name+".stream.tsv.gz", c.catchUp)
		}
	}
	f.lines("stream.tsv.gz", stream)
	f.text("events.tsv", r.events)
	f.lines("records.tsv.gz", records)
	f.json("expected.json", map[string]any{
		"version": r.start.Version, "sub_conf": conf, "data_checksums": r.start.DataChecksums,
		"start_lsn": r.start.StartLSN, "end_lsn": end,
		"pg_stat_wal":        map[string]int64{"wal_records": atoi(rows[0][0]), "wal_fpi": atoi(rows[0][1]), "wal_bytes": atoi(rows[0][2])},
		"apply_worker_cpu_s": cpu.Seconds(), "messages": len(stream), "wal": wal, "tables": tables, "error": r.stop,
	})
	if r.pages {
		f.compressed("pages.tsv.gz", r.pageRows)
	}
	if r.views {
		f.compressed("inspect.jsonl.gz", r.inspection)
	}
	return s, f.err
}

type walCount struct {
	Count    int64 `json:"count"`
	Bytes    int64 `json:"bytes"`
	FPIBytes int64 `json:"fpi_bytes"`
}

// records reads the WAL from the start to end: seven columns a record.
func (r *recording) records(end string) ([][]string, error) {
	names, err := r.fileNames()
	if err != nil {
		return nil, err
	}
	if r.sub.Major < 16 {
		return r.recordsBefore16(names, end)
	}
	window := "'" + r.start.StartLSN + "', '" + end + "'"
	list, err := r.sub.Query("select start_lsn, resource_manager, record_type, record_length, fpi_length from pg_get_wal_records_info(" + window + ")")
	if err != nil {
		return nil, err
	}
	blocks, err := r.sub.Query("select start_lsn, relfilenode, relforknumber, relblocknumber from pg_get_wal_block_info(" + window + ", false)")
	if err != nil {
		return nil, err
	}
	// The first block reference of each record; both lists are in order.
	records := make([][]string, len(list))
	for i, x := range list {
		record := []string{x[1], x[2], "-", "-", "-", x[3], x[4]}
		if len(blocks) > 0 && blocks[0][0] == x[0] {
			b := blocks[0]
			copy(record[2:], []string{named(names, b[1]), b[2], b[3]})
			for len(blocks) > 0 && blocks[0][0] == x[0] {
				blocks = blocks[1:]
			}
		}
		records[i] = record
	}
	if len(blocks) > 0 {
		return nil, fmt.Errorf("pg_get_wal_block_info has a record at %s that pg_get_wal_records_info has not", blocks[0][0])
	}
	return records, nil
}

// fileNames has the names of all relations by their relfilenodes.
func (r *recording) fileNames() (map[string]string, error) {
	rows, err := r.sub.Query("select pg_relation_filenode(oid), relname from pg_class where pg_relation_filenode(oid) is not null")
	names := map[string]string{}
	for _, x := range rows {
		names[x[0]] = x[1]
	}
	return names, err
}

// tables reads counters, pages and indexes of all tables.
func (r *recording) tables() (map[string]map[string]any, error) {
	statistics, err := r.statistics()
	if err != nil {
		return nil, err
	}
	names, err := r.sub.Query("select relname, quote_ident(relname), oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1")
	if err != nil {
		return nil, err
	}
	tables := map[string]map[string]any{}
	for _, x := range names {
		t := map[string]any{}
		for name, n := range statistics[x[0]] {
			t[name] = n
		}
		lines, err := r.sub.Query(fmt.Sprintf(`select 'heap', %s, b, h.lower, h.upper, (select coalesce(string_agg(lp_off||','||lp_flags||','||lp_len, ' ' order by lp), '') from heap_page_items(get_raw_page(%s, b::int)))
			from generate_series(0, pg_relation_size(%s) / 8192 - 1) b, page_header(get_raw_page(%[2]s, b::int)) h order by b`, literal(x[0]), literal("public."+x[1]), x[2]))
		if err != nil {
			return nil, err
		}
		t["pages"], t["line_pointers_md5"] = len(lines), r.digest(lines)
		if t["indexes"], err = r.indexes(x[2]); err != nil {
			return nil, err
		}
		tables[x[0]] = t
	}
	return tables, nil
}

// shape are the columns of pgstatindex that are recorded.
var shape = []string{"tree_level", "internal_pages", "leaf_pages", "empty_pages", "deleted_pages", "avg_leaf_density", "leaf_fragmentation"}

// indexes reads pages and items of the indexes of a table.
func (r *recording) indexes(table string) (map[string]map[string]any, error) {
	list, err := r.sub.Query("select c.relname, quote_ident(c.relname), a.amname, pg_relation_size(c.oid) / 8192 from pg_index x join pg_class c on c.oid = x.indexrelid join pg_am a on a.oid = c.relam where x.indrelid = " + table + " order by x.indexrelid")
	if err != nil {
		return nil, err
	}
	indexes := map[string]map[string]any{}
	for _, x := range list {
		e := map[string]any{"am": x[2], "pages": atoi(x[3])}
		indexes[x[0]] = e
		if x[2] != "btree" {
			continue
		}
		name := literal("public." + x[1])
		rows, err := r.sub.Query("select " + strings.Join(shape, ", ") + " from pgstatindex(" + name + ")")
		if err != nil {
			return nil, err
		}
		for i, column := range shape {
			e[column] = rows[0][i]
		}
		lines, err := r.sub.Query(fmt.Sprintf(`select 'btree', %s, b, s.type, s.btpo_level, (select coalesce(string_agg(itemoffset||','||ctid||','||itemlen||','||coalesce(dead::text,'-'), ' ' order by itemoffset), '')
			from bt_page_items(%s, b::int)) from generate_series(1, %d) b, bt_page_stats(%[2]s, b::int) s where s.type <> 'd' order by b`, literal(x[0]), name, atoi(x[3])-1))
		if err != nil {
			return nil, err
		}
		e["items_md5"] = r.digest(lines)
	}
	return indexes, nil
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// digest is the MD5 of lines of columns; it keeps them if pages are wanted.
func (r *recording) digest(rows [][]string) string {
	lines := make([]string, len(rows))
	for i, x := range rows {
		lines[i] = strings.Join(x, "\t")
	}
	if r.pages {
		r.pageRows = append(r.pageRows, lines...)
	}
	sum := md5.Sum([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}
