// Command measure measures what reading a slot takes, by reader:
//
//	go run ./experiments/readers/measure --pg PREFIX [--runs N] [--rows N] -o experiments/readers/readers.csv
//
// PREFIX is a PostgreSQL 18 with its client programs (pgbench, pg_recvlogical, psql), in this
// system or in the root directory of another one. The published workload is run once, with a
// slot that nobody reads; then each reader gets a copy of the slot and reads all of it, one
// reader at a time, several times in turn. A line for each run: CPU seconds of the process
// that decodes and of the one that reads, with the kernel's part of each and how often they
// went to sleep, and how long it took. With --confirm it is measured instead when the
// position up to which all was read is confirmed to the server (confirm.csv).
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/readers"
	"applysim/experiments/server"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// The load: so many clients at once, and rows a transaction.
const (
	clients = 8
	perTx   = 25
)

// ddl is the published table; ids come from a sequence.
const ddl = `create table events (id bigint primary key, account_id integer not null, status smallint not null, payload text not null, updated_at timestamptz not null)`

type measuring struct {
	pool     *server.Pool
	pub, sub *server.Cluster
	rows     int
	out      *csv.Writer
}

func run(args []string) (err error) {
	flags := pflag.NewFlagSet("measure", pflag.ContinueOnError)
	pg := flags.String("pg", "", "prefix of the PostgreSQL installation")
	runs := flags.Int("runs", 3, "measure each reader so many times")
	rows := flags.Int("rows", 500_000, "rows of the load")
	only := flags.StringArray("reader", nil, "only these readers")
	confirms := flags.Bool("confirm", false, "measure when a slot's position is confirmed, by the intervals of pg_recvlogical")
	out := flags.StringP("output", "o", "", "write to this file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("expected -o FILE")
	}
	f, err := os.Create(*out)
	if err != nil {
		return err
	}
	m := &measuring{rows: *rows, out: csv.NewWriter(f)}
	defer func() {
		m.out.Flush()
		err = errors.Join(err, m.out.Error(), f.Close())
	}()
	if m.pool, err = server.NewPool(server.Options{Prefix: *pg}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.pool.Close()) }()
	if *confirms {
		return confirm(m.pool, m.out, *runs)
	}
	if m.pub, err = m.pool.Start("pub", map[string]string{"max_wal_size": "8GB", "wal_keep_size": "4GB"}); err != nil {
		return err
	}
	if m.sub, err = m.pool.Start("sub", nil); err != nil {
		return err
	}
	if err := m.pub.Script(ddl + "; create publication p for all tables; create sequence ids"); err != nil {
		return err
	}
	m.out.Write(readers.Columns)
	for _, plugin := range []string{"pgoutput", "test_decoding"} {
		if _, err := m.pub.Query("select pg_create_logical_replication_slot('" + plugin + "', '" + plugin + "')"); err != nil {
			return err
		}
	}
	if err := m.load(); err != nil {
		return err
	}
	if _, err := m.pub.Query("checkpoint"); err != nil {
		return err
	}
	for range *runs {
		for _, r := range readers.All {
			if len(*only) > 0 && !slices.Contains(*only, r.Name) {
				continue
			}
			if err := m.one(&r); err != nil {
				return fmt.Errorf("%s: %w", r.Name, err)
			}
			m.out.Flush()
		}
	}
	return nil
}

// load runs the workload with pgbench.
func (m *measuring) load() error {
	var b strings.Builder
	b.WriteString("begin;\n")
	for range perTx {
		b.WriteString("\\set a random(0, 9999)\n\\set s random(0, 4)\n")
		b.WriteString("insert into events values (nextval('ids'), :a, :s, repeat(md5(:a::text), 4), clock_timestamp());\n")
	}
	b.WriteString("commit;\n")
	name := filepath.Join(m.pub.Dir(), "load.sql")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		return err
	}
	cmd := m.pub.Program("pgbench", "-n", "-h", "127.0.0.1", "-p", strconv.Itoa(m.pub.Port), "-U", server.Superuser, "-c", strconv.Itoa(clients),
		"-t", strconv.Itoa(m.rows/perTx/clients), "-f", "load.sql", m.pub.Database())
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pgbench: %w: %s", err, text)
	}
	return nil
}

// one measures a reader once.
func (m *measuring) one(r *readers.Reader) error {
	const slot = "one"
	if _, err := m.pub.Query("select pg_copy_logical_replication_slot('" + r.Plugin + "', '" + slot + "')"); err != nil {
		return err
	}
	var x *result
	var err error
	switch {
	case r.Subscriber:
		x, err = m.subscriber(slot)
	default:
		x, err = m.program(r, slot)
	}
	if err != nil {
		return err
	}
	for range 100 {
		if _, err = m.pub.Query("select pg_drop_replication_slot('" + slot + "')"); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		return err
	}
	s := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 4, 64) }
	line := []string{r.Name, strconv.Itoa(m.rows), s(x.sender.Total), s(x.sender.System), strconv.FormatInt(x.sender.Sleeps, 10),
		s(x.reader.Total), s(x.reader.System), strconv.FormatInt(x.reader.Sleeps, 10), s(x.wall)}
	fmt.Println(strings.Join(line, " "))
	return m.out.Write(line)
}

// result is what a run has taken.
type result struct {
	sender, reader server.Usage
	wall           time.Duration
}

// end is where the WAL of all changes ends.
func (m *measuring) end() (string, error) { return m.pub.Value("select pg_current_wal_flush_lsn()") }

// program runs a program that reads the slot to its end.
func (m *measuring) program(r *readers.Reader, slot string) (*result, error) {
	end, err := m.end()
	if err != nil {
		return nil, err
	}
	cmd := m.command(r, slot, end)
	var text strings.Builder
	cmd.Stderr = &text
	if err := output(cmd, r, m.pub.Dir()); err != nil {
		return nil, err
	}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	x := &result{}
	backend := 0
	for {
		select {
		case err := <-done:
			x.wall = time.Since(started)
			if err != nil {
				return nil, fmt.Errorf("%w: %s", err, text.String())
			}
			x.reader = server.UsageAtEnd(cmd.ProcessState)
			if backend == 0 {
				return nil, errors.New("it was done before its server process was found")
			}
			return x, nil
		case <-time.After(5 * time.Millisecond):
		}
		if backend == 0 {
			pid, err := m.pub.Value("select coalesce(max(pid), 0) from pg_stat_activity where application_name = '" + r.Application() + "'")
			if err != nil {
				return nil, err
			}
			backend, _ = strconv.Atoi(pid)
			continue
		}
		if u, err := server.UsageOf(backend); err == nil {
			x.sender = u
		}
	}
}

// command is the reader's program. end is where it is to stop.
func (m *measuring) command(r *readers.Reader, slot, end string) *exec.Cmd {
	at := []string{"-h", "127.0.0.1", "-p", strconv.Itoa(m.pub.Port), "-U", server.Superuser, "-d", m.pub.Database()}
	if r.SQL != "" {
		return m.pub.Program("psql", append(at, append([]string{"-X"}, append(r.Arguments, "-c", strings.ReplaceAll(r.SQL, "SLOT", "'"+slot+"'"))...)...)...)
	}
	args := append(at, "--start", "--slot", slot, "-f", r.File, "--endpos", end)
	if r.Plugin == "pgoutput" {
		args = append(args, "-o", "proto_version=4", "-o", "publication_names=p")
	}
	return m.pub.Program("pg_recvlogical", append(args, r.Arguments...)...)
}

// output prepares where a program writes to.
func output(cmd *exec.Cmd, r *readers.Reader, dir string) error {
	if r.SQL != "" || r.File == "-" {
		f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		cmd.Stdout = f
	}
	if r.File != "" && r.File != "-" && r.File != os.DevNull {
		if err := os.Remove(filepath.Join(dir, r.File)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// subscribe makes a subscription that uses the slot.
func (m *measuring) subscribe(slot string) error {
	return m.sub.Script(ddl + fmt.Sprintf("; create subscription s connection 'host=127.0.0.1 port=%d user=%s dbname=%s' publication p with (slot_name = '%s', create_slot = false, copy_data = false)",
		m.pub.Port, server.Superuser, m.pub.Database(), slot))
}

// subscriber has a subscription read the slot to its end.
func (m *measuring) subscriber(slot string) (*result, error) {
	end, err := m.end()
	if err != nil {
		return nil, err
	}
	started := time.Now()
	if err := m.subscribe(slot); err != nil {
		return nil, err
	}
	x := &result{}
	for {
		rows, err := m.pub.Query("select pid, coalesce(replay_lsn >= '" + end + "', false) from pg_stat_replication where application_name = 's'")
		if err != nil {
			return nil, err
		}
		if len(rows) == 1 && rows[0][1] == "t" {
			x.wall = time.Since(started)
			pid, _ := strconv.Atoi(rows[0][0])
			if x.sender, err = server.UsageOf(pid); err != nil {
				return nil, err
			}
			worker, err := m.sub.Value("select pid from pg_stat_subscription where worker_type = 'apply'")
			if err != nil {
				return nil, err
			}
			pid, _ = strconv.Atoi(worker)
			if x.reader, err = server.UsageOf(pid); err != nil {
				return nil, err
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return x, m.unsubscribe()
}

func (m *measuring) unsubscribe() error {
	return m.sub.Script("alter subscription s disable; alter subscription s set (slot_name = none); drop subscription s; drop table events")
}
