package explain

import "strings"

// Word is a word with its meaning.
type Word struct{ Word, Meaning string }

// words are those that an explanation may use, in alphabetical order.
var words = []Word{
	{"apply worker", "the process of the subscriber that receives changes and carries them out"},
	{"B-tree", "the usual kind of index: sorted items on leaf pages, found by a descent from the root"},
	{"block", "a page's number within its table or index, from 0"},
	{"BRIN", "an index that keeps the least and greatest value of each range of pages, not an entry for each row"},
	{"checkpoint", "the moment from which recovery after a crash would begin; pages changed before it are on disk"},
	{"checksum", "a number that tells whether a page or a record was damaged"},
	{"commit", "the end of a transaction that makes its changes last"},
	{"deduplication", "merging index items of equal keys into one with a posting list"},
	{"descent", "the way from an index's root to a leaf"},
	{"downlink", "an item of a page above the leaves: a key and the page below where keys from there on are"},
	{"fillfactor", "how full, in percent, a page is made by inserts; the rest is kept for updates"},
	{"free space map", "a rough note of how much room each page of a table has, in a file of its own"},
	{"full-page image", "a copy of a whole page in a WAL record, at the first change after a checkpoint"},
	{"heap", "the table proper: pages of row versions in no order"},
	{"high key", "an upper bound of the keys on an index page; the rightmost page of a level has none"},
	{"hint", "something noted in passing on a page that saves others a look; it can be found out again, so it needs no record, except where checksums ask for an image"},
	{"HOT", "heap-only tuple: an update whose new version stays on the page and needs no index entries"},
	{"HOT chain", "versions of a row on one page, each linked to the next; index entries lead to the first"},
	{"input function", "the function of a data type that reads a value from its text"},
	{"leaf", "an index page of the lowest level, whose items lead to rows"},
	{"line pointer", "an entry of the array at the start of a page that says where an item lies; a row's address is its page and the number of its line pointer, as in (3,7)"},
	{"LSN", "log sequence number: a position in the WAL"},
	{"metapage", "block 0 of a B-tree, which says where the root is"},
	{"MultiXact", "an id that stands for several transactions which have locked a row version"},
	{"OID", "object id: a number that tables and indexes get when they are created, ascending"},
	{"page", "8,192 bytes of a table or an index, the unit that is read and written"},
	{"partial", "of an index: it has entries only for rows that satisfy a condition, its predicate"},
	{"posting list", "the row addresses of one index item that stands for many rows"},
	{"pruning", "taking dead row versions away from a page, in passing"},
	{"publisher", "the server that the changes come from"},
	{"redirect", "a line pointer that leads to another one: what is left of the first versions of a HOT chain after pruning"},
	{"relation", "a table or an index"},
	{"replay", "carrying out WAL records again: after a crash, or on a standby"},
	{"replica identity", "the columns by which an update or delete finds its row on the subscriber"},
	{"replication origin", "the mark in a WAL record that says from which publisher a change came"},
	{"root", "the page where a descent begins"},
	{"row version", "a state of a row: each update writes a new one and leaves the old one to those who still see it"},
	{"shared_buffers", "the memory in which a server keeps pages"},
	{"snapshot", "what a query sees: the transactions that had committed when it began"},
	{"snapshot conflict horizon", "tells a standby which of its queries may still need what a record takes away"},
	{"split", "dividing a full index page in two"},
	{"subscriber", "the server that the changes are applied to"},
	{"TOAST", "how long values are compressed or stored in a table beside the table"},
	{"tuple", "a row version as it is stored: a header of 23 bytes, perhaps a bitmap of NULLs, the columns"},
	{"VACUUM", "the command, often run by itself, that takes away what is dead in tables and indexes"},
	{"visibility map", "which pages of a table have only rows that everybody sees"},
	{"WAL", "write-ahead log: every change is written there, record by record, before the pages themselves"},
	{"walsender", "the process of the publisher that sends changes"},
	{"xid", "a transaction's id on the subscriber"},
	{"xmax", "the id of the transaction that has ended or locked a row version"},
	{"xmin", "the id of the transaction that has made a row version"},
}

// Glossary returns the words that a text uses, with their meanings.
func Glossary(text string) []Word {
	var used []Word
	lower := lowered(text)
	for _, w := range words {
		if contains(lower, lowered(w.Word)) {
			used = append(used, w)
		}
	}
	return used
}

// contains says whether a text has a word, or its plural.
func contains(text, word string) bool { return find(text, word) >= 0 }

// find returns where a text has a word, or its plural; -1 if it has not.
func find(text, word string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return -1
		}
		at += i + len(word)
		before, after := byte(' '), byte(' ')
		if at-len(word) > 0 {
			before = text[at-len(word)-1]
		}
		if at < len(text) {
			after = text[at]
		}
		if !letter(before) && (!letter(after) || after == 's') {
			return at - len(word)
		}
	}
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c == '_' || c >= '0' && c <= '9' }

// lowered is a text in lower case as far as ASCII goes, so that places stay the same.
func lowered(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
