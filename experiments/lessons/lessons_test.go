package lessons

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden outputs in testdata")

// TestGolden runs every lesson and compares what it prints.
func TestGolden(t *testing.T) {
	for _, l := range Lessons() {
		t.Run(l.Name, func(t *testing.T) {
			r, err := l.Run()
			if err != nil {
				if r != nil {
					r.Text(os.Stderr)
				}
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := r.Text(&got); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", l.Name+".txt")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("the lesson prints\n%s\nexpected\n%s", got.Bytes(), want)
			}
		})
	}
}

// conclusions are what each lesson must come to, told again by its figures.
var conclusions = map[string]func(f map[string]float64) bool{
	"change": func(f map[string]float64) bool {
		return f["records_of_the_update"] > 4 && f["index_entries"] == 3 && f["wal_bytes_of_the_update"] > f["message_bytes"] &&
			f["wal_bytes_without_index_entries"] < f["wal_bytes_of_the_update"] && f["wal_bytes_after_a_checkpoint"] > 10*f["wal_bytes_of_the_update"]
	},
	"index": func(f map[string]float64) bool {
		return f["wal_bytes_4"] > 2*f["wal_bytes_0"] && f["cpu_microseconds_4"] > 2*f["cpu_microseconds_0"] && f["index_pages_4"] > f["table_pages_4"]
	},
	"hot": func(f map[string]float64) bool {
		return f["hot_percent_plain"] == 100 && f["hot_percent_brin"] == 100 && f["hot_percent_indexed"]+f["hot_percent_new_index"]+f["hot_percent_expression"]+
			f["hot_percent_include"]+f["hot_percent_predicate"] == 0 && f["hot_percent_longer"] < 100 && f["hot_percent_full_page"] < 100
	},
	"fillfactor": func(f map[string]float64) bool {
		return f["hot_percent_100_pass_1"] == 0 && f["hot_percent_50_pass_1"] == 100 && f["hot_percent_70_pass_5"] > f["hot_percent_70_pass_1"] &&
			f["pages_50_first"] > f["pages_100_first"] && f["pages_50_last"] < f["pages_100_last"] && f["best_fillfactor"] < 100
	},
	"pruning": func(f map[string]float64) bool {
		return f["before_pages"] < 2*f["pages_before"] && f["during_pages"] > 4*f["before_pages"] && f["after_pages"] == f["during_pages"] && f["during_dead"] == 2000
	},
	"full": func(f map[string]float64) bool {
		return f["looked_at_good_first"] < 2 && f["looked_at_status_first"] > 1000 && f["cpu_microseconds_status"] > f["cpu_microseconds_none"]
	},
	"keys": func(f map[string]float64) bool {
		return f["wal_bytes_random_20000"] > 2*f["wal_bytes_time_20000"] && f["density_random_20000"] < 75 && f["density_time_20000"] > 85
	},
	"checkpoint": func(f map[string]float64) bool {
		return f["wal_bytes_first_slice"] > 10*f["wal_bytes_before"] && f["image_bytes_every_30"] > 3*f["image_bytes_every_120"]
	},
	"toast": func(f map[string]float64) bool {
		return f["pieces_marker"] == 0 && f["pieces_equal"] == 7 && f["deleted_equal"] == 7 && f["wal_bytes_equal"] == f["wal_bytes_other"]
	},
	"transactions": func(f map[string]float64) bool {
		return f["wal_bytes_1"] > 1.3*f["wal_bytes_5000"] && f["wal_bytes_100"] < 1.01*f["wal_bytes_5000"] && f["cpu_microseconds_1"] > 2*f["cpu_microseconds_100"]
	},
}

// TestConclusions asserts what each lesson comes to, and that the assertion would fail if
// the figures were others.
func TestConclusions(t *testing.T) {
	for _, l := range Lessons() {
		t.Run(l.Name, func(t *testing.T) {
			holds := conclusions[l.Name]
			if holds == nil {
				t.Fatal("nothing is asserted of the lesson")
			}
			r, err := l.Run()
			if err != nil {
				t.Fatal(err)
			}
			if !holds(r.Figures) {
				t.Errorf("the figures say something else: %v", r.Figures)
			}
			same := map[string]float64{}
			for name := range r.Figures {
				same[name] = 50
			}
			if holds(same) {
				t.Error("the conclusion would also hold if all figures were equal")
			}
			answers := 0
			for _, p := range r.Parts {
				if p.Answer != "" {
					answers++
				}
			}
			if answers < 2 {
				t.Errorf("%d answers, expected more", answers)
			}
		})
	}
}

// TestAnswerThatDoesNotHold checks that a lesson does not say what is not so.
func TestAnswerThatDoesNotHold(t *testing.T) {
	l := Lesson{Name: "wrong", Question: "Is it?", run: func(r *Report) error {
		r.Answer(true, "One is less than two.")
		r.Answer(r.Figure("one", 1) > 2, "It is %d times 12345.", 3)
		return nil
	}}
	r, err := l.Run()
	if want := "lesson wrong: this does not hold: It is 3 times 12,345."; err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
	if r == nil || len(r.Parts) != 2 {
		t.Errorf("report %v, expected both answers", r)
	}
	broken := Lesson{Name: "broken", run: func(*Report) error { return newLab("create table t(id int, id int)").err }}
	if r, err := broken.Run(); r != nil || err == nil {
		t.Errorf("a lesson with broken DDL gives %v, %v", r, err)
	}
}

// TestFormats checks Markdown and JSON on one lesson.
func TestFormats(t *testing.T) {
	l, err := Find("transactions")
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.Run()
	if err != nil {
		t.Fatal(err)
	}
	var md bytes.Buffer
	if err := r.Markdown(&md); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# One big transaction, or many small ones?\n", "```sql\ncreate table ticks", "| rows a transaction |", "\n## Answer\n"} {
		if !strings.Contains(md.String(), want) {
			t.Errorf("Markdown has no %q:\n%s", want, md.String())
		}
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Name  string
		Parts []struct {
			Text, SQL, Answer string
			Table             *struct {
				Columns []string
				Rows    [][]any
			}
		}
		Figures map[string]float64
	}
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	tables := 0
	for _, p := range back.Parts {
		if p.Table != nil && len(p.Table.Rows) > 0 && len(p.Table.Columns) == len(p.Table.Rows[0]) {
			tables++
		}
	}
	if back.Name != "transactions" || tables != 1 || back.Figures["wal_bytes_1"] != r.Figures["wal_bytes_1"] {
		t.Errorf("JSON is %s", b)
	}
	if _, err := Find("hott"); err == nil || !strings.HasPrefix(err.Error(), `there is no lesson "hott": expected one of change, index, hot`) {
		t.Errorf("an unknown lesson: %v", err)
	}
}
