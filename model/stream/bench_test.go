package stream

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// benchmarkInput is an insert workload of five columns, 25 rows a transaction.
func benchmarkInput(c Container, rows int) []byte {
	var out bytes.Buffer
	w := NewWriter(&out, c)
	payload := bytes.Repeat([]byte("0123456789abcdef"), 8)
	for i := 0; i < rows; i += 25 {
		w.WriteEncoded(0x196FD20, 761, AppendBegin(nil, 0x1000, 5, 700))
		for j := i; j < i+25; j++ {
			w.WriteEncoded(0x196FD20, 761, AppendInsert(nil, 0, 16384, Tuple{
				{ColumnText, fmt.Append(nil, j)}, {ColumnText, fmt.Append(nil, j*7919%10000)}, {ColumnText, fmt.Append(nil, j%5)},
				{ColumnText, payload}, {ColumnText, []byte("2026-08-03 00:00:00.0017+00")},
			}))
		}
		w.WriteEncoded(0x196FD20, 761, AppendCommit(nil, 0x1000, 0x1010, 5))
	}
	w.Flush()
	return out.Bytes()
}

// BenchmarkDecode reads a stream of inserts from memory; the figures are per
// message, 25 of 27 of them inserts of five columns.
func BenchmarkDecode(b *testing.B) {
	for _, f := range []struct {
		name string
		c    Container
	}{{"raw", Raw}, {"tsv", Lines}, {"hex", Hex}} {
		b.Run("format="+f.name, func(b *testing.B) {
			const rows = 100_000
			in := benchmarkInput(f.c, rows)
			const messages = rows / 25 * 27
			b.SetBytes(int64(len(in)) / messages)
			b.ReportAllocs()
			var m Message
			r := &Reader{}
			b.ResetTimer()
			for i := range b.N {
				if i%messages == 0 {
					r = open(b, in, DefaultOptions())
				}
				if err := r.Next(&m); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/message")
		})
	}
	// Without a reader: one insert again and again.
	b.Run("format=message", func(b *testing.B) {
		msg := AppendInsert(nil, 0, 16384, Tuple{
			{ColumnText, []byte("123456")}, {ColumnText, []byte("4711")}, {ColumnText, []byte("3")},
			{ColumnText, make([]byte, 128)}, {ColumnText, []byte("2026-08-03 00:00:00.0017+00")},
		})
		var d Decoder
		var m Message
		b.ReportAllocs()
		b.SetBytes(int64(len(msg)))
		for b.Loop() {
			if err := d.Decode(msg, &m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkEncode writes the same messages.
func BenchmarkEncode(b *testing.B) {
	for _, f := range []struct {
		name string
		c    Container
	}{{"raw", Raw}, {"tsv", Lines}} {
		b.Run("format="+f.name, func(b *testing.B) {
			var d Decoder
			var m Message
			msg := AppendInsert(nil, 0, 16384, Tuple{
				{ColumnText, []byte("123456")}, {ColumnText, []byte("4711")}, {ColumnText, []byte("3")},
				{ColumnText, make([]byte, 128)}, {ColumnText, []byte("2026-08-03 00:00:00.0017+00")},
			})
			if err := d.Decode(msg, &m); err != nil {
				b.Fatal(err)
			}
			w := NewWriter(io.Discard, f.c)
			b.ReportAllocs()
			b.SetBytes(int64(len(msg)))
			for b.Loop() {
				if err := w.Write(&m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
