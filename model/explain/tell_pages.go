package explain

import (
	"fmt"
	"strings"

	"applysim/model/apply"
	"applysim/model/stream"
	"applysim/wal"
	"applysim/wal/storage"
)

func (b *builder) tellLookup(s *Step) {
	m := &b.p.mapping
	before, after := b.u.counted.tables[m.Rel], b.after.tables[m.Rel]
	entries, versions, pruned, prunes := s.usage.Visits()
	l := &Lookup{Choices: choices(m), Found: b.x.Change.Found}
	s.Lookup = l
	switch {
	case m.ReadOnly != "":
		return
	case m.Lookup == wal.NoRelation:
		l.Rows, l.Pages = after.Counters.Passed-before.Counters.Passed, after.Counters.PassedPages-before.Counters.PassedPages
		s.say("No index can be used, so the whole table is scanned until a row equals the one that is looked for in all columns. So it is for every update and delete of this table.")
		where := ", and no row was found"
		if l.Found {
			where = fmt.Sprintf(", and the row was found at %s", b.tid(b.locked))
		}
		s.say("Here the scan passed %s on %s%s.", plural(l.Rows, "row version"), plural(l.Pages, "page"), where)
		if l.Rows > 0 {
			s.say("A scan does not prune pages, unlike an index lookup.")
		}
	default:
		l.Index = b.objects[m.Lookup].name
		var names []string
		for _, c := range m.Choices {
			if c.Rel != m.Lookup {
				continue
			}
			s.say("The row is looked for by %s: %s.", c.Index.Name, c.Why)
			for _, k := range c.Index.Keys {
				if k.Column >= 0 {
					names = append(names, m.Table.Columns[k.Column].Name)
				}
			}
		}
		for i, v := range b.p.lookup {
			if i < len(names) {
				text, null := valueText(m.Table.Columns[m.Table.Column(names[i])].Type, v)
				if null {
					text = "NULL"
				}
				names[i] += " = " + shown(text)
			}
		}
		l.Key = strings.Join(names[:min(len(names), len(b.p.lookup))], ", ")
		s.Path = b.drawPath(m.Lookup, b.p.found)
		b.tellPath(s, "It looks for "+l.Key+".")
		l.Rows = versions
		s.say("%s followed from the index to the table, where %s looked at.", are(entries, "index entry"), are(versions, "row version"))
		if m.CheckRows {
			s.say("As the replica identity is FULL, all columns of what the index finds are compared with the old row of the message.")
		}
		if versions > entries {
			s.say("That is more than the entries: an entry leads to the first version of a HOT chain, whose versions are followed on the page until one is visible.")
		}
	}
	for _, c := range m.Choices {
		if !c.Chosen {
			s.say("Not by %s: %s.", c.Index.Name, c.Why)
		}
	}
	b.tellPrune(s, pruned, prunes)
	if !l.Found && m.ReadOnly == "" {
		s.say("There is no such row. The worker notes the conflict (%s_missing), writes nothing and goes on.", b.u.message.Kind)
	}
}

// are says that there are so many of something.
func are(n int64, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return plural(n, what) + " are"
}

// tellPrune says what pruning has done.
func (b *builder) tellPrune(s *Step, pruned, prunes int64) {
	wrote := false
	for _, r := range s.Records {
		wrote = wrote || r.Type == "PRUNE_ON_ACCESS"
	}
	switch {
	case wrote:
		s.say("On the way the page is pruned: it has dead versions, which nobody can see any more, and is short of room. %s gone; the line pointer that index entries lead to stays and redirects to the living version.", capital(are(pruned, "dead version")))
	case prunes > 0:
		s.say("The page looked as if pruning it were worth while, but nothing could be taken away.")
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// tellPath puts a descent into words.
func (b *builder) tellPath(s *Step, what string) {
	if len(s.Path) == 0 {
		s.say("%s The index is empty: it has no root yet.", what)
		return
	}
	if len(s.Path) == 1 {
		s.say("%s The index has one page beside its metapage, %s, which is root and leaf at once: no descent is needed.", what, fmt.Sprintf("block %d", s.Path[0].Block))
		return
	}
	s.say("%s The descent from the root to a leaf reads %s; on each it searches the sorted items by halving.", what, plural(int64(len(s.Path)), "page"))
}

func (b *builder) tellWrite(s *Step) {
	m := b.p.target()
	if m.Table.Unlogged {
		s.say("The table is unlogged on the subscriber: nothing of this change goes into the WAL, and after a crash the table is empty.")
	}
	d := b.heapDelta(m.Rel)
	switch {
	case b.remove():
		s.say("The row is not taken away: its version at %s gets the transaction's id as its end (xmax). Whoever does not see the transaction as committed goes on seeing the row.", b.tid(b.locked))
		if len(s.Records) > 0 {
			s.say("The record does not have the row: replay needs only to know where it is.")
		}
		if m.Table.ReplicaIdentity != 'n' && b.w.Settings().WALLevel == "logical" {
			s.say("As wal_level is logical, the record also has the old key, for subscribers of this subscriber.")
		}
		return
	case b.u.message.Kind == stream.KindUpdate && !b.p.moves && b.hot():
		s.say("The new version is written on the same page, at %s; the old one at %s gets the transaction's id as its end (xmax) and a link to the new one: the HOT chain.", b.tid(b.p.tid), b.tid(b.locked))
	case b.u.message.Kind == stream.KindUpdate && !b.p.moves:
		where := "on the same page"
		if b.p.tid.Block != b.locked.Block {
			where = "on another page, which is found as for an insert"
		}
		s.say("The new version is written %s, at %s; the old one at %s gets the transaction's id as its end (xmax) and the new one's address.", where, b.tid(b.p.tid), b.tid(b.locked))
	default:
		s.say("The row is written to %s.", b.tid(b.p.tid))
		b.tellPage(s, m)
		if b.gotXID() && !b.looks() {
			s.say("It is the transaction's first change on the subscriber, so the transaction gets its id now.")
		}
	}
	if b.update() && b.p.tid.Block != b.locked.Block && !b.p.moves {
		b.tellPage(s, m)
		s.say("The old page is marked as full, so that the next visit prunes it if it can.")
	}
	if b.update() && !b.p.moves {
		s.say("The new version has the transaction's id as its xmax, too, but only as a lock: that of the row goes with it.")
	}
	b.tellTuple(s, m)
	if d.NewPages > 0 {
		s.say("The table is made one page longer (8,192 bytes).")
	}
	if !b.update() && b.steps[keyNone] == nil {
		b.tellPartial(s)
	}
	for _, r := range s.Records {
		if strings.HasSuffix(r.Type, "+INIT") {
			s.say("It is the first row of its page, so the record says that replay may make the page anew (INIT), and needs no image of it.")
		}
	}
	if b.update() {
		for _, r := range s.Records {
			for _, p := range r.Parts {
				if strings.Contains(p.Name, "equal bytes left out") {
					s.say("What the new version has in common with the old one at its beginning and end is left out of the record: replay copies it from the old version.")
				}
			}
		}
	}
}

// tellImages says why records carry images.
func (b *builder) tellImages() {
	said := false
	for _, s := range b.x.Steps {
		for _, r := range s.Records {
			switch {
			case r.FPI == 0:
			case r.Type == "FPI_FOR_HINT" && s.key != keyLock:
				s.say("A hint was noted on a page that was last written before the checkpoint. As hints are logged (data checksums), an image of the page, %s, goes into the WAL.", bytesText(r.FPI))
			case r.Type == "FPI_FOR_HINT":
			case said:
				s.say("%s/%s carries %s of page images, for the same reason as before.", r.Manager, r.Type, bytesText(r.FPI))
			default:
				said = true
				s.say("%s/%s carries %s of page images: it is the first change of the page since the checkpoint, and a page that a crash tears in two could not be mended otherwise (full_page_writes).", r.Manager, r.Type, bytesText(r.FPI))
			}
		}
	}
}

// tellPage says how the page for a new version was found.
func (b *builder) tellPage(s *Step, m *apply.Mapping) {
	d := b.heapDelta(m.Rel)
	fillfactor := m.Table.Fillfactor
	if fillfactor == 0 {
		fillfactor = 100
	}
	reserve := ""
	if fillfactor < 100 {
		reserve = fmt.Sprintf(" Room counts only beyond the %d %% of the page that fillfactor = %d keeps free for updates.", 100-fillfactor, fillfactor)
	}
	switch {
	case d.NewPages > 0 && d.FSMSearches > 0:
		s.say("Which page: the one that the worker used last has no room, and the free space map (a rough note of every page's room, in a file of its own) knows none that has: a new page is added.%s", reserve)
	case d.NewPages > 0:
		s.say("Which page: the table has none yet, so one is added.")
	case d.FSMSearches > 0:
		s.say("Which page: the free space map was asked for one with room.%s", reserve)
	default:
		s.say("Which page: the one that the worker used last for this table still has room.%s", reserve)
	}
}

// tellTuple says what the version consists of.
func (b *builder) tellTuple(s *Step, m *apply.Mapping) {
	for i := range b.u.events {
		e := &b.u.events[i]
		if e.tid == (storage.TID{}) || e.tid != b.p.tid {
			continue
		}
		p := heapPage(e.pages[pageKey{e.rec.Relation, e.tid.Block}], e.tid.Block)
		if p == nil {
			return
		}
		x := &p.Items[e.tid.Offset-1]
		nulls := ""
		if x.Tuple.Bits != "" {
			nulls = ", a bitmap of its NULLs"
		}
		s.say("On the page it takes %s: a header of 23 (who made it, who ended it, where its next version is)%s, then the columns in their order, each padded to its type's alignment; and a line pointer of 4, by which everybody else addresses it.", bytesText(x.LPLength), nulls)
	}
}

func (b *builder) tellIndex(s *Step, name string) {
	m := b.p.target()
	for _, c := range m.Choices {
		if b.objects[c.Rel].name == name {
			b.tellIndexOf(s, m, c.Rel)
		}
	}
}

func (b *builder) tellIndexOf(s *Step, m *apply.Mapping, rel wal.RelID) {
	t, x := b.indexState(rel)
	if x == nil {
		return
	}
	if x.BTree == nil {
		s.say("A %s index: it has no entry for each row.", x.Schema.Method)
		return
	}
	a, z := b.u.counted.btrees[rel], b.after.btrees[rel]
	k := b.p.keys[rel]
	reader := newKeyReader(t, x)
	var values []string
	for i, v := range k.values {
		if i >= len(reader.types) {
			break
		}
		text, null := valueText(reader.types[i], v)
		if null {
			text = "NULL"
		}
		values = append(values, shown(text))
	}
	if x.Schema.Predicate != "" {
		s.say("The index is partial: the row satisfies its predicate, %s.", x.Schema.Predicate)
	}
	if b.update() && !b.p.moves {
		h := b.steps[keyDecide].HOT
		for _, i := range h.Indexes {
			if i.Name == x.Schema.Name && len(i.Changed) == 0 {
				s.say("None of its columns has changed, and yet it gets an entry: the new version has another address, and the update is not HOT.")
			}
		}
	}
	s.Path = b.drawPath(rel, b.p.paths[rel])
	b.tellPath(s, fmt.Sprintf("The entry is the key (%s) and the row's address %s.", strings.Join(values, ", "), b.tid(b.p.tid)))
	if z.FastPath > a.FastPath {
		s.say("The descent is saved: the worker remembers the rightmost leaf, and the key belongs there (the fast path for ascending keys).")
	}
	if z.UniqueChecks > a.UniqueChecks {
		entries, _, _, _ := s.usage.Visits()
		found := "There is none."
		if entries > 0 {
			found = capital(are(entries, "entry")) + " followed."
		}
		s.say("The index is unique: entries with the same key are followed to the table, to see whether a living row has it. %s", found)
	}
	_, _, pruned, _ := s.usage.Visits()
	b.tellPrune(s, pruned, 0)
	if x.Schema.Method == "btree" {
		b.tellLeaf(s, rel)
	}
}

// tellLeaf says what became of the leaf.
func (b *builder) tellLeaf(s *Step, rel wal.RelID) {
	a, z := b.u.counted.btrees[rel], b.after.btrees[rel]
	for _, r := range s.Records {
		switch r.Type {
		case "NEWROOT":
			if len(r.Blocks) > 1 && r.Blocks[1].Role != "metapage" {
				s.say("The root itself was split, so a new root is made above its halves: the index is one level higher. The metapage (block 0) says where the root is.")
			} else {
				s.say("The index gets its first page, which is root and leaf at once; the metapage (block 0) says where it is.")
			}
		case "INSERT_LEAF":
			s.say("The leaf has room: the item is put into its place and the line pointers behind it are moved up.")
		case "INSERT_POST":
			s.say("The leaf has the key already, with a posting list (one item for many rows) into whose order of addresses the new one falls: it is put into the list, and the list's last address becomes an item of its own.")
		case "DELETE":
			s.say("The leaf was full: entries whose rows are dead are deleted first (%s), which may save a split.", plural(z.DeletedTIDs-a.DeletedTIDs, "row address"))
		case "DEDUP":
			s.say("The leaf was full: equal keys are merged into posting lists (deduplication; %s merged away), which may save a split.", plural(z.DedupMerged-a.DedupMerged, "item"))
		case "SPLIT_L", "SPLIT_R":
			level := "leaf"
			if len(r.Blocks) > 0 && r.Blocks[0].Role == "internal page" || z.InternalSplits > a.InternalSplits && strings.HasPrefix(r.Blocks[0].Role, "root") && !strings.Contains(r.Blocks[0].Role, "leaf") {
				level = "internal page"
			}
			where := "right"
			if r.Type == "SPLIT_L" {
				where = "left"
			}
			s.say("The %s has no room: it is split in two. The right half of its items goes to a new page, block %d, as a whole into the record; the new item goes to the %s one. The left page gets a high key, an upper bound of what it may have.", level, right(r), where)
		case "INSERT_UPPER", "INSERT_META":
			s.say("The page above gets a downlink to the new page.")
		case "REUSE_PAGE":
			s.say("The new page is one that VACUUM had emptied.")
		}
	}
}

// right is the block of the right page of a split.
func right(r Record) int64 {
	for _, x := range r.Blocks {
		if x.Role == "right page" {
			return x.Block
		}
	}
	return -1
}
