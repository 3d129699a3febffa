package cost

// What COPY does instead of an apply worker: a synchronisation worker opens indexes, looks
// input functions up and reads constraints once, not for each row, and puts rows on pages
// by the hundred.

// OfCopy turns the work of a worker that has only copied tables into that of COPY: it
// leaves out what an apply worker does for each row and COPY for each table, and how a row
// gets to its page, for which CopyRow and CopyByte stand.
func (u *Usage) OfCopy() *Usage {
	c := &Usage{}
	for _, i := range u.items {
		switch i.Term {
		case termXID, termOpenUnique, termLookUpText, termLookUpBinary, termSlotColumn, termHeapInsert, termMakeNode, termMakeToken, termFold:
			continue
		}
		c.Add(i)
	}
	return c
}
