package heap

// The major versions that changed what is modelled here.
const (
	// VACUUM counts all-frozen pages in pg_class, and reads some pages early to freeze
	// them.
	versionEagerFreezing = 18
	// One record prunes and freezes a page, VACUUM's second pass writes one of the same
	// kind, and dead items are kept in a radix tree. See before17.go.
	versionPruneFreezes = 17
	// Pages are frozen as a whole where that costs little, not only versions that are old
	// enough, and equal freeze plans are logged once. See before16.go.
	versionFreezePages = 16
	// COPY makes a table longer by several pages at a time.
	versionBulkExtension = 16
)

// before says whether the server is older than a major version.
func (x *Transactions) before(major int) bool { return x.ServerMajor != 0 && x.ServerMajor < major }

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
