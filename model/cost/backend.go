package cost

import (
	"strings"

	"applysim/model/apply"
	"applysim/model/pgtype"
)

// What a backend that runs SQL does as an apply worker does: rows on pages, index entries,
// lookups, pruning, WAL, the end of transactions. How it gets to them is another matter
// (model/backend).

// OfBackend leaves of the work that Measure has read off a backend's tables what a backend
// does as a worker does. Rows that COPY has put on pages by the hundred, copied, have not
// been inserted one by one.
func (u *Usage) OfBackend(copied int64) *Usage {
	b := &Usage{}
	for _, i := range u.items {
		switch i.Where {
		case HeapInsert, HeapUpdate, HeapDelete, LockRow, Prune, IndexEntry, IndexInsert, Lookup, SeqScan, Commit:
		default:
			switch i.Term {
			case termFormTuple, termFormColumn, termFormByte, termToastValue, termUntoast, termDetoast, termChunk, termToastRow,
				termCompressByte, termCompressRun, termCompressList, termCompressToken, termCompressDrop, termCompressProbe, termCompressSame:
			default:
				continue
			}
		}
		if !strings.HasPrefix(i.Term, firstPrefix) {
			b.Add(i)
		}
	}
	b.add(termHeapInsert, "", HeapInsert, -copied)
	return b
}

// Parse adds the reading of a value's text by its type's input function.
func (u *Usage) Parse(t *pgtype.Type, text string) {
	name := typeName(t)
	u.add(ParseTerm(name, "text", "value"), name, Parse, 1)
	u.add(ParseTerm(name, "text", "byte"), name, Parse, int64(len(text)))
	s := apply.TextShape(t, text)
	u.add(ParseTerm(name, "text", "element"), name, Parse, s.Elements-s.Keys)
	if k := t.Base().Kind; k == pgtype.KindJsonb || k == pgtype.KindJSON {
		u.add(ParseTerm(name, "text", "key"), name, Parse, s.Keys)
		u.add(ParseTerm(name, "text", "container"), name, Parse, s.Containers)
		if k == pgtype.KindJsonb {
			u.add(termJSONNumber, name, Parse, s.Numbers)
		}
	}
}

// TypeName is the name by which the cost of reading a type is known.
func TypeName(t *pgtype.Type) string { return typeName(t) }
