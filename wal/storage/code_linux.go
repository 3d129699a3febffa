package storage

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ReleaseCode gives back the memory that the program's own file takes: code and constants
// that were only needed to begin. What is needed again is mapped again when it is
// touched. It is for long work that takes a small part of the program; that it fails is
// of no consequence.
func ReleaseCode() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(maps)) {
		// FROM-TO PERMISSIONS OFFSET DEVICE INODE PATH; only what cannot be written is
		// the same as in the file.
		f := strings.Fields(line)
		if len(f) != 6 || f[5] != program || !strings.HasPrefix(f[1], "r-") {
			continue
		}
		low, high, _ := strings.Cut(f[0], "-")
		from, err1 := strconv.ParseUint(low, 16, 64)
		to, err2 := strconv.ParseUint(high, 16, 64)
		if err1 == nil && err2 == nil && from < to {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(from), uintptr(to-from), syscall.MADV_DONTNEED)
		}
	}
}
