package accessmethod

import "applysim/model/pgtype"

// Term is work of one kind that an index took.
type Term struct {
	Name     string
	Quantity float64
}

// Terms are an index's work by kinds, for the CPU: what a row, a key, an entry takes by
// access method, and where it matters by the kind of values.
func Terms(x Index) []Term {
	w := x.Work()
	n := func(name string, quantity int64) Term { return Term{name, float64(quantity)} }
	switch x := x.(type) {
	case *gin:
		of := " (" + x.extractors[0].String() + ")"
		return []Term{
			n("gin: insert a row"+of, w.Rows), n("gin: take a key from a value"+of, w.Keys),
			n("gin: put a key into the pending list", w.Pending), n("gin: move a key from the pending list", w.Moved),
			n("gin: find and change an entry", w.Entries), n("gin: compare keys"+of, w.Compares),
			n("gin: encode a TID anew", w.Recoded), n("gin: divide a page", w.Splits),
		}
	case *hash:
		return []Term{n("hash: insert a row", w.Rows), n("hash: pass an item when a bucket is divided", w.SplitItems)}
	case *gist:
		of := " (" + x.class() + ")"
		return []Term{
			n("gist: insert a row"+of, w.Rows), n("gist: compute a penalty"+of, w.Penalty),
			n("gist: pass an entry when a page is divided"+of, w.SplitItems),
		}
	case *spgist:
		return []Term{n("spgist: insert a row ("+x.class()+")", w.Rows)}
	case *generic:
		return []Term{n(x.term(), w.Rows)}
	}
	return nil
}

func (k keyKind) String() string {
	return [...]string{"array", "jsonb_ops", "jsonb_path_ops", "tsvector", "trigrams", "value", "tsvector"}[k]
}

// String names what keys are taken from; of numbers that is cheaper than of texts.
func (e *extractor) String() string {
	if e.kind == arrayKeys && e.typ.Elem.Base().ByVal {
		return "array of numbers"
	}
	return e.kind.String()
}

// class is how a GiST index's first column computes penalties.
func (g *gist) class() string {
	switch c := &g.o.Columns[0]; {
	case g.signed == trigramSignature:
		return "trigrams"
	case g.signed > 0:
		return "tsvector"
	case !g.flat(0):
		return "box"
	case c.Type.Base().Kind == pgtype.KindRange, c.Type.Base().Kind == pgtype.KindMultirange:
		return "range"
	case c.Type.Base().Kind == pgtype.KindInet, c.Type.Base().Kind == pgtype.KindCidr:
		return "inet"
	}
	return "btree_gist"
}

// class is by what an SP-GiST index divides its values.
func (s *spgist) class() string {
	switch s.o.Columns[0].Type.Base().Kind {
	case pgtype.KindText, pgtype.KindVarchar:
		return "text"
	case pgtype.KindInet, pgtype.KindCidr:
		return "inet"
	case pgtype.KindPoint:
		return "point"
	}
	return "range"
}

// term is that of a row: of an access method that was measured, or of any other.
func (g *generic) term() string {
	if _, ok := prices.Entry[g.o.Method]; ok {
		return g.o.Method + ": insert a row"
	}
	return "unknown access method: insert a row"
}
