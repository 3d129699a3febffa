package apply_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// The published table of HOT updates: 3,000 rows of 856 characters beside two
// integers, loaded in one transaction and then updated in five, each of which
// changes column a of every row, by ascending id. PostgreSQL 15 to 18 agree.
func TestPublishedHOT(t *testing.T) {
	const rows = 3000
	pad := strings.Repeat("x", 856)
	for _, c := range []struct {
		fillfactor int
		hot        [5]int64
		size       int
	}{
		{100, [5]int64{0, 3, 9, 18, 30}, 16359424},
		{70, [5]int64{1500, 3750, 6375, 9189, 12096}, 8060928},
	} {
		t.Run(fmt.Sprintf("fillfactor=%d", c.fillfactor), func(t *testing.T) {
			s := subscribe(t, fmt.Sprintf(`CREATE TABLE t (id int PRIMARY KEY, a int, pad text STORAGE PLAIN)
				WITH (fillfactor = %d, autovacuum_enabled = off);`, c.fillfactor), options())
			s.apply(relation(1, "t", 'd', "id*", "a", "pad"), begin())
			for id := 1; id <= rows; id++ {
				if err := s.try(insert(1, strconv.Itoa(id), "0", pad)); err != nil {
					t.Fatal(err)
				}
			}
			s.apply(commit())
			h := s.table("t").Heap
			var hot [5]int64
			for round := range hot {
				s.apply(begin())
				for id := 1; id <= rows; id++ {
					if err := s.try(update(1, strconv.Itoa(id), strconv.Itoa(round+1), pad)); err != nil {
						t.Fatal(err)
					}
				}
				s.apply(commit())
				hot[round] = h.Counters.HOTUpdates
			}
			if hot != c.hot {
				t.Errorf("HOT updates %v, published %v", hot, c.hot)
			}
			if n := h.Pages() * 8192; n != c.size {
				t.Errorf("heap of %d bytes, published %d", n, c.size)
			}
			if n := h.Counters.Updates; n != 5*rows {
				t.Errorf("%d updates, expected %d", n, 5*rows)
			}
		})
	}
}
