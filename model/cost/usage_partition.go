package cost

import (
	"math/bits"

	"applysim/model/apply"
	"applysim/model/schema"
)

// partitions adds the work on partitioned tables and the way of rows to their partitions
// (apply_handle_tuple_routing): the tables between the published one and the partition are
// opened anew for each change, and a partition's constraint is read and prepared for each
// row that it is checked for.
func (u *Usage) partitions(w *apply.Worker, tables []apply.TableState) {
	published := map[*schema.Table]*apply.TableState{}
	above := w.PartitionedTables()
	for i := range above {
		p := &above[i]
		if p.Counters.Opened == 0 {
			continue
		}
		published[p.Schema] = p
		name, c := w.Log().Name(p.Rel), p.Counters
		u.add(firstTable, name, Dispatch, c.Maps)
		u.add(firstColumn, name, Dispatch, c.Maps*columnsOf(p.Schema))
		u.add(termLockTable, name, Dispatch, c.Locked)
		u.add(termSlotColumn, name, Dispatch, c.Read*columnsOf(p.Schema))
		u.add(termChange, name, Dispatch, c.Opened)
		u.add(termRoute, name, Dispatch, c.Opened)
		u.add(termRouteSetUp, name, RouteSetUp, c.Opened)
		u.add(firstSibling, name, RouteSetUp, int64(len(p.Schema.Children)))
		u.add(firstKey, name, RouteSetUp, int64(len(p.Schema.Partition.Keys)))
	}
	between := map[*schema.Table]bool{}
	for i := range tables {
		t := &tables[i]
		if t.Schema.Bound == nil {
			continue
		}
		name, c, h := w.Log().Name(t.Rel), t.Counters, t.Heap.Counters
		// The constraint is prepared once for a change: where the row is stored, or where it is
		// updated by way of a partitioned table, which asks whether it stays; and for a row of a
		// default partition where its partition is looked for (ExecFindPartition).
		checks := h.Inserts + h.Updates
		if c.Routed > 0 {
			checks = h.Inserts + c.Merged
			u.add(firstPartition, name, Route, 1)
			u.add(firstColumn, name, Route, columnsOf(t.Schema))
			u.add(termRouteColumn, name, Dispatch, c.Routed*columnsOf(t.Schema))
			// logicalrep_partition_open, which inserts do without.
			u.add(firstEntry, name, Dispatch, min(c.Merged+h.Deletes, 1))
			if !sameColumns(t.Schema, published) {
				u.add(termConvert, name, Dispatch, c.Routed*columnsOf(t.Schema))
			}
		}
		for at := t.Schema; at.Parent != nil && c.Routed > 0; at = at.Parent {
			p := at.Parent
			if at.Bound.Default {
				checks += c.Routed
			}
			u.add(termRouted, name, Route, c.Routed)
			u.add(termReleaseLock, name, Commit, c.Locked)
			if p.Partition.By == "hash" {
				u.add(termRouteHash, name, Route, c.Routed*int64(len(p.Partition.Keys)))
			} else {
				u.add(termRouteBound, name, Route, c.Routed*int64(bits.Len(uint(len(p.Children)))))
			}
			if published[p] != nil {
				break
			}
			u.add(termRouteColumn, name, Route, c.Routed*columnsOf(p))
			u.add(termLockTable, name, Route, c.Locked)
			if !between[p] {
				between[p] = true
				u.add(firstLevel, name, Route, 1)
				u.add(firstSibling, name, Route, int64(len(p.Children)))
				u.add(firstKey, name, Route, int64(len(p.Partition.Keys)))
			}
		}
		u.add(firstQual, name, PartitionCheck, min(checks, 1))
		u.add(termPartitionCheck, name, PartitionCheck, checks)
		u.add(termPartitionNode, name, PartitionCheck, checks*partitionNodes(t.Schema))
	}
}

// columnsOf is how many columns a table has.
func columnsOf(t *schema.Table) int64 {
	n := int64(0)
	for i := range t.Columns {
		if !t.Columns[i].Dropped {
			n++
		}
	}
	return n
}

// sameColumns says whether a partition has its columns in the places in which the published
// table above it has them.
func sameColumns(t *schema.Table, published map[*schema.Table]*apply.TableState) bool {
	p := t.Parent
	for p.Parent != nil && published[p] == nil {
		p = p.Parent
	}
	if len(p.Columns) != len(t.Columns) {
		return false
	}
	for i := range t.Columns {
		if t.Columns[i].Dropped != p.Columns[i].Dropped || t.Columns[i].Name != p.Columns[i].Name {
			return false
		}
	}
	return true
}

// partitionNodes is the number of nodes of a partition's constraint, those of the tables
// above it included (get_qual_from_partbound).
func partitionNodes(t *schema.Table) int64 {
	n := int64(0)
	for ; t.Parent != nil; t = t.Parent {
		n += boundNodes(t.Parent, t)
	}
	return n
}

// Nodes of the parts of a bound's constraint.
const (
	nodesNotNull = 2 // NullTest and Var
	nodesCompare = 3 // OpExpr, Var and Const
)

// boundNodes is the number of nodes that a partition's own bound amounts to.
func boundNodes(p, t *schema.Table) int64 {
	keys := len(p.Partition.Keys)
	switch b := t.Bound; {
	case b.Default:
		// NOT: none of what the others hold.
		n := int64(1)
		for _, o := range p.Children {
			if o != t {
				n += boundNodes(p, o)
				if p.Partition.By == "list" {
					n -= nodesNotNull + nodesCompare - 1 // one array of all values
				}
			}
		}
		if p.Partition.By == "list" {
			n += nodesNotNull + nodesCompare
		}
		return n
	case p.Partition.By == "hash":
		return int64(4 + keys) // satisfies_hash_partition(table, modulus, remainder, key...)
	case p.Partition.By == "list":
		if len(b.In) == 1 {
			return nodesNotNull + nodesCompare
		}
		return int64(nodesNotNull + nodesCompare + len(b.In))
	default:
		n := nodesNotNull * keys
		for _, end := range [][]schema.BoundValue{b.From, b.To} {
			for _, v := range end {
				if !v.MinValue && !v.MaxValue {
					n += nodesCompare
				}
			}
		}
		return int64(n)
	}
}
