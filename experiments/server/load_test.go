package server

import "testing"

// TestConstants writes what COPY has escaped as SQL's constants.
func TestConstants(t *testing.T) {
	got := constants("1\t\\N\tit's\ta\\tb\\\\v\\v\t")
	if want := `E'1', null, E'it''s', E'a\tb\\v\x0b', E''`; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
}
