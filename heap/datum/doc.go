// Package datum lays out column values in tuples: the rules that heap tuples
// and index tuples share.
//
// A tuple's data area is its columns one after the other, each at an offset
// that suits its type's alignment, NULLs left out:
//
//	by value and fixed length   aligned to attalign, attlen bytes
//	varlena, up to 126 bytes    1-byte header, not aligned: (length+1)<<1 | 1
//	varlena, longer             aligned, 4-byte header: (length+4)<<2
//	varlena, compressed         aligned, 4-byte header: (length+4)<<2 | 2
//	varlena, out of line        not aligned, 2-byte header, 16-byte pointer
//
// A tuple that is formed for a column with storage PLAIN has no short header there. One
// that INSERT forms has: it knows the types of the query's columns only, and what is
// short then stays so (form Short).
//
// Reading order: datum.go (values and column descriptions), layout.go.
package datum
