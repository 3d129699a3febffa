package recorded

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Record is one line of records.tsv.gz.
type Record struct {
	Manager, Type, Relation, Fork, Block string
	Length, FPI                          int

	aside   bool // the COMMIT of a transaction that has changed catalogs alone; see markCatalogs
	foreign bool // of an index that is left out; see markForeign
}

// Line gives the record's seven columns, separated by tabs.
func (r Record) Line() string {
	return strings.Join([]string{
		r.Manager, r.Type, r.Relation, r.Fork, r.Block, strconv.Itoa(r.Length), strconv.Itoa(r.FPI),
	}, "\t")
}

// Background says whether a record belongs to no change: the work of other
// processes, and of the worker on the catalogs.
func (r Record) Background() bool {
	if r.aside || r.foreign {
		return true
	}
	switch r.Manager {
	case "Standby", "Storage", "ReplicationOrigin":
		return true
	case "XLOG":
		if strings.HasPrefix(r.Type, "CHECKPOINT_") {
			return true
		}
	case "Heap2":
		if r.Type == "NEW_CID" {
			return true
		}
	case "Transaction":
		if r.Type == "INVALIDATION" || r.Type == "ASSIGNMENT" {
			return true
		}
	}
	return strings.HasPrefix(r.Relation, "pg_") && !strings.HasPrefix(r.Relation, "pg_toast_")
}

// catalogWork says whether a record is of a change of the catalogs, which its transaction
// tells others of.
func (r *Record) catalogWork() bool {
	return r.Type == "NEW_CID" || r.Type == "INVALIDATION" || r.catalog() && (r.Manager == "Heap" || strings.HasPrefix(r.Type, "MULTI_INSERT"))
}

// Invalidation messages make a COMMIT longer: their number, then 16 bytes each.
// Source: REL_18_1, src/include/access/xact.h, xl_xact_invals, and
// src/include/storage/sinval.h.
const (
	invalidationCount   = 4
	invalidationMessage = 16
	// databaseInfo is what tells whose database they are for, which a COMMIT has in any
	// case at wal_level = logical (xl_xact_dbinfo).
	databaseInfo = 8
	// commitFlags say what a COMMIT has beside its time, and bareCommit is the length of one
	// that has nothing (xl_xact_xinfo).
	commitFlags = 4
	bareCommit  = 34
	// longHeader is how much longer the header of main data beyond 255 bytes is.
	longHeader = 3
)

// invalidations says whether a COMMIT's or PREPARE's extra length is that of
// invalidation messages, which come from work on the catalogs. With them a COMMIT may
// need the long header of main data; the header of a PREPARE counts them anyway. bare says
// that the COMMIT has nothing else that needs its flags.
func invalidations(record string, extra int, logical, bare bool) bool {
	messages := extra
	if record != "PREPARE" {
		messages -= invalidationCount
		if !logical {
			messages -= databaseInfo
		}
		if bare {
			messages -= commitFlags
		}
	}
	return messages > 0 && (messages%invalidationMessage == 0 || (messages-longHeader)%invalidationMessage == 0)
}

// foreign says whether what an index of an access method writes is only estimated.
func foreign(method string) bool { return method != "btree" && method != "brin" }

// markForeign marks the records of indexes whose writing is only estimated.
func markForeign(records []Record, e *Expected) {
	names := map[string]bool{}
	for _, t := range e.Tables {
		indexes, _ := t["indexes"].(map[string]any)
		for name, x := range indexes {
			if x, ok := x.(map[string]any); ok {
				method, _ := x["am"].(string)
				names[name] = foreign(method)
			}
		}
	}
	for i := range records {
		r := &records[i]
		r.foreign = names[r.Relation] || slices.Contains([]string{"Gin", "Gist", "Hash", "SPGist"}, r.Manager)
	}
}

func parseRecord(line string) (Record, error) {
	f := strings.Split(line, "\t")
	if len(f) != 7 {
		return Record{}, fmt.Errorf("%d columns, expected 7", len(f))
	}
	length, err1 := strconv.Atoi(f[5])
	fpi, err2 := strconv.Atoi(f[6])
	if err1 != nil || err2 != nil {
		return Record{}, fmt.Errorf("lengths %q and %q, expected numbers", f[5], f[6])
	}
	return Record{Manager: f[0], Type: f[1], Relation: f[2], Fork: f[3], Block: f[4], Length: length, FPI: fpi}, nil
}

// Recorded says whether the folder has the recorded results to compare with.
func (c *Case) Recorded() bool {
	for _, name := range []string{"records.tsv.gz", "expected.json"} {
		if _, err := fs.Stat(c.fsys, path.Join(c.dir, name)); err != nil {
			return false
		}
	}
	return true
}
