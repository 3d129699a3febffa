package server

import (
	"fmt"
	"slices"
	"strings"
)

// forks are the names of a relation's forks by number.
var forks = []string{"main", "fsm", "vm", "init"}

// reference is a block reference of a record.
type reference struct{ file, fork, block string }

// firstReference reads the first block reference in a text of PostgreSQL 15's
// pg_walinspect, which has no function that lists them:
//
//	blkref #0: rel 1663/16384/16390 fork main blk 7 (FPW); hole: ...
//
// A record without references has none.
func firstReference(text string) (r reference, ok bool, err error) {
	if text == "" {
		return r, false, nil
	}
	var id int
	var space, database, file, block int64
	var fork string
	if _, err := fmt.Sscanf(text, "blkref #%d: rel %d/%d/%d fork %s blk %d", &id, &space, &database, &file, &fork, &block); err != nil {
		return r, false, fmt.Errorf("block reference %q: %w", shortened(text), err)
	}
	n := slices.Index(forks, fork)
	if n < 0 {
		return r, false, fmt.Errorf("block reference %q: fork %q, expected one of %s", shortened(text), fork, strings.Join(forks, ", "))
	}
	return reference{fmt.Sprint(file), fmt.Sprint(n), fmt.Sprint(block)}, true, nil
}

// recordsBefore16 is records for PostgreSQL 15.
func (r *recording) recordsBefore16(names map[string]string, end string) ([][]string, error) {
	list, err := r.sub.Query("select resource_manager, record_type, record_length, fpi_length, coalesce(block_ref, '') from pg_get_wal_records_info('" +
		r.start.StartLSN + "', '" + end + "')")
	if err != nil {
		return nil, err
	}
	records := make([][]string, len(list))
	for i, x := range list {
		records[i] = []string{x[0], x[1], "-", "-", "-", x[2], x[3]}
		ref, ok, err := firstReference(x[4])
		if err != nil {
			return nil, err
		}
		if ok {
			copy(records[i][2:], []string{named(names, ref.file), ref.fork, ref.block})
		}
	}
	return records, nil
}

// named is the name of a relation by its file; that of one that is gone is a question
// mark and the file's.
func named(names map[string]string, file string) string {
	if name := names[file]; name != "" {
		return name
	}
	return "?" + file
}
