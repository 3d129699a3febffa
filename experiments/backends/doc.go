// Package backends has workloads that a publisher's session runs, the CPU seconds that a real
// backend took for them, and what the simulator says that it had to do: what the rates of
// backends in a profile are fitted to.
//
// Each workload is one session of the simple protocol on a server that nobody else uses, on
// the loopback: a statement is sent when the one before is done. Of the backend the CPU time
// is taken before and after, user and system by themselves; of its work the simulator counts
// instructions (model/backend), messages, commits, WAL and pages.
//
// go run ./experiments/backends/measure makes seconds.json.gz anew; go run
// ./experiments/profiles fits the rates to it.
//
// Reading order: workloads.go, work.go, recorded.go.
package backends
