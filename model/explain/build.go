package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"applysim/heap"
	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/stream"
	"applysim/wal"
	"applysim/wal/storage"
)

// Keys of steps; indexes add their names.
const (
	keyBegin    = "transaction begins"
	keyDescribe = "relation described"
	keyReceive  = "message received"
	keyMap      = "relation mapped"
	keyValues   = "values read"
	keyRoute    = "partition found"
	keyOpen     = "indexes opened"
	keyLookup   = "lookup"
	keyLock     = "lock"
	keyDecide   = "HOT decision"
	keyToast    = "TOAST"
	keyLeave    = "row leaves its partition"
	keyWrite    = "heap write"
	keyIndex    = "index "
	keyNone     = "indexes left alone"
	keyTruncate = "truncate"
	keyStop     = "replication stops"
	keyCommit   = "commit"
	keySpool    = "spool file"
)

// builder makes the explanation of what a run has recorded.
type builder struct {
	r *run
	u *unit
	p *plan
	w *apply.Worker
	x *Explanation

	steps   map[string]*Step
	objects map[wal.RelID]object
	after   counts
	locked  storage.TID // the version that was found and locked
	eventAt []string    // the step of each event
}

// object is what a relation is to the change.
type object struct {
	kind  objectKind
	table wal.RelID // the table that it belongs to
	name  string
}

type objectKind uint8

const (
	other objectKind = iota
	table
	tableIndex
	toast // a TOAST table or its index
)

func newBuilder(r *run, p *plan) *builder {
	b := &builder{r: r, u: r.unit, p: p, w: r.w, steps: map[string]*Step{}, objects: map[wal.RelID]object{}}
	b.after = countsOf(r.w, r.w.Tables())
	for _, t := range b.u.before {
		b.objects[t.Rel] = object{table, t.Rel, r.w.Log().Name(t.Rel)}
		for _, x := range t.Indexes {
			b.objects[x.Rel] = object{tableIndex, t.Rel, r.w.Log().Name(x.Rel)}
		}
		if t.Toast != nil {
			b.objects[t.ToastRel] = object{toast, t.Rel, r.w.Log().Name(t.ToastRel)}
			b.objects[t.ToastIndexRel] = object{toast, t.Rel, r.w.Log().Name(t.ToastIndexRel)}
		}
	}
	b.x = &Explanation{SchemaVersion: 1, Warnings: []string{}}
	if r.o.Profile != nil {
		b.x.Profile = r.o.Profile.Name
	}
	return b
}

func (b *builder) build() *Explanation {
	for i := range b.u.events {
		b.eventAt = append(b.eventAt, b.stepOf(i))
	}
	b.findLocked()
	b.describeChange()
	b.addSteps()
	for i := range b.u.events {
		e := &b.u.events[i]
		s := b.step(b.eventAt[i])
		if e.quiet {
			continue
		}
		s.Records = append(s.Records, b.record(e))
		s.usage.AddRecord(e.name, &e.rec)
	}
	b.distribute()
	b.tell()
	b.tellImages()
	b.addPages()
	b.price()
	b.x.NotDone = b.notDone()
	if b.u.err != nil {
		b.x.Stopped = b.u.err.Error()
	}
	return b.x
}

// step returns the step of a key, made at the end of the list if there is none.
func (b *builder) step(key string) *Step {
	s := b.steps[key]
	if s == nil {
		s = &Step{Name: key, key: key, Text: []string{}, Records: []Record{}, usage: &cost.Usage{}}
		b.steps[key] = s
		b.x.Steps = append(b.x.Steps, s)
	}
	return s
}

func (b *builder) update() bool { return b.u.message.Kind == stream.KindUpdate }
func (b *builder) remove() bool { return b.u.message.Kind == stream.KindDelete }
func (b *builder) insert() bool { return b.u.message.Kind == stream.KindInsert }

// looks says whether the change looks for a row.
func (b *builder) looks() bool { return b.update() || b.remove() }

// stepOf returns the key of the step that an event belongs to: records that prepare
// something go with the record that they prepare.
func (b *builder) stepOf(i int) string {
	e := &b.u.events[i]
	if b.u.message.Kind == stream.KindTruncate && !endsTransaction(e.rec.Type) {
		return keyTruncate
	}
	locked, wrote := b.done(i)
	o := b.objects[e.rec.Relation]
	switch t := e.rec.Type; {
	case t == wal.TransactionAbort:
		return keyStop
	case endsTransaction(t):
		return keyCommit
	case t == wal.SequenceLog:
		return keyValues
	case o.kind == toast || t == wal.XLOGNextOID:
		return keyToast
	case t == wal.HeapLock && b.insert() && o.kind == table:
		return keyStop // the row in the way
	case t == wal.HeapLock && !locked:
		return keyLock
	case t == wal.HeapLock && !wrote:
		return keyDecide
	case t == wal.HeapLock:
		return keyStop
	case o.kind == table && t == wal.HeapDelete && b.update():
		return keyLeave
	case o.kind == table && (addsVersion(t) || t == wal.HeapDelete):
		return keyWrite
	case o.kind == table && e.rec.Fork != 0:
		return keyWrite
	case o.kind == table && b.looks() && !locked:
		return keyLookup
	case o.kind == tableIndex && b.looks() && !locked:
		return keyLookup
	case o.kind == tableIndex && !wrote:
		return keyLock // the lookup's scan ends after the row is locked
	case o.kind == tableIndex:
		return keyIndex + o.name
	}
	// A page that a unique check visits, or an id that is needed: for what comes next.
	for j := i + 1; j < len(b.u.events); j++ {
		f := &b.u.events[j]
		if f.rec.Type == wal.Heap2PruneOnAccess || f.rec.Relation == wal.NoRelation && !endsTransaction(f.rec.Type) || f.rec.Type == wal.XLOGFPIForHint && b.objects[f.rec.Relation].kind == table {
			continue
		}
		if key := b.stepOf(j); key != keyCommit {
			return key
		}
		break
	}
	if wrote {
		if x := b.lastUnique(); x != "" {
			return keyIndex + x
		}
		return keyWrite
	}
	return keyLookup
}

// done says whether the row was locked and written before an event.
func (b *builder) done(i int) (locked, wrote bool) {
	for j := range i {
		e := &b.u.events[j]
		if b.objects[e.rec.Relation].kind != table {
			continue
		}
		switch t := e.rec.Type; {
		case t == wal.HeapLock:
			locked = true
		case addsVersion(t), t == wal.HeapDelete && b.remove():
			wrote = true
		}
	}
	return locked, wrote
}

func endsTransaction(t wal.RecordType) bool {
	switch t {
	case wal.TransactionCommit, wal.TransactionAbort, wal.TransactionPrepare, wal.TransactionCommitPrepared, wal.TransactionAbortPrepared:
		return true
	}
	return false
}

// lastUnique is the name of the last index that checks for duplicates, "" if none does.
func (b *builder) lastUnique() string {
	name := ""
	for _, c := range b.p.target().Choices {
		if c.Index.Unique {
			name = b.objects[c.Rel].name
		}
	}
	return name
}

// findLocked finds the version that was locked.
func (b *builder) findLocked() {
	for i := range b.u.events {
		e := &b.u.events[i]
		if b.eventAt[i] != keyLock || e.rec.Type != wal.HeapLock {
			continue
		}
		block := e.rec.Detail.Blocks[0].Block
		p := heapPage(e.pages[pageKey{e.rec.Relation, block}], block)
		if p == nil {
			return
		}
		was := heapPage(b.u.pages[pageKey{e.rec.Relation, block}], block)
		for j := range p.Items {
			t := p.Items[j].Tuple
			if t == nil {
				continue
			}
			// Where others have locked the row too, a MultiXact stands for all of them.
			multi := t.Infomask&(xmaxIsMulti|xmaxInvalid) == xmaxIsMulti && was != nil && j < len(was.Items) &&
				was.Items[j].Tuple != nil && was.Items[j].Tuple.Xmax != t.Xmax
			if lockedByWorker(t, e.xid) || multi {
				b.locked = storage.TID{Block: block, Offset: p.Items[j].LP}
			}
		}
	}
}

// heapDelta is what the table has counted for the change.
func (b *builder) heapDelta(rel wal.RelID) heap.Counters {
	a, z := b.u.counted.heaps[rel], b.after.heaps[rel]
	z.Inserts -= a.Inserts
	z.Updates -= a.Updates
	z.HOTUpdates -= a.HOTUpdates
	z.NewPageUpdates -= a.NewPageUpdates
	z.ChangedIndexed -= a.ChangedIndexed
	z.NoRoom -= a.NoRoom
	z.ChangedNoRoom -= a.ChangedNoRoom
	z.Deletes -= a.Deletes
	z.Locks -= a.Locks
	z.Fetches -= a.Fetches
	z.ChainSteps -= a.ChainSteps
	z.Prunes -= a.Prunes
	z.Pruned -= a.Pruned
	z.FSMSearches -= a.FSMSearches
	z.NewPages -= a.NewPages
	z.Toasted -= a.Toasted
	return z
}

// addSteps makes the steps that every change of its kind has, in their order; others
// come with their records.
func (b *builder) addSteps() {
	for _, n := range b.u.leading {
		switch n.kind {
		case stream.KindBegin, stream.KindBeginPrepare, stream.KindStreamStart:
			b.step(keyBegin)
		case stream.KindRelation:
			b.step(keyDescribe)
		}
	}
	b.step(keyReceive)
	if b.u.spooled {
		b.step(keySpool)
	}
	if !b.u.applied {
		return
	}
	if b.u.message.Kind != stream.KindTruncate {
		b.step(keyMap)
	}
	if b.u.message.Kind == stream.KindTruncate {
		b.step(keyTruncate)
	} else if b.p.mapped {
		b.addChangeSteps()
	}
	if b.u.err != nil {
		b.step(keyStop)
	}
	b.step(keyCommit)
}

func (b *builder) addChangeSteps() {
	b.step(keyValues)
	routed := b.p.mapping.Rel != b.p.root.Rel
	if routed {
		b.step(keyRoute)
	}
	b.step(keyOpen)
	found := true
	if b.looks() {
		b.step(keyLookup)
		if found = slices.Contains(b.eventAt, keyLock); found {
			b.step(keyLock)
		}
	}
	if !found {
		return
	}
	inPlace := b.update() && !b.p.moves
	if inPlace {
		b.step(keyDecide)
	}
	if b.p.moves {
		b.step(keyLeave)
	}
	toasted := slices.Contains(b.eventAt, keyToast) || b.heapDelta(b.p.target().Rel).Toasted > 0
	if toasted && !b.remove() {
		b.step(keyToast)
	}
	wrote := slices.Contains(b.eventAt, keyWrite)
	// A row that a constraint refuses is not written.
	refused := b.u.err != nil && !wrote && b.p.tid == (storage.TID{}) && !b.remove()
	if wrote || !b.p.moves && !refused {
		b.step(keyWrite)
	}
	if toasted {
		b.step(keyToast)
	}
	any := false
	for _, c := range b.p.target().Choices {
		name := b.objects[c.Rel].name
		if !b.remove() && (b.btreeInserts(c.Rel) > 0 || slices.Contains(b.eventAt, keyIndex+name)) {
			b.step(keyIndex + name)
			any = true
		}
	}
	if !any && wrote && len(b.p.target().Choices) > 0 {
		b.step(keyNone)
	}
}

// btreeInserts is how many items the change has put into an index.
func (b *builder) btreeInserts(rel wal.RelID) int64 {
	return b.after.btrees[rel].Inserts - b.u.counted.btrees[rel].Inserts
}

// distribute gives each step the work that was done in it. All of the work is given to
// some step.
func (b *builder) distribute() {
	give := func(key string, i cost.Item) {
		if b.steps[key] == nil {
			key = keyReceive
		}
		b.steps[key].usage.Add(i)
	}
	// What belongs to a lookup or to a unique check: by when it was done.
	later := &cost.Usage{}
	previous := &cost.Usage{}
	for i := range b.u.events {
		e := &b.u.events[i]
		if e.work == nil {
			continue
		}
		now := &cost.Usage{}
		for _, x := range e.work.Items() {
			if b.searches(x) {
				now.Add(x)
			}
		}
		key := b.eventAt[i]
		if key == keyLock || !b.looks() && key == keyWrite {
			key = b.searchStep()
		}
		if key == keyCommit {
			continue
		}
		for _, x := range difference(now, previous) {
			give(key, x)
			later.Add(x)
		}
		previous = now
	}
	nulls, columns := countNulls(b.u.message)
	b.u.usage.SetNulls(nulls, columns)
	rest := &cost.Usage{}
	for _, x := range b.u.usage.Items() {
		switch {
		case x.Stage() == cost.StageWAL: // goes with the records
		case b.searches(x):
			rest.Add(x)
		default:
			give(b.stepOfWork(x), x)
		}
	}
	for _, x := range difference(rest, later) {
		give(b.searchStep(), x)
	}
}

// difference is the work that now has and before has not. In the middle of a change work
// may be noted under another name than at its end, so that something may be negative.
func difference(now, before *cost.Usage) []cost.Item {
	d := &cost.Usage{}
	for _, i := range now.Items() {
		d.Add(i)
	}
	for _, i := range before.Items() {
		i.Quantity = -i.Quantity
		d.Add(i)
	}
	return slices.DeleteFunc(slices.Clone(d.Items()), func(i cost.Item) bool { return i.Quantity == 0 })
}

// countNulls counts the columns of a message and those that are NULL.
func countNulls(m *stream.Message) (nulls, columns int) {
	for _, t := range []stream.Tuple{m.Old, m.New} {
		columns += len(t)
		for _, c := range t {
			if c.Format == stream.ColumnNull {
				nulls++
			}
		}
	}
	return nulls, columns
}

// searches says whether work is that of a search which visits heap pages.
func (b *builder) searches(i cost.Item) bool {
	s := i.Stage()
	return (s == cost.StageFetch || s == cost.StagePrune) && !b.toasts(i.Object)
}

// toasts says whether an object is a TOAST table or its index.
func (b *builder) toasts(name string) bool {
	for _, o := range b.objects {
		if o.name == name && o.kind == toast {
			return true
		}
	}
	return false
}

// searchStep is the step whose search visits heap pages: the lookup, or the last unique
// check.
func (b *builder) searchStep() string {
	if b.looks() {
		return keyLookup
	}
	if x := b.lastUnique(); x != "" {
		return keyIndex + x
	}
	return keyWrite
}

// stepOfWork returns the key of the step in which work is done.
func (b *builder) stepOfWork(i cost.Item) string {
	if b.toasts(i.Object) {
		return keyToast
	}
	switch i.Stage() {
	case cost.StageBegin:
		return keyBegin
	case cost.StageRelation:
		return keyDescribe
	case cost.StageMap:
		if b.u.message.Kind == stream.KindTruncate {
			return keyTruncate
		}
		return keyMap
	case cost.StageValues:
		return keyValues
	case cost.StageRoute:
		return keyRoute
	case cost.StageOpen:
		return keyOpen
	case cost.StageLookup:
		return keyLookup
	case cost.StageLock:
		if b.insert() {
			return keyWrite
		}
		return keyLock
	case cost.StageDecide:
		return keyDecide
	case cost.StageToast:
		return keyToast
	case cost.StageWrite:
		return keyWrite
	case cost.StageIndex:
		if b.steps[keyIndex+i.Object] == nil {
			return keyNone
		}
		return keyIndex + i.Object
	case cost.StageCommit:
		return keyCommit
	}
	return keyReceive
}

// price fills in what the steps count and cost, and the total.
func (b *builder) price() {
	t := &b.x.Total
	t.Counters = map[string]float64{}
	for _, s := range b.x.Steps {
		s.Counters, s.Work = map[string]float64{}, []Work{}
		for _, i := range s.usage.Items() {
			name := i.Term
			if i.Object != "" {
				name = i.Object + ": " + i.Term
			}
			s.Counters[name] += i.Quantity
			t.Counters[name] += i.Quantity
		}
		for _, r := range s.Records {
			t.Records++
			t.Bytes += r.Length
			t.FPIBytes += r.FPI
		}
		if b.r.o.Model == nil || b.r.o.Profile == nil {
			continue
		}
		for _, i := range s.usage.Items() {
			one := &cost.Usage{}
			one.Add(i)
			c := b.r.o.Profile.Apply(b.r.o.Model, one)
			s.Instructions += c.Instructions
			s.CPU += c.Seconds
			if i.FirstTouch() {
				s.FirstTouch += c.Seconds
			}
			if c.Seconds != 0 || c.Instructions != 0 {
				s.Work = append(s.Work, Work{i.Term, i.Object, i.Quantity, c.Instructions, c.Seconds})
			}
			for _, text := range c.Assumptions {
				if !slices.Contains(b.x.Warnings, text) {
					b.x.Warnings = append(b.x.Warnings, text)
				}
			}
		}
		slices.SortStableFunc(s.Work, func(a, z Work) int { return cmp.Compare(z.CPU, a.CPU) })
		t.Instructions += s.Instructions
		t.CPU += s.CPU
		t.FirstTouch += s.FirstTouch
	}
}

// record gives a record the form in which it is shown.
func (b *builder) record(e *event) Record {
	r := Record{
		Manager: e.rec.Type.Manager(), Type: e.rec.Type.Name(), Relation: b.w.Log().RelName(e.rec.Relation), Fork: "-", Block: "-",
		Length: e.rec.Length, FPI: e.rec.FPI, Start: e.rec.Start.String(), End: e.rec.End.String(), Blocks: []BlockRef{}, Parts: []wal.Part{},
	}
	if e.rec.Relation != wal.NoRelation {
		r.Fork, r.Block = strconv.Itoa(int(e.rec.Fork)), strconv.FormatUint(uint64(e.rec.Block), 10)
	}
	if d := e.rec.Detail; d != nil {
		r.Parts = append(r.Parts, d.Parts...)
		for _, x := range d.Blocks {
			r.Blocks = append(r.Blocks, BlockRef{x.ID, x.Role, int(x.Fork), int64(x.Block), x.Init, x.Image.Length})
		}
	}
	return r
}

// Line is the record as replay --records writes it.
func (r Record) Line() string {
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%d\t%d", r.Manager, r.Type, r.Relation, r.Fork, r.Block, r.Length, r.FPI)
}
