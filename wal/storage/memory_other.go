//go:build !linux

package storage

// advise does nothing where there is no way to ask for huge pages.
func advise(at, size uintptr) {}
