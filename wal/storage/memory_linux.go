package storage

import "syscall"

// madvHugepage is MADV_HUGEPAGE of madvise(2).
const madvHugepage = 14

// advise asks for huge pages for the memory from at on, size bytes, rounded
// outwards. It is a hint: that it fails is of no consequence.
func advise(at, size uintptr) {
	from := at &^ (hugePage - 1)
	to := (at + size + hugePage - 1) &^ (hugePage - 1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, madvHugepage)
}
