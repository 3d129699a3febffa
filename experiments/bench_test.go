package experiments_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"applysim/experiments/recorded"
	"applysim/experiments/workload"
	"applysim/model/apply"
	"applysim/model/schema"
)

// published returns the published workload as a raw stream.
func published(b *testing.B, rows int) []byte {
	b.Helper()
	o := workload.DefaultOptions()
	o.Rows = rows
	var buf bytes.Buffer
	if err := workload.Generate(&buf, o); err != nil {
		b.Fatal(err)
	}
	return buf.Bytes()
}

func BenchmarkApply(b *testing.B) {
	const rows = 500_000
	raw := published(b, rows)
	for n := range 5 {
		b.Run(fmt.Sprintf("indexes=%d", n), func(b *testing.B) {
			db, err := schema.Read(strings.NewReader(workload.Schema(n)), "events.sql")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				w, err := apply.New(db, apply.Options{Settings: apply.DefaultSettings()})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := recorded.Apply(w, io.Reader(bytes.NewReader(raw))); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/change")
		})
	}
}
