package server

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Options say where the servers of a Pool come from and where they live.
type Options struct {
	Prefix string // of the PostgreSQL installation; see Find
	Dir    string // directories of clusters are made there; empty stands for that of temporary files
	Port   int    // the first of the ports to use, one for each cluster; 0 means any that are free
	// Limit is how many clusters may run at once: 0 stands for 8. The one that
	// was used least recently makes room.
	Limit int
	// Inspect keeps inspect.jsonl.gz: what the subscriber's views, pageinspect,
	// pgstattuple and pg_walinspect show at the end.
	Inspect bool
	// Instructions has subscribers run under valgrind's callgrind, which counts what their
	// processes execute; see CountInstructions.
	Instructions bool
}

// Pool has the clusters of a process.
type Pool struct {
	*Installation
	options  Options
	account  account
	base     *base
	clusters map[string]*Cluster
	used     []string // keys of clusters, the most recently used one last
	number   int      // clusters made so far
	restart  map[string]bool

	mu      sync.Mutex // guards clusters, closed and making: a signal may come at any time
	closed  bool
	making  *exec.Cmd     // the program that makes a cluster; nil if none runs
	made    chan struct{} // closed when it has ended
	signals chan os.Signal
}

// NewPool finds the installation. Clusters are started when they are needed. A
// signal that ends the process (interrupt, termination, hangup) closes the pool
// first; the process then exits with code 2.
func NewPool(o Options) (*Pool, error) {
	i, err := Find(o.Prefix)
	if err != nil {
		return nil, err
	}
	a, err := serverAccount()
	if err != nil {
		return nil, err
	}
	parent := o.Dir
	if i.root != "" && !strings.HasPrefix(parent, i.root+"/") {
		parent = filepath.Join(i.root, "tmp")
	}
	b, err := newBase(parent, a)
	if err != nil {
		return nil, err
	}
	if o.Limit == 0 {
		o.Limit = 8
	}
	p := &Pool{Installation: i, options: o, account: a, base: b, clusters: map[string]*Cluster{}, signals: make(chan os.Signal, 1)}
	signal.Notify(p.signals, endSignals...)
	go func() {
		if _, ok := <-p.signals; ok {
			p.Close()
			os.Exit(2)
		}
	}()
	return p, nil
}

// Counts says whether subscribers run under callgrind.
func (p *Pool) Counts() bool { return p.options.Instructions }

// Close stops all servers and removes their files.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	signal.Stop(p.signals)
	if p.making != nil {
		killGroup(p.making.Process)
		<-p.made
	}
	for _, c := range p.clusters {
		c.stop()
	}
	stopAll(p.base.dir) // one that was just being started
	return p.base.remove()
}

// run runs a program to its end, unless the pool is closed before, and returns what it
// prints.
func (p *Pool) run(cmd *exec.Cmd) (string, error) {
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return "", ErrClosed
	}
	if err := cmd.Start(); err != nil {
		p.mu.Unlock()
		return "", err
	}
	p.making, p.made = cmd, make(chan struct{})
	p.mu.Unlock()
	err := cmd.Wait()
	close(p.made) // whoever closes the pool may wait for it with mu
	p.mu.Lock()
	defer p.mu.Unlock()
	p.making = nil
	if p.closed {
		err = ErrClosed
	}
	return out.String(), err
}

// forget stops a cluster and removes it: the next case gets a new one.
func (p *Pool) forget(c *Cluster) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, x := range p.clusters {
		if x == c && !p.closed {
			delete(p.clusters, key)
			p.used = slices.DeleteFunc(p.used, func(k string) bool { return k == key })
			c.stop()
			return errors.Join(os.RemoveAll(c.dir), os.Remove(c.logFile()))
		}
	}
	return nil
}

// cluster returns a running cluster with the given settings.
func (p *Pool) cluster(role string, settings map[string]string, checksums bool) (*Cluster, error) {
	if p.restart == nil && len(settings) > 0 {
		// Any cluster knows which settings need a restart.
		c, err := p.get(role, nil, checksums)
		if err != nil {
			return nil, err
		}
		rows, err := c.Query("select name from pg_settings where context in ('postmaster', 'internal')")
		if err != nil {
			return nil, err
		}
		p.restart = map[string]bool{}
		for _, r := range rows {
			p.restart[strings.ToLower(r[0])] = true
		}
	}
	fixed, loaded := map[string]string{}, map[string]string{}
	for name, value := range settings {
		if lower := strings.ToLower(name); p.restart[lower] {
			if value != configuration[name] && value != quiet[name] {
				fixed[lower] = value
			}
		} else {
			loaded[lower] = value
		}
	}
	c, err := p.get(role, fixed, checksums)
	if err != nil {
		return nil, err
	}
	return c, c.reload(loaded)
}

// get returns a running cluster that was started with the given settings.
func (p *Pool) get(role string, settings map[string]string, checksums bool) (*Cluster, error) {
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	key := fmt.Sprint(role, " ", checksums, " ", settingLines(settings))
	p.used = append(slices.DeleteFunc(p.used, func(k string) bool { return k == key }), key)
	if c := p.clusters[key]; c != nil {
		return c, nil
	}
	for len(p.clusters) >= p.options.Limit {
		if err := p.forget(p.clusters[p.used[0]]); err != nil {
			return nil, err
		}
	}
	port, err := p.port()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(p.base.dir, fmt.Sprintf("%s%d", role, p.number))
	p.number++
	c, err := startCluster(p.Installation, p.account, p.run, dir, port, maps.Clone(settings), checksums, p.options.Instructions && role == "sub")
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.stop()
		return nil, ErrClosed
	}
	p.clusters[key] = c
	return c, nil
}

// Folder makes a folder beside the clusters, which goes when they do.
func (p *Pool) Folder(name string) (string, error) {
	dir := filepath.Join(p.base.dir, name)
	return dir, os.Mkdir(dir, 0o755)
}

// port returns a port for one more cluster.
func (p *Pool) port() (int, error) {
	if p.options.Port == 0 {
		return freePort()
	}
	for port := p.options.Port; port <= p.options.Port+p.options.Limit; port++ {
		if free(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("none of the ports %d to %d is free", p.options.Port, p.options.Port+p.options.Limit)
}

// ErrClosed says that a signal has ended the servers.
var ErrClosed = errors.New("interrupted")

// Ask runs a query on a cluster with the default settings.
func (p *Pool) Ask(sql string) ([][]string, error) {
	c, err := p.get("pub", nil, false)
	if err != nil {
		return nil, err
	}
	return c.Query(sql)
}

// Start returns a running cluster with the given settings, without data checksums, for
// use beyond the recording of cases.
func (p *Pool) Start(role string, settings map[string]string) (*Cluster, error) {
	return p.cluster(role, settings, false)
}

// Database is the name of the database of a cluster that its connection is to.
func (c *Cluster) Database() string { return database }
