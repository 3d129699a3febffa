package datum

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A compressed value says how long it was and how it was compressed; it is kept
// only if it saves more than 2 bytes beside its header of 8.
func TestCompress(t *testing.T) {
	var c Compressor
	noise := random(rand.New(rand.NewPCG(1, 1)), 3000)
	for _, m := range []Method{PGLZ, LZ4} {
		for _, in := range [][]byte{
			make([]byte, 3000), bytes.Repeat([]byte("abcdefghij"), 500), append(make([]byte, 2000), noise...), // pglz gives up if the first kilobyte brings nothing
		} {
			v, ok := c.Compress(&Value{Bytes: in}, m)
			if !ok || v.Form != Compressed || len(v.Bytes)+4 >= len(in)-2 {
				t.Errorf("method %d, %d bytes: %v, %d bytes", m, len(in), ok, len(v.Bytes))
				continue
			}
			if n, method := v.RawInfo(); n != len(in) || method != m {
				t.Errorf("method %d, %d bytes: it says %d bytes, method %d", m, len(in), n, method)
			}
			// The word that says so has the method in its two highest bits.
			if got, want := v.Bytes[3], byte(m)<<6; got != want {
				t.Errorf("method %d: highest byte %x, expected %x", m, got, want)
			}
			if back := Decompress(&v); !bytes.Equal(back.Bytes, in) || back.Form != Plain {
				t.Errorf("method %d, %d bytes: not restored", m, len(in))
			}
		}
		if _, ok := c.Compress(&Value{Bytes: noise}, m); ok {
			t.Errorf("method %d compresses noise", m)
		}
	}
	// LZ4 makes 10 bytes of 20 or 21 equal ones: with 8 for the header that saves 2
	// or 3.
	for n, want := range map[int]bool{20: false, 21: true} {
		if _, ok := c.Compress(&Value{Bytes: bytes.Repeat([]byte{'a'}, n)}, LZ4); ok != want {
			t.Errorf("%d equal bytes: compressed %v, expected %v", n, ok, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a broken value is restored")
		}
	}()
	Decompress(&Value{Bytes: []byte{100, 0, 0, 0, 1, 2, 3}, Form: Compressed})
}
