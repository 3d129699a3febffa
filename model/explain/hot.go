package explain

import (
	"fmt"
	"slices"
	"strings"

	"applysim/model/apply"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// HOT is how an update decided whether its new version needs index entries.
type HOT struct {
	HOT bool `json:"hot"`
	// Reasons say why it is not HOT: "indexed column changed", "no room on the page".
	Reasons []string    `json:"reasons"`
	Columns []HOTColumn `json:"columns"`
	Indexes []HOTIndex  `json:"indexes"`
	Need    int         `json:"bytes_needed"` // by the new version, aligned
	Free    int         `json:"bytes_free"`   // on the page of the old one
	Fits    bool        `json:"fits"`
	// Summarized says that a summarizing index (BRIN) gets a new summary all the same.
	Summarized bool `json:"summarized"`
}

// HOTColumn is a column of the row.
type HOTColumn struct {
	Name    string   `json:"name"`
	Old     string   `json:"old"`
	New     string   `json:"new"`
	Indexes []string `json:"indexes"` // that depend on it
	// Compared says that some index depends on the column, so that its stored bytes are
	// compared; Changed is what comes of it.
	Compared bool   `json:"compared"`
	Changed  bool   `json:"changed"`
	Note     string `json:"note,omitempty"`
}

// HOTIndex is an index of the table.
type HOTIndex struct {
	Name        string   `json:"name"`
	Columns     []string `json:"columns"` // that it depends on
	Changed     []string `json:"changed"` // of them
	Summarizing bool     `json:"summarizing"`
	Prevents    bool     `json:"prevents"` // it is why the update is not HOT
}

// The reasons why an update is not HOT.
const (
	reasonChanged = "indexed column changed"
	reasonNoRoom  = "no room on the page"
)

// decideHOT describes the decision.
func (b *builder) decideHOT() *HOT {
	m := &b.p.mapping
	d := b.heapDelta(m.Rel)
	t := b.after.tables[m.Rel]
	h := &HOT{HOT: d.HOTUpdates > 0, Reasons: []string{}, Columns: []HOTColumn{}, Indexes: []HOTIndex{}}
	if d.ChangedIndexed+d.ChangedNoRoom > 0 {
		h.Reasons = append(h.Reasons, reasonChanged)
	}
	if d.NoRoom+d.ChangedNoRoom > 0 {
		h.Reasons = append(h.Reasons, reasonNoRoom)
	}
	h.Fits = d.NoRoom+d.ChangedNoRoom == 0
	h.Need, h.Free = b.room()
	users := map[int][]string{}
	compared := map[int]bool{}
	for _, x := range t.Indexes {
		s := x.Schema
		i := HOTIndex{Name: s.Name, Columns: []string{}, Changed: []string{}, Summarizing: s.Method == "brin"}
		for _, c := range dependsOn(&x) {
			i.Columns = append(i.Columns, m.Table.Columns[c].Name)
			users[c] = append(users[c], s.Name)
			compared[c] = true
			if t.Heap.Modified(c) {
				i.Changed = append(i.Changed, m.Table.Columns[c].Name)
			}
		}
		i.Prevents = len(i.Changed) > 0 && !i.Summarizing
		h.Summarized = h.Summarized || i.Summarizing && len(i.Changed) > 0 && h.HOT
		h.Indexes = append(h.Indexes, i)
	}
	for i := range m.Table.Columns {
		c := &m.Table.Columns[i]
		if c.Dropped {
			continue
		}
		x := HOTColumn{Name: c.Name, Indexes: users[i], Compared: compared[i]}
		if x.Indexes == nil {
			x.Indexes = []string{}
		}
		x.Old, x.New = b.value(i, false), b.value(i, true)
		if x.Compared {
			x.Changed = t.Heap.Modified(i)
			if x.Changed && x.Old == x.New {
				x.Note = b.sameValueOtherBytes(i, m)
			}
		}
		h.Columns = append(h.Columns, x)
	}
	return h
}

// dependsOn lists the table's columns that an index depends on, each once.
func dependsOn(x *apply.IndexState) []int {
	columns := slices.Clone(x.Depends)
	if columns == nil {
		columns = indexColumns(x.Schema)
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

func indexColumns(x *schema.Index) []int {
	var columns []int
	for _, k := range x.Keys {
		if k.Column >= 0 {
			columns = append(columns, k.Column)
		}
	}
	return append(columns, x.Include...)
}

// sameValueOtherBytes says why a column counts as changed whose value is the same.
func (b *builder) sameValueOtherBytes(column int, m *apply.Mapping) string {
	if n := m.Columns[column]; n >= 0 && b.u.message.New[n].Format == stream.ColumnUnchanged {
		return ""
	}
	return "the same value, but stored in other bytes: the old version has it compressed or out of line, or the type can write it in more than one way (numeric 1.0 and 1.00)"
}

// room is how many bytes the new version needs and how many the page of the old one has
// free, when the worker decides.
func (b *builder) room() (need, free int) {
	for i := range b.u.events {
		e := &b.u.events[i]
		if b.eventAt[i] == keyLock && e.tid == (storage.TID{}) && len(e.pages) > 0 {
			if p := heapPage(e.pages[pageKey{b.p.mapping.Rel, b.locked.Block}], b.locked.Block); p != nil {
				free = p.freeSpace()
			}
		}
		if e.tid != (storage.TID{}) {
			if p := heapPage(e.pages[pageKey{e.rec.Relation, e.tid.Block}], e.tid.Block); p != nil {
				need = storage.MaxAlign(p.Items[e.tid.Offset-1].LPLength)
			}
		}
	}
	return need, free
}

// tellHOT puts the decision into words.
func (b *builder) tellHOT(s *Step) {
	h := b.decideHOT()
	s.HOT = h
	s.say("An update never overwrites a row: it writes a new version of it and marks the old one as ended. The question is whether the indexes must get entries for the new version. They need not if the update is HOT (heap-only tuple): then the old version points to the new one on the same page, and index entries go on leading to the old one.")
	s.say("Two conditions must hold: no column that any index depends on (BRIN aside) has changed, byte by byte as stored, and the new version fits on the page of the old one.")
	var same, changed []string
	for _, c := range h.Columns {
		switch {
		case !c.Compared:
		case c.Changed:
			text := fmt.Sprintf("%s (%s -> %s; in %s)", c.Name, c.Old, c.New, strings.Join(c.Indexes, ", "))
			if c.Note != "" {
				text += ", " + c.Note
			}
			changed = append(changed, text)
		default:
			same = append(same, c.Name)
		}
	}
	if len(same) > 0 {
		s.say("Compared and equal: %s.", strings.Join(same, ", "))
	}
	var free []string
	for _, c := range h.Columns {
		if !c.Compared && c.Old != c.New {
			free = append(free, c.Name)
		}
	}
	if len(free) > 0 {
		s.say("Changed, but in no index, so of no interest: %s.", strings.Join(free, ", "))
	}
	if len(changed) > 0 {
		s.say("Changed: %s.", strings.Join(changed, "; "))
	} else if len(h.Indexes) == 0 {
		s.say("The table has no index.")
	} else {
		s.say("No indexed column has changed.")
	}
	fits := "it fits"
	if !h.Fits {
		fits = "it does not fit, so another page gets it"
	}
	s.say("Room: the new version takes %s with its padding, the page has %s free: %s. The fillfactor is not asked here: what it has kept free is meant for this.", bytesText(h.Need), bytesText(h.Free), fits)
	switch {
	case h.HOT && h.Summarized:
		s.say("So it is HOT, but a BRIN index depends on a changed column: that index alone gets an entry.")
	case h.HOT:
		s.say("So it is HOT: no index is touched.")
	default:
		s.say("So it is not HOT (%s): every index gets an entry for the new version, also those whose columns have not changed.", strings.Join(h.Reasons, " and "))
		b.tellPartial(s)
	}
	if len(s.Records) > 0 {
		why := "the new version does not fit on the page"
		if b.steps[keyToast] != nil {
			why = "long values must be compressed or moved out of line first"
		}
		s.say("As %s, which takes a while, the old version is locked once more, with a record of its own.", why)
	}
}
