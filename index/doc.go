// Package index models PostgreSQL's B-tree access method, nbtree: its pages and
// items byte for byte as far as their sizes go, descent and insertion, page
// splits with their choice of split point, suffix truncation, posting lists and
// deduplication, each with the WAL record that the real one writes.
//
// A leaf page, and what stands for it here:
//
//	+--------+---------------------+ ... +------------------------------+--------+
//	| page   | line pointers in    |     | items in order of arrival:   | B-tree |
//	| header | key order; first    |     | header 8, NULL bitmap 8 if   | special|
//	| 24     | the high key unless |     | any, columns; a posting list | space  |
//	|        | rightmost           |     | ends in its TIDs, 6 each     | 16     |
//	+--------+---------------------+ ... +------------------------------+--------+
//
// A page here has its items in order of arrival (16 bytes each: the first 8
// bytes of the key as a number that keeps the order, the heap TID or downlink, a
// reference), their key order as an array of numbers, and a slab with what does
// not fit into an item: longer keys, posting lists, pivots. Free space is kept
// as the real page has it. Most comparisons are of two integers; only ties look
// at the whole key.
//
// Reading order: options.go, key.go (formation and comparison), page.go,
// search.go, insert.go, split.go with split_location.go and sort.go, dedup.go,
// build.go (CREATE INDEX) with build_sort.go and build_leaf.go, then describe.go and
// check.go.
package index
