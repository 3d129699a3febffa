package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// basePrefix begins the names of the directories of clusters, and of the lock files
// beside them.
const basePrefix = "applysim-servers-"

// base is the directory of a process's clusters.
type base struct {
	dir  string
	lock *os.File // locked while the process lives
}

// newBase removes what dead processes have left in parent and makes a directory
// there.
func newBase(parent string, a account) (*base, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	parent, err := filepath.Abs(parent)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	removeStale(parent)
	for range 10 {
		f, err := os.CreateTemp(parent, basePrefix+"*.lock")
		if err != nil {
			return nil, err
		}
		// Another process may take the file for one of a dead process before it is
		// locked.
		if !lock(f) && runtime.GOOS == "linux" || !exists(f) {
			f.Close()
			continue
		}
		b := &base{dir: strings.TrimSuffix(f.Name(), ".lock"), lock: f}
		if err := errors.Join(os.Mkdir(b.dir, 0o755), a.own(b.dir)); err != nil {
			b.remove()
			return nil, err
		}
		return b, nil
	}
	return nil, fmt.Errorf("%s: no directory for clusters could be made", parent)
}

func exists(f *os.File) bool {
	here, err1 := f.Stat()
	there, err2 := os.Stat(f.Name())
	return err1 == nil && err2 == nil && os.SameFile(here, there)
}

// remove takes the directory away; its servers must have ended.
func (b *base) remove() error {
	err := os.RemoveAll(b.dir)
	os.Remove(b.lock.Name())
	b.lock.Close()
	return err
}

// removeStale stops the servers of dead processes and removes their files.
func removeStale(parent string) {
	files, _ := filepath.Glob(filepath.Join(parent, basePrefix+"*.lock"))
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if lock(f) {
			dir := strings.TrimSuffix(name, ".lock")
			stopAll(dir)
			os.RemoveAll(dir)
			os.Remove(name)
		}
		f.Close()
	}
}

// stopAll ends the servers whose data directories are in dir.
func stopAll(dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*", "postmaster.pid"))
	for _, name := range files {
		text, _ := os.ReadFile(name)
		first, _, _ := strings.Cut(string(text), "\n")
		pid, err := strconv.Atoi(strings.TrimSpace(first))
		if err != nil || !runsIn(pid, dir) {
			continue
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		p.Signal(signalImmediate)
		for i := 0; i < 100 && runsIn(pid, dir); i++ {
			time.Sleep(50 * time.Millisecond)
		}
		if runsIn(pid, dir) {
			p.Signal(syscall.SIGKILL)
		}
	}
}
