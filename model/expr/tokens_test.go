package expr

import "testing"

// Tokens of c_check1, c_check3 and c_check6 among the recorded grids, whose stringToNode took
// 10,650, 62,061 and 117,723 instructions a row: 140 a token.
func TestEffort(t *testing.T) {
	numeric := func(column string) bool { return column == "n" }
	for sql, want := range map[string]Effort{
		"a > 0":                             {3, 76, 0},
		"a > 0 and a < 1000000":             {7, 162, 0},
		"length(b) between 1 and 100":       {9, 206, 0},
		"c >= date '2000-01-01'":            {3, 76, 0},
		"b <> ''":                           {3, 72, 0},
		"n > 0":                             {4, 98, 1},
		"d in ('new', 'paid', 'sent')":      {3, 153, 1},
		"e between 0 and 1000000":           {7, 162, 0},
		"a < e or e > 100 or b is not null": {9, 197, 0},
		"this is no (expression":            {},
	} {
		if got := EffortOf(sql, numeric); got != want {
			t.Errorf("%s: %+v, expected %+v", sql, got, want)
		}
	}
}
