package accessmethod

import (
	"cmp"
	"math/bits"
	"slices"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// signature is a set of bits that stands for a set of keys: those of the lexemes of a
// tsvector, or of the trigrams of a text (tsgistidx.c, contrib/pg_trgm/trgm_gist.c).
type signature []uint64

// Signatures are so long unless an option says otherwise, in bytes. Sources: REL_18_1,
// src/backend/utils/adt/tsgistidx.c (SIGLEN_DEFAULT), contrib/pg_trgm/trgm.h.
const (
	vectorSignature  = 124
	trigramSignature = 12
)

// signatureBytes is the length of a column's signatures, 0 if it has none.
func signatureBytes(c *Column) int {
	switch {
	case c.OpClass == "gist_trgm_ops":
		return trigramSignature
	case c.Type.Base().Kind == pgtype.KindTSVector, c.OpClass == Words:
		return vectorSignature
	}
	return 0
}

// sign makes a value's signature of its keys.
func sign(e *extractor, v *datum.Value, bytes int) signature {
	s := make(signature, (bytes+7)/8)
	for _, k := range e.extract(v) {
		if !k.null {
			n := k.id % uint64(8*bytes)
			s[n/64] |= 1 << (n % 64)
		}
	}
	return s
}

// join adds the bits of another; grew says whether there were new ones.
func (s signature) join(o signature) (grew bool) {
	for i := range s {
		if o[i]&^s[i] != 0 {
			s[i] |= o[i]
			grew = true
		}
	}
	return grew
}

// distance is the number of bits that differ.
func (s signature) distance(o signature) int {
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i] ^ o[i])
	}
	return n
}

// divideSignatures is divide for signatures: the two that are most apart begin the halves,
// the others go to the nearer one, those that care most first, with a wish for halves of
// the same size (gtsvector_picksplit).
func divideSignatures(list []gistEntry) int {
	if len(list) < 2 {
		return len(list)
	}
	a, b, most := 0, 1, -1
	for i := range list {
		for k := i + 1; k < len(list); k++ {
			if d := list[i].sig.distance(list[k].sig); d > most {
				a, b, most = i, k, d
			}
		}
	}
	left, right := slices.Clone(list[a].sig), slices.Clone(list[b].sig)
	type choice struct{ at, cost int }
	var order []choice
	for i := range list {
		if i != a && i != b {
			d := list[i].sig.distance(left) - list[i].sig.distance(right)
			order = append(order, choice{i, max(d, -d)})
		}
	}
	slices.SortStableFunc(order, func(x, y choice) int { return cmp.Compare(x.cost, y.cost) })
	lefts, rights := []gistEntry{list[a]}, []gistEntry{list[b]}
	for _, o := range order {
		e := &list[o.at]
		apart := float64(len(lefts) - len(rights))
		wish := float64(-float64(apart*apart) * apart * 0.1)
		if float64(e.sig.distance(left)) < float64(e.sig.distance(right))+wish {
			left.join(e.sig)
			lefts = append(lefts, *e)
		} else {
			right.join(e.sig)
			rights = append(rights, *e)
		}
	}
	copy(list[copy(list, lefts):], rights)
	return len(lefts)
}
