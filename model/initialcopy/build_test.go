package initialcopy

import (
	"fmt"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// TestBuildWAL compares what building an index writes with what CREATE INDEX has written on
// PostgreSQL 18.1 (records, their bytes, those of images, pages of the index), for a table
// of 20,000 rows that COPY has loaded.
func TestBuildWAL(t *testing.T) {
	db, err := schema.Read(strings.NewReader(`create table t (id bigint not null, a int not null, b text not null, d timestamptz not null);
		alter table t add constraint pk primary key (id); create index low on t (a); create index txt on t (b);
		create index two on t (d, a) include (id); create index fill on t (id) with (fillfactor=60)`), "schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	settings := guc.Defaults()
	w, err := apply.New(db, apply.Options{Settings: settings, Start: 0x2000028, NextXID: 1000})
	if err != nil {
		t.Fatal(err)
	}
	r := &rows{columns: []string{"id", "a", "b", "d"}}
	for i := 1; i <= 20000; i++ {
		h := i * 7919 % 10007
		r.add(texts(fmt.Sprint(i), fmt.Sprint(h%50), fmt.Sprintf("v%d", h), fmt.Sprintf("2026-01-01 00:00:%02d+00", h%60)))
	}
	if err := w.Load("public", "t", &loaded{r, []int{0, 1, 2, 3}}, apply.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	want := map[string][4]int64{
		"pk": {2, 405313, 404500, 57}, "low": {1, 126087, 125804, 19}, "txt": {2, 364876, 364128, 52}, "two": {4, 732581, 731124, 101}, "fill": {3, 407953, 406740, 85},
	}
	for _, x := range w.Tables()[0].Indexes {
		c := x.BTree.BuildWAL()
		if got := [4]int64{c.Records, c.Bytes, c.FPIBytes, int64(x.BTree.Pages())}; got != want[x.Schema.Name] {
			t.Errorf("%s: %d, expected %d", x.Schema.Name, got, want[x.Schema.Name])
		}
	}
}

func texts(values ...string) stream.Tuple {
	var row stream.Tuple
	for _, v := range values {
		row = append(row, stream.Column{Format: stream.ColumnText, Data: []byte(v)})
	}
	return row
}

// TestSchedule checks plans that can be worked out by hand.
func TestSchedule(t *testing.T) {
	jobs := []Job{{"a", 10, 100}, {"b", 4, 40}, {"c", 4, 40}}
	for _, c := range []struct {
		workers          int
		load             Load
		copied, caughtUp float64
	}{
		{1, Load{}, 18, 18},
		{2, Load{}, 10, 10},
		{3, Load{}, 10, 10},
		// A change takes 10 ms, one a second to table a alone: its 10 wait 100 ms, and the
		// changes of those take 1 ms.
		{1, Load{Rate: 1, Apply: 0.01, Share: func(name string) float64 {
			if name == "a" {
				return 1
			}
			return 0
		}}, 18.1, 18.1 + 0.1*0.01/0.99},
	} {
		p := Schedule(jobs, c.workers, c.load)
		if diff := p.Copied - c.copied; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%d workers: copied after %v, expected %v", c.workers, p.Copied, c.copied)
		}
		if diff := p.CaughtUp - c.caughtUp; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%d workers: caught up after %v, expected %v", c.workers, p.CaughtUp, c.caughtUp)
		}
	}
}
