package apply_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/stream"
	"applysim/wal"
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

// passes counts how often a VACUUM went over the heap's dead items: between two
// passes it reads on.
func passes(records []string) int {
	n, second := 0, false
	for _, r := range records {
		switch {
		case strings.HasPrefix(r, "Heap2/PRUNE_VACUUM_CLEANUP"):
			if !second {
				n++
			}
			second = true
		case strings.HasPrefix(r, "Heap2/PRUNE_VACUUM_SCAN"):
			second = false
		}
	}
	return n
}

// TestVacuumPasses cleans the index each time dead items need more than
// maintenance_work_mem. With 64 kB that is when they are on 33 pages: the tree node for
// more than 32 pages comes from a slab with blocks of 32 kB, beside 8 for the two
// smaller kinds each, 16 for the third and 8 for bitmaps.
func TestVacuumPasses(t *testing.T) {
	for _, x := range []struct {
		command string
		passes  int
	}{
		{"VACUUM t", 1},
		{"SET maintenance_work_mem = '64kB'; VACUUM t", 4},
		{"SET maintenance_work_mem TO '128kB'; VACUUM (PARALLEL 2, VERBOSE) t;", 2},
		{"SET maintenance_work_mem = '64kB'; VACUUM (INDEX_CLEANUP off) t", 0},
	} {
		s := subscribe(t, "create table t(id int primary key, pad text storage plain)", options())
		s.apply(relation(1, "t", 'd', "id*", "pad"), begin())
		pad := strings.Repeat("x", 1900) // four on a page, on 100 pages
		for id := 1; id <= 400; id++ {
			s.must(insert(1, strconv.Itoa(id), pad))
		}
		s.apply(commit(), begin())
		for id := 1; id <= 400; id += 2 {
			s.must(del(1, 'K', strconv.Itoa(id), null))
		}
		s.apply(commit())
		s.take()
		if err := s.Run(x.command, true); err != nil {
			t.Fatal(err)
		}
		s.check()
		if got := passes(s.take()); got != x.passes {
			t.Errorf("%s: %d passes, expected %d", x.command, got, x.passes)
		}
		if err := s.Run("VACUUM (INDEX_CLEANUP on) t", true); err != nil {
			t.Fatal(err)
		}
		if got := passes(s.take()); (got > 0) != (x.passes == 0) {
			t.Errorf("%s: %d passes of the next VACUUM, which has the default memory again", x.command, got)
		}
	}
}

// TestVacuumParallel warns where parallel workers would clean indexes, and refuses
// where shared memory would decide how often.
func TestVacuumParallel(t *testing.T) {
	for _, x := range []struct {
		command, refused string
		warned           bool
	}{
		{"VACUUM t", "", true},
		{"VACUUM (PARALLEL 0) t", "", false},
		{"VACUUM (INDEX_CLEANUP off) t", "", false},
		{"SET max_parallel_maintenance_workers = 0; VACUUM t", "", false},
		{"SET min_parallel_index_scan_size = '8MB'; VACUUM t", "", false},
		{"SET maintenance_work_mem = '64kB'; VACUUM t", "", true}, // a pass for each page
		{"SET maintenance_work_mem = '1MB'; VACUUM t", "whether they fit into shared memory", true},
	} {
		s := subscribe(t, "create table t(id int primary key, n int unique)", options())
		s.apply(relation(1, "t", 'd', "id*", "n"), begin())
		for id := 1; id <= 24000; id++ {
			s.must(insert(1, strconv.Itoa(id), strconv.Itoa(id)))
		}
		s.apply(commit(), begin())
		for id := 1; id <= 24000; id += 1000 {
			s.must(del(1, 'K', strconv.Itoa(id), null))
		}
		s.apply(commit())
		err := s.Run(x.command, true)
		if x.refused == "" && err != nil || x.refused != "" && (err == nil || !strings.Contains(err.Error(), x.refused)) {
			t.Errorf("%s: got error %v, expected %q", x.command, err, x.refused)
		}
		if warned := len(s.Warnings) > 0; warned != x.warned {
			t.Errorf("%s: warnings %q", x.command, s.Warnings)
		}
	}
}

// TestVacuumParameters follows storage parameters where the command says nothing,
// those of the TOAST table for that.
func TestVacuumParameters(t *testing.T) {
	const off = "with (vacuum_truncate = off, vacuum_index_cleanup = off)"
	for _, x := range []struct {
		with, command      string
		truncated, cleaned bool
	}{
		{"", "VACUUM t", true, true},
		{"", "SET vacuum_truncate = off; VACUUM t", false, true},
		{"with (vacuum_truncate = on)", "SET vacuum_truncate = off; VACUUM t", true, true},
		{off, "VACUUM t", false, false},
		{off, "VACUUM (TRUNCATE, INDEX_CLEANUP) t", true, true},
		{"with (toast.vacuum_truncate = off)", "VACUUM t", true, true},
		{"", "VACUUM (PROCESS_MAIN off) t", false, false},
	} {
		s := filled(t, options(), "create table t(id int primary key, pad text) "+x.with, 301)
		pages := s.table("t").Heap.Pages()
		if err := s.Run(x.command, true); err != nil {
			t.Fatal(err)
		}
		if got := s.table("t").Heap.Pages() < pages; got != x.truncated {
			t.Errorf("%s, %s: truncated %v", x.with, x.command, got)
		}
		if got := passes(s.take()) > 0; got != x.cleaned {
			t.Errorf("%s, %s: cleaned %v", x.with, x.command, got)
		}
	}
}

// TestVacuumFreezes freezes what vacuum_freeze_min_age says, on all pages if
// vacuum_freeze_table_age says so.
func TestVacuumFreezes(t *testing.T) {
	for _, x := range []struct {
		command string
		frozen  int // pages
	}{
		{"VACUUM t", 0},
		{"VACUUM (FREEZE) t", 100},
		{"SET vacuum_freeze_min_age = 0; VACUUM t", 1}, // it passes over all but the last page
		{"SET vacuum_freeze_table_age = 0; VACUUM t", 0},
		{"SET vacuum_freeze_table_age = 0; SET vacuum_freeze_min_age = 0; VACUUM t", 100},
		{"SET vacuum_freeze_min_age = 0; VACUUM (DISABLE_PAGE_SKIPPING) t", 100},
		{"SET vacuum_freeze_min_age = 1; VACUUM (DISABLE_PAGE_SKIPPING) t", 0},
	} {
		s := subscribe(t, "create table t(id int primary key, pad text storage plain)", options())
		s.apply(relation(1, "t", 'd', "id*", "pad"), begin())
		pad := strings.Repeat("x", 1900) // four on a page, on 100 pages
		for id := 1; id <= 400; id++ {
			s.must(insert(1, strconv.Itoa(id), pad))
		}
		s.apply(commit())
		if err := s.Run("VACUUM t", true); err != nil {
			t.Fatal(err)
		}
		s.take()
		if err := s.Run(x.command, true); err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, r := range s.take() {
			if strings.HasPrefix(r, "Heap2/PRUNE_VACUUM_SCAN") {
				got++
			}
		}
		if got != x.frozen {
			t.Errorf("%s: %d pages frozen, expected %d", x.command, got, x.frozen)
		}
	}
}

// TestVacuumBadCommands says what is wrong with a command.
func TestVacuumBadCommands(t *testing.T) {
	for command, want := range map[string]string{
		"VACUUM (FREEZE t":                  "expected ) in",
		"VACUUM (FREEZE 7) t":               "option freeze 7: expected a Boolean value",
		"VACUUM (PARALLEL 2000) t":          "PARALLEL 2000: expected a number from 0 to 1024",
		"VACUUM (FULL) t":                   "not supported: VACUUM FULL",
		"VACUUM u":                          `relation "u" does not exist`,
		"SET maintenance_work_mem":          "expected a name and a value",
		"SET maintenance_work_mem 7":        "expected = or TO",
		"SET maintenance_work_mem = '1kB'":  `invalid value for parameter "maintenance_work_mem"`,
		"SET wal_buffers = '1MB'; VACUUM t": "not supported: the event SET wal_buffers",
		"SET vacuum_freeze_min_age = -1":    "expected a number from 0 to 1000000000",
		"SET synchronous_commit = perhaps":  "synchronous_commit: expected local, remote_write, remote_apply, on or off",
		"ANALYZE u":                         `relation "u" does not exist`,
		"CLUSTER t":                         "not supported: the event CLUSTER t",
	} {
		s := subscribe(t, padded, options())
		if err := s.Run(command, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, expected %q", command, err, want)
		}
	}
}

// TestVacuumTellsStandbys writes the lock and the truncation as records that belong to
// no change, unless they are not wanted.
func TestVacuumTellsStandbys(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		s := filled(t, options(), padded, 301)
		if err := s.Run("VACUUM t", quiet); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range s.take() {
			if strings.HasPrefix(r, "St") || strings.HasPrefix(r, "Transaction/") {
				got = append(got, r)
			}
		}
		want := []string{"Standby/LOCK - 42", "Storage/TRUNCATE - 46", "Transaction/COMMIT - 46"}
		if quiet {
			want = want[2:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("quiet %v: records %q, expected %q", quiet, got, want)
		}
	}
}

// TestVacuumFreezesWithImages freezes a page whose image is written anyway. A session
// that has written nothing yet does not know that images are wanted, so that its first
// page is left alone.
func TestVacuumFreezesWithImages(t *testing.T) {
	for _, x := range []struct {
		command string
		left    int // pages that are not frozen
	}{
		{"CHECKPOINT; VACUUM t", 1},
		{"CHECKPOINT; VACUUM u; VACUUM t", 0},
		// This session knows the redo pointer of the checkpoint before, which is older
		// than its pages.
		{"VACUUM u; CHECKPOINT; VACUUM t", 1},
		{"CHECKPOINT; VACUUM (FREEZE) t", 0},
	} {
		o := options()
		o.Settings.FullPageWrites = true
		s := subscribe(t, "create table t(id int primary key, pad text storage plain); create table u(id int primary key)", o)
		s.apply(relation(1, "t", 'd', "id*", "pad"), begin())
		pad := strings.Repeat("x", 1900) // four on a page, on 100 pages
		for id := 1; id <= 400; id++ {
			s.must(insert(1, strconv.Itoa(id), pad))
		}
		s.apply(commit(), begin())
		for id := 1; id <= 400; id += 4 {
			s.must(del(1, 'K', strconv.Itoa(id), null))
		}
		s.apply(commit())
		if err := s.Run(x.command, true); err != nil {
			t.Fatal(err)
		}
		s.take()
		if err := s.Run("VACUUM (FREEZE) t", true); err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, r := range s.take() {
			if strings.HasPrefix(r, "Heap2/PRUNE_VACUUM_SCAN") {
				left++
			}
		}
		if left != x.left {
			t.Errorf("%s: %d pages left, expected %d", x.command, left, x.left)
		}
	}
}

// TestVisibilityLogged carries the page of the visibility map in records that clear its
// bits, from 18.6 on: a lock clears that all is frozen, a change both bits.
func TestVisibilityLogged(t *testing.T) {
	const more = wal.ExtraBlockRef
	for _, x := range []struct {
		minor   int
		command string
		// Lengths beyond the usual ones of LOCK and DELETE of the first row of a page,
		// of those of the second, and of an UPDATE from one page to another.
		lock, del, again, update int
	}{
		{1, "VACUUM (FREEZE) t", 0, 0, 0, 0},
		{6, "VACUUM (FREEZE) t", more, more, 0, more},
		{6, "VACUUM t", 0, more, 0, more},
	} {
		o := options()
		o.Settings.ServerMinor = x.minor
		s := subscribe(t, "create table t(id int primary key, pad text storage plain)", o)
		s.apply(relation(1, "t", 'd', "id*", "pad"), begin())
		pad := strings.Repeat("x", 1900) // four on a page, on three pages, the last with room
		for id := 1; id <= 10; id++ {
			s.must(insert(1, strconv.Itoa(id), pad))
		}
		s.apply(commit())
		if err := s.Run(x.command, true); err != nil {
			t.Fatal(err)
		}
		s.take()
		lengths := func(changes ...stream.Message) (list []int) {
			s.apply(tx(changes...)...)
			for _, r := range s.take() {
				f := strings.Fields(r)
				if n, err := strconv.Atoi(f[2]); err == nil && f[1] == "t" {
					list = append(list, n)
				}
			}
			return list
		}
		got := lengths(del(1, 'K', "1", null), del(1, 'K', "2", null))
		if want := []int{54 + x.lock, 67 + x.del, 54, 67 + x.again}; !slices.Equal(got, want) {
			t.Errorf("18.%d, %s: lengths of deletes %v, expected %v", x.minor, x.command, got, want)
		}
		// Two locks, since the new version goes to another page, which is all-visible too:
		// one page of the map for both.
		got = lengths(update(1, "5", pad))
		if want := []int{54 + x.lock, 54, 1985 + x.update}; !slices.Equal(got, want) {
			t.Errorf("18.%d, %s: lengths of an update %v, expected %v", x.minor, x.command, got, want)
		}
	}
}

// TestVacuumEager refuses to guess which all-visible pages VACUUM reads early: only in
// tables of two regions of 4,096 pages with transactions from before the freeze limit.
func TestVacuumEager(t *testing.T) {
	for _, x := range []struct {
		pages   int
		command string
		refused bool
	}{
		{8192, "SET vacuum_freeze_min_age = 0; VACUUM t", true},
		{8191, "SET vacuum_freeze_min_age = 0; VACUUM t", false},
		{8192, "VACUUM t", false},
		{8192, "VACUUM (FREEZE) t", false},
		{8192, "SET vacuum_freeze_min_age = 0; SET vacuum_max_eager_freeze_failure_rate = 0; VACUUM t", false},
	} {
		s := subscribe(t, "create table t(id int primary key, pad text storage plain)", options())
		s.apply(relation(1, "t", 'd', "id*", "pad"), begin())
		pad := strings.Repeat("x", 4100) // one on a page
		for id := 1; id <= x.pages; id++ {
			s.must(insert(1, strconv.Itoa(id), pad))
		}
		s.apply(commit())
		if err := s.Run("VACUUM t", true); err != nil {
			t.Fatal(err)
		}
		s.apply(begin(), del(1, 'K', "1", null), commit())
		err := s.Run(x.command, true)
		if refused := err != nil && strings.Contains(err.Error(), "drawn at random"); refused != x.refused || err != nil && !refused {
			t.Errorf("%d pages, %s: got error %v", x.pages, x.command, err)
		}
	}
}
