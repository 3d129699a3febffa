// Package spelling finds the name that a misspelt one was probably meant to be.
package spelling

import "slices"

// Nearest returns that of the known names which is most like a name.
func Nearest(name string, known []string) string {
	known = slices.Clone(known)
	slices.Sort(known)
	best, least := "", 1<<30
	for _, k := range known {
		if d := Distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// Distance is how many bytes must be inserted, removed or replaced to make b of a.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
