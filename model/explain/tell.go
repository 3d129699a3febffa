package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/model/apply"
	"applysim/model/stream"
	"applysim/wal"
	"applysim/wal/storage"
)

// Lookup is how an update or delete found its row.
type Lookup struct {
	Index   string   `json:"index"` // "" for a scan of the table
	Key     string   `json:"key"`
	Choices []Choice `json:"choices"`
	Found   bool     `json:"found"`
	Rows    int64    `json:"rows_passed"`  // row versions that were looked at
	Pages   int64    `json:"pages_passed"` // of a scan
}

// Choice is an index and why the row was looked for by it, or not.
type Choice struct {
	Index  string `json:"index"`
	Chosen bool   `json:"chosen"`
	Why    string `json:"why"`
}

// say adds a sentence or two.
func (s *Step) say(format string, args ...any) { s.Text = append(s.Text, fmt.Sprintf(format, args...)) }

func bytesText(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return thousands(int64(n)) + " bytes"
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number of things.
func plural(n int64, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "ch") || strings.HasSuffix(one, "x"):
		return thousands(n) + " " + one + "es"
	case strings.HasSuffix(one, "y"):
		return thousands(n) + " " + strings.TrimSuffix(one, "y") + "ies"
	}
	return thousands(n) + " " + one + "s"
}

func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// value is a column's value before or after the change, as text.
func (b *builder) value(column int, after bool) string {
	v := b.text(column, after)
	if v == nil {
		return "NULL"
	}
	return shown(*v)
}

// text is value without cuts; nil for NULL, or where there is no such row.
func (b *builder) text(column int, after bool) *string {
	m, tid := &b.p.mapping, b.locked
	if after {
		m, tid = b.p.target(), b.p.tid
	}
	if tid == (storage.TID{}) {
		return nil
	}
	k := pageKey{m.Rel, tid.Block}
	for i := range b.u.events {
		e := &b.u.events[i]
		if after && e.tid != tid || !after && b.eventAt[i] != keyLock || e.pages[k] == nil {
			continue
		}
		p := heapPage(e.pages[k], tid.Block)
		if p == nil || int(tid.Offset) > len(p.Items) || p.Items[tid.Offset-1].Tuple == nil {
			continue
		}
		v := row(p.Items[tid.Offset-1].Tuple, m.Table.Attrs())
		if after && m.Columns[column] >= 0 && m.Columns[column] < len(b.u.message.New) {
			if c := &b.u.message.New[m.Columns[column]]; c.Format == stream.ColumnText && v[column].Form != 0 {
				text := string(c.Data) // not as it is stored
				return &text
			}
		}
		text, null := valueText(m.Table.Columns[column].Type, v[column])
		if null {
			return nil
		}
		return &text
	}
	return nil
}

// describeChange fills in what the change is.
func (b *builder) describeChange() {
	m := b.u.message
	c := &b.x.Change
	c.Number, c.Message, c.Offset, c.Kind, c.Bytes = b.r.changes, m.Number, m.Offset, m.Kind.String(), m.Size
	c.Columns, c.Statement = []Column{}, b.r.o.Statement
	if m.Kind == stream.KindTruncate {
		var names []string
		for _, id := range m.RelationIDs {
			if t, ok := b.w.Mapping(id, wal.NoRelation); ok {
				names = append(names, t.Table.QualifiedName())
			}
		}
		c.Relation, c.Table = strings.Join(names, ", "), strings.Join(names, ", ")
		c.SQL = "TRUNCATE " + c.Table
		return
	}
	if !b.p.mapped {
		return
	}
	c.Relation, c.Table = relationName(b.p.root.Remote), b.p.mapping.Table.QualifiedName()
	c.Found = slices.Contains(b.eventAt, keyLock)
	if b.locked != (storage.TID{}) {
		c.Old = b.locked.String()
	}
	if b.p.tid != (storage.TID{}) {
		c.New = b.p.tid.String()
	}
	t := b.p.target()
	for i := range t.Table.Columns {
		s := &t.Table.Columns[i]
		if s.Dropped {
			continue
		}
		x := Column{Name: s.Name, Type: s.Type.String(), New: b.text(i, true)}
		if n := b.p.mapping.Table.Column(s.Name); n >= 0 && b.looks() {
			x.Old = b.text(n, false)
		}
		if n := t.Columns[i]; n >= 0 && n < len(m.New) {
			x.Sent = map[byte]string{stream.ColumnNull: "null", stream.ColumnUnchanged: "unchanged", stream.ColumnText: "text", stream.ColumnBinary: "binary"}[m.New[n].Format]
		}
		c.Columns = append(c.Columns, x)
	}
	c.SQL = b.sql()
}

// sql is what the change amounts to, as a statement.
func (b *builder) sql() string {
	c := &b.x.Change
	quoted := func(s *string) string {
		if s == nil {
			return "NULL"
		}
		return "'" + strings.ReplaceAll(shown(*s), "'", "''") + "'"
	}
	var names, values, sets, where []string
	m := b.u.message
	t := &b.p.mapping
	for _, x := range c.Columns {
		if x.Sent != "" {
			names = append(names, x.Name)
			values = append(values, quoted(x.New))
		}
		if x.Sent != "" && x.Sent != "unchanged" && (x.Old == nil) != (x.New == nil) || x.Old != nil && x.New != nil && *x.Old != *x.New {
			sets = append(sets, x.Name+" = "+quoted(x.New))
		}
	}
	tuple := m.Old
	if m.OldKind == stream.OldNone {
		tuple = m.New
	}
	for i := range t.Table.Columns {
		n := t.Columns[i]
		if n < 0 || n >= len(tuple) || n >= len(t.Remote.Columns) || !t.Remote.Columns[n].Key() {
			continue
		}
		name := t.Table.Columns[i].Name
		switch v := tuple[n]; v.Format {
		case stream.ColumnText:
			text := string(v.Data)
			where = append(where, name+" = "+quoted(&text))
		case stream.ColumnNull:
			where = append(where, name+" IS NULL")
		case stream.ColumnBinary:
			where = append(where, name+" = \\x"+hexText(v.Data))
		}
	}
	switch m.Kind {
	case stream.KindInsert:
		if c.New == "" {
			return "INSERT INTO " + c.Table
		}
		return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", c.Table, strings.Join(names, ", "), strings.Join(values, ", "))
	case stream.KindUpdate:
		switch {
		case c.New == "":
			sets = []string{"..."}
		case len(sets) == 0:
			sets = []string{"(every column to the value that it has)"}
		}
		return fmt.Sprintf("UPDATE %s SET %s WHERE %s", c.Table, strings.Join(sets, ", "), strings.Join(where, " AND "))
	}
	return fmt.Sprintf("DELETE FROM %s WHERE %s", c.Table, strings.Join(where, " AND "))
}

// tell puts the steps into words.
func (b *builder) tell() {
	for _, s := range b.x.Steps {
		switch {
		case s.key == keyBegin:
			b.tellBegin(s)
		case s.key == keyDescribe:
			b.tellDescribe(s)
		case s.key == keyReceive:
			b.tellReceive(s)
		case s.key == keySpool:
			b.tellSpool(s)
		case s.key == keyMap:
			b.tellMap(s)
		case s.key == keyRoute:
			b.tellRoute(s)
		case s.key == keyValues:
			b.tellValues(s)
		case s.key == keyOpen:
			b.tellOpen(s)
		case s.key == keyLookup:
			b.tellLookup(s)
		case s.key == keyLock:
			b.tellLock(s)
		case s.key == keyDecide:
			b.tellHOT(s)
		case s.key == keyToast:
			b.tellToast(s)
		case s.key == keyLeave:
			s.say("The new values belong into another partition, %s. An update cannot take a row there: the row is deleted here and inserted there.", b.p.into.Table.QualifiedName())
		case s.key == keyWrite:
			b.tellWrite(s)
		case s.key == keyNone:
			b.tellNone(s)
		case s.key == keyTruncate:
			b.tellTruncate(s)
		case s.key == keyStop:
			b.tellStop(s)
		case s.key == keyCommit:
			b.tellCommit(s)
		case strings.HasPrefix(s.key, keyIndex):
			b.tellIndex(s, strings.TrimPrefix(s.key, keyIndex))
		}
	}
}

func (b *builder) tellBegin(s *Step) {
	for _, n := range b.u.leading {
		switch n.kind {
		case stream.KindBegin, stream.KindBeginPrepare, stream.KindStreamStart:
			s.say("The publisher announces a transaction (message %d, %s), whose id there is %d. On the subscriber nothing is written yet: the worker's own transaction gets an id of its own, and only when something changes.", n.number, bytesText(n.size), n.xid)
			if n.kind == stream.KindStreamStart {
				s.say("It is a large transaction that has not ended on the publisher: it is streamed in blocks, before anybody knows whether it commits.")
			}
		}
	}
}

func (b *builder) tellDescribe(s *Step) {
	for _, n := range b.u.leading {
		if n.kind != stream.KindRelation {
			continue
		}
		var columns []string
		for _, c := range n.relation.Columns {
			if c.Key() {
				columns = append(columns, c.Name+" (key)")
			} else {
				columns = append(columns, c.Name)
			}
		}
		s.say("Before the first change of a table, and after its definition has changed, the publisher describes it (message %d, %s): %s is number %d from now on, with the columns %s. Replica identity, the columns by which rows are found again: %s.",
			n.number, bytesText(n.size), relationName(n.relation), n.relation.ID, strings.Join(columns, ", "), identityText(n.relation.Identity))
	}
}

func identityText(c byte) string {
	switch c {
	case 'd':
		return "the primary key"
	case 'n':
		return "none"
	case 'f':
		return "FULL, all columns"
	}
	return "an index's columns"
}

func (b *builder) tellReceive(s *Step) {
	m := b.u.message
	var remote *stream.Relation
	if b.p.mapped {
		remote = b.p.root.Remote
	}
	s.Fields = fields(m, remote)
	s.say("The walsender, a process of the publisher, sends the change as a message of %s; the apply worker, a process of the subscriber, reads it.", bytesText(m.Size))
	switch {
	case b.update() && m.OldKind == stream.OldNone:
		s.say("No old key is in it, since the key has not changed: the new row tells which one it is. The new row has all published columns, also those that the UPDATE did not name.")
	case b.update() && m.OldKind == stream.OldKey:
		s.say("The key has changed, so the old one is in it too.")
	case b.update():
		s.say("The table's replica identity is FULL, so the whole old row is in it: that is how the row will be found.")
	case b.remove() && m.OldKind == stream.OldKey:
		s.say("Of the row that goes only the key is in it.")
	case b.remove():
		s.say("The table's replica identity is FULL, so the whole old row is in it.")
	}
}

func (b *builder) tellSpool(s *Step) {
	s.say("The transaction is streamed and has not ended, and no parallel worker applies it: its changes are kept in a file until its commit arrives.")
	if b.u.applied {
		s.say("The commit has come: the change is read back and applied.")
	} else {
		s.say("Its transaction does not commit in this stream, so the change is never applied.")
	}
}

func (b *builder) tellMap(s *Step) {
	if !b.p.mapped {
		s.say("The worker looks for its own table by name, and for the columns of the message in it.")
		return
	}
	m := &b.p.root
	s.say("The worker finds its own table %s by name, matches the columns by their names, and locks the table as any INSERT, UPDATE or DELETE does (a lock that keeps DDL out, not other changes).", m.Table.QualifiedName())
	var extra []string
	for i := range m.Columns {
		if c := &m.Table.Columns[i]; m.Columns[i] < 0 && !c.Dropped {
			extra = append(extra, c.Name)
		}
	}
	if len(extra) > 0 {
		s.say("Only the subscriber has %s.", list(extra))
	}
	if b.u.counted.tables[b.p.mapping.Rel].Counters.Maps != b.after.tables[b.p.mapping.Rel].Counters.Maps {
		s.say("It is the first change of this table since the table was described: what the catalogs say of table, columns, types and indexes is read now, once.")
	}
}

func (b *builder) tellRoute(s *Step) {
	s.say("%s is partitioned: by the values of the partition key the row belongs to %s.", b.p.root.Table.QualifiedName(), b.p.mapping.Table.QualifiedName())
}

func (b *builder) tellValues(s *Step) {
	t := b.p.target()
	m := b.u.message
	text, binary, nulls, unchanged := 0, 0, 0, 0
	for _, tuple := range []stream.Tuple{m.Old, m.New} {
		for _, c := range tuple {
			switch c.Format {
			case stream.ColumnText:
				text++
			case stream.ColumnBinary:
				binary++
			case stream.ColumnNull:
				nulls++
			default:
				unchanged++
			}
		}
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(text, "as text, which the types' input functions parse")
	add(binary, "in binary, which the types' receive functions check")
	add(nulls, "NULL or not part of the key")
	add(unchanged, "not sent because unchanged and stored out of line: the old row's value is kept")
	s.say("Values of the message: %s.", strings.Join(parts, "; "))
	if b.update() && m.OldKind == stream.OldNone {
		s.say("The row is read twice: once for what is looked for, once, after the row was found, for what it becomes.")
	}
	for i := range t.Filled {
		if t.Filled[i] != "" && !b.remove() {
			s.say("The message does not have %s: %s.", t.Table.Columns[i].Name, t.Filled[i])
		}
	}
	if n := len(t.Table.Checks); n > 0 && !b.remove() {
		s.say("%s of the table and its NOT NULL columns are checked here too, though the publisher has done so before.", plural(int64(n), "CHECK constraint"))
	}
}

func (b *builder) tellOpen(s *Step) {
	m := b.p.target()
	if len(m.Choices) == 0 {
		s.say("The table has no index.")
		return
	}
	var names []string
	for _, c := range m.Choices {
		names = append(names, c.Index.Name)
	}
	what := "the row"
	if b.remove() {
		what = "a delete, which puts nothing into them"
	}
	s.say("All indexes of the table are opened, in the order of their OIDs (object ids, which ascend with creation): %s. This is done for every change anew, whether or not an index will get an entry: it is the part of an index's price that is paid even for %s.", strings.Join(names, ", "), map[bool]string{true: what, false: "a HOT update"}[b.remove()])
}

func (b *builder) tellLock(s *Step) {
	m := &b.p.mapping
	s.say("The row version at %s of %s (page, line pointer) is locked, as SELECT ... FOR UPDATE would do, before it is changed.", b.tid(b.locked), m.Table.QualifiedName())
	if len(s.Records) > 0 {
		s.say("That writes a WAL record of its own.")
	}
	if b.gotXID() {
		s.say("It is the transaction's first change on the subscriber, so the transaction gets its id now.")
	}
	for _, r := range s.Records {
		if r.Type == "FPI_FOR_HINT" {
			s.say("Leaving the index, the lookup marks entries that it found dead (a hint). As the page was last written before the checkpoint and hints are logged (data checksums), an image of the page goes into the WAL.")
			break
		}
	}
}

// tid is a row address as text, "an unknown place" if it is not known.
func (b *builder) tid(t storage.TID) string {
	if t == (storage.TID{}) {
		return "an unknown place"
	}
	return t.String()
}

// gotXID says whether the change got the transaction its id.
func (b *builder) gotXID() bool {
	a, z := b.u.counted.worker, b.w.Counters
	return z.InsertXIDs+z.LookupXIDs > a.InsertXIDs+a.LookupXIDs
}

func (b *builder) tellToast(s *Step) {
	d := b.w.Counters
	a := b.u.counted.worker
	s.say("The row is longer than 2,032 bytes, or has had values out of line: the toaster compresses long values and moves the longest out of line, in chunks of 1,996 bytes, to the TOAST table, a table of its own with an index of its own.")
	if n := d.Moved - a.Moved; n > 0 {
		s.say("Moved out of line: %s in %s, each a row of the TOAST table with an index entry.", plural(n, "value"), plural(d.Chunks-a.Chunks, "chunk"))
	}
	if n := d.Removed - a.Removed; n > 0 {
		s.say("Deleted there: %s of the old row.", plural(n, "value"))
	}
	if d.Moved == a.Moved && d.Removed == a.Removed {
		s.say("Nothing had to be moved.")
	}
}

func (b *builder) tellNone(s *Step) {
	switch {
	case b.remove():
		s.say("No index is touched. The entries of the deleted row stay, and lead to a dead version, until a lookup marks them or VACUUM takes them away.")
	case b.update():
		s.say("No index is touched, since the update is HOT: the entries that lead to the old version's chain will find the new one by following it on the page.")
	default:
		s.say("No index gets an entry.")
		b.tellPartial(s)
	}
}

// tellPartial names the partial indexes that are not for the new version.
func (b *builder) tellPartial(s *Step) {
	for _, c := range b.p.target().Choices {
		if k, ok := b.p.keys[c.Rel]; ok && !k.holds {
			s.say("%s gets none: it is partial, and the row does not satisfy its predicate, %s.", c.Index.Name, c.Index.Predicate)
		}
	}
}

func (b *builder) tellTruncate(s *Step) {
	s.say("The tables and their indexes get new, empty files; the old ones are removed when the transaction commits. Only the tables that the message names are truncated: CASCADE was resolved on the publisher.")
}

func (b *builder) tellStop(s *Step) {
	if b.u.err == nil {
		return
	}
	s.say("%s", strings.TrimPrefix(b.u.err.Error(), fmt.Sprintf("message %d: ", b.u.message.Number)))
	switch {
	case !slices.Contains(b.eventAt, keyStop):
	case b.steps[keyWrite] == nil:
		s.say("The row was refused before it was written; the whole transaction is rolled back. Its records stay in the WAL.")
	default:
		s.say("The row and its index entries had been written by then: the row that is in the way is locked to report it, and the whole transaction is rolled back. Its records stay in the WAL.")
	}
	s.say("The worker exits, is started again and meets the same change again, until somebody removes the conflict or skips the transaction.")
}

func (b *builder) tellCommit(s *Step) {
	var end *note
	for i := range b.u.trailing {
		if ends(b.u.trailing[i].kind) {
			end = &b.u.trailing[i]
		}
	}
	switch {
	case b.u.err != nil:
		s.say("There is none.")
	case end == nil && !b.u.applied:
		s.say("There is none.")
	case end == nil:
		s.say("Not yet: other changes of the transaction follow, or the stream ends here. All of them share one commit.")
	case end.kind == stream.KindPrepare || end.kind == stream.KindStreamPrepare:
		s.say("The transaction is prepared, the first half of two-phase commit (message %d): what it holds goes into the WAL, and COMMIT PREPARED or ROLLBACK PREPARED will come later.", end.number)
	case len(s.Records) == 0:
		s.say("The transaction ends (message %d). It has changed nothing here, so it has no id and writes no record.", end.number)
	default:
		s.say("The transaction ends (message %d, %s). The commit record carries the replication origin: the position on the publisher up to which everything has been applied, so that nothing is applied twice after a crash. All changes of the transaction share it.", end.number, bytesText(end.size))
		if b.w.Settings().SynchronousCommit {
			s.say("With synchronous_commit on, the worker waits until the WAL is on disk.")
		} else {
			s.say("The worker does not wait until the WAL is on disk (synchronous_commit is off for a subscription unless set): the WAL writer, another process, flushes it shortly after.")
		}
	}
}

// notDone lists what does not happen where a newcomer would expect it.
func (b *builder) notDone() []NotDone {
	list := []NotDone{}
	add := func(what, format string, args ...any) {
		list = append(list, NotDone{what, fmt.Sprintf(format, args...)})
	}
	if !b.u.applied || !b.p.mapped {
		return list
	}
	t := b.p.target().Table
	if b.r.o.Statement != "" {
		add("the statement is not run here", "the publisher runs it, with its planner, constraints and triggers, and sends what has become of the row; the row is taken to be the same on both sides")
	}
	add("no SQL, no planner", "the message is no statement: rows are found by one fixed index, or by a scan, whatever statistics would say")
	if n := t.ForeignKeys; n > 0 {
		add("no foreign-key check", "the table has %s, but their triggers do not fire in an apply worker (session_replication_role is replica there): the publisher has checked", plural(int64(n), "foreign key"))
	} else {
		add("no foreign-key check", "the table has no foreign key here; if it had, the worker would not check it")
	}
	fires, others := 0, 0
	for _, g := range t.Triggers {
		if g.Enabled == 'R' || g.Enabled == 'A' {
			fires++
		} else {
			others++
		}
	}
	switch {
	case fires > 0:
		add("most triggers do not fire", "only those that are enabled as REPLICA or ALWAYS do in an apply worker: %d of %d here, and what they do is not modelled", fires, fires+others)
	case others > 0:
		add("no trigger fires", "%s of the table %s ordinary, and those do not fire in an apply worker", plural(int64(others), "trigger"), map[bool]string{true: "is", false: "are"}[others == 1])
	default:
		add("no trigger fires", "the table has none; ordinary ones would not fire in an apply worker")
	}
	if b.update() && b.x.Change.Found {
		add("the old version is not removed", "snapshots may still see it; pruning on a later visit of the page, or VACUUM, takes it away")
		if !b.hot() {
			add("no index entry of the old version is removed", "lookups, later insertions on a full index page, or VACUUM do that")
		}
	}
	if b.remove() && b.x.Change.Found {
		add("the row is not removed", "it is marked as ended by this transaction; pruning on a later visit of the page, or VACUUM, frees its room")
	}
	add("no table or index file is written", "pages change in memory (shared_buffers); the checkpointer and the background writer write them later, and the WAL makes up for a crash before that")
	return list
}

// hot says whether the update was HOT.
func (b *builder) hot() bool { return b.heapDelta(b.p.mapping.Rel).HOTUpdates > 0 }

// choices lists the indexes with the reasons for the lookup.
func choices(m *apply.Mapping) []Choice {
	list := []Choice{}
	for _, c := range m.Choices {
		list = append(list, Choice{c.Index.Name, c.Chosen, c.Why})
	}
	return list
}
