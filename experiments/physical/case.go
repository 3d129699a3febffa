package physical

import "applysim/experiments/server"

// Shipped is what a run has shipped to a physical standby and to a subscription. CPU is in
// seconds, by process.
type Shipped struct {
	Server        string                   `json:"server"`
	Cores         int                      `json:"cores"`
	Date          string                   `json:"date"`
	Start         string                   `json:"start_lsn"`
	End           string                   `json:"end_lsn"`
	Backlog       bool                     `json:"backlog,omitempty"` // the receivers were away meanwhile
	Transactions  int                      `json:"transactions"`
	SentBytes     uint64                   `json:"sent_bytes"` // that the standby's sent_lsn has moved by
	SubscriberWAL uint64                   `json:"subscriber_wal"`
	CPU           map[string]float64       `json:"cpu"`
	Physical      map[string]server.Passed `json:"physical"` // by kind of message
	Logical       map[string]server.Passed `json:"logical"`
	Records       map[string]Records       `json:"records"` // of the publisher's WAL
}

// Records are WAL records of a type.
type Records struct {
	Count  int64 `json:"count"`
	Bytes  int64 `json:"bytes"`
	Images int64 `json:"image_bytes"`
}
