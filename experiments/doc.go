// Package experiments holds reproducible experiments in its subpackages, and
// here the benchmarks of the whole way from a stream to the report.
package experiments
