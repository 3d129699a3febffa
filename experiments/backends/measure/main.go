// Command measure measures the CPU seconds of a publisher's backends:
//
//	go run ./experiments/backends/measure --pg PREFIX [--runs N] -o experiments/backends/seconds.json.gz
//
// PREFIX is a PostgreSQL as distributions build it, in this system or in the root directory
// of another one. Each workload runs several times in turn with the others, each time on new
// tables and in a new session, in turn with statements sent many at once and one by one;
// once more its changes are captured and carried out by the
// simulator, which says what the backend had to do. With --work only that is done anew.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"applysim/experiments/backends"
	"applysim/experiments/server"
	"applysim/model/cost"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	flags := pflag.NewFlagSet("measure", pflag.ContinueOnError)
	pg := flags.String("pg", "", "prefix of the PostgreSQL installation")
	runs := flags.Int("runs", 5, "measure each workload so many times more")
	names := flags.StringSlice("workload", nil, "only these")
	out := flags.StringP("output", "o", "", "the file to write; runs come beside those that it has")
	work := flags.Bool("work", false, "have the simulator say anew what backends had to do")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("expected -o FILE")
	}
	var list []backends.Measured
	if f, err := os.Open(*out); err == nil {
		list, err = backends.Read(f)
		f.Close()
		if err != nil {
			return err
		}
	}
	pool, err := server.NewPool(server.Options{Prefix: *pg})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	all := slices.DeleteFunc(backends.All(), func(w *backends.Workload) bool { return len(*names) > 0 && !slices.Contains(*names, w.Name) })
	find := func(w *backends.Workload) *backends.Measured {
		i := slices.IndexFunc(list, func(m backends.Measured) bool { return m.Name == w.Name })
		if i < 0 {
			i = len(list)
			list = append(list, backends.Measured{Name: w.Name, Rows: w.Rows})
		}
		return &list[i]
	}
	save := func() error {
		f, err := os.Create(*out)
		if err != nil {
			return err
		}
		return errors.Join(backends.Write(f, list), f.Close())
	}
	for _, w := range all {
		if m := find(w); *work || m.Work.Messages == 0 {
			x, err := workOf(pool, w)
			if err != nil {
				return fmt.Errorf("%s: %w", w.Name, err)
			}
			m.Work = *x
			fmt.Printf("%-28s %+v\n", w.Name, *x)
			if err := save(); err != nil {
				return err
			}
		}
	}
	for i := range *runs {
		for _, w := range all {
			r, err := measure(pool, w, i%2 == 0)
			if err != nil {
				return fmt.Errorf("%s: %w", w.Name, err)
			}
			m := find(w)
			m.Runs = append(m.Runs, *r)
			fmt.Printf("%-28s %-5v %.4f s (%.4f), %.2f us a row, %d sleeps\n", w.Name, r.Ahead, r.Seconds, r.System, 1e6*r.Seconds/float64(w.Rows), r.Sleeps)
			if err := save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// setUp makes the workload's tables on a server and returns a new session.
func setUp(pool *server.Pool, w *backends.Workload) (*server.Cluster, *server.Conn, error) {
	settings, wait := map[string]string{}, "off"
	if w.Flush {
		settings["fsync"], wait = "on", "on"
	}
	c, err := pool.Start("pub", settings)
	if err != nil {
		return nil, nil, err
	}
	if err := c.Script("drop table if exists events, accounts, narrow, wide cascade; drop publication if exists p"); err != nil {
		return nil, nil, err
	}
	if err := c.Script(w.DDL + "; create publication p for all tables"); err != nil {
		return nil, nil, err
	}
	k, err := server.Dial(c.Port, c.Database(), map[string]string{"synchronous_commit": wait})
	return c, k, err
}

// inFlight is how many statements are sent at once if none is waited for.
const inFlight = 50

// send has a session run statements, each when the one before is done, or many at once.
func send(k *server.Conn, list []string, ahead bool) error {
	for i := 0; i < len(list); i++ {
		s := list[i]
		if ahead && !strings.Contains(s, "\n") {
			n := 1
			for i+n < len(list) && n < inFlight && !strings.Contains(list[i+n], "\n") {
				n++
			}
			if err := k.Pipeline(list[i : i+n]); err != nil {
				return err
			}
			i += n - 1
			continue
		}
		head, lines, copied := strings.Cut(s, "\n")
		var err error
		if copied {
			err = k.CopyIn(head, strings.Split(strings.TrimSuffix(lines, "\n"), "\n"))
		} else {
			_, err = k.Query(s)
		}
		if err != nil {
			return fmt.Errorf("%w in: %.100s", err, s)
		}
	}
	return nil
}

// measure measures a workload once.
func measure(pool *server.Pool, w *backends.Workload, ahead bool) (*backends.Run, error) {
	c, k, err := setUp(pool, w)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	if err := send(k, w.Setup, true); err != nil {
		return nil, err
	}
	if _, err := c.Query("checkpoint"); err != nil {
		return nil, err
	}
	text, err := k.Value("select pg_backend_pid()")
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	before, err := server.UsageOf(pid)
	if err != nil {
		return nil, err
	}
	if err := send(k, w.Statements, ahead); err != nil {
		return nil, err
	}
	after, err := server.UsageOf(pid)
	if err != nil {
		return nil, err
	}
	u := after.Sub(before)
	return &backends.Run{Ahead: ahead, Seconds: u.Total.Seconds(), System: u.System.Seconds(), Sleeps: u.Sleeps}, nil
}

// workOf captures a workload's changes and has the simulator carry them out.
func workOf(pool *server.Pool, w *backends.Workload) (*cost.BackendWork, error) {
	c, k, err := setUp(pool, w)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	const slot = "capture"
	if _, err := c.Query("select pg_create_logical_replication_slot('" + slot + "', 'pgoutput')"); err != nil {
		return nil, err
	}
	defer c.Query("select pg_drop_replication_slot('" + slot + "')")
	var streams [2]io.Reader
	for i, list := range [][]string{w.Setup, w.Statements} {
		if err := send(k, list, true); err != nil {
			return nil, err
		}
		// The slot gives what is on disk.
		if _, err := c.Query("select pg_logical_emit_message(true, 'flush', '')"); err != nil {
			return nil, err
		}
		rows, err := c.Query("select lsn, xid, encode(data, 'hex') from pg_logical_slot_get_binary_changes('" + slot + "', null, null, 'proto_version', '4', 'publication_names', 'p')")
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		for _, r := range rows {
			b.WriteString(strings.Join(r, "\t"))
			b.WriteByte('\n')
		}
		streams[i] = strings.NewReader(b.String())
	}
	return w.Work(streams[0], streams[1])
}
