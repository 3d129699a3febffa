package explain

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/model/apply"
	"applysim/model/pgtype"
	"applysim/model/view"
	"applysim/wal"
	"applysim/wal/storage"
)

// Pages is a page before and after a step.
type Pages struct {
	Relation string `json:"relation"`
	Block    int64  `json:"block"`
	Before   *Page  `json:"before"` // nil if there was no such page
	After    *Page  `json:"after"`

	key pageKey
}

// Page is a page of a table or of a B-tree.
type Page struct {
	Kind  string `json:"kind"` // "heap" or "btree"
	Role  string `json:"role"` // "root", "leaf" or "internal" of a B-tree
	Level int    `json:"level"`
	LSN   string `json:"lsn"`
	Lower int    `json:"lower"`
	Upper int    `json:"upper"`
	Free  int    `json:"free"` // what one more item may take
	Full  bool   `json:"full"` // an update has found no room
	Items []Item `json:"items"`
}

// Item is a line pointer of a page and what it points to.
type Item struct {
	LP     int    `json:"lp"`
	State  string `json:"state"` // "normal", "redirect", "dead" or "unused"
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	// Changed says that it is not the same before and after the step.
	Changed bool   `json:"changed"`
	Note    string `json:"note,omitempty"`

	// A row version.
	Xmin     uint32 `json:"xmin,omitempty"`
	Xmax     uint32 `json:"xmax,omitempty"`  // 0: nobody has ended or locked it
	Lock     bool   `json:"lock,omitempty"`  // xmax only locks it
	Multi    bool   `json:"multi,omitempty"` // xmax is a MultiXact, which stands for several transactions
	Ctid     string `json:"ctid,omitempty"`
	Last     bool   `json:"last,omitempty"` // ended without a next version
	HeapOnly bool   `json:"heap_only,omitempty"`
	Leads    int    `json:"leads,omitempty"` // the next line pointer of its HOT chain, or a redirect's

	// An index item.
	Key      string `json:"key,omitempty"`
	TID      string `json:"tid,omitempty"`
	TIDs     int    `json:"tids,omitempty"` // of a posting list
	Downlink *int64 `json:"downlink,omitempty"`
	HighKey  bool   `json:"high_key,omitempty"`
}

// PathPage is a page of a descent.
type PathPage struct {
	Block int64  `json:"block"`
	Role  string `json:"role"`
	Level int    `json:"level"`
	Items int    `json:"items"` // its high key left out
	// At is the item that is followed, counted without the high key, and Key its key; on a
	// leaf the first one that is not before the key that is looked for, one beyond the last
	// if there is none.
	At   int    `json:"at"`
	Key  string `json:"key"`
	Next string `json:"next_key"` // of the item after it, "" for none
}

// heapPageView is a heap page with what the explanation asks of it.
type heapPageView struct{ *view.HeapPage }

func heapPage(p *view.Page, block storage.BlockNumber) *heapPageView {
	if p == nil {
		return nil
	}
	h, err := view.DecodeHeapPage(p, block)
	if err != nil {
		return nil
	}
	return &heapPageView{h}
}

// maxHeapTuples is MaxHeapTuplesPerPage.
const maxHeapTuples = 291

// freeSpace is PageGetHeapFreeSpace.
func (h *heapPageView) freeSpace() int {
	if len(h.Items) >= maxHeapTuples {
		unused := false
		for i := range h.Items {
			unused = unused || h.Items[i].LPFlags == view.LPUnused
		}
		if !unused {
			return 0
		}
	}
	return h.Header.FreeSpace()
}

var lpStates = [...]string{"unused", "normal", "redirect", "dead"}

// drawHeap gives a heap page the form in which it is shown.
func drawHeap(page *view.Page, block storage.BlockNumber) *Page {
	h := heapPage(page, block)
	if h == nil {
		return nil
	}
	p := &Page{Kind: "heap", LSN: h.Header.LSN.String(), Lower: h.Header.Lower, Upper: h.Header.Upper, Free: h.freeSpace(),
		Full: h.Header.Flags&view.PageFull != 0, Items: []Item{}}
	for i := range h.Items {
		x := &h.Items[i]
		it := Item{LP: int(x.LP), State: lpStates[x.LPFlags], Offset: x.LPOffset, Length: x.LPLength}
		switch {
		case x.LPFlags == view.LPRedirect:
			it.Leads, it.Offset = x.LPOffset, 0
		case x.Tuple != nil && x.LPFlags == view.LPNormal:
			t := x.Tuple
			it.Xmin, it.Ctid = t.Xmin, t.Ctid.String()
			if t.Infomask&xmaxInvalid == 0 {
				it.Xmax, it.Lock = t.Xmax, t.Infomask&xmaxLockOnly != 0
				it.Multi = t.Infomask&xmaxIsMulti != 0
			}
			it.Last = it.Xmax != 0 && !it.Lock && t.Ctid == storage.TID{Block: block, Offset: x.LP}
			it.HeapOnly = t.Infomask2&heapOnly != 0
			if t.Infomask2&hotUpdated != 0 && t.Infomask&xmaxInvalid == 0 {
				it.Leads = int(t.Ctid.Offset)
			}
		}
		p.Items = append(p.Items, it)
	}
	return p
}

// keyReader reads keys of an index.
type keyReader struct {
	types []*pgtype.Type
	attrs []datum.Attr
	keys  int
}

func newKeyReader(t *apply.TableState, x *apply.IndexState) *keyReader {
	r := &keyReader{types: append([]*pgtype.Type{}, x.Types...), keys: len(x.Schema.Keys)}
	for _, n := range x.Schema.Include {
		r.types = append(r.types, t.Schema.Columns[n].Type)
	}
	for i, typ := range r.types {
		a := typ.Attr()
		if typ.Base().Name == "name" && i < r.keys {
			a.Len, a.Align = -2, 1
		}
		r.attrs = append(r.attrs, a)
	}
	return r
}

// text is the key of an index tuple at the beginning of b, of which so many columns are
// there.
func (r *keyReader) text(b []byte, natts int, nulls bool, data []byte) string {
	if natts == 0 {
		return "minus infinity"
	}
	var values []string
	at := 0
	for i := range min(natts, len(r.types)) {
		if nulls && b[8+i/8]>>(i%8)&1 == 0 {
			values = append(values, "null")
			continue
		}
		var v datum.Value
		if at >= len(data) && r.attrs[i].Len != 0 {
			break
		}
		v, at = datum.Next(data, at, &r.attrs[i])
		if v.Form == datum.Compressed {
			v = datum.Decompress(&v)
		}
		values = append(values, shown(r.types[i].Text(v)))
	}
	s := strings.Join(values, ", ")
	if natts < r.keys {
		s += ", ..."
	}
	return s
}

// drawBTree gives a page of a B-tree the form in which it is shown.
func (r *keyReader) drawBTree(page *view.Page, block, root storage.BlockNumber) *Page {
	if page == nil {
		return nil
	}
	b, err := view.DecodeBTreePage(page, block)
	if err != nil {
		return nil
	}
	p := &Page{Kind: "btree", Level: b.Level, LSN: b.Header.LSN.String(), Lower: b.Header.Lower, Upper: b.Header.Upper,
		Free: b.Header.FreeSpace(), Role: "internal", Items: []Item{}}
	switch {
	case block == root:
		p.Role = "root"
	case b.Level == 0:
		p.Role = "leaf"
	}
	const natts = 0x0FFF // BT_OFFSET_MASK
	for i := range b.Items {
		x := &b.Items[i]
		lp := binary.LittleEndian.Uint32(page[storage.PageHeaderSize+storage.LinePointerSize*i:])
		bytes := page[lp&0x7FFF:]
		it := Item{LP: i + 1, State: "normal", Offset: int(lp & 0x7FFF), Length: x.Length}
		if x.Dead {
			it.State = "dead"
		}
		n := len(r.types)
		if x.Pivot {
			n = int(x.TID.Offset) & natts
			it.HighKey = i == 0 && b.Next != 0
			if !it.HighKey {
				d := int64(x.TID.Block)
				it.Downlink = &d
			}
		}
		it.Key = r.text(bytes, n, x.Nulls, x.Data)
		if x.HasHeapTID {
			it.TID = x.HeapTID.String()
		}
		it.TIDs = len(x.TIDs)
		p.Items = append(p.Items, it)
	}
	return p
}

// indexState returns an index of the change's tables, and its table.
func (b *builder) indexState(rel wal.RelID) (*apply.TableState, *apply.IndexState) {
	for i := range b.u.before {
		t := &b.u.before[i]
		for j := range t.Indexes {
			if t.Indexes[j].Rel == rel {
				return t, &t.Indexes[j]
			}
		}
	}
	return nil, nil
}

// draw gives a page the form in which it is shown; nil if it is not there.
func (b *builder) draw(k pageKey, page *view.Page) *Page {
	if page == nil {
		return nil
	}
	if b.objects[k.rel].kind == table {
		return drawHeap(page, k.block)
	}
	t, x := b.indexState(k.rel)
	if x == nil || x.BTree == nil {
		return nil
	}
	root, _, _ := x.BTree.Root()
	return newKeyReader(t, x).drawBTree(page, k.block, root)
}

// drawPath gives a descent the form in which it is shown.
func (b *builder) drawPath(rel wal.RelID, path []index.PathStep) []PathPage {
	var list []PathPage
	for i, s := range path {
		p := b.draw(pageKey{rel, s.Block}, b.u.pages[pageKey{rel, s.Block}])
		if p == nil {
			return nil
		}
		x := PathPage{Block: int64(s.Block), Role: p.Role, Level: s.Level, Items: len(p.Items), At: int(s.At)}
		switch {
		case i == 0 && s.Level == 0:
			x.Role = "root, which is a leaf"
		case i == 0:
			x.Role = "root"
		}
		if at := int(s.At); at >= 1 && at <= len(p.Items) {
			x.Key = p.Items[at-1].Key
			if at < len(p.Items) {
				x.Next = p.Items[at].Key
			}
		}
		if len(p.Items) > 0 && p.Items[0].HighKey {
			x.Items--
			x.At--
		}
		list = append(list, x)
	}
	return list
}

// addPages gives the steps the pages that they change.
func (b *builder) addPages() {
	state := map[pageKey]*view.Page{}
	for k, p := range b.u.pages {
		state[k] = p
	}
	for i := range b.u.events {
		e := &b.u.events[i]
		s := b.steps[b.eventAt[i]]
		for k, now := range e.pages {
			was := state[k]
			if was != nil && *was == *now {
				continue
			}
			state[k] = now
			var at *Pages
			for _, p := range s.Pages {
				if p.key == k {
					at = p
				}
			}
			if at == nil {
				at = &Pages{Relation: b.objects[k.rel].name, Block: int64(k.block), Before: b.draw(k, was), key: k}
				s.Pages = append(s.Pages, at)
			}
			at.After = b.draw(k, now)
		}
	}
	for _, s := range b.x.Steps {
		s.Pages = slices.DeleteFunc(s.Pages, func(p *Pages) bool { return p.After == nil })
		sortPages(s.Pages)
		for _, p := range s.Pages {
			b.mark(p)
		}
		s.Pages = slices.DeleteFunc(s.Pages, func(p *Pages) bool { return !p.changed() })
	}
}

// changed says whether anything is to be seen of what a step has done to a page.
func (p *Pages) changed() bool {
	hit := func(i Item) bool { return i.Changed }
	return p.Before == nil || p.Before.Free != p.After.Free || slices.ContainsFunc(p.Before.Items, hit) || slices.ContainsFunc(p.After.Items, hit)
}

func sortPages(pages []*Pages) {
	for i := range pages {
		for j := i; j > 0; j-- {
			x, y := pages[j-1].key, pages[j].key
			if x.rel < y.rel || x.rel == y.rel && x.block <= y.block {
				break
			}
			pages[j-1], pages[j] = pages[j], pages[j-1]
		}
	}
}

// mark notes which items are not the same before and after, and what they are.
func (b *builder) mark(p *Pages) {
	if p.After == nil {
		return
	}
	if p.Before == nil {
		for i := range p.After.Items {
			p.After.Items[i].Changed = true
		}
	} else {
		if p.After.Kind == "heap" {
			markVersions(p.Before.Items, p.After.Items)
		} else {
			markKeys(p.Before.Items, p.After.Items)
		}
	}
	if p.After.Kind != "heap" {
		return
	}
	for _, page := range []*Page{p.Before, p.After} {
		if page == nil {
			continue
		}
		for i := range page.Items {
			it := &page.Items[i]
			tid := storage.TID{Block: p.key.block, Offset: storage.OffsetNumber(it.LP)}
			switch {
			case it.State != "normal":
			case tid == b.p.tid && p.key.rel == b.p.target().Rel && it.Xmin != 0 && page == p.After:
				it.Note = "the new version"
			case tid == b.locked && p.key.rel == b.p.mapping.Rel:
				it.Note = "the row that was found"
				if it.Last {
					it.Note = "the deleted row"
				} else if it.Xmax != 0 && !it.Lock {
					it.Note = "the old version"
				}
			}
		}
	}
}

// markKeys finds the items of an index page that are not on both pages. Items move, so
// that they go by what they are.
func markKeys(before, after []Item) {
	type item struct {
		key, tid   string
		tids       int
		down       int64
		high, dead bool
	}
	what := func(i *Item) item {
		x := item{i.Key, i.TID, i.TIDs, -1, i.HighKey, i.State == "dead"}
		if i.Downlink != nil {
			x.down = *i.Downlink
		}
		return x
	}
	mark := func(from, in []Item) {
		count := map[item]int{}
		for i := range from {
			count[what(&from[i])]++
		}
		for i := range in {
			w := what(&in[i])
			in[i].Changed = count[w] == 0
			count[w] = max(count[w]-1, 0)
		}
	}
	mark(before, after)
	mark(after, before)
}

// markVersions finds the line pointers of a heap page that are not the same on both
// pages. Where a version lies does not count: pruning moves those that stay.
func markVersions(before, after []Item) {
	for i := range max(len(before), len(after)) {
		switch {
		case i >= len(before):
			after[i].Changed = true
		case i >= len(after):
			before[i].Changed = true
		default:
			x, y := before[i], after[i]
			x.Offset, y.Offset = 0, 0
			before[i].Changed, after[i].Changed = x != y, x != y
		}
	}
}

// row reads a row version's columns.
func row(t *view.HeapTuple, attrs []datum.Attr) []datum.Value {
	values := make([]datum.Value, len(attrs))
	at := 0
	for i := range attrs {
		if i >= int(t.Infomask2&0x07FF) || t.Bits != "" && t.Bits[i] == '0' {
			values[i].Null = true
			continue
		}
		values[i], at = datum.Next(t.Data, at, &attrs[i])
	}
	return values
}

// valueText is a stored value as it is shown; null is false for one.
func valueText(typ *pgtype.Type, v datum.Value) (text string, null bool) {
	switch {
	case v.Null:
		return "", true
	case v.Form == datum.External:
		return fmt.Sprintf("(%d bytes, out of line in the TOAST table)", binary.LittleEndian.Uint32(v.Bytes)-4), false
	case v.Form == datum.Compressed:
		v = datum.Decompress(&v)
	}
	return typ.Text(v), false
}
