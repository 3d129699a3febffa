package storage

import "unsafe"

// hugePage is the size of a huge page on the machines where it matters.
const hugePage = 2 << 20

// Large returns an empty slice of capacity n for data that will grow to fill
// it. Where the operating system can back it with huge pages it is asked to:
// millions of row versions are touched once each, and with small pages the
// page faults alone can cost more than the simulation.
//
// The slice then begins with a huge page, so that what lies beside it is not touched
// with it. T must not contain pointers.
func Large[T any](n int) []T {
	var zero T
	size := unsafe.Sizeof(zero)
	if uintptr(n)*size < hugePage || hugePage%size != 0 {
		return make([]T, 0, n)
	}
	s := make([]T, n+int(hugePage/size))
	at := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	skip := (hugePage - at%hugePage) % hugePage / size
	advise(at+skip*size, uintptr(n)*size)
	return s[skip : skip : int(skip)+n]
}
