package apply_test

import (
	"runtime"
	"strconv"
	"testing"

	"applysim/model/apply"
	"applysim/model/stream"
)

// workload are the rows of the workload that the project measures by: ids in order,
// accounts spread over 10,000, five states, times in order.
type workload struct {
	n       int
	buffers [5][]byte
}

func (r *workload) Len() int { return r.n }

func (r *workload) Row(n int, columns []int, row stream.Tuple) {
	if columns == nil {
		for i := range row {
			r.column(n, i, &row[i])
		}
		return
	}
	for _, i := range columns {
		r.column(n, i, &row[i])
	}
}

func (r *workload) column(n, i int, to *stream.Column) {
	b := r.buffers[i][:0]
	switch i {
	case 0:
		b = strconv.AppendInt(b, int64(n+1), 10)
	case 1:
		b = strconv.AppendUint(b, hash(uint64(n), 1)%10000, 10)
	case 2:
		b = strconv.AppendUint(b, hash(uint64(n), 2)%5, 10)
	case 3:
		b = append(b, payload[:128]...)
	case 4:
		s := n / 25
		b = append(b, "2026-01-"...)
		b = append(b, byte('0'+(1+s/86400)/10), byte('0'+(1+s/86400)%10), ' ')
		for j, v := range [3]int{s / 3600 % 24, s / 60 % 60, s % 60} {
			if j > 0 {
				b = append(b, ':')
			}
			b = append(b, byte('0'+v/10), byte('0'+v%10))
		}
		b = append(b, "+00"...)
	}
	r.buffers[i] = b
	*to = stream.Column{Format: stream.ColumnText, Data: b}
}

const payload = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

const workloadTable = "CREATE TABLE events (id bigint PRIMARY KEY, account_id integer NOT NULL, status smallint NOT NULL, payload text NOT NULL, updated_at timestamptz NOT NULL);" +
	"CREATE INDEX ON events (updated_at); CREATE INDEX ON events (account_id); CREATE INDEX ON events (account_id, status); CREATE INDEX ON events (status, updated_at);"

// BenchmarkLoad is how long it takes until a worker can begin that has a table with
// five indexes, and how much memory that takes.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{100_000, 10_000_000} {
		b.Run("rows="+strconv.Itoa(n), func(b *testing.B) {
			if n > 1_000_000 && testing.Short() {
				b.Skip()
			}
			for b.Loop() {
				runtime.GC()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				s := subscribe(b, workloadTable, options())
				if err := s.Load("public", "events", &workload{n: n}, apply.LoadOptions{Vacuumed: true}); err != nil {
					b.Fatal(err)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "B/row")
				b.ReportMetric(float64(after.Sys)/(1<<20), "MB-system")
				runtime.KeepAlive(s)
			}
		})
	}
}

// addresses are rows whose key is a text, in no order, of which the first 24 bytes are
// the same in all rows.
type addresses struct {
	n      int
	buffer []byte
}

func (r *addresses) Len() int { return r.n }

func (r *addresses) Row(n int, _ []int, row stream.Tuple) {
	r.buffer = strconv.AppendUint(append(r.buffer[:0], "https://www.example.com/"...), hash(uint64(n), 3), 36)
	row[0] = stream.Column{Format: stream.ColumnText, Data: r.buffer}
}

// BenchmarkLoadText is how long building an index on texts takes that begin alike.
func BenchmarkLoadText(b *testing.B) {
	for b.Loop() {
		s := subscribe(b, "CREATE TABLE pages (address text PRIMARY KEY);", options())
		if err := s.Load("public", "pages", &addresses{n: 500_000}, apply.LoadOptions{Vacuumed: true}); err != nil {
			b.Fatal(err)
		}
	}
}
