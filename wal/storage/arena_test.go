package storage_test

import (
	"testing"

	"applysim/wal/storage"
)

// Pieces of an arena must not overlap, whatever their types and sizes are.
func TestGive(t *testing.T) {
	type triple struct{ a, b, c uint16 }
	var a storage.Arena
	var bytes [][]byte
	var triples [][]triple
	for n := range 600 {
		b := storage.Give[byte](&a, n*7)
		if len(b) != 0 || cap(b) < n*7 {
			t.Fatalf("Give[byte](%d) has length %d and room for %d", n*7, len(b), cap(b))
		}
		bytes = append(bytes, b[:n*7])
		triples = append(triples, storage.Give[triple](&a, n)[:n])
		for i := range bytes[n] {
			bytes[n][i] = byte(n)
		}
		for i := range triples[n] {
			triples[n][i] = triple{uint16(n), uint16(i), uint16(n)}
		}
	}
	for n := range bytes {
		for i, c := range bytes[n] {
			if c != byte(n) {
				t.Fatalf("byte %d of piece %d is %d", i, n, c)
			}
		}
		for i, c := range triples[n] {
			if c != (triple{uint16(n), uint16(i), uint16(n)}) {
				t.Fatalf("element %d of piece %d is %v", i, n, c)
			}
		}
	}
	if b := storage.Give[byte](&a, 64<<20); cap(b) < 64<<20 {
		t.Errorf("a piece larger than any chunk has room for %d", cap(b))
	}
}
