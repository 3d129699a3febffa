package server

import (
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// superuser is the clusters' database user, database the one that cases use.
const (
	superuser = "postgres"
	database  = "bench"
	// toolSchema has the extensions, which stay when a case's tables are dropped.
	toolSchema = "applysim_tools"
)

// configuration is that of all clusters. What cases want else comes on top.
var configuration = map[string]string{
	"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "shared_buffers": "256MB", "fsync": "off",
	"synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off", "wal_level": "logical",
	"max_wal_size": "8GB", "checkpoint_timeout": "1h", "max_replication_slots": "10", "max_wal_senders": "10",
	"wal_keep_size": "1GB", "jit": "off", "TimeZone": "UTC", "bgwriter_delay": "10s", "log_min_messages": "warning",
}

// quiet are settings of all clusters that no replay needs to know: background
// processes stay away, prepared transactions are possible.
var quiet = map[string]string{
	"bgwriter_lru_maxpages": "0", "max_prepared_transactions": "20", "log_line_prefix": "%b: ", "max_worker_processes": "16",
	"wal_recycle": "off", "wal_init_zero": "off", "update_process_title": "on",
}

// Cluster is a running server with a data directory.
type Cluster struct {
	Port int
	*Installation
	dir     string
	process *os.Process
	ended   chan struct{}
	reloads map[string]string // settings of the reload before
	counted bool              // it runs under callgrind
	account account
	*Conn   // to database
}

// startCluster makes a cluster and starts its server. settings come on top of
// configuration. run runs a program to its end.
func startCluster(i *Installation, a account, run func(*exec.Cmd) (string, error), dir string, port int, settings map[string]string, checksums, counted bool) (*Cluster, error) {
	args := []string{"-D", i.inside(dir), "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"}
	switch {
	case checksums:
		args = append(args, "--data-checksums")
	case i.Major >= 18:
		args = append(args, "--no-data-checksums")
	}
	cmd := exec.Command(i.program("initdb"), args...)
	i.enter(cmd)
	cmd.Dir = i.inside(filepath.Dir(dir))
	a.prepare(cmd, signalImmediate)
	if out, err := run(cmd); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", i.program("initdb"), err, tail(out, 500))
	}
	all := maps.Clone(configuration)
	maps.Copy(all, quiet)
	maps.Copy(all, settings)
	if i.root != "" {
		all["dynamic_shared_memory_type"] = "mmap" // there may be no /dev/shm
	}
	if counted {
		// No other process does the worker's reading, and nobody loses patience.
		maps.Copy(all, map[string]string{"io_method": "sync", "wal_receiver_timeout": "0"})
	}
	all["port"] = fmt.Sprint(port)
	c := &Cluster{Port: port, Installation: i, dir: dir, counted: counted, account: a}
	conf, err := os.OpenFile(filepath.Join(dir, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	_, err = conf.WriteString(settingLines(all) + "include_if_exists 'case.conf'\n")
	conf.Close()
	if err != nil {
		return nil, err
	}
	if err := c.start(a); err != nil {
		return nil, err
	}
	if err := c.setUp(); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

func settingLines(settings map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s = '%s'\n", name, strings.ReplaceAll(settings[name], "'", "''"))
	}
	return b.String()
}

// start starts the server as a child of a thread that lives as long as it does: the
// kernel stops it if this process dies without doing so.
func (c *Cluster) start(a account) error {
	log, err := os.Create(c.logFile())
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(c.program("postgres"), "-D", c.inside(c.dir))
	if c.counted {
		cmd = exec.Command("/usr/bin/valgrind", "--tool=callgrind", "--trace-children=yes", "--callgrind-out-file="+c.inside(c.dir)+"/"+countFile("%p"), "-q",
			c.program("postgres"), "-D", c.inside(c.dir))
	}
	c.enter(cmd)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.inside(c.dir), log, log
	a.prepare(cmd, signalImmediate)
	started := make(chan error)
	c.ended = make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
		close(c.ended)
	}()
	if err := <-started; err != nil {
		return err
	}
	c.process = cmd.Process
	deadline := time.Now().Add(60 * time.Second)
	for {
		k, err := Dial(c.Port, "postgres", nil)
		if err == nil {
			c.Conn = k
			// Another server may have been faster to take the port.
			if dir, err := k.Value("show data_directory"); err != nil || dir != c.inside(c.dir) {
				c.stop()
				return fmt.Errorf("port %d belongs to another server", c.Port)
			}
			return nil
		}
		select {
		case <-c.ended:
			return fmt.Errorf("%s ended: %s", c.program("postgres"), tail(c.log(), 1000))
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			c.stop()
			return fmt.Errorf("%s does not answer: %w: %s", c.program("postgres"), err, tail(c.log(), 1000))
		}
	}
}

// setUp makes the database and the extensions.
func (c *Cluster) setUp() error {
	if _, err := c.Query("create database " + database); err != nil {
		return err
	}
	c.Close()
	var err error
	if c.Conn, err = Dial(c.Port, database, map[string]string{"search_path": "public, " + toolSchema, "synchronous_commit": "on"}); err != nil {
		return err
	}
	script := "create schema " + toolSchema
	for _, e := range []string{"pg_walinspect", "pageinspect", "pgstattuple", "pg_freespacemap"} {
		script += "; create extension " + e + " schema " + toolSchema
	}
	return c.Script(script)
}

// reload gives the server settings on top of those that it was started with, in
// place of those of the reload before.
func (c *Cluster) reload(settings map[string]string) error {
	if maps.Equal(settings, c.reloads) {
		return nil
	}
	if err := os.WriteFile(filepath.Join(c.dir, "case.conf"), []byte(settingLines(settings)), 0o644); err != nil {
		return err
	}
	c.reloads = nil
	before, err := c.loaded()
	if err != nil {
		return err
	}
	if err := c.process.Signal(signalReload); err != nil {
		return err
	}
	// A new session has what the postmaster has read, and by then the other
	// processes have been told.
	deadline := time.Now().Add(20 * time.Second)
	for {
		now, err := c.loaded()
		if err != nil {
			return err
		}
		if now != before {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("settings %v are not taken over: %s", settings, tail(c.log(), 500))
		}
		time.Sleep(2 * time.Millisecond)
	}
	wrong, err := c.Query("select name, setting, error from pg_file_settings where sourcefile like '%/case.conf' and (error is not null or not applied)")
	if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return fmt.Errorf("setting %s = %s: %s", wrong[0][0], wrong[0][1], wrong[0][2])
	}
	c.reloads = maps.Clone(settings)
	return nil
}

// loaded is when the configuration of a new session was read.
func (c *Cluster) loaded() (string, error) {
	k, err := Dial(c.Port, database, nil)
	if err != nil {
		return "", err
	}
	defer k.Close()
	return k.Value("select pg_conf_load_time()")
}

// stop ends the server at once.
func (c *Cluster) stop() {
	if c.Conn != nil {
		c.Conn.Close()
	}
	c.process.Signal(signalImmediate)
	select {
	case <-c.ended:
	case <-time.After(10 * time.Second):
		c.process.Kill()
		<-c.ended
	}
}

// Crash ends the server as a crash does: all processes exit where they are.
func (c *Cluster) Crash() { c.stop() }

// Restart starts a server that has crashed; it recovers first.
func (c *Cluster) Restart() error {
	if err := c.start(c.account); err != nil {
		return err
	}
	c.Conn.Close()
	k, err := Dial(c.Port, c.Database(), nil)
	if err != nil {
		return err
	}
	c.Conn = k
	return nil
}

func (c *Cluster) logFile() string {
	return filepath.Join(filepath.Dir(c.dir), filepath.Base(c.dir)+".log")
}

func (c *Cluster) log() string {
	text, _ := os.ReadFile(c.logFile())
	return string(text)
}

func tail(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) > n {
		s = "..." + s[len(s)-n:]
	}
	return s
}

// free says whether nobody listens on a port of the loopback.
func free(port int) bool {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// freePort returns a port of the loopback that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
