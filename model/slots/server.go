package slots

import (
	"math"

	"applysim/wal"
)

// Server is a publisher's WAL on disk and its slots.
type Server struct {
	Settings
	Written wal.LSN // end of the WAL
	Redo    wal.LSN // redo pointer of the last checkpoint, or of the one that is under way
	Slots   []*Slot

	removed  uint64  // the last segment that was removed
	ahead    uint64  // the last one that was recycled for later use
	ended    wal.LSN // redo pointer of the last checkpoint that has ended
	distance float64 // CheckPointDistanceEstimate
}

// NewServer is a server whose WAL is at a position, just after a checkpoint.
func NewServer(s Settings, at wal.LSN) *Server {
	v := &Server{Settings: s, Written: at, Redo: at, ended: at}
	if first := v.segment(at); first > 0 {
		v.removed = first - 1
	}
	v.ahead = v.segment(at)
	return v
}

func (v *Server) segment(l wal.LSN) uint64 { return uint64(l) / v.SegmentSize }

// segments is a size in whole segments.
func (v *Server) segments(size uint64) uint64 { return size / v.SegmentSize }

// required is the oldest WAL that a slot needs, 0 if none needs any.
func (v *Server) required() wal.LSN {
	var least wal.LSN
	for _, s := range v.Slots {
		if s.Restart != 0 && (s.Invalidated == Valid) && (least == 0 || s.Restart < least) {
			least = s.Restart
		}
	}
	return least
}

// keep is the oldest segment that must be kept when the WAL ends at end, if otherwise it
// were segment.
func (v *Server) keep(end wal.LSN, segment uint64) uint64 {
	current := v.segment(end)
	oldest := current
	if need := v.required(); need != 0 && need < end {
		oldest = v.segment(need)
		if v.MaxSlotKeepSize >= 0 {
			if most := v.segments(uint64(v.MaxSlotKeepSize)); current-oldest > most {
				oldest = current - most
			}
		}
	}
	if v.KeepSize > 0 {
		if n := v.segments(v.KeepSize); current-oldest < n {
			if oldest = 1; current > n {
				oldest = current - n
			}
		}
	}
	return min(oldest, segment)
}

// Status is what pg_replication_slots says of a slot's WAL.
type Status string

// The values of wal_status.
const (
	None       Status = "" // NULL: the slot reserves no WAL
	Reserved   Status = "reserved"
	Extended   Status = "extended"
	Unreserved Status = "unreserved"
	Lost       Status = "lost"
)

// availability is GetWALAvailability's answer.
func (v *Server) availability(target wal.LSN) Status {
	if target == 0 {
		return None
	}
	current := v.segment(v.Written)
	kept := v.keep(v.Written, current)
	byMaxWAL := uint64(1)
	if n := v.segments(v.MaxWALSize) + 1; current > n {
		byMaxWAL = current - n
	}
	switch s := v.segment(target); {
	case s >= kept && s >= byMaxWAL:
		return Reserved
	case s >= kept:
		return Extended
	case s >= v.removed+1:
		return Unreserved
	}
	return Lost
}

// Status is a slot's wal_status and safe_wal_size; the latter is nil where it is NULL.
func (v *Server) Status(s *Slot) (status Status, safe *int64) {
	status = Lost
	if s.Invalidated == Valid {
		status = v.availability(s.Restart)
		if status == Lost && s.Restart != 0 && s.Active {
			status = Unreserved // its walsender lives, and may have gone on by now
		}
	}
	if status == Lost || v.MaxSlotKeepSize < 0 {
		return status, nil
	}
	fail := v.segment(s.Restart) + max(v.segments(uint64(v.MaxSlotKeepSize)), v.segments(v.KeepSize)) + 1
	n := int64(fail*v.SegmentSize) - int64(v.Written)
	return status, &n
}

// checkpointSegments is after how many segments WAL asks for a checkpoint.
func (v *Server) checkpointSegments() uint64 {
	return uint64(max(math.Floor(float64(v.segments(v.MaxWALSize))/(1+v.CompletionTarget)), 1))
}

// CheckpointAt is the position at which the WAL asks for the next checkpoint: the end of
// a segment.
func (v *Server) CheckpointAt() wal.LSN {
	n := v.segment(v.Redo) + v.checkpointSegments()
	return wal.LSN(n * v.SegmentSize)
}

// Checkpoint ends a checkpoint that began at redo, when the WAL ends at Written. It
// returns the slots that are invalidated.
func (v *Server) Checkpoint(now float64, redo wal.LSN) []*Slot {
	nbytes := float64(redo - v.ended)
	if v.distance < nbytes {
		v.distance = nbytes
	} else {
		v.distance = float64(0.9*v.distance) + float64(0.1*nbytes)
	}
	v.Redo, v.ended = redo, redo
	oldest := v.keep(v.Written, v.segment(redo))
	lost := v.invalidate(now, wal.LSN(oldest*v.SegmentSize))
	if len(lost) > 0 {
		oldest = v.keep(v.Written, v.segment(redo))
	}
	if oldest > 0 {
		v.remove(oldest - 1)
	}
	return lost
}

// invalidate gives up slots that need WAL before oldest, or have been idle for too long.
func (v *Server) invalidate(now float64, oldest wal.LSN) []*Slot {
	var lost []*Slot
	for _, s := range v.Slots {
		switch {
		case s.Invalidated != Valid:
			continue
		case s.Restart != 0 && s.Restart < oldest:
			s.Invalidated, s.Restart = WALRemoved, 0
		case v.IdleTimeout > 0 && s.Restart != 0 && !s.Active && now-s.InactiveSince >= v.IdleTimeout.Seconds():
			s.Invalidated = IdleTimeout
		default:
			continue
		}
		s.Active = false
		lost = append(lost, s)
	}
	return lost
}

// remove removes segments up to last, or makes later ones of them.
func (v *Server) remove(last uint64) {
	if last <= v.removed {
		return
	}
	end := v.segment(v.Written)
	v.ahead = max(v.ahead, end)
	slop := math.Ceil((float64(v.Redo) + float64(float64((1+v.CompletionTarget)*v.distance)*1.1)) / float64(v.SegmentSize))
	base := v.segment(v.Redo)
	least, most := base+v.segments(minWALSize)-1, base+v.segments(v.MaxWALSize)-1
	until := min(max(uint64(slop), least), most)
	for range last - v.removed {
		if v.ahead >= until {
			break
		}
		v.ahead++
	}
	v.removed = last
}

// minWALSize is min_wal_size's default.
const minWALSize = 80 << 20

// Size is how much disk the WAL takes.
func (v *Server) Size() uint64 {
	return (max(v.ahead, v.segment(v.Written)) - v.removed) * v.SegmentSize
}

// Retained is how much WAL there is from a slot's restart_lsn on, 0 if it keeps none.
func (v *Server) Retained(s *Slot) uint64 {
	if s.Restart == 0 || s.Invalidated != Valid {
		return 0
	}
	return uint64(v.Written - s.Restart)
}
