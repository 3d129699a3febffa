// Package timeline has runs of a real publisher and subscriber whose views were sampled
// in time, and compares them with the simulated pipeline.
//
// A run is a scenario (run.toml) with the samples that `record` (in the folder of that
// name) took of pg_stat_replication, pg_replication_slots, pg_stat_subscription and
// pg_replication_origin_status, and of the CPU that walsender and worker took.
//
// The run calibrate says what the workers of the others wait for each change, as a trigger
// there sleeps: the pace of these runs depends little on how busy their machine was;
// no figure of the others is used for that.
//
// Reading order: case.go, compare.go.
package timeline
