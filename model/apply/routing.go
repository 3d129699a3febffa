package apply

// Tuple routing, after apply_handle_tuple_routing and execPartition.c.

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/model/partition"
	"applysim/wal/storage"
)

// route is how rows of a partitioned table that changes arrive for get to one of
// the tables below it.
type route struct {
	relation *relation // the partition in the place of the published table; nil unless it is a leaf
	from     []int     // for each of its columns the partitioned table's, -1 if dropped
	same     bool      // both have the same columns in the same places
}

// addRouter prepares a table for routing, once all tables are there.
func (w *Worker) addRouter(t *table) {
	for _, c := range t.schema.Children {
		if child := w.bySchema[c]; child != nil && t.schema.Kind == 'p' {
			t.partitions = append(t.partitions, child)
			child.parent = t
		}
	}
	if t.schema.Kind != 'p' {
		return
	}
	r, err := partition.New(t.schema, w.exprOptions("the partition key of "+t.schema.QualifiedName()))
	if err != nil {
		t.unsupported = err.Error()
		return
	}
	for _, typ := range r.Numbered() {
		reason := fmt.Sprintf("hash partitions by type %s: the OIDs of enum labels, by which they are hashed, are a server's own", typ)
		if w.opts.Exact {
			t.unsupported = reason
			return
		}
		w.assumed(t.schema.QualifiedName(), "labels", "", reason)
	}
	t.router = r
}

// partition finds the partition for the row in w.values, whose columns are in the
// order of r's local table, and brings them into the order of the partition's
// (ExecFindPartition).
func (w *Worker) partition(r *relation) (*relation, error) {
	t := r.local
	values := w.values
	for {
		n, err := t.router.Partition(plainColumns(t, values, t.router.Columns()))
		if err != nil {
			return nil, w.evalError(err)
		}
		if n < 0 {
			return nil, &StopError{
				Message: w.message, Text: fmt.Sprintf("no partition of relation \"%s\" found for row", t.schema.Name),
				Detail: "Partition key of the failing row contains " + t.partitionKeyText(values) + ".",
			}
		}
		t = t.partitions[n]
		if t.unsupported != "" {
			return nil, w.unsupported("%s", t.unsupported)
		}
		to := w.routeTo(r, t)
		if to.relation == nil {
			values = to.convert(w.values, nil)
			continue
		}
		if !to.same {
			w.converted = to.convert(w.values, w.converted[:0])
			copy(w.values, w.converted)
		}
		t.counters.Routed++
		w.countOpened(t)
		return to.relation, nil
	}
}

// convert gives the values of a partitioned table's row the order of the
// partition's columns.
func (to *route) convert(values, dst []datum.Value) []datum.Value {
	for _, n := range to.from {
		if n < 0 {
			dst = append(dst, datum.Value{Null: true})
		} else {
			dst = append(dst, values[n])
		}
	}
	return dst
}

// routeTo returns the way from a published table's local one to a table below it,
// made when the first row takes it (logicalrep_partition_open).
func (w *Worker) routeTo(r *relation, t *table) *route {
	if to := r.routes[t]; to != nil {
		return to
	}
	to := &route{same: len(t.schema.Columns) == len(r.local.schema.Columns)}
	for i := range t.schema.Columns {
		n := -1
		if c := &t.schema.Columns[i]; !c.Dropped {
			n = r.local.schema.Column(c.Name)
		}
		to.same = to.same && (n == i || n < 0 && r.local.schema.Columns[i].Dropped)
		to.from = append(to.from, n)
	}
	if t.router == nil {
		p := &relation{remote: r.remote, local: t, columns: make([]localColumn, len(to.from))}
		for i := range p.columns {
			c := &t.schema.Columns[i]
			p.columns[i] = localColumn{remote: -1, typ: c.Type, typmod: c.Typmod, def: datum.Value{Null: true}}
			if n := to.from[i]; n >= 0 {
				p.columns[i].remote = r.columns[n].remote
			}
		}
		w.chooseLookup(p)
		w.fit(t)
		to.relation = p
	}
	if r.routes == nil {
		r.routes = map[*table]*route{}
	}
	r.routes[t] = to
	return to
}

// readQual notes that the process compares a row of a partition with the partition's
// constraint. The first time it reads the constraint, and keeps the tables above locked that
// it opens for it (generate_partition_qual); one that is partitioned by hash is opened each
// time (satisfies_hash_partition).
func (w *Worker) readQual(t *table) {
	known := false
	for ; t.parent != nil; t = t.parent {
		known = known || t.heap.ReadPartitionQual()
		if !known || t.parent.schema.Partition.By == "hash" {
			w.lockRelation(held{t.parent, lockRead})
		}
	}
}

// inPartition says whether a row belongs into a partition: the constraint that its
// bound and those of the tables above it amount to (ExecPartitionCheck).
func (w *Worker) inPartition(t *table, values []datum.Value) (bool, error) {
	for t.parent != nil {
		up := t.parent
		row := make([]datum.Value, len(up.schema.Columns))
		for i := range row {
			row[i] = datum.Value{Null: true}
			if c := &up.schema.Columns[i]; !c.Dropped {
				row[i] = values[t.schema.Column(c.Name)]
			}
		}
		n, err := up.router.Partition(plainColumns(t, row, up.router.Columns()))
		if err != nil {
			return false, w.evalError(err)
		}
		if n < 0 || up.partitions[n] != t {
			return false, nil
		}
		t, values = up, row
	}
	return true, nil
}

// checkPartition gives an error for a row that does not belong into the partition
// that the publisher names.
func (w *Worker) checkPartition(t *table, values []datum.Value) error {
	ok, err := w.inPartition(t, values)
	if err == nil && !ok {
		return w.partitionError(t, values)
	}
	return err
}

func (w *Worker) partitionError(t *table, row []datum.Value) error {
	return w.violates(t, row, "new row for relation \"%s\" violates partition constraint", t.schema.Name)
}

// moveRow updates a row that the new values take to another partition: it is
// deleted in its own and inserted into the new one. w.values has the new row in the
// order of the old partition.
func (w *Worker) moveRow(root, r *relation, old storage.TID) error {
	t := r.local
	up := make([]datum.Value, len(root.local.schema.Columns))
	for i := range up {
		up[i] = datum.Value{Null: true}
		if c := &root.local.schema.Columns[i]; !c.Dropped {
			up[i] = w.values[t.schema.Column(c.Name)]
		}
	}
	copy(w.values, up)
	to, err := w.partition(root)
	if err != nil {
		return err
	}
	if w.opts.Settings.ServerMajor < 18 {
		w.lookUpAgain(r, old)
	}
	w.moving = append(w.moving[:0], w.values[:len(to.local.schema.Columns)]...)
	w.deleteRow(t, old)
	copy(w.values, w.moving)
	w.Counters.RowMoves++
	w.movedFrom = t
	defer func() { w.movedFrom = nil }()
	return w.insertRow(to.local, w.values)
}

// leaves calls yield with all relations by which rows of a published one are
// changed.
func (r *relation) leaves(yield func(*relation)) {
	yield(r)
	for _, to := range r.routes {
		if to.relation != nil {
			yield(to.relation)
		}
	}
}
