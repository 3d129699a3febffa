package apply_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/stream"
)

// filled is a subscriber with rows 1 to 600 of t(id, pad) on several pages, of
// which those from row first on are deleted.
func filled(t *testing.T, o apply.Options, ddl string, first int) *subscriber {
	t.Helper()
	s := subscribe(t, ddl, o)
	s.apply(relation(1, "t", 'd', "id*", "pad"), begin())
	pad := strings.Repeat("x", 100)
	for id := 1; id <= 600; id++ {
		s.must(insert(1, strconv.Itoa(id), pad))
	}
	s.apply(commit(), begin())
	for id := first; id <= 600; id++ {
		s.must(del(1, 'K', strconv.Itoa(id), null))
	}
	s.apply(commit())
	s.take()
	return s
}

// must applies a message that must succeed, without a check of the subscriber.
func (s *subscriber) must(m stream.Message) {
	s.t.Helper()
	if err := s.try(m); err != nil {
		s.t.Fatal(err)
	}
}

const padded = "create table t(id int primary key, pad text)"

// TestVacuumTruncates gives the table's end back. The lock that takes is told to
// standbys with a transaction id, so that there is a COMMIT, which has no origin.
func TestVacuumTruncates(t *testing.T) {
	for _, x := range []struct {
		level     string
		checksums bool
		command   string
		tail      []string // the last records
		truncated bool
	}{
		{"logical", false, "VACUUM t", []string{"Transaction/COMMIT - 46"}, true},
		{"replica", false, "VACUUM t", []string{"Transaction/COMMIT - 38"}, true},
		{"logical", true, "VACUUM (FREEZE) t", []string{"XLOG/FPI t 8241", "XLOG/FPI t 8241", "Transaction/COMMIT - 46"}, true},
		{"logical", false, "VACUUM (TRUNCATE off) t", nil, false},
		// The pages are tried, but dead line pointers are still on them.
		{"logical", false, "VACUUM (INDEX_CLEANUP off) t", []string{"Transaction/COMMIT - 46"}, false},
	} {
		t.Run(x.command+" "+x.level, func(t *testing.T) {
			o := options()
			o.Settings.WALLevel, o.Settings.DataChecksums = x.level, x.checksums
			s := filled(t, o, padded, 301)
			pages := s.table("t").Heap.Pages()
			if err := s.Run(x.command, true); err != nil {
				t.Fatal(err)
			}
			s.check()
			got := s.take()
			if n := len(x.tail); n > 0 && !slices.Equal(got[len(got)-n:], x.tail) {
				t.Errorf("last records %q, expected %q", got[len(got)-n:], x.tail)
			}
			if n := len(x.tail); n == 0 && slices.ContainsFunc(got, func(r string) bool { return strings.HasPrefix(r, "Transaction/") }) {
				t.Errorf("a transaction without need: %q", got)
			}
			if n := s.table("t").Heap.Pages(); (n < pages) != x.truncated {
				t.Errorf("%d of %d pages stay", n, pages)
			}
			// What comes next goes to the pages that stay, then to new ones.
			s.apply(begin())
			for id := 1001; id <= 1400; id++ {
				s.must(insert(1, strconv.Itoa(id), "y"))
			}
			s.apply(commit())
		})
	}
}

// TestVacuumAllRows leaves no page, and the next row makes the first one again.
func TestVacuumAllRows(t *testing.T) {
	s := filled(t, options(), padded, 1)
	if err := s.Run("VACUUM t", true); err != nil {
		t.Fatal(err)
	}
	if n := s.table("t").Heap.Pages(); n != 0 {
		t.Errorf("%d pages stay", n)
	}
	s.take()
	s.apply(begin(), insert(1, "1", "again"), commit())
	if got := s.take()[0]; !strings.HasPrefix(got, "Heap/INSERT+INIT t") {
		t.Errorf("the next record is %q", got)
	}
}

// TestVacuumBypass leaves the indexes alone if dead rows are on fewer pages than
// two in a hundred, rounded down.
func TestVacuumBypass(t *testing.T) {
	for _, x := range []struct {
		rows   int
		bypass bool
	}{{396, false}, {400, true}} { // 99 and 100 pages
		s := subscribe(t, "create table t(id int primary key, pad text storage plain)", options())
		s.apply(relation(1, "t", 'd', "id*", "pad"), begin())
		pad := strings.Repeat("x", 1900) // four on a page
		for id := 1; id <= x.rows; id++ {
			s.must(insert(1, strconv.Itoa(id), pad))
		}
		s.apply(commit(), begin(), del(1, 'K', "1", null), commit())
		s.take()
		if err := s.Run("VACUUM t", true); err != nil {
			t.Fatal(err)
		}
		vacuumed := slices.ContainsFunc(s.take(), func(r string) bool { return strings.HasPrefix(r, "Btree/VACUUM") })
		if vacuumed == x.bypass {
			t.Errorf("%d rows: index vacuumed %v", x.rows, vacuumed)
		}
	}
}
