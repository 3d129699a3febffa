package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"applysim/experiments/server"
)

// count is what an index wrote of one kind of record.
type count struct{ records, bytes, images int64 }

// The phases of a grid.
var phases = []string{"insert", "update", "vacuum"}

// testdata is where the measurements are kept.
const testdata = "experiments/accessmethods/testdata"

// recordWAL has a server carry out the grids and reads what their indexes wrote.
func recordWAL(pool *server.Pool, grids []grid, progress io.Writer) ([][]string, error) {
	lines := [][]string{{"grid", "phase", "record", "count", "bytes", "image_bytes"}}
	for i := range grids {
		g := &grids[i]
		c, err := pool.Start("sub", g.settings)
		if err != nil {
			return nil, err
		}
		if ok, err := g.available(c); err != nil {
			return nil, err
		} else if !ok {
			fmt.Fprintf(progress, "%s: the server has no extension %s\n", g.name, g.needs)
			continue
		}
		rows, err := g.record(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.name, err)
		}
		lines = append(lines, rows...)
		fmt.Fprintf(progress, "%s: %d kinds of records\n", g.name, len(rows))
	}
	return lines, nil
}

// available says whether a server has what the grid needs, and installs it.
func (g *grid) available(c *server.Cluster) (bool, error) {
	if g.needs == "" {
		return true, nil
	}
	n, err := c.Value("select count(*) from pg_available_extensions where name = '" + g.needs + "'")
	if err != nil || n == "0" {
		return false, err
	}
	_, err = c.Query("create extension if not exists " + g.needs)
	return err == nil, err
}

// setUp is what comes before the table.
func (g *grid) setUp() string {
	if g.needs == "" {
		return ""
	}
	return "create extension if not exists " + g.needs + "; "
}

func (g *grid) table() string {
	return "create table t (id bigint primary key, " + g.columns + ")"
}

// record carries out a grid on a server.
func (g *grid) record(c *server.Cluster) (lines [][]string, err error) {
	if _, err := c.Query(extensions); err != nil {
		return nil, err
	}
	if _, err := c.Query("drop table if exists t"); err != nil {
		return nil, err
	}
	if _, err := c.Query(g.table() + "; create index x on t " + g.index); err != nil {
		return nil, err
	}
	defer func() {
		if _, e := c.Query("drop table t"); err == nil {
			err = e
		}
	}()
	for phase, name := range phases {
		start, err := c.Value("select pg_current_wal_insert_lsn()")
		if err != nil {
			return nil, err
		}
		changes := g.changes(phase)
		if len(changes) == 0 {
			continue
		}
		for i := 0; i < len(changes); i += perTransaction {
			if g.checkpoint(phase, i) {
				if _, err := c.Query("checkpoint"); err != nil {
					return nil, err
				}
			}
			if _, err := c.Query(statements(changes[i:min(i+perTransaction, len(changes))])); err != nil {
				return nil, err
			}
		}
		if phase == 2 {
			if _, err := c.Query("vacuum (index_cleanup on, parallel 0) t"); err != nil {
				return nil, err
			}
		}
		if _, err := c.Query("select pg_logical_emit_message(false, '', '', true)"); err != nil { // flushes
			return nil, err
		}
		rows, err := c.Query(fmt.Sprintf(`select resource_manager || '/' || record_type, count(*), sum(record_length), sum(fpi_length)
			from pg_get_wal_records_info('%[1]s', pg_current_wal_insert_lsn())
			where start_lsn in (select start_lsn from pg_get_wal_block_info('%[1]s', pg_current_wal_insert_lsn(), false) where relfilenode = pg_relation_filenode('x'))
			group by 1 order by 1`, start))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			lines = append(lines, append([]string{g.name, name}, r...))
		}
	}
	return lines, nil
}

// checkpoint says whether there is a checkpoint before a change.
func (g *grid) checkpoint(phase, i int) bool {
	return phase == 0 && g.settings["full_page_writes"] == "on" && i%(g.rows/4) == 0
}

// statements makes changes in one transaction.
func statements(changes []change) string {
	var b strings.Builder
	for i, x := range changes {
		switch {
		case x.values == nil:
			fmt.Fprintf(&b, "delete from t where id = %d; ", x.id)
		case x.insert && i == 0:
			b.WriteString("insert into t values ")
			fallthrough
		case x.insert:
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "(%d, %s)", x.id, constants(x.values))
		default:
			fmt.Fprintf(&b, "update t set (%s) = row(%s) where id = %d; ", columnNames(len(x.values)), constants(x.values), x.id)
		}
	}
	return b.String()
}

func columnNames(n int) string { return strings.Join([]string{"v", "w"}[:n], ", ") }

func constants(values []string) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return strings.Join(list, ", ")
}

// recordInstructions counts what an apply worker executes with and without the index.
func recordInstructions(pool *server.Pool, grids []grid, extra []string, progress io.Writer, keep func([][]string) error) error {
	lines := [][]string{{"grid", "rows", "with_index", "without_index"}}
	for i := range grids {
		g := &grids[i]
		if g.counted == 0 || g.needs != "" && !slices.Contains(extra, g.needs) {
			continue
		}
		var n [2]int64
		for k := range n {
			c := &server.Case{Name: g.name, Pub: g.setUp() + g.table(), Sub: g.setUp() + g.table(), SubOptions: "streaming = off", Publication: "create publication p for table marker, t"}
			if k == 0 {
				c.Sub = extensions + g.setUp() + g.table() + "; create index x on t " + g.index
			}
			c.SubConf = g.settings
			var b strings.Builder
			changes := g.changes(0)[:g.counted]
			for i := 0; i < len(changes); i += perTransaction {
				b.WriteString(statements(changes[i:min(i+perTransaction, len(changes))]) + ";\n")
			}
			c.SQL = []server.Step{{Pub: b.String()}}
			var err error
			if n[k], err = pool.CountInstructions(c); err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
		}
		lines = append(lines, []string{g.name, strconv.Itoa(g.counted), strconv.FormatInt(n[0], 10), strconv.FormatInt(n[1], 10)})
		fmt.Fprintf(progress, "%s: %.0f instructions a row for the index\n", g.name, float64(n[0]-n[1])/float64(g.counted))
		if err := keep(lines); err != nil {
			return err
		}
	}
	return nil
}

func writeCSV(name string, lines [][]string) (err error) {
	f, err := os.Create(filepath.Join(testdata, name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return csv.NewWriter(f).WriteAll(lines)
}
