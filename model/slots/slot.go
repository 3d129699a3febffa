package slots

import "applysim/wal"

// Cause is why a slot was invalidated, as pg_replication_slots.invalidation_reason says
// it.
type Cause string

// The causes that are modelled.
const (
	Valid       Cause = ""
	WALRemoved  Cause = "wal_removed"
	IdleTimeout Cause = "idle_timeout"
)

// Slot is a replication slot.
type Slot struct {
	Name     string
	Physical bool
	// Restart is restart_lsn, 0 if the slot keeps no WAL; Confirmed is
	// confirmed_flush_lsn.
	Restart, Confirmed wal.LSN
	// CatalogXmin is catalog_xmin, counted without wrapping around; 0 for a physical slot.
	CatalogXmin int64
	Active      bool
	// InactiveSince is inactive_since in seconds, of an inactive slot.
	InactiveSince float64
	Invalidated   Cause

	// What becomes restart_lsn and catalog_xmin once valid is confirmed.
	candidate struct {
		restart, restartValid wal.LSN
		xmin                  int64
		xminValid             wal.LSN
	}
}

// Open is a transaction that was open when a running-xacts record was written. Restart is
// the last such record before its first change that the slot's decoder has seen, 0 if it
// has seen none.
type Open struct{ Restart wal.LSN }

// Running is told of a running-xacts record at lsn that the slot's decoder has come to.
// oldest is the oldest transaction that is still open, nil if none is. xmin is the oldest
// running transaction's id.
func (s *Slot) Running(lsn wal.LSN, oldest *Open, xmin int64) {
	if s.Invalidated != Valid || s.Physical {
		return
	}
	s.raiseXmin(lsn, xmin)
	switch {
	case oldest == nil: // a snapshot was written for this very record
		s.raiseRestart(lsn, lsn)
	case oldest.Restart != 0:
		s.raiseRestart(lsn, oldest.Restart)
	}
}

func (s *Slot) raiseXmin(lsn wal.LSN, xmin int64) {
	c := &s.candidate
	switch {
	case xmin <= s.CatalogXmin:
	case lsn <= s.Confirmed:
		c.xmin, c.xminValid = xmin, lsn
		s.Confirm(s.Confirmed)
	case c.xminValid == 0:
		c.xmin, c.xminValid = xmin, lsn
	}
}

func (s *Slot) raiseRestart(lsn, restart wal.LSN) {
	c := &s.candidate
	switch {
	case restart <= s.Restart:
	case lsn <= s.Confirmed:
		c.restart, c.restartValid = restart, lsn
		s.Confirm(s.Confirmed)
	case c.restartValid == 0: // an earlier candidate must be used first
		c.restart, c.restartValid = restart, lsn
	}
}

// Confirm is told how far the consumer has flushed.
func (s *Slot) Confirm(lsn wal.LSN) {
	if s.Invalidated != Valid {
		return
	}
	s.Confirmed = max(s.Confirmed, lsn)
	if s.Physical {
		s.Restart = s.Confirmed
		return
	}
	c := &s.candidate
	if c.xminValid != 0 && c.xminValid <= lsn {
		s.CatalogXmin, c.xmin, c.xminValid = c.xmin, 0, 0
	}
	if c.restartValid != 0 && c.restartValid <= lsn {
		s.Restart, c.restart, c.restartValid = c.restart, 0, 0
	}
}

// Next is the next position whose confirmation moves restart_lsn into another segment of
// so many bytes, or moves catalog_xmin; 0 if none is known.
func (s *Slot) Next(segment uint64) wal.LSN {
	if s.Invalidated != Valid {
		return 0
	}
	if s.Physical {
		return wal.LSN((uint64(s.Confirmed)/segment + 1) * segment)
	}
	c := &s.candidate
	if c.xminValid != 0 && (c.restartValid == 0 || c.xminValid < c.restartValid) {
		return c.xminValid
	}
	return c.restartValid
}
