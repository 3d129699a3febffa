package zstd_test

import (
	"bytes"
	"testing"

	lib "github.com/klauspost/compress/zstd"

	"applysim/wal/zstd"
)

// TestCompress decompresses what was compressed, several times with one
// compressor.
func TestCompress(t *testing.T) {
	var c zstd.Compressor
	d, err := lib.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, n := range []int{0, 1, 100, 1000, 8192} {
		src := make([]byte, n)
		for i := range src {
			src[i] = byte(i * i >> 5)
		}
		got, err := d.DecodeAll(c.Compress(src), nil)
		if err != nil || !bytes.Equal(got, src) {
			t.Errorf("%d bytes: got %d bytes, %v", n, len(got), err)
		}
	}
}

// TestFrame checks the frame's header: the magic number, one segment with its size
// and no checksum, as the C library writes it for a page.
func TestFrame(t *testing.T) {
	var c zstd.Compressor
	b := c.Compress(make([]byte, 8000))
	want := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x40, 0x1e} // 8000 less 256, two bytes
	if !bytes.HasPrefix(b, want) {
		t.Errorf("frame begins % x, expected % x", b[:min(len(b), 8)], want)
	}
}
