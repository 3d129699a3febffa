package recorded

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/model/apply"
	"applysim/wal"
)

// Totals are numbers of both sides.
type Totals struct {
	Expected  int64 `json:"expected"`
	Simulated int64 `json:"simulated"`
}

// Difference is the first record in which the two sides differ. Record counts
// from 1, background records left out.
type Difference struct {
	Record   int64  `json:"record"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// Result is how a case compares.
type Result struct {
	Name             string      `json:"name"`
	Outcome          string      `json:"result"` // "exact", "exact except", "differs" or "unsupported"
	Records          Totals      `json:"records"`
	Bytes            Totals      `json:"bytes"`
	FirstDifference  *Difference `json:"first_difference"`
	StateDifferences []string    `json:"state_differences"`
	// Exceptions are differences that have a name; see exceptions.go.
	Exceptions []Exception `json:"exceptions,omitempty"`
	// Decoding is what the slots of a publisher's case gave.
	Decoding *Decoding `json:"decoding,omitempty"`
	// Unsupported says what the case needs that is not modelled.
	Unsupported string `json:"unsupported,omitempty"`
}

// The outcomes.
const (
	Exact       = "exact"
	ExactExcept = "exact except"
	Differs     = "differs"
	Unsupported = "unsupported"
)

// Line is the result as verify prints it.
func (r *Result) Line() string {
	switch {
	case r.Outcome == Unsupported:
		return r.Name + " unsupported: " + r.Unsupported
	case r.FirstDifference != nil:
		d := r.FirstDifference
		return fmt.Sprintf("%s differs: record %d: expected %s, got %s", r.Name, d.Record, spaced(d.Expected), spaced(d.Got))
	case len(r.StateDifferences) > 0:
		return r.Name + " differs: " + r.StateDifferences[0]
	case len(r.Exceptions) > 0:
		return r.Name + exceptionText(r.Exceptions)
	}
	return r.Name + " exact"
}

func spaced(line string) string {
	b := []byte(line)
	for i, c := range b {
		if c == '\t' {
			b[i] = ' '
		}
	}
	return string(b)
}

// comparison follows the recording while the simulation writes.
type comparison struct {
	log      *wal.Log
	expected []Record
	next     int // in expected
	result   *Result
	// files are the relations whose files were replaced while the case was
	// recorded, by what the recording calls them.
	files map[string]string
	// toastByTable says that TOAST tables are called by their tables' oids, which are
	// not known: which is which, the first record of each tells.
	toastByTable bool
	allowed      []exceptionKind // that may show in the case
	logical      bool            // wal_level is logical
	catalogs     bool            // since the last transaction ended, catalogs were changed
	prepared     bool            // a transaction that has changed some was prepared
	beside       bool            // indexes of other access methods are left out
	// together says whether parallel workers clean indexes.
	together func() bool
}

// Verify replays a case and compares it with its recording. The error is about
// the case's files; whatever the comparison finds is in the result.
func (c *Case) Verify() (*Result, error) {
	r, _, err := c.follow(nil)
	return r, err
}

// VerifyBeside is Verify for a case with indexes of access methods that are not modelled
// page by page: their own records and pages are left out, all else must be the same.
func (c *Case) VerifyBeside() (*Result, error) {
	c.beside = true
	return c.Verify()
}

// follow is Verify for those who want to look at the subscriber, too. watch gets it before
// its first record, and what it returns gets each record after that was compared.
func (c *Case) follow(watch func(*apply.Worker) wal.Sink) (*Result, *apply.Worker, error) {
	r := &Result{Name: c.Name, StateDifferences: []string{}}
	records, err := c.Records()
	if err != nil {
		return nil, nil, err
	}
	expected, err := c.Expected()
	if err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(c.Events, func(e Event) bool { return e.do != nil }) {
		markCatalogs(records)
	}
	if c.beside {
		markForeign(records, expected)
	}
	for _, x := range records {
		if !x.Background() {
			r.Records.Expected++
			r.Bytes.Expected += int64(x.Length)
		}
	}
	k := &comparison{beside: c.beside, expected: records, result: r, files: map[string]string{}, allowed: c.exceptions(), logical: c.Start.Settings["wal_level"] == "logical"}
	for _, x := range c.Start.Relations {
		k.files["?"+strconv.FormatUint(uint64(x.Relfilenode), 10)] = x.Name
	}
	c.quiet, c.exact = true, !c.beside
	var also wal.Sink
	w, err := c.Worker(func(x *wal.Record) {
		k.see(x)
		if also != nil {
			also(x)
		}
	})
	if watch != nil && err == nil {
		also = watch(w)
	}
	if err == nil {
		k.log, k.together = w.Log(), w.Together
		k.skipBackground()
		var n int64
		n, err = c.Run(w)
		if err == nil && n != expected.Messages {
			k.state("messages: expected %d, got %d", expected.Messages, n)
		}
	}
	var unsupported *apply.UnsupportedError
	if errors.As(err, &unsupported) {
		r.Outcome, r.Unsupported, r.FirstDifference = Unsupported, unsupported.What, nil
		return r, w, nil
	}
	var stop *apply.StopError
	switch want := expected.Error; {
	case errors.As(err, &stop) && want != nil:
		// Where a text ceases to be JSON is not told.
		json := want.Text == stop.Text && strings.HasPrefix(want.Text, "invalid input syntax for type json")
		if stop.Text != want.Text || stop.Detail != want.Detail && !json {
			k.state("error: expected %q, detail %q, got %q, detail %q", want.Text, want.Detail, stop.Text, stop.Detail)
		}
	case stop != nil:
		k.state("%v", stop)
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", c.dir, err)
	case want != nil:
		k.state("error: expected %q, got none", want.Text)
	}
	k.finish()
	k.compareState(c, expected, w)
	if err := w.Check(); err != nil {
		k.state("%v", err)
	}
	r.settle()
	return r, w, nil
}

// settle decides the outcome.
func (r *Result) settle() {
	r.Outcome = Exact
	if len(r.Exceptions) > 0 {
		r.Outcome = ExactExcept
	}
	if r.FirstDifference != nil || len(r.StateDifferences) > 0 {
		r.Outcome = Differs
	}
}

func (k *comparison) state(format string, args ...any) {
	k.result.StateDifferences = append(k.result.StateDifferences, fmt.Sprintf(format, args...))
}

// skipBackground moves the log over the recorded background records that come
// next, so that the simulated records get the LSNs of the real ones.
func (k *comparison) skipBackground() {
	for k.next < len(k.expected) && k.expected[k.next].Background() {
		x := &k.expected[k.next]
		if !x.foreign { // for these the log has estimates
			k.log.Skip(x.Length)
		}
		k.catalogs = k.catalogs || x.catalogWork()
		k.next++
	}
}

// see compares a simulated record with the recorded one.
func (k *comparison) see(s *wal.Record) {
	r := k.result
	r.Records.Simulated++
	r.Bytes.Simulated += int64(s.Length)
	if r.FirstDifference != nil {
		return
	}
	got := simulated(k.log, s)
	if k.next >= len(k.expected) {
		r.FirstDifference = &Difference{r.Records.Simulated, "nothing", got.Line()}
		return
	}
	want := k.expected[k.next]
	k.next++
	want.Relation = k.relation(want.Relation, got.Relation)
	ends := want.Manager == "Transaction" && want.Type == got.Type
	if ends && want.Length != got.Length && (k.catalogs || k.prepared && got.Type == "COMMIT_PREPARED") && invalidations(got.Type, want.Length-got.Length, k.logical, got.Length == bareCommit) {
		// The extra length is the catalog's.
		r.Bytes.Expected -= int64(want.Length - got.Length)
		k.log.MoveTo(s.Start.Advance(want.Length, wal.DefaultSegmentSize))
		want.Length = got.Length
	}
	if ends && got.Type != "COMMIT_PREPARED" {
		k.catalogs, k.prepared = false, k.prepared || k.catalogs && got.Type == "PREPARE"
	}
	if want != got && k.reordered(got) {
		want = got
	}
	if want != got && k.excepted(want, got) {
		s.End = s.Start.Advance(want.Length, wal.DefaultSegmentSize)
		k.log.MoveTo(s.End)
	} else if want != got {
		r.FirstDifference = &Difference{r.Records.Simulated, want.Line(), got.Line()}
		return
	}
	k.skipBackground()
}

// relation is the name of a relation that the recording calls ?N: a file that was
// replaced later. The start state names those that were there; of one that came and
// went, the first record tells which it is.
func (k *comparison) relation(recorded, simulated string) string {
	switch {
	case strings.HasPrefix(recorded, "?"):
	case strings.HasPrefix(recorded, "pg_toast_") && strings.HasPrefix(simulated, "pg_toast_") && strings.Contains(simulated, "."):
		// That of a table in another schema than public, of which nothing is recorded.
	case k.toastByTable && strings.HasPrefix(recorded, "pg_toast_") && strings.HasPrefix(simulated, "pg_toast_"):
	default:
		return recorded
	}
	name, known := k.files[recorded]
	if !known {
		name = simulated
		k.files[recorded] = name
	}
	return name
}

// simulated gives a simulated record the form of a recorded one.
func simulated(log *wal.Log, s *wal.Record) Record {
	r := Record{
		Manager: s.Type.Manager(), Type: s.Type.Name(), Relation: log.RelName(s.Relation),
		Fork: "-", Block: "-", Length: s.Length, FPI: s.FPI,
	}
	if s.Relation != wal.NoRelation {
		r.Fork = strconv.Itoa(int(s.Fork))
		r.Block = strconv.FormatUint(uint64(s.Block), 10)
	}
	return r
}

// Line gives a simulated record the seven columns of a recorded one.
func Line(log *wal.Log, s *wal.Record) string { return simulated(log, s).Line() }

// AppendLine is Line without a newline for those who write many: it appends to
// dst and allocates nothing else.
func AppendLine(dst []byte, log *wal.Log, s *wal.Record) []byte {
	dst = append(append(dst, s.Type.Manager()...), '\t')
	dst = append(append(dst, s.Type.Name()...), '\t')
	dst = append(append(dst, log.RelName(s.Relation)...), '\t')
	if s.Relation != wal.NoRelation {
		dst = append(strconv.AppendInt(dst, int64(s.Fork), 10), '\t')
		dst = append(strconv.AppendUint(dst, uint64(s.Block), 10), '\t')
	} else {
		dst = append(dst, "-\t-\t"...)
	}
	dst = append(strconv.AppendInt(dst, int64(s.Length), 10), '\t')
	return strconv.AppendInt(dst, int64(s.FPI), 10)
}

// Background says whether a simulated record belongs to no change.
func Background(log *wal.Log, s *wal.Record) bool {
	return Record{Manager: s.Type.Manager(), Type: s.Type.Name(), Relation: log.RelName(s.Relation)}.Background()
}

// finish looks for recorded records that the simulation did not write.
func (k *comparison) finish() {
	if k.result.FirstDifference != nil {
		return
	}
	k.skipBackground()
	if k.next < len(k.expected) {
		k.result.FirstDifference = &Difference{k.result.Records.Simulated + 1, k.expected[k.next].Line(), "nothing"}
	}
}
