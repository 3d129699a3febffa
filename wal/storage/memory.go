package storage

import "unsafe"

// hugePage is the size of a huge page on the machines where it matters.
const hugePage = 2 << 20

// Large returns an empty slice of capacity n for data that will grow to fill
// it. Where the operating system can back it with huge pages it is asked to:
// millions of row versions are touched once each, and with small pages the
// page faults alone can cost more than the simulation.
func Large[T any](n int) []T {
	s := make([]T, n)
	if uintptr(n)*unsafe.Sizeof(s[0]) >= hugePage {
		advise(uintptr(unsafe.Pointer(&s[0])), uintptr(n)*unsafe.Sizeof(s[0]))
	}
	return s[:0]
}
