package pipeline

import (
	"math"

	"applysim/model/cost"
)

// PhysicalRates price a physical standby and the walsender that serves it, in seconds of
// a core of the machine of profile x86-64.
type PhysicalRates struct {
	Send        cost.Rate `json:"send"` // the walsender, for a message that it sends or a reply that it gets
	SendByte    cost.Rate `json:"send_byte"`
	Receive     cost.Rate `json:"receive"` // the walreceiver, for a message that it gets or a reply that it sends
	ReceiveByte cost.Rate `json:"receive_byte"`
	Wake        cost.Rate `json:"wake"`   // the startup process, for a message that it is woken up for
	Replay      cost.Rate `json:"replay"` // and for a record
}

// Physical are the rates that package experiments/physical has found (its TestRates holds
// them together): the CPU of real processes in recorded runs, divided by how much longer
// the apply worker took there than the profile says. Measured and fitted values of single
// runs differ by up to half.
func Physical() *PhysicalRates {
	rate := func(name string, v float64) cost.Rate {
		return cost.Rate{Name: name, Unit: "s", Value: v, Kind: cost.Calibrated, From: "experiments/physical, nine runs of PostgreSQL 18.1"}
	}
	return &PhysicalRates{
		Send: rate("send a message", 9.07e-6), SendByte: rate("send a byte", 0.313e-9), Receive: rate("receive a message", 12.54e-6),
		ReceiveByte: rate("receive a byte", 0.347e-9), Wake: rate("wake up the startup process", 26.0e-6), Replay: rate("replay a record", 0.345e-6),
	}
}

// replay is what a transaction takes a startup process that is awake.
func (r *PhysicalRates) replay(op *Operation) float64 { return float64(op.Records * r.Replay.Value) }

// MaxSend is the most WAL that a message to a standby has. Source: REL_18_1,
// src/backend/replication/walsender.c, MAX_SEND_SIZE.
const MaxSend = 16 * 8192

// PhysicalMessages are those that a transaction takes at most, each sent when it is
// flushed.
func PhysicalMessages(wal float64) float64 { return max(math.Ceil(wal/MaxSend), 1) }
