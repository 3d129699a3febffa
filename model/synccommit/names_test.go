package synccommit

import (
	"fmt"
	"strings"
	"testing"
)

// TestStandbyNames: what is read of a string, and sync_priority by name. A real 18.1 server
// was given the same strings, and takes and refuses the same ones (package
// experiments/commit, waits.json).
func TestStandbyNames(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"s1", `FIRST 1 ("s1")`},
		{" s1 , S2 ", `FIRST 1 ("s1", "S2")`},
		{"2 (s1, s2)", `FIRST 2 ("s1", "s2")`},
		{"FIRST 2 (s1,s2,s3)", `FIRST 2 ("s1", "s2", "s3")`},
		{"any 1(*)", `ANY 1 (*)`},
		{"*", `FIRST 1 (*)`},
		{`"a ""b""", c$1`, `FIRST 1 ("a ""b""", "c$1")`},
		{"1, 2", `FIRST 1 ("1", "2")`},
		{"5", `FIRST 1 ("5")`},
		{`"any", "first"`, `FIRST 1 ("any", "first")`},
	} {
		n, err := ParseStandbyNames(c.text)
		if err != nil || n.String() != c.want {
			t.Errorf("%q: %v %v, expected %s", c.text, n, err, c.want)
		}
	}
	for _, text := range []string{" ", "ANY", "any, s1", "first", "ANY 1", "ANY 0 (s1)", "0 (s1)", "s1,", ",s1", "(s1)", "1 (s1", "1 (s1))", "s-1", `"s1`, "1 (s1) s2", "ANY s1 (s2)", "s1 s2", "2 ()"} {
		if n, err := ParseStandbyNames(text); err == nil {
			t.Errorf("%q: %v, expected an error", text, n)
		}
	}
	n, _ := ParseStandbyNames("FIRST 2 (a, B, *)")
	for name, want := range map[string]int{"a": 1, "b": 2, "zzz": 3} {
		if got := n.Priority(name); got != want {
			t.Errorf("priority of %s: %d, expected %d", name, got, want)
		}
	}
	n, _ = ParseStandbyNames("ANY 2 (a, b)")
	if n.Priority("B") != 1 || n.Priority("c") != 0 {
		t.Errorf("priorities in a quorum: %d and %d, expected 1 and 0", n.Priority("B"), n.Priority("c"))
	}
}

// FuzzStandbyNames: what is read and written again is the same.
func FuzzStandbyNames(f *testing.F) {
	for _, s := range []string{"ANY 2 (a, \"b c\", *)", "1 (x", "first", "99999999999999999999 (a)", "\"\"\"\"", "\xff,\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseStandbyNames(text)
		if err != nil {
			return
		}
		again, err := ParseStandbyNames(n.String())
		if err != nil || fmt.Sprint(again) != fmt.Sprint(n) {
			t.Fatalf("%q reads as %v, and that as %v %v", text, n, again, err)
		}
		if n.Count == 0 && strings.TrimSpace(text) != "" {
			t.Fatalf("%q is taken for empty", text)
		}
	})
}
