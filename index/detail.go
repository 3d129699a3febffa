package index

// What records carry, by name, for those who explain them.

import (
	"applysim/wal"
	"applysim/wal/storage"
)

// nameData names the first block of a record and what the record carries for it: for an
// insertion the item; other types have named it before.
func (t *BTree) nameData(d *wal.Detail, typ wal.RecordType, p *page, data int, own wal.Image) {
	switch typ {
	case wal.BtreeInsertPost:
		d.Data("place in the posting list", wal.SizeOfPostingOffset)
		nameItem(d, data-wal.SizeOfPostingOffset, t.key.nulls != 0)
	case wal.BtreeInsertLeaf:
		nameItem(d, data, t.key.nulls != 0)
	case wal.BtreeDedup:
		d.Data("runs of equal items: first item and number of each", data)
	}
	d.First(wal.BlockRef{Block: p.block, Role: t.role(p), Image: own}, data == 0)
}

// nameItem names an item of size bytes.
func nameItem(d *wal.Detail, size int, nulls bool) {
	d.Data("item header: heap TID, length", tupleHeaderSize)
	size -= tupleHeaderSize
	if nulls {
		d.Data("item: NULL bitmap", nullBitmapSize)
		size -= nullBitmapSize
	}
	d.Data("item: columns, padded to 8 bytes", size)
}

// nameSplit names what the record of a split carries.
func (t *BTree) nameSplit(d *wal.Detail, right, sibling, child *page, rightData int) {
	// What the left page gets was named before; the first block is put before these.
	d.Other(wal.BlockRef{ID: 1, Block: right.block, Role: "right page", Init: true}, wal.Part{Name: "all items of the right page", Bytes: rightData})
	for i, q := range []*page{sibling, child} {
		if q != nil {
			role := [...]string{"old right sibling", "child whose split is finished"}[i]
			d.Other(wal.BlockRef{ID: 2 + i, Block: q.block, Role: role, Image: t.imageOf(q)})
		}
	}
}

// nameUnlink names the pages of a record that takes page p out of the tree.
func (t *BTree) nameUnlink(d *wal.Detail, p, left, right, leaf *page, meta bool) {
	d.First(wal.BlockRef{Block: p.block, Role: "page that goes", Init: true}, false)
	if left != nil {
		d.Other(wal.BlockRef{ID: 1, Block: left.block, Role: "left sibling", Image: t.imageOf(left)})
	}
	d.Other(wal.BlockRef{ID: 2, Block: right.block, Role: "right sibling", Image: t.imageOf(right)})
	if p != leaf {
		d.Other(wal.BlockRef{ID: 3, Block: leaf.block, Role: "leaf", Init: true})
	}
	if meta {
		nameMeta(d, 4)
	}
}

// nameMeta names the metapage as block id.
func nameMeta(d *wal.Detail, id int) {
	d.Other(wal.BlockRef{ID: id, Role: "metapage", Init: true}, wal.Part{Name: "root, level, fast root", Bytes: wal.SizeOfBtreeMetadata})
}

// nameChild names the left child, whose split a record finishes.
func (t *BTree) nameChild(d *wal.Detail, left *page) {
	d.Other(wal.BlockRef{ID: 1, Block: left.block, Role: "child whose split is finished", Image: t.imageOf(left)})
}

// role is what a page is to a record.
func (t *BTree) role(p *page) string {
	switch {
	case p.block == t.root && p.leaf():
		return "root, which is a leaf"
	case p.block == t.root:
		return "root"
	case p.leaf():
		return "leaf"
	}
	return "internal page"
}

// nameRoot names a new root: its items, and the metapage that points to it.
func (t *BTree) nameRoot(d *wal.Detail, block storage.BlockNumber, left *page, items int) {
	d.Data("its two items", items)
	d.First(wal.BlockRef{Block: block, Role: "new root", Init: true}, false)
	if left != nil {
		t.nameChild(d, left)
	}
	nameMeta(d, 2)
}

// nameSummary names what a record carries that puts a summary on a page.
func (x *BRIN) nameSummary(d *wal.Detail, block storage.BlockNumber, b, m *brinBlock, extended bool, data int) {
	first := wal.BlockRef{Block: block, Role: "page of summaries", Init: extended}
	if !extended {
		first.Image = x.image(b)
	}
	d.Data("summary of the range", data)
	d.First(first, false)
	for i, q := range x.blocks {
		if q == m {
			d.Other(wal.BlockRef{ID: 1, Block: storage.BlockNumber(i), Role: "page of the range map", Image: x.image(m)})
		}
	}
}
