package apply

// TOAST: compression and out-of-line storage, after heaptoast.c,
// toast_helper.c, toast_internals.c and detoast.c.

import (
	"encoding/binary"
	"slices"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/heap/toast"
	"applysim/index"
	"applysim/index/opclass"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/wal"
	"applysim/wal/storage"
)

// Sizes of TOAST. Source: REL_18_1, src/include/access/heaptoast.h and
// src/include/varatt.h.
const (
	chunkSize      = 1996 // TOAST_MAX_CHUNK_SIZE
	compressHeader = 8    // VARHDRSZ_COMPRESSED
	extSizeBits    = 30   // VARLENA_EXTSIZE_BITS: the method stands above
	extSizeMask    = 1<<extSizeBits - 1
	oidPrefetch    = 8192 // VAR_OID_PREFETCH: so many object ids are logged at once
)

// toaster is the toaster of one table, with its TOAST table.
type toaster struct {
	w     *Worker
	owner *table
	rel   wal.RelID
	heap  *heap.Table
	index *localIndex
	oid   uint32 // of the TOAST table

	toast.Table
}

// addToaster gives a table its TOAST table, if it has one.
func (w *Worker) addToaster(t *table) {
	s := t.schema
	if s.Kind == 'p' {
		return
	}
	var table, index string
	var oid uint32
	known := false
	if w.opts.ToastNames != nil {
		table, index, oid, known = w.opts.ToastNames(s.Schema, s.Name)
	}
	if !known && needsToast(s) {
		table = "pg_toast_" + qualified(s.Schema, s.Name)
		index = table + "_index"
	}
	if table == "" {
		return
	}
	t.toaster = w.newToaster(t, table, index)
	t.toaster.oid = oid
	t.heap.SetToaster(t.toaster)
}

// needsToast says whether a table gets a TOAST table: some value may be toasted, and
// the longest row be so long (heapam_relation_needs_toast_table).
func needsToast(s *schema.Table) bool {
	length, unlimited, toastable := 0, false, false
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Dropped || c.Generated == 'v' {
			continue
		}
		a := c.Attr()
		length = (length + int(a.Align) - 1) &^ (int(a.Align) - 1)
		if a.Len > 0 {
			length += int(a.Len)
			continue
		}
		if n := pgtype.MaximumSize(c.Type, c.Typmod); n < 0 {
			unlimited = true
		} else {
			length += n
		}
		toastable = toastable || a.Storage != 'p'
	}
	if !toastable || unlimited {
		return toastable
	}
	header := heap.TupleHeaderSize + (len(s.Columns)+7)/8
	return storage.MaxAlign(header)+storage.MaxAlign(length) > toast.Threshold
}

// newToaster makes a table's TOAST table and its index, empty. names are those of
// the two relations.
func (w *Worker) newToaster(t *table, name, indexName string) *toaster {
	s := t.schema
	o := &toaster{w: w, owner: t, Table: toast.Table{Attrs: s.Attrs(), Target: toast.Target}}
	if s.ToastTupleTarget > 0 {
		o.Target = s.ToastTupleTarget
	}
	for i := range s.Columns {
		o.Methods = append(o.Methods, w.compression(&s.Columns[i]))
	}
	int4 := datum.Attr{Len: 4, Align: 4, ByVal: true, Storage: 'p', NotNull: true}
	attrs := []datum.Attr{int4, int4, {Len: -1, Align: 4, Storage: 'p'}}
	o.rel = w.log.Register(name)
	log, rel := w.logOf(s, o.rel)
	o.heap = heap.NewTable(heap.Options{
		Name: name, Attrs: attrs, Fillfactor: 100, Indexed: []int{0, 1}, Toast: true,
		Logical: w.opts.Settings.WALLevel == "logical" && !s.Unlogged,
	}, log, rel, &w.xacts)
	x := &localIndex{columns: []int{0, 1}, cstring: make([]bool, 2), values: make([]datum.Value, 2)}
	x.rel = w.log.Register(indexName)
	log, rel = w.logOf(s, x.rel)
	x.btree = index.NewBTree(index.Options{
		Name: indexName, Keys: 2, Unique: true, Fillfactor: 90, Deduplicate: true,
		Columns: []index.Column{
			{Attr: int4, Class: opclass.ByName("oid_ops")}, {Attr: int4, Class: opclass.ByName("int4_ops")},
		},
	}, log, rel, o.heap)
	o.index = x
	return o
}

// compression is the method by which a column's values are compressed.
func (w *Worker) compression(c *schema.Column) datum.Method {
	switch c.Compression {
	case 'p':
		return datum.PGLZ
	case 'l':
		return datum.LZ4
	}
	return w.opts.Settings.ToastCompression
}

// Toast makes a row fit: compresses the longest values, then moves the longest out
// of line, first those of storage EXTENDED and EXTERNAL, then those of MAIN
// (heap_toast_insert_or_update).
func (o *toaster) Toast(values, old []datum.Value) ([]datum.Value, error) {
	values = slices.Clone(values[:len(o.Attrs)])
	state := make([]toast.Attribute, len(values))
	var unused []datum.Value
	nulls := false
	for i := range values {
		v, a, st := &values[i], &o.Attrs[i], &state[i]
		if old != nil && !old[i].Null && old[i].Form == datum.External {
			if !v.Null && v.Form == datum.External && string(v.Bytes) == string(old[i].Bytes) {
				st.Ignore = true
				continue
			}
			unused = append(unused, old[i])
		}
		fetched := false
		if from := o.w.movedFrom; from != nil && external(*v) {
			*v, fetched = from.toaster.Fetch(v), true
		}
		nulls = nulls || v.Null
		if v.Null || a.Len != -1 || a.Storage == 'p' {
			st.Ignore = true
			continue
		}
		if st.Size = v.StoredSize(a); fetched {
			st.Size = len(v.Bytes) + toast.VarlenaHeader // its header is a long one (detoast_external_attr)
		}
	}
	if err := o.Place(values, state, toast.Header(len(values), nulls), o.externalize); err != nil {
		return nil, err
	}
	for i := range unused {
		o.remove(&unused[i])
	}
	return values, nil
}

// externalize moves a column's value to the TOAST table (toast_save_datum).
func (o *toaster) externalize(values []datum.Value, state []toast.Attribute, i int) error {
	v := &values[i]
	raw, info := len(v.Bytes)+toast.VarlenaHeader, uint32(len(v.Bytes))
	if v.Form == datum.Compressed {
		n, m := v.RawInfo()
		raw = n + toast.VarlenaHeader
		info |= uint32(m) << extSizeBits
	}
	id := o.w.newOID()
	o.w.Counters.Moved++
	o.touch()
	p := make([]byte, datum.PointerSize)
	binary.LittleEndian.PutUint32(p[0:], uint32(raw))
	binary.LittleEndian.PutUint32(p[4:], info)
	binary.LittleEndian.PutUint32(p[8:], id)
	binary.LittleEndian.PutUint32(p[12:], o.oid)
	row := [3]datum.Value{{Bits: uint64(id)}}
	for seq, b := 0, v.Bytes; len(b) > 0; seq++ {
		n := min(len(b), chunkSize)
		row[1].Bits, row[2].Bytes = uint64(seq), b[:n]
		b = b[n:]
		tid, err := o.heap.Insert(row[:], o.w.command)
		if err != nil {
			return err
		}
		if _, err := o.index.insert(row[:], tid, false); err != nil {
			return err
		}
		o.w.Counters.Chunks++
	}
	*v = datum.Value{Bytes: p, Form: datum.External}
	state[i].Size = datum.PointerSize + 2
	state[i].Ignore = true
	return nil
}

// touch notes a change of the TOAST table; it and its index stay locked.
func (o *toaster) touch() {
	o.w.touch(o)
	o.w.lockRelation(o.index)
}

// chunks calls yield with each chunk of an external value, in order.
func (o *toaster) chunks(v *datum.Value, yield func(storage.TID)) {
	key := [2]datum.Value{{Bits: uint64(binary.LittleEndian.Uint32(v.Bytes[8:]))}, {}}
	scan := o.index.btree.Lookup(key[:], []bool{true, false})
	defer scan.End()
	for {
		tid, ok := scan.Next()
		if !ok {
			return
		}
		yield(tid)
	}
}

// remove deletes an external value's chunks (toast_delete_datum).
func (o *toaster) remove(v *datum.Value) {
	o.touch()
	o.w.Counters.Removed++
	o.chunks(v, func(tid storage.TID) { o.heap.Delete(tid, o.w.command) })
}

// Delete deletes what a row version that ends has stored elsewhere.
func (o *toaster) Delete(old []datum.Value) {
	for i := range old {
		if !old[i].Null && old[i].Form == datum.External {
			o.remove(&old[i])
		}
	}
}

// compressedOutOfLine says whether an external value is stored compressed
// (VARATT_EXTERNAL_IS_COMPRESSED).
func compressedOutOfLine(v *datum.Value) bool {
	return binary.LittleEndian.Uint32(v.Bytes[4:])&extSizeMask < binary.LittleEndian.Uint32(v.Bytes)-toast.VarlenaHeader
}

// Fetch reads an external value as it is stored: plain or compressed.
func (o *toaster) Fetch(v *datum.Value) datum.Value {
	o.w.Counters.Detoasted++
	b := make([]byte, 0, binary.LittleEndian.Uint32(v.Bytes[4:])&extSizeMask)
	var row [3]datum.Value
	o.chunks(v, func(tid storage.TID) {
		o.heap.Values(row[:], tid)
		b = append(b, row[2].Bytes...)
	})
	r := datum.Value{Bytes: b}
	if compressedOutOfLine(v) {
		r.Form = datum.Compressed
	}
	return r
}

// peek is Fetch without a trace: no page is pruned, nothing is counted.
func (o *toaster) peek(v *datum.Value) datum.Value {
	counters, inIndex := o.heap.Counters, o.index.btree.Counters
	defer func() { o.heap.Counters, o.index.btree.Counters = counters, inIndex }()
	key := [2]datum.Value{{Bits: uint64(binary.LittleEndian.Uint32(v.Bytes[8:]))}, {}}
	scan := o.index.btree.Lookup(key[:], []bool{true, false})
	defer scan.End()
	r := datum.Value{Bytes: make([]byte, 0, binary.LittleEndian.Uint32(v.Bytes[4:])&extSizeMask)}
	var row [3]datum.Value
	for tid, ok := scan.NextEntry(); ok; tid, ok = scan.NextEntry() {
		o.heap.Values(row[:], tid)
		r.Bytes = append(r.Bytes, row[2].Bytes...)
	}
	if compressedOutOfLine(v) {
		r.Form = datum.Compressed
	}
	return r
}

// stores is where the values out of line of a row are that the table has or gets.
func (t *table) stores() *toaster {
	if t.movedFrom != nil {
		return t.movedFrom.toaster
	}
	return t.toaster
}

// plain returns a value as its type has it: fetched from the TOAST table and
// decompressed.
func (t *table) plain(v *datum.Value) datum.Value { return t.inPlain(v, (*toaster).Fetch) }

// known is plain for the simulator's own use: the server does not look at the value.
func (t *table) known(v *datum.Value) datum.Value { return t.inPlain(v, (*toaster).peek) }

// inPlain is plain with the way that a value out of line is read.
func (t *table) inPlain(v *datum.Value, fetch func(*toaster, *datum.Value) datum.Value) datum.Value {
	r := *v
	if r.Null || r.Form == datum.Plain {
		return r
	}
	if r.Form == datum.External {
		r = fetch(t.stores(), &r)
	}
	if r.Form == datum.Compressed {
		r = datum.Decompress(&r)
	}
	if r.Form == datum.Short {
		r.Form = datum.Plain
	}
	return r
}

// asInserted gives the short values of a row that INSERT makes short headers, in columns
// with storage PLAIN, too: its tuple is formed as the query's columns are, which have
// their types' own storage (execTuples.c, tts_buffer_heap_copyslot). Values of generated
// columns come later.
func (t *table) asInserted(values []datum.Value) {
	for i := range t.schema.Columns {
		c, v := &t.schema.Columns[i], &values[i]
		if c.Storage == 'p' && c.Type.Len == -1 && c.Type.Storage != 'p' && !v.Null && v.Form == datum.Plain && len(v.Bytes) <= datum.MaxShortPayload {
			v.Form = datum.Short
		}
	}
}

// newOID gives an object id, as a value that moves out of line needs one. A number
// of them is logged in advance.
func (w *Worker) newOID() uint32 {
	if w.nextOID%oidPrefetch == 0 {
		w.log.InsertPlain(wal.XLOGNextOID, 0)
	}
	w.nextOID++
	return w.nextOID - 1
}
