//go:build !linux

package server

import (
	"os"
	"os/exec"
	"syscall"
)

// account is the user that servers run as: elsewhere than on Linux the one of this
// process.
type account struct{}

func serverAccount() (account, error)                          { return account{}, nil }
func (a account) prepare(cmd *exec.Cmd, signal syscall.Signal) {}
func (a account) own(dir string) error                         { return nil }

func changeRoot(cmd *exec.Cmd, root string) {}

// endSignals end this process.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// The signals of a postmaster.
const (
	signalReload    = syscall.Signal(1)
	signalImmediate = syscall.SIGQUIT
	signalStop      = syscall.Signal(17) // of any process, by the numbers of BSD and macOS
	signalContinue  = syscall.Signal(19)
)

// lock locks a file for as long as this process lives. It says whether nobody else
// has locked it: elsewhere than on Linux it does not know and says no, so that
// nothing of another process is removed.
// killGroup ends a program.
func killGroup(p *os.Process) { p.Kill() }

func lock(f *os.File) bool { return false }

func runsIn(pid int, dir string) bool { return false }

func sleeps(s *os.ProcessState) int64 { return 0 }
