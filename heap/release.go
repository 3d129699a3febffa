package heap

// What differs between the minor releases of 18. Each is the first one with a change,
// by its release notes.
const (
	// A MultiXact writes its successor's offset too, so that a page of offsets is begun
	// one MultiXact ahead, and the first page is that of initdb.
	releaseOffsetsAhead = 2
	// Others see the row locks that prepared transactions hold in MultiXacts. Before, the
	// array of what each process may still need was too short for them (multixact.c,
	// OldestMemberMXactId).
	releasePreparedLocks = 4
	// A record about a change that clears bits of the visibility map carries that page of
	// the map too.
	releaseVisibilityLogged = 6
)
