// Package heap models a table's main fork: pages, line pointers, row versions
// and the choice of the page that a new one goes to.
//
// A heap page of PostgreSQL, and what stands for it here:
//
//	+--------------------+----------------+ ... +-----------------------------+
//	| page header, 24    | line pointers, |     | row versions, newest first, |
//	| (LSN, lower,       | 4 bytes each   |     | each aligned to 8 bytes     |
//	| upper, flags)      |                |     |                             |
//	+--------------------+----------------+ ... +-----------------------------+
//	                                      lower upper
//
// A page keeps its line pointers exactly (offset, flags, length), so that free
// space and page contents can be compared with a real page. Of a row version it
// keeps the bytes after the fixed 23-byte header (NULL bitmap and data); the
// headers of versions that were only inserted are kept as runs of equal
// transaction id, which saves a seventh of the memory. Versions of the pages
// that are filled one after the other lie one after the other in an arena.
//
// Modelled: tuple formation, free space and fillfactor, the cached target
// block, the free space map with its search order, INSERT, INSERT+INIT and
// MULTI_INSERT records, the pages that COPY adds in advance; updates, HOT and deletes; pruning; hint bits; the visibility map; VACUUM
// with freezing, in as many passes as the memory for dead items asks for, and the
// truncation of the table's end; what older major versions and the minor releases
// of 18 do differently; the rows that COPY has left before the run, whose pages are
// made when they are touched first. Where images are compressed a page can be written out byte for byte, including what
// removed versions leave behind between those that stay.
//
// Reading order: page.go (a page), table.go (insert), hio.go (which page), package
// fsm (the free space map), bulk.go (COPY), update.go, visibility.go, prune.go, vacuum.go with
// freeze.go, tidstore.go and truncate.go, pass.go, release.go, before17.go, before16.go,
// load.go (what COPY has left) with load_page.go, bytes.go, describe.go and check.go.
package heap
