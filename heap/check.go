package heap

import (
	"fmt"
	"slices"

	"applysim/wal/storage"
)

// Check verifies the invariants of every page: what a page says of its free
// space is what its line pointers take, versions do not overlap and lie within
// the page, and every version's header is accounted for.
func (t *Table) Check() error {
	for b := range t.pages.n {
		p := t.pages.at(storage.BlockNumber(b))
		if p.virtual() {
			if err := t.checkVirtual(p); err != nil {
				return fmt.Errorf("table %q block %d: %w", t.opts.Name, b, err)
			}
			continue
		}
		if err := t.look(p.block).check(); err != nil {
			return fmt.Errorf("table %q block %d: %w", t.opts.Name, b, err)
		}
	}
	if t.target != storage.InvalidBlock && int(t.target) >= t.pages.n {
		return fmt.Errorf("table %q: target block %d of %d", t.opts.Name, t.target, t.pages.n)
	}
	return nil
}

// checkVirtual verifies what is known of a page of loaded rows that has not been made.
func (t *Table) checkVirtual(p *page) error {
	from, to := t.loaded.span(p.block)
	if want := storage.PageHeaderSize + storage.LinePointerSize*(to-from); int(p.lower) != want || p.upper < p.lower || p.upper > storage.PageSize {
		return fmt.Errorf("lower %d, upper %d, %d rows were loaded", p.lower, p.upper, to-from)
	}
	return nil
}

func (p *page) check() error {
	if s := p.summary; s != nil {
		if err := s.check(p); err != nil {
			return err
		}
	}
	if p.headers != nil && len(p.headers) != len(p.items) {
		return fmt.Errorf("%d headers, %d line pointers", len(p.headers), len(p.items))
	}
	places := p.placesAside()
	if want := storage.PageHeaderSize + storage.LinePointerSize*len(p.items); int(p.lower) != want {
		return fmt.Errorf("lower is %d, %d line pointers end at %d", p.lower, len(p.items), want)
	}
	if p.lower > p.upper || p.upper > storage.PageSize {
		return fmt.Errorf("lower %d, upper %d", p.lower, p.upper)
	}
	if len(p.items) > MaxHeapTuplesPerPage {
		return fmt.Errorf("%d line pointers, at most %d", len(p.items), MaxHeapTuplesPerPage)
	}
	var used [storage.PageSize / 8]bool
	for i, lp := range p.items {
		switch lp.flags() {
		case lpUnused:
			if !p.freeLines {
				return fmt.Errorf("item %d is unused, but the page does not say that it has unused line pointers", i+1)
			}
			continue
		case lpDead:
			continue
		case lpRedirect:
			if to := int(lp.redirect()); to < 1 || to > len(p.items) || p.items[to-1].flags() != lpNormal {
				return fmt.Errorf("item %d redirects to item %d, which is no version", i+1, to)
			}
			continue
		}
		n, off := lp.length(), int(places[i])
		if off < int(p.upper) || off+n > storage.PageSize || off%8 != 0 || n < minTupleAligned {
			return fmt.Errorf("item %d: offset %d, length %d, upper %d", i+1, off, n, p.upper)
		}
		if int(lp.body)+lp.size() > len(p.bodies) {
			return fmt.Errorf("item %d: body %d of %d bytes", i+1, lp.body, len(p.bodies))
		}
		for k := off / 8; k < (off+n+7)/8; k++ {
			if used[k] {
				return fmt.Errorf("item %d overlaps another at offset %d", i+1, k*8)
			}
			used[k] = true
		}
	}
	if p.headers != nil {
		return nil
	}
	if len(p.items) > 0 && (len(p.runs) == 0 || p.runs[0].first != 1) {
		return fmt.Errorf("no transaction id for item 1")
	}
	for i := 1; i < len(p.runs); i++ {
		if p.runs[i].first <= p.runs[i-1].first {
			return fmt.Errorf("runs of versions out of order")
		}
	}
	return nil
}

// placesAside is places without a trace: what the page knows stays as it is.
func (p *page) placesAside() []uint16 {
	aside := *p
	aside.headers = slices.Clone(p.headers)
	if p.summary != nil {
		s := *p.summary
		aside.summary = &s
	}
	return aside.places(nil)
}
