//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"applysim/experiments/server"
)

// Nothing is left running or lying around, however a run ends: at its end, after a signal
// that it can catch, and after one that it cannot by the end of the next run.
func TestNothingIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts servers")
	}
	if _, err := server.Find(""); err != nil {
		t.Skipf("no PostgreSQL server: %v", err)
	}
	program := filepath.Join(t.TempDir(), "differential")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	dir, err := os.MkdirTemp("", "applysim-interrupt-") // servers are another user's
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	start := func(cases string) (*exec.Cmd, *strings.Builder) {
		var out strings.Builder
		cmd := exec.Command(program, "--servers", dir, "--cases", cases, "--seed", "1", "--out", filepath.Join(dir, "differs"))
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &out
	}
	// running are the servers with directories in dir.
	running := func() (list []string) {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, name := range lines {
			text, err := os.ReadFile(name)
			if err == nil && strings.Contains(string(text), dir) && strings.Contains(string(text), "postgres") {
				list = append(list, string(text))
			}
		}
		return list
	}
	wait := func(what string, ok func() bool) {
		t.Helper()
		for started := time.Now(); !ok(); time.Sleep(20 * time.Millisecond) {
			if time.Since(started) > time.Minute {
				t.Fatalf("%s: not within a minute; running: %q", what, running())
			}
		}
	}
	nothing := func(after string) {
		t.Helper()
		if list := running(); len(list) > 0 {
			t.Errorf("after %s these run: %q", after, list)
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("after %s these files are left: %v, %v", after, left, err)
		}
	}
	for _, x := range []struct {
		signal syscall.Signal
		at     int // servers that run by then
	}{{syscall.SIGINT, 1}, {syscall.SIGTERM, 2}, {syscall.SIGHUP, 2}} {
		cmd, out := start("1000")
		wait("servers", func() bool { return len(running()) >= x.at })
		cmd.Process.Signal(x.signal)
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitUnusable {
			t.Errorf("%v: %v, expected exit code %d; output %s", x.signal, err, exitUnusable, out)
		}
		nothing(x.signal.String())
	}
	cmd, _ := start("1000")
	wait("servers", func() bool { return len(running()) >= 2 })
	cmd.Process.Kill()
	cmd.Wait()
	wait("the end of the servers of a run that was killed", func() bool { return len(running()) == 0 })
	cmd, out := start("1")
	if err := cmd.Wait(); err != nil {
		t.Errorf("the run after it: %v: %s", err, out)
	}
	nothing("the next run")
}
