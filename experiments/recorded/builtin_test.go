package recorded_test

import (
	"path"
	"testing"

	"applysim/experiments/recorded"
)

// TestBuiltin replays every case that is compiled into the program: each claims
// to be exact.
func TestBuiltin(t *testing.T) {
	fsys := recorded.Builtin()
	dirs, err := recorded.Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, dir := range dirs {
		t.Run(dir, func(t *testing.T) {
			c, err := recorded.Open(fsys, dir)
			if err != nil {
				t.Fatal(err)
			}
			if c.Name != path.Base(dir) {
				t.Errorf("the case in %s is called %s", dir, c.Name)
			}
			r, err := c.Verify()
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome != recorded.Exact {
				t.Error(r.Line())
			}
			for _, s := range r.StateDifferences {
				t.Error(s)
			}
			names[c.Name] = true
		})
	}
	// These are named in the project's first promise.
	for _, name := range []string{
		"insert_pk_text", "insert_pk_binary", "insert_four_indexes", "insert_uuid_pk",
		"insert_low_cardinality", "wal_level_replica", "wide_transaction",
	} {
		if !names[name] {
			t.Errorf("the case %s is missing", name)
		}
	}
}
