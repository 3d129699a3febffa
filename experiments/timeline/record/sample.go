//go:build linux

package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"applysim/experiments/server"
	"applysim/model/stream"
)

// sampler asks both servers again and again.
type sampler struct {
	r        *recording
	pub, sub *server.Conn
	origin   stream.LSN
	columns  []string
	rows     [][]string
	pubSQL   string
	subSQL   string
	pids     [2]string
}

// The columns that are asked of each server. Names that end in _lsn are positions.
var (
	publisherColumns  = []string{"current_lsn", "sent_lsn", "write_lsn", "flush_lsn", "replay_lsn", "write_lag", "flush_lag", "replay_lag", "restart_lsn", "confirmed_flush_lsn"}
	subscriberColumns = []string{"received_lsn", "latest_end_lsn", "remote_lsn", "subscriber_lsn"}
	slotColumns       = []string{"restart_lsn", "wal_status", "safe_wal_size"}
)

func newSampler(r *recording) (*sampler, error) {
	p := &sampler{r: r}
	var err error
	if p.pub, err = server.Dial(r.pub.Port, r.pub.Database(), nil); err != nil {
		return nil, err
	}
	if p.sub, err = server.Dial(r.sub.Port, r.sub.Database(), nil); err != nil {
		return nil, err
	}
	name := r.s.Subscriptions[0].Name
	seconds := func(c string) string { return "round(extract(epoch from " + c + "), 6)" }
	p.pubSQL = "select pg_current_wal_lsn(), sent_lsn, write_lsn, flush_lsn, replay_lsn, " + seconds("write_lag") + ", " + seconds("flush_lag") + ", " + seconds("replay_lag") +
		fmt.Sprintf(", s.restart_lsn, s.confirmed_flush_lsn, r.pid from pg_replication_slots s left join pg_stat_replication r on r.pid = s.active_pid where slot_name = '%s'", name)
	p.subSQL = fmt.Sprintf("select received_lsn, latest_end_lsn, o.remote_lsn, pg_current_wal_lsn(), pid from pg_subscription b left join pg_stat_subscription s on s.subid = b.oid and s.worker_type = 'apply' left join pg_replication_origin_status o on o.external_id = 'pg_' || b.oid where b.subname = '%s'", name)
	p.columns = append(append([]string{"t"}, publisherColumns...), subscriberColumns...)
	p.columns = append(p.columns, "walsender_cpu", "walsender_wait", "worker_cpu", "worker_wait", "backends_cpu", "client_cpu")
	for _, x := range r.s.Slots {
		for _, c := range slotColumns {
			p.columns = append(p.columns, c+":"+x.Name)
		}
	}
	p.columns = append(p.columns, "wal_status", "safe_wal_size", "catalog_xmin_age")
	text, err := p.pub.Value("select pg_current_wal_lsn()")
	if err != nil {
		return nil, err
	}
	p.origin, err = parseLSN(text)
	return p, err
}

func parseLSN(s string) (stream.LSN, error) {
	var a, b uint32
	if _, err := fmt.Sscanf(s, "%X/%X", &a, &b); err != nil {
		return 0, fmt.Errorf("LSN %q: %w", s, err)
	}
	return stream.LSN(a)<<32 | stream.LSN(b), nil
}

// cpu is what a process has taken, and how long it has waited for a core, in seconds.
func cpu(pid string) (taken, waited string) {
	b, err := os.ReadFile("/proc/" + pid + "/schedstat")
	if pid == "" || err != nil {
		return "", ""
	}
	var ns [2]float64
	if _, err := fmt.Sscan(string(b), &ns[0], &ns[1]); err != nil {
		return "", ""
	}
	return strconv.FormatFloat(ns[0]/1e9, 'f', 4, 64), strconv.FormatFloat(ns[1]/1e9, 'f', 4, 64)
}

// relative turns positions into bytes since the run began.
func (p *sampler) relative(column, value string) string {
	name, _, _ := strings.Cut(column, ":")
	if !strings.HasSuffix(name, "_lsn") || name == "subscriber_lsn" && value == "" || value == "" {
		return value
	}
	l, err := parseLSN(value)
	if err != nil {
		return ""
	}
	if name == "subscriber_lsn" {
		return strconv.FormatUint(uint64(l), 10)
	}
	return strconv.FormatInt(int64(l)-int64(p.origin), 10)
}

func (p *sampler) run(over chan struct{}) error {
	defer p.pub.Close()
	defer p.sub.Close()
	tick := time.NewTicker(p.r.every)
	defer tick.Stop()
	for {
		if err := p.sample(); err != nil {
			return err
		}
		select {
		case <-over:
			return nil
		case <-tick.C:
		}
	}
}

func (p *sampler) sample() error {
	before := time.Since(p.r.start)
	pub, err := p.pub.Query(p.pubSQL)
	if err != nil {
		return err
	}
	sub, err := p.sub.Query(p.subSQL)
	if err != nil {
		return err
	}
	at := (before + time.Since(p.r.start)) / 2
	slots, err := p.pub.Query("select slot_name, restart_lsn, wal_status, safe_wal_size, age(catalog_xmin) from pg_replication_slots")
	if err != nil {
		return err
	}
	if len(pub) != 1 || len(sub) != 1 {
		return fmt.Errorf("%d rows of the publisher and %d of the subscriber, expected one of each", len(pub), len(sub))
	}
	row := []string{strconv.FormatFloat(at.Seconds(), 'f', 4, 64)}
	for i, c := range publisherColumns {
		row = append(row, p.relative(c, pub[0][i]))
	}
	for i, c := range subscriberColumns {
		row = append(row, p.relative(c, sub[0][i]))
	}
	if pid := pub[0][len(publisherColumns)]; pid != "" {
		p.pids[0] = pid
	}
	if pid := sub[0][len(subscriberColumns)]; pid != "" {
		p.pids[1] = pid
	}
	for _, pid := range p.pids {
		taken, waited := cpu(pid)
		row = append(row, taken, waited)
	}
	sum := 0.0
	for _, pid := range p.r.backends {
		taken, _ := cpu(pid)
		n, _ := strconv.ParseFloat(taken, 64)
		sum += n
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return err
	}
	client := time.Duration(own.Utime.Nano() + own.Stime.Nano())
	row = append(row, strconv.FormatFloat(sum, 'f', 4, 64), strconv.FormatFloat(client.Seconds(), 'f', 3, 64))
	ours := []string{"", "", ""}
	others := map[string][]string{}
	for _, x := range slots {
		if x[0] == p.r.s.Subscriptions[0].Name {
			ours = x[2:5]
			continue
		}
		others[x[0]] = []string{p.relative("restart_lsn", x[1]), x[2], x[3]}
	}
	for _, x := range p.r.s.Slots {
		o := others[x.Name]
		if o == nil {
			o = []string{"", "", ""}
		}
		row = append(row, o...)
	}
	p.rows = append(p.rows, append(row, ours...))
	return nil
}

// write writes the samples.
func (p *sampler) write(name string) error {
	var b strings.Builder
	b.WriteString(strings.Join(p.columns, "\t") + "\n")
	for _, row := range p.rows {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = z.Write([]byte(b.String()))
	return errors.Join(err, z.Close(), f.Close())
}
