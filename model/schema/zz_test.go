package schema

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMutate(t *testing.T) {
	b, _ := os.ReadFile("testdata/recorded/features.sql")
	stmts := strings.SplitAfter(string(b), ";\n")
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(string(b))
	for n := 0; n < 60000; n++ {
		var parts []string
		for k := 0; k < 1+r.IntN(5); k++ {
			parts = append(parts, stmts[r.IntN(len(stmts))])
		}
		s := strings.Join(parts, "")
		for k := 0; k < 1+r.IntN(6) && len(s) > 2; k++ {
			i := r.IntN(len(s))
			j := min(len(s), i+r.IntN(10))
			switch r.IntN(5) {
			case 0:
				s = s[:i] + s[j:]
			case 1:
				s = s[:i] + " " + words[r.IntN(len(words))] + " " + s[j:]
			case 2:
				s = s[:i] + s[i:j] + s[i:]
			case 3:
				s = s[:i] + string("();,'\"$\\.[]:*- \x00\n"[r.IntN(17)]) + s[j:]
			case 4:
				s = s[:i]
			}
		}
		done := make(chan bool)
		go func() {
			defer func() {
				if e := recover(); e != nil {
					t.Errorf("panic %v on %q", e, s)
				}
				close(done)
			}()
			d, err := Read(strings.NewReader(s), "x")
			if err == nil {
				checkDatabase(t, d)
				catalogLines(d)
			} else if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Fatalf("hang on %q", s)
		}
	}
}
