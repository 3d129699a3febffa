package pipeline

import (
	"fmt"
	"math"
	"sort"

	"applysim/model/scenario"
	"applysim/model/slots"
	"applysim/model/timeline"
)

// Kept is what slots keep in a run, and when somebody should be told.
type Kept struct {
	SchemaVersion int      `json:"schema_version"`
	Scenario      string   `json:"scenario"`
	EndS          float64  `json:"end_s"`
	Moments       []Moment `json:"moments"`
	Events        []Event  `json:"events"` // of slots and the disk
	// MostWAL is the most WAL that is written within ReactS.
	MostWAL float64 `json:"most_wal_bytes_within_react"`
	// Limit is how much WAL a slot can keep before it is lost or the disk is full; 0 if
	// there is no limit. Alert is at how much somebody must be told to have ReactS left
	// at the run's worst; 0 if no amount is early enough, or none is needed.
	LimitBytes  float64  `json:"limit_bytes"`
	ReactS      float64  `json:"react_s"`
	AlertBytes  float64  `json:"alert_bytes"`
	Advice      []string `json:"advice"`
	Assumptions []string `json:"assumptions"`
	DiskFullS   *float64 `json:"disk_full_s"`
}

// Bad says whether a slot is lost or the disk full.
func (k *Kept) Bad() bool {
	for _, e := range k.Events {
		if e.What == string(timeline.Invalidated) || e.What == string(timeline.DiskFull) {
			return true
		}
	}
	return false
}

// Keep picks what slots keep from a report.
func Keep(r *Report, s *scenario.Scenario, react float64) *Kept {
	k := &Kept{SchemaVersion: 1, Scenario: r.Scenario, EndS: r.EndS, Moments: r.Moments, ReactS: react, Assumptions: r.Assumptions, Events: []Event{}}
	for _, e := range r.Events {
		switch timeline.EventKind(e.What) {
		case timeline.WALStatus, timeline.Invalidated, timeline.Stopped, timeline.Started:
			k.Events = append(k.Events, e)
		case timeline.DiskFull:
			k.Events = append(k.Events, e)
			t := e.T
			k.DiskFullS = &t
		}
	}
	say := func(format string, args ...any) { k.Advice = append(k.Advice, fmt.Sprintf(format, args...)) }
	set := slots.DefaultSettings()
	free := math.Inf(1)
	if p := s.Publisher; p != nil {
		set = p.Settings
		if p.Disk > 0 {
			free = float64(p.Disk - p.DiskUsed)
		}
	}
	limit, what := free, "the disk is full and the publisher stops"
	if n := float64(set.MaxSlotKeepSize); set.MaxSlotKeepSize >= 0 && n < limit {
		limit, what = n, "the slot is lost (max_slot_wal_keep_size)"
	}
	if math.IsInf(limit, 1) {
		say("Nothing limits what a slot keeps: max_slot_wal_keep_size is not set, and the scenario does not say how large the disk is ([publisher] disk).")
		return k
	}
	k.LimitBytes = limit
	k.MostWAL = most(r.written, react)
	say("A slot can keep %.1f GB of WAL before %s. The most that is written within %.3g h of this run is %.1f GB.", limit/(1<<30), what, react/3600, k.MostWAL/(1<<30))
	alert := limit - k.MostWAL
	if alert <= 0 {
		say("That is more: for a remedy that takes so long no alert comes early enough.")
		return k
	}
	k.AlertBytes = alert
	say("Alert when pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) of a slot exceeds %.0f (%.1f GB): at least %.3g h are left then.", alert, alert/(1<<30), react/3600)
	return k
}

// most is the most WAL that is written within a time: the WAL grows in straight lines
// between marks, so that the time begins or ends at one.
func most(marks []mark, within float64) float64 {
	at := func(t float64) float64 {
		i := sort.Search(len(marks), func(i int) bool { return marks[i].t >= t })
		switch {
		case i == 0:
			return marks[0].wal
		case i == len(marks):
			return marks[i-1].wal
		}
		a, b := marks[i-1], marks[i]
		return a.wal + float64((b.wal-a.wal)*((t-a.t)/(b.t-a.t)))
	}
	greatest := 0.0
	for _, m := range marks {
		greatest = max(greatest, at(m.t+within)-m.wal, m.wal-at(m.t-within))
	}
	return greatest
}
