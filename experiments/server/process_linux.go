package server

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// account is the user that servers run as.
type account struct {
	uid, gid uint32
	change   bool // this process is another one
}

// serverAccount finds a user for servers, which refuse to run as root.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil && uid != 0 {
			return account{uint32(uid), uint32(gid), true}, nil
		}
	}
	return account{}, fmt.Errorf("servers refuse to run as root: expected a user postgres or nobody")
}

// prepare makes a program run as the account. With signal it gets that one when
// this process dies. It has a process group of its own: what the terminal sends is
// for this process, which stops its servers in order.
func (a account) prepare(cmd *exec.Cmd, signal syscall.Signal) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pdeathsig = true, signal
	if a.change {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
}

// changeRoot makes a command see root as the root directory.
func changeRoot(cmd *exec.Cmd, root string) { cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root} }

// own gives a directory to the account.
func (a account) own(dir string) error {
	if !a.change {
		return nil
	}
	return os.Chown(dir, int(a.uid), int(a.gid))
}

// endSignals end this process.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// The signals of a postmaster.
const (
	signalReload    = syscall.SIGHUP
	signalImmediate = syscall.SIGQUIT
	signalStop      = syscall.SIGSTOP // of any process
	signalContinue  = syscall.SIGCONT
)

// killGroup ends a program that was prepared, and those that it has started.
func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }

// lock locks a file for as long as this process lives. It says whether nobody else
// has locked it.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// runsIn says whether a process has been started on something in dir.
func runsIn(pid int, dir string) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && strings.Contains(string(line), dir)
}

// sleeps is how often a process that has ended has gone to sleep.
func sleeps(s *os.ProcessState) int64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Nvcsw
	}
	return 0
}
