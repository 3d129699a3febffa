package main

import (
	"path/filepath"
	"testing"
)

// TestDamaged breaks recordings that are there.
func TestDamaged(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("..", "recorded", "testdata", "random", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%d recordings, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		for seed := range uint64(3) {
			for _, fault := range damaged(dir, seed) {
				t.Errorf("%s, seed %d: %s", filepath.Base(dir), seed, fault)
			}
		}
	}
	if faults := damaged(filepath.Join(dirs[0], "nosuch"), 1); len(faults) != damagedRuns {
		t.Errorf("a folder without a recording: %q", faults)
	}
}
