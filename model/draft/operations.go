package draft

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"applysim/model/guc"
	"applysim/model/observed"
	"applysim/model/scenario"
	"applysim/model/schema"
)

// server takes settings and the subscription's options over.
func (d *Draft) server() {
	s := d.o.Stats
	if s == nil {
		return
	}
	d.Notes = append(d.Notes, "Numbers come from "+s.Describe()+".")
	probe := guc.Defaults()
	version := fmt.Sprintf("%d.%d", s.ServerNum/10000, s.ServerNum%10000)
	if probe.Set("server_version", version) != nil {
		version = fmt.Sprint(s.ServerNum / 10000)
	}
	set := func(name, value string) {
		try := d.settings
		if err := try.Set(name, value); err != nil {
			d.Notes = append(d.Notes, fmt.Sprintf("Left out: %s = %q: %v.", name, value, err))
			return
		}
		d.settings = try
		d.Scenario.Settings = append(d.Scenario.Settings, scenario.Setting{Name: name, Value: value})
	}
	if s.ServerNum > 0 {
		set("server_version", version)
	}
	names := make([]string, 0, len(s.Settings))
	for name := range s.Settings {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name != "server_version" && name != "wal_segment_size" {
			set(name, s.Settings[name])
		}
	}
	if len(s.Subscriptions) > 0 {
		u := &s.Subscriptions[0]
		d.Scenario.Streaming = u.StreamingOption()
		d.Scenario.Binary = u.Binary
	}
	if c := s.Collation; c != "" && c != "C" && c != "POSIX" {
		if _, err := d.db.Collation(c); err == nil {
			d.Scenario.Collation = c
		} else {
			d.Notes = append(d.Notes, fmt.Sprintf("Left out: the database's collation %s, whose order is not known; text is ordered by bytes.", c))
		}
	}
	d.limitSettings()
}

// limitSettings keeps only settings that differ from the defaults.
func (d *Draft) limitSettings() {
	base := guc.Defaults()
	for _, x := range d.Scenario.Settings {
		if x.Name == "server_version" {
			base.Set(x.Name, x.Value)
		}
	}
	var kept []scenario.Setting
	for _, x := range d.Scenario.Settings {
		try := base
		if try.Set(x.Name, x.Value); x.Name == "server_version" || !sameSettings(&try, &base) {
			kept = append(kept, x)
		}
	}
	d.Scenario.Settings = kept
}

func sameSettings(a, b *guc.Settings) bool { return fmt.Sprintf("%+v", *a) == fmt.Sprintf("%+v", *b) }

// work is what may happen to a table.
type work struct {
	t                        *Table
	inserts, updates, delete float64 // a second
	columns                  []string
}

// operations decides what changes.
func (d *Draft) operations() {
	counted := d.counted()
	if d.o.Stats != nil && !counted {
		d.Notes = append(d.Notes, "The statistics count no change of a table, or nobody knows since when they count: rates are guessed. Two samples some time apart give rates.")
	}
	var list []*work
	for _, t := range d.Tables {
		if w := d.work(t, counted); w != nil {
			list = append(list, w)
		}
	}
	if !counted {
		d.guessRates(list)
	}
	rows := d.rowsPerTransaction(counted)
	for _, w := range list {
		t := w.t
		add := func(do scenario.Action, rate float64, which scenario.Which) {
			if rate <= 0 {
				return
			}
			o := &scenario.Operation{Step: scenario.Step{Table: t.Schema.QualifiedName(), Do: do, Rows: rows, Which: which, Zipf: scenario.DefaultZipf, To: 1}, Rate: significant(rate)}
			if do == scenario.Update {
				o.Columns = w.columns
			}
			t.Operations = append(t.Operations, o)
		}
		recent := slices.ContainsFunc(t.Columns, func(c *Column) bool {
			return c.Spec.Kind == scenario.Time && contains(strings.ToLower(c.Schema.Name), "creat", "insert", "placed", "at")
		})
		update, remove := scenario.Uniform, scenario.Uniform
		if recent {
			update, remove = scenario.Recent, scenario.Oldest
		}
		add(scenario.Insert, w.inserts, scenario.Uniform)
		add(scenario.Update, w.updates, update)
		add(scenario.Delete, w.delete, remove)
	}
}

// significant cuts a rate to three digits.
func significant(f float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(f))-2)
	s := math.Round(f/p) * p
	return round(max(min(s, 1e9), 1e-6), 6)
}

// counted says whether the statistics tell rates.
func (d *Draft) counted() bool {
	s := d.o.Stats
	if s == nil || s.Window() <= 0 {
		return false
	}
	return slices.ContainsFunc(d.Tables, func(t *Table) bool {
		return t.stats != nil && t.stats.Counters.Inserts+t.stats.Counters.Updates+t.stats.Counters.Deletes > 0
	})
}

// work says what may happen to a table, and why other things may not.
func (d *Draft) work(t *Table, counted bool) *work {
	s := t.Schema
	w := &work{t: t}
	switch {
	case isHashRoot(s):
		t.note("partitioned by hash: its changes come under its own name, as with publish_via_partition_root")
	case s.Kind == 'p':
		t.note("partitioned: rows and changes are those of its partitions")
		return nil
	case hashRoot(s) != nil:
		t.note("its changes come through %s", hashRoot(s).QualifiedName())
		return nil
	case s.Unlogged:
		t.note("unlogged: not replicated")
		return nil
	}
	identified := t.full || len(t.identity) > 0
	if !identified {
		t.note("no replica identity: its publisher refuses UPDATE and DELETE")
	}
	if d.o.Stats != nil && len(d.o.Stats.Publications) > 0 && !d.published(t) {
		t.note("in no publication")
		return nil
	}
	w.columns = d.updated(t)
	if counted {
		var r observed.Rate
		if t.stats == nil {
			if !isHashRoot(s) {
				return nil
			}
		} else {
			r, _ = d.o.Stats.Rate(t.stats)
		}
		if isHashRoot(s) {
			r = d.sumRates(t)
		}
		w.inserts, w.updates, w.delete = r.Inserts, r.Updates, r.Deletes
		if w.inserts+w.updates+w.delete == 0 {
			t.note("no change was counted")
		}
	} else {
		w.inserts, w.updates, w.delete = 0.40, 0.45, 0.15 // shares; see guessRates
		if !d.latest(t) {
			t.note("not the last of its partitions: no changes are guessed")
			return nil
		}
	}
	if t.capacity > 0 {
		w.inserts, w.delete = 0, 0
	}
	if !identified {
		w.updates, w.delete = 0, 0
	}
	if len(w.columns) == 0 && w.updates > 0 {
		w.updates = 0
		t.note("every column belongs to a key or has one value: no updates")
	}
	if w.inserts+w.updates+w.delete == 0 {
		return nil
	}
	return w
}

// sumRates adds the rates of the partitions up.
func (d *Draft) sumRates(t *Table) (sum observed.Rate) {
	for _, x := range d.Tables {
		if hashRoot(x.Schema) != t.Schema || x.stats == nil {
			continue
		}
		r, _ := d.o.Stats.Rate(x.stats)
		sum.Inserts += r.Inserts
		sum.Updates += r.Updates
		sum.Deletes += r.Deletes
	}
	return sum
}

// published says whether a publication has the table, or a partitioned one above it.
func (d *Draft) published(t *Table) bool {
	for at := t.Schema; at != nil; at = at.Parent {
		if x := d.o.Stats.Of(at); x != nil && x.Published {
			return true
		}
	}
	for _, c := range t.Schema.Children {
		if x := d.bySchema[c]; x != nil && t.Schema.Kind == 'p' && x.stats != nil && x.stats.Published {
			return true
		}
	}
	return false
}

// latest says whether a table is the last of the range partitions beside it: new rows
// come there. Other tables always are.
func (d *Draft) latest(t *Table) bool {
	for at := t.Schema; at.Parent != nil; at = at.Parent {
		if at.Parent.Partition == nil || at.Parent.Partition.By != "range" {
			continue
		}
		var last *schema.Table
		for _, c := range at.Parent.Children {
			if c.Bound != nil && !c.Bound.Default {
				last = c
			}
		}
		if last != nil && last != at {
			return false
		}
	}
	return true
}

// guessRates shares the guessed rate out by the tables' rows.
func (d *Draft) guessRates(list []*work) {
	sum := 0.0
	weight := func(w *work) float64 { return math.Sqrt(float64(max(d.rowsOf(w.t.Schema), 1))) }
	for _, w := range list {
		sum += weight(w)
	}
	for _, w := range list {
		f := guessedRate * weight(w) / sum
		w.inserts *= f
		w.updates *= f
		w.delete *= f
	}
}

// rowsPerTransaction goes by the transactions that were counted, which include those
// that only read.
func (d *Draft) rowsPerTransaction(counted bool) int {
	if !counted || d.o.Stats.Commits <= 0 {
		return 1
	}
	sum := int64(0)
	for _, t := range d.Tables {
		if t.stats != nil && t.Schema.Kind != 'p' {
			sum += t.stats.Counters.Inserts + t.stats.Counters.Updates + t.stats.Counters.Deletes
		}
	}
	n := min(int(math.Round(float64(sum)/float64(d.o.Stats.Commits))), 100)
	if n > 1 {
		d.Notes = append(d.Notes, fmt.Sprintf("Transactions have %d rows: the changes that were counted by the commits that were, those of readers among them.", n))
	}
	return max(n, 1)
}

// updated chooses the columns that an update changes: what a real one sets no statistics
// tell. The share of HOT updates says whether they are indexed.
func (d *Draft) updated(t *Table) []string {
	indexed := map[int]bool{}
	for _, x := range t.Schema.Indexes {
		if x.Method == "brin" {
			continue
		}
		for _, n := range append(d.keyColumns(t, x), x.Include...) {
			indexed[n] = true
		}
		if x.Predicate != "" {
			for _, n := range d.columnsOf(t, x.Predicate) {
				indexed[n] = true
			}
		}
	}
	hot, known := 0.0, false
	if t.stats != nil {
		hot, known = t.stats.HOTShare()
	}
	type choice struct {
		c     *Column
		score int
		first int // more, for the first column only
	}
	var list []choice
	for _, c := range t.Columns {
		if t.unique[c.number] || t.fixed[c.number] || slices.Contains(t.identity, c.number) || c.settled && len(c.Spec.Values) < 2 || c.Spec.Nulls == 1 || c.distinct {
			continue
		}
		name, score, first := strings.ToLower(c.Schema.Name), 0, 0
		switch {
		case contains(name, "updat", "modif", "chang", "seen", "last", "touch"):
			score += 6
		case contains(name, "creat", "insert"):
			score -= 12
		case contains(name, "status", "state", "stock", "balance", "amount", "total", "count", "score", "quantity", "expires"):
			score += 4
		}
		if d.refersTo(t, c) != nil || strings.HasSuffix(name, "_id") {
			score -= 6
		}
		if c.Schema.Type.Base().Opaque {
			score -= 2
		}
		if indexed[c.number] {
			switch {
			case known && hot >= 0.5:
				score -= 20
			case known && hot < 0.1:
				first = 8
			default:
				score--
			}
		}
		list = append(list, choice{c, score, first})
	}
	var names []string
	slices.SortStableFunc(list, func(a, b choice) int { return b.score + b.first - a.score - a.first })
	if len(list) > 0 {
		names = append(names, list[0].c.Schema.Name)
		first := list[0].c
		list = list[1:]
		// Times that a constraint compares go on together.
		for _, k := range t.checks {
			for _, n := range k.columns {
				if c := t.column(n); c != nil && first.Spec.Kind == scenario.Time && slices.Contains(k.columns, first.number) && c.Spec.Kind == scenario.Time && n != first.number && !t.fixed[n] && !t.unique[n] {
					names = append(names, c.Schema.Name)
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b choice) int { return b.score - a.score })
	if len(list) > 0 && list[0].score >= 0 && !slices.Contains(names, list[0].c.Schema.Name) {
		names = append(names, list[0].c.Schema.Name)
	}
	return names
}
