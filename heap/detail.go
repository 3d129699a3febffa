package heap

// What records carry, by name, for those who explain them.

import "applysim/wal"

// nameData names what a record carries of a new row version. prefix and suffix are the
// bytes of its data that the record leaves out.
func (t *Table) nameData(d *wal.Detail, v formed, prefix, suffix int) {
	if prefix > 0 {
		d.Data("how many bytes are equal at the beginning", sizeOfCommon)
	}
	if suffix > 0 {
		d.Data("how many bytes are equal at the end", sizeOfCommon)
	}
	d.Data("tuple header: flags, where the data begins", wal.SizeOfHeapHeader)
	start := hoff(len(t.opts.Attrs), v.nulls) - TupleHeaderSize
	if v.nulls {
		d.Data("NULL bitmap and padding", start)
	} else {
		d.Data("padding before the data", start)
	}
	name := "columns"
	if prefix+suffix > 0 {
		name = "columns, equal bytes left out"
	}
	d.Data(name, v.size()-start-prefix-suffix)
}

// nameOldKey names what a logical record says of the old row.
func (t *Table) nameOldKey(d *wal.Detail, bytes int) {
	name := "old key"
	if t.opts.Identity.Full {
		name = "old row"
	}
	d.Main(name, bytes)
}

// nameData names what a prune record carries: lists of line pointers, each with a header
// of so many bytes.
func (r *pruning) nameData(d *wal.Detail, header, main int) {
	items := func(name string, n, each int) {
		if n > 0 {
			d.Data(name, header+each*n)
		}
	}
	items("line pointers that become redirects, and where to", len(r.redirects)/2, 2*offsetSize)
	items("line pointers that become dead", len(r.dead), offsetSize)
	items("line pointers that become unused", len(r.unused), offsetSize)
	d.Main("snapshot conflict horizon", main)
}
