package server

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CountStep is a step whose instructions are counted by themselves.
type CountStep struct {
	Name   string
	Before []string // runs on the subscriber before the step
	SQL    []string // scripts of the publisher
}

// Counted is what an apply worker executed for a step, the transaction that ends it
// included.
type Counted struct {
	Step         string
	Instructions int64
	// Functions are the instructions of functions, with all that they call.
	Functions map[string]int64
	// Stream has the step's messages as pgoutput gives them to a session of its own, which
	// describes each relation again: position, transaction id and bytes in hexadecimal.
	Stream [][]string
}

// emptyStep holds nothing but the transaction that ends each step.
const emptyStep = "empty"

// CountSteps has a new worker apply the steps one after the other and counts each: the
// first, "empty", has no changes. Without Options.Instructions it only captures the
// streams. streamOptions are further options of pgoutput, as arguments of the function
// that gives changes. xid is the subscriber's next transaction id before the first step.
func (p *Pool) CountSteps(c *Case, steps []CountStep, streamOptions string, each func(*Counted) error) (xid uint32, err error) {
	// Nobody loses patience with processes that are stopped or slow.
	own := *c
	own.PubConf = maps.Clone(c.PubConf)
	if own.PubConf == nil {
		own.PubConf = Settings{}
	}
	own.PubConf["wal_sender_timeout"] = "0"
	err = p.draining(&own, func(r *recording) error {
		const capture = "capture"
		if _, err := r.pub.Query("select pg_create_logical_replication_slot('" + capture + "', 'pgoutput')"); err != nil {
			return err
		}
		pid, err := r.sub.Value("select pid from pg_stat_subscription where subname = '" + subscription + "' and worker_type = 'apply'")
		if err != nil {
			return err
		}
		next, err := r.sub.Value("select pg_snapshot_xmax(pg_current_snapshot())")
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(next, 10, 32)
		if err != nil {
			return err
		}
		xid = uint32(n)
		for i, s := range append([]CountStep{{Name: emptyStep}}, steps...) {
			// What the step finds is on disk: only then may be noted on pages who has committed.
			if err := r.waitFor("flush_lsn"); err != nil {
				return err
			}
			k, err := r.count(&s, pid, fmt.Sprintf("s%d", i), p.options.Instructions)
			if err != nil {
				return fmt.Errorf("step %s: %w", s.Name, err)
			}
			if k.Stream, err = r.captured(capture, streamOptions); err != nil {
				return fmt.Errorf("step %s: %w", s.Name, err)
			}
			if err := each(k); err != nil {
				return err
			}
		}
		_, err = r.pub.Query("select pg_drop_replication_slot('" + capture + "')")
		return err
	})
	return xid, err
}

// count carries a step out.
func (r *recording) count(s *CountStep, pid, dump string, counting bool) (*Counted, error) {
	for _, sql := range s.Before {
		if _, err := r.sub.Query(sql); err != nil {
			return nil, err
		}
	}
	if counting {
		if err := r.sub.control("-z", pid); err != nil {
			return nil, err
		}
	}
	if err := r.behind(func() error {
		for _, sql := range s.SQL {
			if err := r.pub.Script(sql); err != nil {
				return err
			}
		}
		return r.mark()
	}); err != nil {
		return nil, err
	}
	if err := r.waitFor("replay_lsn"); err != nil {
		return nil, err
	}
	k := &Counted{Step: s.Name}
	if !counting {
		return k, nil
	}
	before := r.sub.dumps(pid)
	if err := r.sub.control("-d="+dump, pid); err != nil {
		return nil, err
	}
	for started := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		for _, name := range r.sub.dumps(pid) {
			if slices.Contains(before, name) {
				continue
			}
			n, err := counted(name)
			if err != nil {
				return nil, err
			}
			k.Instructions = n
			k.Functions, err = r.sub.functions(name, n)
			return k, errors.Join(err, os.Remove(name))
		}
		if time.Since(started) > applyTimeout {
			return nil, fmt.Errorf("callgrind writes nothing for process %s", pid)
		}
	}
}

// behind does something while the walsender is stopped. When it goes on it has much to send
// and keeps ahead of a worker that is counted: a walsender that keeps up with its publisher
// adds a keepalive message to each transaction, as often as the machine lets it.
func (r *recording) behind(f func() error) error {
	pid, err := r.pub.Value("select pid from pg_stat_replication where application_name = '" + subscription + "'")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(pid)
	if err != nil {
		return err
	}
	walsender, err := os.FindProcess(n)
	if err != nil {
		return err
	}
	if err := walsender.Signal(signalStop); err != nil {
		return err
	}
	return errors.Join(f(), walsender.Signal(signalContinue))
}

// mark makes the transaction that ends a step.
func (r *recording) mark() error {
	_, err := r.pub.Query("insert into marker select coalesce(max(id), 0) + 1 from marker")
	return err
}

// waitFor waits until the subscriber has applied all so far (replay_lsn), or has it on disk
// as well (flush_lsn). It is not asked often, and it may take fifty times as long as by
// itself.
func (r *recording) waitFor(position string) error {
	// Where the last commit ends: the place for the next record may be behind a page's header.
	lsn, err := r.pub.Value("select pg_current_wal_flush_lsn()")
	if err != nil {
		return err
	}
	for started := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		n, err := r.pub.Value(fmt.Sprintf("select count(*) from pg_stat_replication where application_name = '%s' and %s >= '%s'", subscription, position, lsn))
		if err != nil || n == "1" {
			return err
		}
		if text := r.failure(); text != "" {
			return fmt.Errorf("%w: %s", errStopped, text)
		}
		if time.Since(started) > countTimeout {
			return fmt.Errorf("not applied within %v: %s", countTimeout, tail(r.sub.log(), 500))
		}
	}
}

// countTimeout is how long a subscriber may take for a step whose instructions are counted.
const countTimeout = 10 * time.Minute

// captured reads what the publisher has sent since the last time.
func (r *recording) captured(slot, options string) ([][]string, error) {
	binary := "off"
	if strings.Contains(r.case_.SubOptions, "binary") {
		binary = "on"
	}
	return r.pub.Query("select lsn, xid, encode(data, 'hex') from pg_logical_slot_get_binary_changes('" + slot + "', null, null, 'proto_version', '4', 'publication_names', 'p', 'binary', '" + binary + "'" + options + ")")
}

// control has a process under callgrind do something: zero its counters, write them out.
func (c *Cluster) control(what, pid string) error {
	cmd := exec.Command("/usr/bin/callgrind_control", what, pid)
	c.enter(cmd)
	c.account.prepare(cmd, signalImmediate)
	cmd.Dir = c.inside(c.dir)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "Error") {
		return fmt.Errorf("callgrind_control %s %s: %v: %s", what, pid, err, tail(string(out), 500))
	}
	return nil
}

// dumps are the files that callgrind has written for a process that still runs.
func (c *Cluster) dumps(pid string) []string {
	list, _ := filepath.Glob(filepath.Join(c.dir, countFile(pid)) + ".*")
	return list
}

// annotated is a line of callgrind_annotate: instructions, their share, file and function.
// Further copies of a function that the compiler made have a suffix behind the name.
var annotated = regexp.MustCompile(`(?m)^\s*([\d,]+) \([^)]*\)\s+\S*?:(\w+)`)

// leastOfAll is the share of all instructions under which a function is left out.
const leastOfAll = 1e-4

// functions reads the inclusive instructions of functions off a file of callgrind's.
func (c *Cluster) functions(name string, all int64) (map[string]int64, error) {
	cmd := exec.Command("/usr/bin/callgrind_annotate", "--inclusive=yes", "--threshold=100", c.inside(name))
	c.enter(cmd)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("callgrind_annotate: %w", err)
	}
	list := map[string]int64{}
	for _, m := range annotated.FindAllStringSubmatch(string(out), -1) {
		n, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
		if err != nil {
			return nil, err
		}
		if _, ok := list[m[2]]; !ok { // the greatest comes first
			list[m[2]] = n
		}
	}
	maps.DeleteFunc(list, func(_ string, n int64) bool { return float64(n) < leastOfAll*float64(all) })
	return list, nil
}

// CountStatement counts what a backend of a cluster that is counted executes for a
// statement, after those that prepare it.
func (p *Pool) CountStatement(prepare, statement string) (instructions int64, err error) {
	c, err := p.get("sub", nil, false)
	if err != nil {
		return 0, err
	}
	k, err := Dial(c.Port, database, nil)
	if err != nil {
		return 0, err
	}
	defer k.Close()
	if err := k.Script(prepare); err != nil {
		return 0, err
	}
	pid, err := k.Value("select pg_backend_pid()")
	if err != nil {
		return 0, err
	}
	if err := c.control("-z", pid); err != nil {
		return 0, err
	}
	if _, err := k.Query(statement); err != nil {
		return 0, err
	}
	if err := c.control("-d=statement", pid); err != nil {
		return 0, err
	}
	for started := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if files := c.dumps(pid); len(files) > 0 {
			// The one before it, if any, is of when the counters were set to zero.
			name := slices.Max(files)
			n, err := counted(name)
			return n, errors.Join(err, os.Remove(name))
		}
		if time.Since(started) > applyTimeout {
			return 0, fmt.Errorf("callgrind writes nothing for process %s", pid)
		}
	}
}
