package zstd_test

import (
	"math/rand/v2"
	"testing"

	"applysim/wal/zstd"
)

func BenchmarkCompress(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	page := make([]byte, 8192)
	for i := range page {
		if i%64 < 40 {
			page[i] = byte(i % 7)
		} else {
			page[i] = byte(r.Uint32())
		}
	}
	var c zstd.Compressor
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		c.Compress(page)
	}
}
