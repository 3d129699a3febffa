package server

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// Standby makes a physical standby of a cluster: a copy of its directory that streams
// from a port of the loopback, which may be that of a [Relay], under a name
// (application_name). settings come on top of the primary's.
func (p *Pool) Standby(primary *Cluster, name string, through int, settings map[string]string) (*Cluster, error) {
	p.mu.Lock()
	dir := filepath.Join(p.base.dir, fmt.Sprintf("standby%d", p.number))
	p.number++
	p.mu.Unlock()
	port, err := p.port()
	if err != nil {
		return nil, err
	}
	k, err := Dial(primary.Port, database, nil) // the backup ends with its session
	if err != nil {
		return nil, err
	}
	defer k.Close()
	if _, err := k.Query("select pg_backup_start('standby', true)"); err != nil {
		return nil, err
	}
	if err := p.copyCluster(primary.dir, dir); err != nil {
		return nil, err
	}
	label, err := k.Value("select labelfile from pg_backup_stop(false)")
	if err != nil {
		return nil, err
	}
	all := maps.Clone(settings)
	if all == nil {
		all = map[string]string{}
	}
	all["port"] = fmt.Sprint(port)
	all["primary_conninfo"] = fmt.Sprintf("host=127.0.0.1 port=%d user=%s application_name=%s sslmode=disable gssencmode=disable", through, superuser, name)
	for file, text := range map[string]string{"backup_label": label, "standby.signal": "", "standby.conf": settingLines(all)} {
		if err := errors.Join(os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600), p.account.own(filepath.Join(dir, file))); err != nil {
			return nil, err
		}
	}
	conf, err := os.OpenFile(filepath.Join(dir, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	_, err = conf.WriteString("include 'standby.conf'\n")
	if err = errors.Join(err, conf.Close()); err != nil {
		return nil, err
	}
	c := &Cluster{Port: port, Installation: p.Installation, dir: dir}
	if err := c.start(p.account); err != nil {
		return nil, err
	}
	c.Close()
	if c.Conn, err = Dial(port, database, nil); err != nil {
		c.stop()
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.stop()
		return nil, ErrClosed
	}
	p.clusters[dir] = c
	p.used = append(p.used, dir)
	return c, nil
}

// copyCluster copies a cluster's directory, without its WAL and what belongs to its
// processes.
func (p *Pool) copyCluster(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // it was removed meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if d.IsDir() {
			return errors.Join(os.Mkdir(target, 0o700), p.account.own(target))
		}
		switch top, _, _ := strings.Cut(name, string(filepath.Separator)); top {
		case "pg_wal", "pg_replslot", "pg_stat_tmp", "postmaster.pid", "postmaster.opts":
			return nil
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.Join(err, os.WriteFile(target, text, 0o600), p.account.own(target))
	})
}

// Remove stops a cluster and removes it.
func (p *Pool) Remove(c *Cluster) error { return p.forget(c) }

// Dir is a cluster's data directory.
func (c *Cluster) Dir() string { return c.dir }
