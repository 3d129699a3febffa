// Package partition routes rows to the partitions of a table, by range, list or
// hash, as ExecFindPartition does.
//
// A Router knows the partitions of one table; a partition that is partitioned
// itself has a Router of its own. Rows are values as stored, one per column of the
// partitioned table; those of the partition key must be plain (not compressed, not
// out of line).
//
// Bounds that are no constants are evaluated once, in New, as the server does when
// the partition is made. Hash partitioning knows the types whose hash functions work
// on integers, floating-point numbers and strings; any other one (numeric, enums,
// arrays) is an error of New.
//
// Read router.go; hash.go has the hash functions.
package partition
