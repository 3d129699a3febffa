package heap

import "applysim/wal/storage"

// ForgetSummaries makes the next pruning of each page look at all of it.
func (t *Table) ForgetSummaries() {
	for b := range t.pages.n {
		t.pages.at(storage.BlockNumber(b)).forget()
	}
}
