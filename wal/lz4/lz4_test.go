package lz4

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
		if len(in) > MaxInput {
			in = in[:MaxInput]
		}
		out := c.Compress(in)
		back, ok := Decompress(out, len(in))
		if !ok || !bytes.Equal(back, in) {
			t.Errorf("%s: not restored", name)
		}
		if name == "zeros" && len(out) > 50 || name == "noise" && len(out) > len(in)+len(in)/255+16 {
			t.Errorf("%s: %d bytes become %d", name, len(in), len(out))
		}
	}
}

// By hand: less than 13 bytes are literals only; else the last 5 bytes are, and a
// match begins at least 12 bytes before the end.
func TestByHand(t *testing.T) {
	var c Compressor
	for n, want := range map[int][]byte{
		1:  {0x10, 'a'},
		12: append([]byte{0xC0}, bytes.Repeat([]byte{'a'}, 12)...),
		// A literal and a match of 14 bytes at distance 1 (14 - 4 in the token), then
		// the last five.
		20: {0x1A, 'a', 1, 0, 0x50, 'a', 'a', 'a', 'a', 'a'},
		// 15 literals have a token of 15 and go on with a byte.
	} {
		if out := c.Compress(bytes.Repeat([]byte{'a'}, n)); !bytes.Equal(out, want) {
			t.Errorf("%d times a: %x, expected %x", n, out, want)
		}
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
		in = in[:min(len(in), MaxInput)]
		if back, ok := Decompress(c.Compress(in), len(in)); !ok || !bytes.Equal(back, in) {
			t.Fatal("not restored")
		}
	})
}

// Whatever is given to it, Decompress returns.
func FuzzDecompress(f *testing.F) {
	f.Add([]byte{0x1A, 'a', 1, 0, 0x50, 'a', 'a', 'a', 'a', 'a'}, uint16(20))
	f.Add([]byte{0xFF, 0xFF}, uint16(1000))
	f.Fuzz(func(t *testing.T, in []byte, size uint16) {
		if out, ok := Decompress(in, int(size)); ok && len(out) != int(size) {
			t.Fatalf("%d bytes, expected %d", len(out), size)
		}
	})
}
