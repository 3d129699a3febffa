package collation_test

import (
	"fmt"
	"slices"

	"applysim/model/collation"
)

// A list in the order of bytes and in that of ICU's German collation.
func Example() {
	words := []string{"zwei", "Äpfel", "apfel", "Zwei", "co-op", "coop"}
	slices.Sort(words)
	fmt.Println(words)
	s, _ := collation.Named("de-x-icu")
	c, err := collation.Open(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	slices.SortFunc(words, func(a, b string) int { return c.Compare([]byte(a), []byte(b)) })
	fmt.Println(words)
	// Output:
	// [Zwei apfel co-op coop zwei Äpfel]
	// [apfel Äpfel co-op coop zwei Zwei]
}
