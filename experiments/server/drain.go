package server

import (
	"fmt"
	"time"
)

// Drain measures the CPU of a subscriber's apply worker: the case's changes are queued on
// the publisher while the subscription is disabled; then it is enabled, and a fresh worker
// applies them at its own pace. Nothing is recorded. The case has steps of the publisher
// only.
func (p *Pool) Drain(c *Case) (cpu time.Duration, err error) {
	r := &recording{case_: c}
	if r.pub, err = p.cluster("pub", c.PubConf, false); err != nil {
		return 0, err
	}
	if r.sub, err = p.cluster("sub", c.SubConf, c.Checksums); err != nil {
		return 0, err
	}
	if cpu, err = r.drain(); err != nil {
		p.forget(r.pub)
		p.forget(r.sub)
		return 0, fmt.Errorf("%s: %w", c.Name, err)
	}
	return cpu, nil
}

func (r *recording) drain() (cpu time.Duration, err error) {
	if err := r.prepare(); err != nil {
		return 0, err
	}
	if _, err := r.sub.Query("alter subscription " + subscription + " disable"); err != nil {
		return 0, err
	}
	for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		n, err := r.pub.Value("select count(*) from pg_stat_replication")
		if err != nil {
			return 0, err
		}
		if n == "0" && r.sub.applyCPU() == 0 { // the old worker is gone
			break
		}
		if time.Since(started) > applyTimeout {
			return 0, fmt.Errorf("the worker does not end")
		}
	}
	for _, s := range r.case_.SQL {
		if s.Sub != "" {
			return 0, fmt.Errorf("a step of the subscriber: changes that are queued have none")
		}
		if err := r.pub.Script(s.Pub); err != nil {
			return 0, err
		}
	}
	if _, err := r.sub.Query("alter subscription " + subscription + " enable"); err != nil {
		return 0, err
	}
	if err := r.waitApplied(); err != nil {
		return 0, err
	}
	cpu = r.sub.applyCPU()
	if _, err := r.sub.Query("drop subscription " + subscription); err != nil {
		return 0, err
	}
	return cpu, r.cleanUp()
}
