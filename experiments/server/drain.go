package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Drain measures the CPU of a subscriber's apply worker: the case's changes are queued on
// the publisher while the subscription is disabled; then it is enabled, and a fresh worker
// applies them at its own pace. Nothing is recorded. The case has steps of the publisher
// only. around, which may be nil, is called with what is measured.
func (p *Pool) Drain(c *Case, around func(func() error) error) (cpu time.Duration, err error) {
	if around == nil {
		around = func(f func() error) error { return f() }
	}
	err = p.draining(c, func(r *recording) error {
		if err := r.queue(); err != nil {
			return err
		}
		if err := around(r.applyQueue); err != nil {
			return err
		}
		cpu = r.sub.applyCPU()
		return nil
	})
	return cpu, err
}

// CountInstructions is Drain with the instructions of the worker from its start to its end,
// as callgrind counts them: they hardly depend on the machine and on what else it does.
func (p *Pool) CountInstructions(c *Case) (instructions int64, err error) {
	err = p.draining(c, func(r *recording) error {
		if err := r.queue(); err != nil {
			return err
		}
		if err := r.applyQueue(); err != nil {
			return err
		}
		pid, err := r.sub.Value("select pid from pg_stat_subscription where worker_type = 'apply'")
		if err != nil {
			return err
		}
		if err := r.endWorker(); err != nil {
			return err
		}
		instructions, err = counted(filepath.Join(r.sub.dir, countFile(pid)))
		return err
	})
	return instructions, err
}

// Live has the publisher make a case's changes while the subscription applies them. before
// is called when all is ready, after when all is applied. The case has steps of the
// publisher only.
func (p *Pool) Live(c *Case, before, after func(sub *Cluster) error) error {
	return p.draining(c, func(r *recording) error {
		if err := before(r.sub); err != nil {
			return err
		}
		for _, s := range r.case_.SQL {
			if err := r.pub.Script(s.Pub); err != nil {
				return err
			}
		}
		if err := r.waitApplied(); err != nil {
			return err
		}
		return after(r.sub)
	})
}

// countFile is where callgrind writes what a process has executed.
func countFile(pid string) string { return "callgrind." + pid }

// counted reads the sum of a file that callgrind writes when the process ends.
func counted(name string) (int64, error) {
	for started := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(name)
		if err == nil {
			if _, rest, ok := strings.Cut(string(text), "\ntotals: "); ok && strings.Contains(rest, "\n") {
				line, _, _ := strings.Cut(rest, "\n")
				return strconv.ParseInt(strings.TrimSpace(line), 10, 64)
			}
		}
		if time.Since(started) > applyTimeout {
			return 0, fmt.Errorf("%s has no sum: %v", name, err)
		}
	}
}

// draining makes the clusters of a case and does something with them.
func (p *Pool) draining(c *Case, f func(*recording) error) (err error) {
	r := &recording{case_: c}
	if r.pub, err = p.cluster("pub", c.PubConf, false); err != nil {
		return err
	}
	if r.sub, err = p.cluster("sub", c.SubConf, c.Checksums); err != nil {
		return err
	}
	if err = r.prepare(); err == nil {
		err = f(r)
	}
	if err == nil {
		_, err = r.sub.Query("drop subscription " + subscription)
	}
	if err == nil {
		err = r.cleanUp()
	}
	if err != nil {
		p.forget(r.pub)
		p.forget(r.sub)
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return nil
}

// endWorker disables the subscription and waits until its worker is gone.
func (r *recording) endWorker() error {
	if _, err := r.sub.Query("alter subscription " + subscription + " disable"); err != nil {
		return err
	}
	for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		n, err := r.pub.Value("select count(*) from pg_stat_replication")
		if err != nil {
			return err
		}
		if n == "0" && r.sub.applyCPU() == 0 {
			return nil
		}
		if time.Since(started) > applyTimeout {
			return fmt.Errorf("the worker does not end")
		}
	}
}

// queue has the publisher make the changes while no worker is there.
func (r *recording) queue() error {
	if err := r.endWorker(); err != nil {
		return err
	}
	for _, s := range r.case_.SQL {
		if s.Sub != "" {
			return fmt.Errorf("a step of the subscriber: changes that are queued have none")
		}
		if err := r.pub.Script(s.Pub); err != nil {
			return err
		}
	}
	return nil
}

// applyQueue has a new worker apply what is queued.
func (r *recording) applyQueue() error {
	if _, err := r.sub.Query("alter subscription " + subscription + " enable"); err != nil {
		return err
	}
	return r.waitApplied()
}
