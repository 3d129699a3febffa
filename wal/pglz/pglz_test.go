package pglz

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// samples are inputs of different kinds: texts, numbers, runs, noise.
func samples() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	digits := make([]byte, 8192)
	for i := range digits {
		digits[i] = '0' + byte(r.IntN(10))
	}
	page := make([]byte, 8192)
	for i := 0; i < len(page); i += 40 {
		copy(page[i:], noise[i%100:i%100+16])
	}
	return map[string][]byte{
		"empty": nil, "one": {1}, "short": []byte("abcabcabc"), "zeros": make([]byte, 8192), "long zeros": make([]byte, 1<<20),
		"text":  []byte(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 50)),
		"noise": noise, "digits": digits, "page": page,
		"far":     append(append(append([]byte{}, noise[:4000]...), noise[:4000]...), make([]byte, 4000)...),
		"nearly":  append(append([]byte{}, noise[:300]...), make([]byte, 200)...),
		"overlap": []byte(strings.Repeat("ab", 4000) + strings.Repeat("abc", 3000)),
	}
}

func TestRoundTrip(t *testing.T) {
	var c Compressor
	for name, in := range samples() {
		out, ok := c.Compress(in)
		if !ok {
			continue
		}
		if len(out) > len(in)*3/4 {
			t.Errorf("%s: %d bytes become %d, which saves less than a quarter", name, len(in), len(out))
		}
		back, ok := Decompress(out, len(in))
		if !ok || !bytes.Equal(back, in) {
			t.Errorf("%s: not restored", name)
		}
		for _, size := range []int{len(in) - 1, len(in) + 1} {
			if back, ok := Decompress(out, size); ok && size >= 0 && len(back) != size {
				t.Errorf("%s: %d bytes asked for, %d restored", name, size, len(back))
			}
		}
	}
}

// What must and what must not compress: less than 32 bytes never do.
func TestLimits(t *testing.T) {
	var c Compressor
	for n, want := range map[int]bool{0: false, 31: false, 32: true, 8192: true} {
		if _, ok := c.Compress(make([]byte, n)); ok != want {
			t.Errorf("%d zeros: compressed %v, expected %v", n, ok, want)
		}
	}
	if _, ok := c.Compress(samples()["noise"]); ok {
		t.Error("noise was compressed")
	}
}

// By hand: 40 times the same byte is one literal and one match of 39 bytes at
// distance 1: control byte 2, the byte, then 0x0F 0x01 and 39 - 18.
func TestByHand(t *testing.T) {
	var c Compressor
	out, ok := c.Compress(bytes.Repeat([]byte{'a'}, 40))
	if want := []byte{0x02, 'a', 0x0F, 0x01, 21}; !ok || !bytes.Equal(out, want) {
		t.Errorf("%x, expected %x", out, want)
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, in := range samples() {
		if len(in) < 10_000 {
			f.Add(in)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var c Compressor
		if out, ok := c.Compress(in); ok {
			if back, ok := Decompress(out, len(in)); !ok || !bytes.Equal(back, in) {
				t.Fatal("not restored")
			}
		}
	})
}

// Whatever is given to it, Decompress returns.
func FuzzDecompress(f *testing.F) {
	f.Add([]byte{0x02, 'a', 0x0F, 0x01, 21}, uint16(40))
	f.Add([]byte{0xFF, 0xFF}, uint16(1000))
	f.Fuzz(func(t *testing.T, in []byte, size uint16) {
		if out, ok := Decompress(in, int(size)); ok && len(out) != int(size) {
			t.Fatalf("%d bytes, expected %d", len(out), size)
		}
	})
}
