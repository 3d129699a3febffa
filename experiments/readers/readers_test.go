package readers

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestConfirmed compares the rule with what a real server was told.
func TestConfirmed(t *testing.T) {
	lines, err := csv.NewReader(strings.NewReader(confirmations)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, l := range lines[1:] {
		var v [5]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(l[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		if v[0] != v[1] {
			continue // flushing is reported by another clock
		}
		// The last report was at the start, or if that is an interval ago when the first
		// message came, between commit and the end of sending.
		low, high := 0.0, 0.0
		if v[2] > v[0] {
			low, high = v[2], v[3]
		}
		after := Confirmed(time.Duration(v[0]) * time.Second).Seconds()
		const slack = 0.1 // of starting the program, and of asking
		if v[4] < low+after-slack || v[4] > high+after+slack {
			t.Errorf("interval %v s, all read after %v s: confirmed after %v s, expected %v to %v s", v[0], v[3], v[4], low+after, high+after)
		}
		compared++
	}
	if compared < 10 {
		t.Errorf("%d measurements were compared, expected 10 or more", compared)
	}
}

// TestCosts checks that every reader was measured, and what sets them apart.
func TestCosts(t *testing.T) {
	costs, err := Costs()
	if err != nil {
		t.Fatal(err)
	}
	subscription := costs[All[0].Name]
	for _, r := range All {
		c := costs[r.Name]
		if c.Runs < 5 || c.Decoding <= 0 || c.Reading <= 0 {
			t.Errorf("%s: %+v, expected 5 runs or more", r.Name, c)
		}
		// A function of SQL sends nothing message by message; a walsender does.
		if ratio := c.Decoding / subscription.Decoding; (ratio < 0.8) != (r.SQL != "") || math.IsNaN(ratio) {
			t.Errorf("%s: decoding takes %.2f times what it does for a subscription", r.Name, ratio)
		}
	}
}
