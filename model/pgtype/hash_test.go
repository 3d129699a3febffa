package pgtype

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// The types' hash functions give what a server's gave, with no seed and with that of
// hash partitions: testdata/recorded/hash.tsv.
func TestRecordedHashes(t *testing.T) {
	text, err := os.ReadFile("testdata/recorded/hash.tsv")
	if err != nil {
		t.Fatal(err)
	}
	pair := NewComposite("public", "pair", []Field{{Name: "x", Type: Lookup("integer"), Typmod: -1}, {Name: "y", Type: Lookup("text"), Typmod: -1}})
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) < 300 {
		t.Fatalf("%d lines, expected at least 300", len(lines))
	}
	for _, line := range lines {
		f := strings.Split(line, "\t")
		typ := Lookup(f[0])
		if elem, ok := strings.CutSuffix(f[0], "[]"); ok {
			typ = ArrayOf(Lookup(elem))
		}
		switch f[0] {
		case "pair":
			typ = pair
		case "character(8)":
			typ = Lookup("bpchar")
		}
		if typ == nil {
			t.Fatalf("%s: no such type", f[0])
		}
		v, _, err := typ.Input([]byte(f[1]), -1, nil)
		if err != nil {
			t.Fatalf("%s %q: %v", f[0], f[1], err)
		}
		seed, _ := strconv.ParseUint(f[2], 10, 64)
		want, _ := strconv.ParseInt(f[3], 10, 64)
		class := typ.OpClass()
		if class.Hash == nil {
			t.Errorf("%s: no hash function", f[0])
		} else if got := int64(class.Hash(&v, seed)); got != want {
			t.Errorf("%s %q, seed %d: %d, expected %d", f[0], f[1], seed, got, want)
		}
	}
}
