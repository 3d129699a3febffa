package schema

import (
	"bytes"
	"os"
	"testing"
)

// BenchmarkRead reads a dump of pg_dump 18; the aim is 2 ms for 3,000 lines.
func BenchmarkRead(b *testing.B) {
	dump, err := os.ReadFile("testdata/recorded/features_dump.sql")
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.Count(dump, []byte("\n"))
	b.SetBytes(int64(len(dump)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(bytes.NewReader(dump), "dump.sql"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lines), "ns/line")
}
