package recorded

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/background"
	"applysim/model/capture"
	"applysim/model/cost"
	"applysim/model/explain"
	"applysim/model/stream"
	"applysim/wal"
)

// slice is what a replay has written for one change: from the first message that leads
// to it to the end of its transaction, if that comes next.
type slice struct {
	lines []string
	types []wal.RecordType
	// What the message has of columns, and how many of them are NULL.
	nulls, columns int
	work           *cost.Usage // nil unless it was asked for, and for what was kept in a file
}

// slices replays a case and cuts its records into those of each change.
func slicesOf(t *testing.T, c *Case, measure map[int64]bool) []slice {
	t.Helper()
	var w *apply.Worker
	var all []slice
	at := -1 // of the change that records belong to, -1 for none
	byMessage := map[int64]int{}
	w, err := c.Worker(func(r *wal.Record) {
		if at >= 0 && !Background(w.Log(), r) {
			all[at].lines = append(all[at].lines, Line(w.Log(), r))
			all[at].types = append(all[at].types, r.Type)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	w.ObserveSpooled(func(m *stream.Message, after bool) {
		if !after {
			at = byMessage[m.Number]
		}
	})
	in, err := c.Stream()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	schedule := background.NewSchedule(w)
	schedule.WALWriter = true
	reader, err := capture.NewReader(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	feed := NewFeed(w, reader, c.Events, false, schedule)
	var m stream.Message
	var leading *cost.Usage // work of the messages before the next change
	follows := -1           // the change that a commit would end
	for {
		at = -1
		if err := feed.Next(&m); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		var before *cost.Usage
		if measure[int64(len(all))] || measure[int64(len(all)+1)] {
			w.CountAll(true)
			before = cost.Measure(w)
		}
		spooled := w.Counters.Spooled
		leads := false
		switch m.Kind {
		case stream.KindInsert, stream.KindUpdate, stream.KindDelete, stream.KindTruncate:
			all = append(all, slice{})
			at = len(all) - 1
			for _, tuple := range []stream.Tuple{m.Old, m.New} {
				for _, c := range tuple {
					if all[at].columns++; c.Format == stream.ColumnNull {
						all[at].nulls++
					}
				}
			}
			byMessage[m.Number] = at
			follows = at
		case stream.KindCommit, stream.KindPrepare, stream.KindStreamStop, stream.KindStreamCommit, stream.KindStreamPrepare:
			at = follows
			if m.Kind != stream.KindStreamStop {
				follows = -1
			}
		case stream.KindBegin, stream.KindBeginPrepare, stream.KindStreamStart, stream.KindRelation, stream.KindType, stream.KindOrigin:
			follows, leads = -1, true
		default:
			follows = -1
		}
		end := at
		err := w.Apply(&m)
		w.CountAll(false)
		if w.Counters.Spooled > spooled {
			follows = -1
		}
		if before != nil && w.Counters.Spooled == spooled {
			work := cost.Measure(w).Sub(before)
			switch {
			case leads && leading != nil:
				add(leading, work)
			case leads:
				leading = work
			case end >= 0 && measure[int64(end+1)]:
				if all[end].work == nil {
					all[end].work = &cost.Usage{}
					if leading != nil {
						add(all[end].work, leading)
					}
				}
				add(all[end].work, work)
				leading = nil
			default:
				leading = nil
			}
		}
		var stop *apply.StopError
		if errors.As(err, &stop) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func add(to, from *cost.Usage) {
	for _, i := range from.Items() {
		to.Add(i)
	}
}

// TestExplain explains changes of every built-in case and compares what the explanation
// shows with what a replay has written and counted for them. Of each case a few are
// taken, and all that bring about records of types that no other case has shown.
func TestExplain(t *testing.T) {
	dirs, err := Find(Builtin(), ".")
	if err != nil {
		t.Fatal(err)
	}
	model, err := cost.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := cost.BuiltinProfile("x86-64")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[wal.RecordType]bool{}
	explained := 0
	for _, dir := range dirs {
		if IsPublisher(Builtin(), dir) {
			continue
		}
		c, err := Open(Builtin(), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(dir, func(t *testing.T) {
			all := slicesOf(t, c, nil)
			chosen := map[int64]bool{}
			for i := range all {
				for _, typ := range all[i].types {
					if !seen[typ] {
						seen[typ] = true
						chosen[int64(i+1)] = true
					}
				}
			}
			if n := int64(len(all)); n > 0 {
				chosen[n], chosen[1+n*2/3] = true, true
				delete(chosen, n+1)
			}
			if testing.Short() {
				return
			}
			all = slicesOf(t, c, chosen)
			for _, n := range slices.Sorted(maps.Keys(chosen)) {
				x, err := explain.Explain(explain.Options{Open: sessions(c), Change: n, Model: model, Profile: profile})
				if err != nil {
					t.Fatalf("change %d: %v", n, err)
				}
				explained++
				compareExplained(t, n, x, &all[n-1], model, profile)
				var text strings.Builder
				if err := x.Text(&text); err != nil || strings.Contains(text.String(), "%!") || strings.Contains(text.String(), "unknown place") {
					t.Errorf("change %d: %v: text\n%s", n, err, text.String())
				}
				checkPage(t, x)
			}
		})
	}
	t.Logf("%d changes explained", explained)
}

func sessions(c *Case) func() (*explain.Session, error) {
	return func() (*explain.Session, error) {
		w, err := c.Worker(nil)
		if err != nil {
			return nil, err
		}
		in, err := c.Stream()
		if err != nil {
			return nil, err
		}
		schedule := background.NewSchedule(w)
		schedule.WALWriter = true
		reader, err := capture.NewReader(in, nil)
		if err != nil {
			return nil, err
		}
		feed := NewFeed(w, reader, c.Events, false, schedule)
		return &explain.Session{Worker: w, Next: feed.Next, Close: func() { in.Close() }}, nil
	}
}

func compareExplained(t *testing.T, n int64, x *explain.Explanation, want *slice, model *cost.Model, profile *cost.Profile) {
	t.Helper()
	var lines []string
	bytes := 0
	counters := map[string]float64{}
	cpu := 0.0
	for _, s := range x.Steps {
		for _, r := range s.Records {
			lines = append(lines, r.Line())
			sum := 0
			for _, p := range r.Parts {
				sum += p.Bytes
			}
			if sum != r.Length {
				t.Errorf("change %d, step %s: the parts of %s have %d bytes", n, s.Name, r.Line(), sum)
			}
			bytes += r.Length
		}
		for name, q := range s.Counters {
			if counters[name] += q; q < 0 {
				t.Errorf("change %d, step %s: %s is %v", n, s.Name, name, q)
			}
		}
		cpu += s.CPU
		if len(s.Text) == 0 {
			t.Errorf("change %d, step %s says nothing", n, s.Name)
		}
	}
	if a, b := strings.Join(lines, "\n"), strings.Join(want.lines, "\n"); a != b {
		t.Errorf("change %d: explained\n%s\nreplayed\n%s", n, a, b)
	}
	if x.Total.Records != len(want.lines) || x.Total.Bytes != bytes {
		t.Errorf("change %d: total %+v", n, x.Total)
	}
	if want.work == nil {
		return
	}
	// Of NULLs in messages a replay keeps only an estimate for all of them.
	want.work.SetNulls(want.nulls, want.columns)
	replayed := map[string]float64{}
	for _, i := range want.work.Items() {
		name := i.Term
		if i.Object != "" {
			name = i.Object + ": " + i.Term
		}
		replayed[name] += i.Quantity
	}
	for _, name := range slices.Sorted(maps.Keys(replayed)) {
		if d := counters[name] - replayed[name]; math.Abs(d) > 1e-6 {
			t.Errorf("change %d: %s: explained %v, replayed %v", n, name, counters[name], replayed[name])
		}
		if d := x.Total.Counters[name] - replayed[name]; math.Abs(d) > 1e-6 {
			t.Errorf("change %d: %s: total %v, replayed %v", n, name, x.Total.Counters[name], replayed[name])
		}
	}
	for name := range counters {
		if _, ok := replayed[name]; !ok && math.Abs(counters[name]) > 1e-9 {
			t.Errorf("change %d: %s: explained %v, replayed none", n, name, counters[name])
		}
	}
	price := profile.Apply(model, want.work)
	for what, v := range map[string][2]float64{"steps": {cpu, price.Seconds}, "total": {x.Total.CPU, price.Seconds}, "instructions": {x.Total.Instructions, price.Instructions}} {
		if math.Abs(v[0]-v[1]) > 1e-9*math.Max(1, v[1]) && math.Abs(v[0]-v[1]) > 1e-6*v[1] {
			t.Errorf("change %d: CPU, %s: %v, expected %v", n, what, v[0], v[1])
		}
	}
}

// checkPage checks that the page of an explanation is well-formed, needs nothing else and
// shows every step, record and sentence without its script.
func checkPage(t *testing.T, x *explain.Explanation) {
	t.Helper()
	var b strings.Builder
	if err := x.HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	d := xml.NewDecoder(strings.NewReader(page))
	steps, records, paragraphs, script := 0, 0, 0, false
	ids, links := map[string]bool{}, map[string]bool{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("change %d: %v", x.Change.Number, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "id":
				if ids[a.Value] {
					t.Errorf("change %d: two elements %q", x.Change.Number, a.Value)
				}
				ids[a.Value] = true
			case "href":
				links[a.Value] = true
			case "src":
				t.Errorf("change %d: the page needs %s", x.Change.Number, a.Value)
			}
			if e.Name.Local == "section" && a.Name.Local == "class" && a.Value == "step" {
				steps++
			}
			if e.Name.Local == "details" && a.Name.Local == "open" {
				records++
			}
		}
		switch e.Name.Local {
		case "p":
			paragraphs++
		case "script":
			script = true
		}
	}
	texts := 0
	for _, s := range x.Steps {
		texts += len(s.Text)
	}
	if steps != len(x.Steps) || records != x.Total.Records || paragraphs < texts || !script {
		t.Errorf("change %d: the page has %d of %d steps, %d of %d records, %d paragraphs for %d texts", x.Change.Number, steps, len(x.Steps), records, x.Total.Records, paragraphs, texts)
	}
	for l := range links {
		if !strings.HasPrefix(l, "#") || !ids[l[1:]] {
			t.Errorf("change %d: a link to %s leads nowhere", x.Change.Number, l)
		}
	}
	if strings.Contains(page, "://") || strings.Contains(page, "@import") || strings.Contains(page, "ZgotmplZ") {
		t.Errorf("change %d: the page refers to something else", x.Change.Number)
	}
}
