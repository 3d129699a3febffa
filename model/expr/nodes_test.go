package expr

import "testing"

func TestNodes(t *testing.T) {
	for sql, want := range map[string]int{
		"a":                            1,
		"status = 99":                  3,
		"region < 8 AND balance > 100": 7,
		"lower(b)":                     2,
		"day = '2026-01-01'::date":     3,
		"a IN (1, 2, 3)":               3,
		"a BETWEEN 1 AND 9":            7,
		"a IS NOT NULL":                2,
		"NOT (a OR b)":                 4,
		"coalesce(a, 0) + 1":           5,
		"CASE WHEN a > 1 THEN b END":   5,
		"this is no (expression":       0,
	} {
		if got := Nodes(sql); got != want {
			t.Errorf("%s: %d nodes, expected %d", sql, got, want)
		}
	}
}
