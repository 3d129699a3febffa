package apply_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"applysim/model/stream"
	"applysim/wal"
)

// Page images and logged hints make the WAL longer; what happens to rows and pages
// is the same with and without them, however pages are compressed.
func TestImagesChangeNothing(t *testing.T) {
	r := newRand(41)
	var messages []stream.Message
	there := map[int]bool{}
	for range 250 {
		messages = append(messages, begin())
		for range 1 + r.IntN(6) {
			id := r.IntN(150)
			v := []string{strconv.Itoa(id), strconv.Itoa(r.IntN(5)), strings.Repeat("p", r.IntN(400))}
			switch {
			case !there[id]:
				messages = append(messages, insert(1, v...))
				there[id] = true
			case r.IntN(4) > 0:
				messages = append(messages, update(1, v...))
			default:
				messages = append(messages, del(1, 'K', v[0], null, null))
				delete(there, id)
			}
		}
		messages = append(messages, commit())
	}
	run := func(images, hints bool, c wal.Compression) (*subscriber, []string, int) {
		o := options()
		o.Settings.FullPageWrites, o.Settings.DataChecksums, o.Settings.WALCompression = images, hints, c
		s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, a int, pad text) WITH (fillfactor = 90); CREATE INDEX ON t (a);`, o)
		s.apply(relation(1, "t", 'd', "id*", "a", "pad"))
		for i := range messages {
			if i%97 == 0 {
				s.Checkpoint(false)
			}
			if err := s.try(messages[i]); err != nil {
				t.Fatal(err)
			}
		}
		s.check()
		var names []string
		hinted := 0
		for _, record := range s.records {
			name, _, _ := strings.Cut(record, " ")
			if name == "XLOG/FPI_FOR_HINT" {
				hinted++
				continue
			}
			f := strings.Fields(record)
			names = append(names, f[0]+" "+f[1])
		}
		return s, names, hinted
	}
	plain, names, hinted := run(false, false, wal.NoCompression)
	if hinted != 0 || plain.Log().Total().FPIBytes != 0 {
		t.Errorf("%d hints logged, %d bytes of images", hinted, plain.Log().Total().FPIBytes)
	}
	rows := plain.rows("t")
	sizes := map[wal.Compression]int64{}
	for _, c := range []struct {
		images, hints bool
		compression   wal.Compression
	}{
		{true, false, wal.NoCompression}, {true, true, wal.NoCompression}, {false, true, wal.NoCompression},
		{true, true, wal.PGLZ}, {true, true, wal.LZ4}, {true, true, wal.ZSTD},
	} {
		s, got, hinted := run(c.images, c.hints, c.compression)
		if !slices.Equal(got, names) {
			t.Errorf("%+v: other records than without images", c)
		}
		if got := s.rows("t"); got != rows {
			t.Errorf("%+v: other rows than without images", c)
		}
		total := s.Log().Total()
		if (total.FPIBytes > 0) != c.images || (hinted > 0) != c.hints || total.Bytes < plain.Log().Total().Bytes {
			t.Errorf("%+v: %d bytes of images, %d hints, %d bytes in all", c, total.FPIBytes, hinted, total.Bytes)
		}
		if c.images && c.hints {
			sizes[c.compression] = total.FPIBytes
		}
	}
	for _, m := range []wal.Compression{wal.PGLZ, wal.LZ4, wal.ZSTD} {
		if sizes[m] >= sizes[wal.NoCompression] {
			t.Errorf("images compressed by method %d take %d bytes, uncompressed %d", m, sizes[m], sizes[wal.NoCompression])
		}
	}
}
