package main

import (
	"slices"
	"testing"
)

// TestPreparedUnfinished: what comes between a transaction's PREPARE and its end comes after
// it where a parallel worker would be at work meanwhile.
func TestPreparedUnfinished(t *testing.T) {
	for _, c := range []struct {
		options []string
		between bool
	}{
		{[]string{"streaming = off"}, true},
		{[]string{"streaming = on"}, true},
		{[]string{"streaming = parallel"}, false},
		{[]string{"synchronous_commit = on"}, false}, // the default since 18
		{[]string{"streaming = parallel", "two_phase = on"}, true},
	} {
		o := &Op{End: endPrepare, Lo: 7, Between: []*Op{{Kind: opTx, End: "commit"}}}
		var got []string
		for _, s := range o.transaction(&Spec{SubOptions: c.options}) {
			got = append(got, s.Pub)
		}
		prepare, end, other := "begin; prepare transaction 'tx 7'", "commit prepared 'tx 7'", "begin; commit"
		want := []string{prepare, end, other}
		if c.between {
			want = []string{prepare, other, end}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, expected %q", c.options, got, want)
		}
	}
}
