package timeline

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"applysim/model/cost"
)

func profile(t *testing.T) *cost.Profile {
	t.Helper()
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRecorded compares all runs that were not used to calibrate.
func TestRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	names, err := Find(Builtin(), ".")
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, name := range names {
		r, err := Verify(Builtin(), name, profile(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r.Line())
		switch r.Outcome {
		case Within:
			judged++
		case Differs:
			t.Error(r.Line())
		}
	}
	if judged < 5 {
		t.Errorf("%d runs, expected five or more", judged)
	}
}

// TestDiffers has a run say that it took place at another rate: it must not pass, nor where
// the samples are not the scenario's.
func TestDiffers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	dir := t.TempDir()
	copied := func(name string, change func(string) string) {
		text, err := fs.ReadFile(Builtin(), name)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if change != nil {
			text = []byte(change(string(text)))
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"events.sql", "below/meta.json", "below/samples.tsv.gz"} {
		copied(name, nil)
	}
	copied("below/run.toml", func(s string) string { return strings.Replace(s, "rate  = 200", "rate  = 260", 1) })
	r, err := Verify(os.DirFS(dir), "below", profile(t))
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome != Differs || !strings.HasPrefix(r.Line(), "below differs, more than 15 %: WAL written: expected ") {
		t.Errorf("%s: %s", r.Outcome, r.Line())
	}
}
