// Package accessmethod says what indexes of other access methods than btree and BRIN write
// and cost: gin, gist, hash, spgist and those of extensions.
//
//	values, TID --Insert--> Index --wal.Log.Estimate--> records with their lengths
//	                          '---- Work --Terms--> the cost model
//
// Pages are modelled as far as sizes go: what is on each page in bytes and items, when it
// was last changed (for full-page images), when it is divided. How far off that is was
// measured on real servers (experiments/accessmethods); ErrorOf has it by access method.
//
//   - hash (hash.go): each item on its page; lengths are those of a real index.
//   - gin (gin.go; keys.go and jsonb.go take the keys from values): the pending list byte for
//     byte, the entry tree with its keys in the order of their first eight bytes, posting
//     trees by their lengths. Which of a dead row's TIDs are where is not followed: VACUUM
//     takes an equal share of each entry.
//   - gist (gist.go; box.go, signature.go): a tree of boxes, or of signatures, that grows and
//     is divided as the built-in operator classes for boxes and ranges do it; those of other
//     classes go by the same rules on a line.
//   - spgist (spgist.go): leaf tuples; what dividing pages writes goes by their bytes.
//   - all others (generic.go): an entry a row; those of the extensions bloom and vector were
//     measured, of any other no more than the order of magnitude is known.
//
// Left out: kill marks that lookups leave, the opclass options siglen and numranges, keys of
// hstore and of intarray's query types, GiST indexes built by sorting (they are built by
// insertion), pages that VACUUM gives back.
//
// Reading order: index.go, hash.go, keys.go, gin.go, box.go, gist.go, spgist.go, generic.go,
// prices.go, terms.go.
package accessmethod
