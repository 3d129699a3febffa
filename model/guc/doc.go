// Package guc has the settings of a server (grand unified configuration) that change what a
// subscriber writes, by their names in PostgreSQL, with units, ranges and defaults; the ones
// that are known to change nothing here; and the server's version.
//
// Reading order: settings.go, vacuum.go, autovacuum.go, units.go (after guc.c), ignored.go.
package guc
