package server

import (
	"fmt"
	"iter"
	"strings"
	"time"
)

// Inspection is what one view or function of the real subscriber shows: a line of
// inspect.jsonl.gz. Its rows are as row_to_json writes them, columns in their order.
//
//	{"view": "heap_page_items", "relation": "t", "block": 0, "rows": [{"lp": 1, ...}, ...]}
//
// Pages are those of all tables of the schema public, of their indexes and TOAST
// tables. What pg_walinspect shows of the WAL is restricted to the recording.

// keep notes the rows of a query.
func (r *recording) keep(view, relation string, block int, query string) error {
	rows, err := r.sub.Value("select coalesce(json_agg(x)::text, '[]') from (" + query + ") x")
	if err != nil {
		return fmt.Errorf("%s of %s: %w", view, relation, err)
	}
	rows = strings.ReplaceAll(rows, ", \n ", ",")
	at := ""
	if relation != "" {
		at = fmt.Sprintf(`"relation":%q,`, relation)
	}
	if block >= 0 {
		at += fmt.Sprintf(`"block":%d,`, block)
	}
	r.inspection = append(r.inspection, fmt.Sprintf(`{"view":%q,%s"rows":%s}`, view, at, rows))
	return nil
}

// inspectSubscription notes the subscription's statistics, which go with it. Its
// workers report what they have counted when they end.
func (r *recording) inspectSubscription() error {
	if _, err := r.sub.Query("alter subscription " + subscription + " disable"); err != nil {
		return err
	}
	for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		n, err := r.sub.Value("select count(*) from pg_stat_activity where backend_type like 'logical replication%worker' and backend_type not like '%launcher%'")
		if err != nil {
			return err
		}
		if n == "0" {
			break
		}
		if time.Since(started) > applyTimeout {
			return fmt.Errorf("the subscription's workers have not ended within %v", applyTimeout)
		}
	}
	return r.keep("pg_stat_subscription_stats", "", -1, "select * from pg_stat_subscription_stats where subname = '"+subscription+"'")
}

// inspect notes what the views and functions of the subscriber show at the end.
func (r *recording) inspect(end string, records int) error {
	window := "'" + r.start.StartLSN + "', '" + end + "'"
	for _, v := range []struct{ view, query string }{
		{"pg_stat_user_tables", "select * from pg_stat_user_tables where schemaname = 'public' order by relid"},
		{"pg_stat_user_indexes", "select * from pg_stat_user_indexes where schemaname = 'public' order by indexrelid"},
		{"pg_stat_wal", "select * from pg_stat_wal"},
		{"pg_get_wal_records_info", "select * from pg_get_wal_records_info(" + window + ")"},
		{"pg_get_wal_block_info", "select start_lsn, block_id, relfilenode, relforknumber, relblocknumber, block_data_length, block_fpi_length, block_fpi_info from pg_get_wal_block_info(" + window + ", false)"},
		{"pg_get_wal_stats rmgr", "select * from pg_get_wal_stats(" + window + ", false)"},
		{"pg_get_wal_stats record", "select * from pg_get_wal_stats(" + window + ", true)"},
	} {
		if r.mostRecords > 0 && records > r.mostRecords && strings.HasPrefix(v.view, "pg_get_wal") {
			continue
		}
		if err := r.keep(v.view, "", -1, v.query); err != nil {
			return err
		}
	}
	list, err := r.sub.Query(`select c.relname, c.oid::regclass, a.amname, pg_relation_size(c.oid) / 8192, t.relname from pg_class c left join pg_index x on x.indexrelid = c.oid
		join pg_class t on t.oid = coalesce(x.indrelid, c.oid) join pg_am a on a.oid = c.relam
		where c.oid in (` + oids(r.start.Relations) + `) and c.relkind in ('r', 'i', 't') order by c.oid`)
	if err != nil {
		return err
	}
	for _, x := range list {
		name, quoted, am, pages := x[0], literal(x[1]), x[2], int(atoi(x[3]))
		switch am {
		case "heap":
			err = r.inspectHeap(name, quoted, pages)
		case "btree":
			err = r.inspectBTree(name, quoted, pages)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inspected are the pages of a relation that are looked at: all, or some at even
// distances, the last one among them.
func (r *recording) inspected(pages int) iter.Seq[int] {
	return func(yield func(int) bool) {
		n := pages
		if r.mostPages > 0 {
			n = min(n, r.mostPages)
		}
		for i := range n {
			if !yield(pages - 1 - (n-1-i)*pages/n) {
				return
			}
		}
	}
}

func (r *recording) inspectHeap(name, quoted string, pages int) error {
	for b := range r.inspected(pages) {
		raw := fmt.Sprintf("get_raw_page(%s, %d)", quoted, b)
		if err := r.keep("page_header", name, b, "select * from page_header("+raw+")"); err != nil {
			return err
		}
		if err := r.keep("heap_page_items", name, b, "select * from heap_page_items("+raw+")"); err != nil {
			return err
		}
	}
	// It reads the rows, and so sets hint bits.
	return r.keep("pgstattuple", name, -1, "select * from pgstattuple("+quoted+")")
}

func (r *recording) inspectBTree(name, quoted string, pages int) error {
	for _, view := range []string{"pgstatindex", "bt_metap"} {
		if err := r.keep(view, name, -1, "select * from "+view+"("+quoted+")"); err != nil {
			return err
		}
	}
	for b := range r.inspected(pages) {
		if err := r.keep("page_header", name, b, fmt.Sprintf("select * from page_header(get_raw_page(%s, %d))", quoted, b)); err != nil {
			return err
		}
		if b == 0 {
			continue
		}
		for _, view := range []string{"bt_page_stats", "bt_page_items"} {
			if err := r.keep(view, name, b, fmt.Sprintf("select * from %s(%s, %d)", view, quoted, b)); err != nil {
				return err
			}
		}
	}
	return nil
}
