// Package scenarios makes the workloads whose CPU seconds were measured on a real
// subscription (recorded.csv), applies them to a simulated subscriber and says what
// work they made.
//
// They are the insert workload of the published figures in variants (indexes, format,
// rows a transaction, width of the payload), updates by key with and without HOT,
// deletes, and updates by REPLICA IDENTITY FULL with and without an index. Rows are
// random where the original ones are hashes.
package scenarios
