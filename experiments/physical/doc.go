// Package physical compares what the model says of the same changes shipped both ways, to a
// physical standby and to a subscription, with real servers.
//
// A run is a scenario (run.toml); shipped.json is what `record` (in the folder of that
// name) has counted: bytes and messages that passed, CPU of the processes at both ends,
// the publisher's WAL records by type.
//
// Reading order: case.go, compare.go.
package physical
