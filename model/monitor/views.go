package monitor

import (
	"fmt"
	"strings"
	"time"

	"applysim/model/slots"
	"applysim/model/timeline"
	"applysim/model/view"
	"applysim/wal"
)

// View is a view of one of the servers.
type View struct {
	Name string     `json:"name"`
	On   string     `json:"on"` // publisher or subscriber
	Rows *view.Rows `json:"rows"`
}

// Names are the names of the views.
var Names = []string{"pg_replication_slots", "pg_stat_replication_slots", "pg_stat_replication", "pg_stat_subscription", "pg_stat_subscription_stats"}

// rows makes rows of columns, each a name and, for numbers, " int".
func rows(columns string) *view.Rows {
	r := &view.Rows{Values: [][]any{}}
	for c := range strings.SplitSeq(columns, ", ") {
		name, number := strings.CutSuffix(c, " int")
		r.Columns = append(r.Columns, view.Column{Name: name, Number: number})
	}
	return r
}

// Views are all five.
func (m *Moment) Views() []View {
	return []View{
		{Names[0], "publisher", m.ReplicationSlots()}, {Names[1], "publisher", m.SlotCounters()}, {Names[2], "publisher", m.Replication()},
		{Names[3], "subscriber", m.Subscription()}, {Names[4], "subscriber", m.SubscriptionStats()},
	}
}

// firstXID is the next transaction id of a new publisher, about.
const firstXID = 750

// stamp is a time of the run as PostgreSQL writes it.
func (m *Moment) stamp(t float64) string {
	at := m.Time.Add(time.Duration((t - m.T) * 1e9)).UTC().Round(time.Microsecond)
	return at.Format("2006-01-02 15:04:05.999999") + "+00"
}

// lsnOrNull writes an LSN.
func lsnOrNull(l wal.LSN) any {
	if l == 0 {
		return nil
	}
	return fmt.Sprintf("%X/%X", uint32(l>>32), uint32(l))
}

// interval writes a lag as PostgreSQL does; NULL if it is not known.
func interval(s float64) any {
	if s < 0 {
		return nil
	}
	d := time.Duration(s * 1e9).Round(time.Microsecond)
	text := fmt.Sprintf("%02d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	if us := d.Microseconds() % 1e6; us > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%06d", us), "0")
	}
	return text
}

// ReplicationSlots is pg_replication_slots.
func (m *Moment) ReplicationSlots() *view.Rows {
	r := rows("slot_name, plugin, slot_type, datoid int, database, temporary, active, active_pid int, xmin int, catalog_xmin int, restart_lsn, confirmed_flush_lsn, " +
		"wal_status, safe_wal_size int, two_phase, two_phase_at, inactive_since, conflicting, invalidation_reason, failover, synced")
	for i := range m.Consumers {
		c := &m.Consumers[i]
		plugin, kind, conflicting := any("pgoutput"), "logical", any(false)
		xmin, confirmed := any(firstXID-1+int(c.CatalogXmin)), lsnOrNull(c.flushLSN)
		if c.Physical {
			plugin, kind, conflicting, xmin, confirmed = nil, "physical", nil, nil, nil
		}
		status, safe, since, cause := any(nil), any(nil), any(nil), any(nil)
		if c.Status != slots.None {
			status = string(c.Status)
		}
		if c.Safe != nil {
			safe = *c.Safe
		}
		if !c.active {
			since = m.stamp(c.inactive)
		}
		if c.cause != slots.Valid {
			cause = string(c.cause)
		}
		r.Values = append(r.Values, []any{c.Name, plugin, kind, nil, nil, false, c.active, nil, nil, xmin, lsnOrNull(c.restart), confirmed,
			status, safe, false, nil, since, conflicting, cause, false, false})
	}
	return r
}

// SlotCounters is pg_stat_replication_slots: logical slots have a row.
func (m *Moment) SlotCounters() *view.Rows {
	r := rows("slot_name, spill_txns int, spill_count int, spill_bytes int, stream_txns int, stream_count int, stream_bytes int, total_txns int, total_bytes int, stats_reset")
	for i := range m.Consumers {
		if c := &m.Consumers[i]; !c.Physical {
			n := &c.Counters
			r.Values = append(r.Values, []any{c.Name, n.SpillTxns, n.SpillCount, n.SpillBytes, n.StreamTxns, n.StreamCount, n.StreamBytes, n.TotalTxns, n.TotalBytes, nil})
		}
	}
	return r
}

// Replication is pg_stat_replication: a running walsender has a row.
func (m *Moment) Replication() *view.Rows {
	r := rows("pid int, usesysid int, usename, application_name, client_addr, client_hostname, client_port int, backend_start, backend_xmin int, state, " +
		"sent_lsn, write_lsn, flush_lsn, replay_lsn, write_lag, flush_lag, replay_lag, sync_priority int, sync_state, reply_time")
	for i := range m.Consumers {
		c := &m.Consumers[i]
		if !c.active || c.Limit == timeline.Away {
			continue
		}
		state := "streaming"
		if c.catchup {
			state = "catchup"
		}
		r.Values = append(r.Values, []any{nil, nil, nil, c.Name, nil, nil, nil, nil, nil, state,
			lsnOrNull(c.sentLSN), lsnOrNull(c.writeLSN), lsnOrNull(c.flushLSN), lsnOrNull(c.lsn), interval(c.writeLag), interval(c.flushLag), interval(c.replayLag),
			nil, nil, m.stamp(c.told)})
	}
	return r
}

// Subscription is pg_stat_subscription: a row for each subscription, and one for a parallel
// worker that has something to do.
func (m *Moment) Subscription() *view.Rows {
	r := rows("subid int, subname, worker_type, pid int, leader_pid int, relid int, received_lsn, last_msg_send_time, last_msg_receipt_time, latest_end_lsn, latest_end_time")
	for i := range m.Consumers {
		c := &m.Consumers[i]
		if !c.Subscription {
			continue
		}
		if !c.active {
			r.Values = append(r.Values, []any{nil, c.Name, nil, nil, nil, nil, nil, nil, nil, nil, nil})
			continue
		}
		r.Values = append(r.Values, []any{nil, c.Name, "apply", nil, nil, nil, lsnOrNull(c.received), m.stamp(m.T - c.ReplayLag), m.stamp(m.T), lsnOrNull(c.lsn), m.stamp(c.told)})
		if c.parallel {
			r.Values = append(r.Values, []any{nil, c.Name, "parallel apply", nil, nil, nil, nil, nil, nil, nil, nil})
		}
	}
	return r
}

// conflicts are the columns of conflicts.
var conflicts = []string{"insert_exists", "update_origin_differs", "update_exists", "update_missing", "delete_origin_differs", "delete_missing", "multiple_unique_conflicts"}

// SubscriptionStats is pg_stat_subscription_stats.
func (m *Moment) SubscriptionStats() *view.Rows {
	columns := "subid int, subname, apply_error_count int, sync_error_count int"
	for _, c := range conflicts {
		columns += ", confl_" + c + " int"
	}
	r := rows(columns + ", stats_reset")
	for i := range m.Consumers {
		c := &m.Consumers[i]
		if !c.Subscription {
			continue
		}
		row := []any{nil, c.Name, int64(0), int64(0)}
		for _, name := range conflicts {
			row = append(row, int64(c.Conflicts[name]))
		}
		r.Values = append(r.Values, append(row, nil))
	}
	return r
}
