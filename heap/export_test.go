package heap

import "applysim/wal/storage"

// ForgetSummaries makes the next pruning of each page look at all of it.
func (t *Table) ForgetSummaries() {
	for b := range t.pages.n {
		t.pages.at(storage.BlockNumber(b)).forget()
	}
}

// GivenUp is how many pages have given their line pointers up.
func (t *Table) GivenUp() int {
	n := 0
	for b := range t.pages.n {
		if t.pages.at(storage.BlockNumber(b)).even != 0 {
			n++
		}
	}
	return n
}
