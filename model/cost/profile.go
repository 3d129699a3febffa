package cost

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Kind says how a figure came about.
type Kind string

// The kinds.
const (
	Exact      Kind = "exact"      // equal to a real server's, byte for byte
	Calibrated Kind = "calibrated" // fitted on other measurements than the one shown
	Predicted  Kind = "predicted"  // shown beside a measurement that was not used
	Solved     Kind = "solved"     // a number was chosen so that this very figure comes out
	Assumed    Kind = "assumed"    // a guess that is named
	Estimate   Kind = "estimate"   // of indexes that are modelled as far as sizes go; its error is said beside it
)

// The rates of a profile: what a thousand instructions of a class take, and what the
// kernel takes for what costs no instructions of the worker's own.
const (
	rateExecutor    = iota // ns for 1000 instructions
	rateStorage            // likewise
	rateScan               // likewise
	rateTransaction        // µs a transaction: replies, system calls
	ratePage               // µs a page that is added to a file
	rateCold               // µs a visit to a page that the caches may have lost
	rateReceive            // ns a byte of the stream: receiving it
	rateStart              // ms a worker that starts: connecting, filling its caches
	NumRates        int    = iota
)

// rateNames and rateUnits describe them, in their order.
var (
	rateNames = [NumRates]string{
		Executor.String(), Storage.String(), Scan.String(), "transaction", "page", "cold page", "receive", "start",
	}
	rateUnits = [NumRates]string{
		"ns/1000 instructions", "ns/1000 instructions", "ns/1000 instructions", "us/transaction", "us/page", "us/visit", "ns/byte", "ms/worker",
	}
	// rateSeconds is one unit of a rate in seconds.
	rateSeconds = [NumRates]float64{1e-9, 1e-9, 1e-9, 1e-6, 1e-6, 1e-6, 1e-9, 1e-3}
)

// Rate is one number of a profile.
type Rate struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"` // interval in which it lies with 90 % confidence
	High  float64 `json:"high"`
	Kind  Kind    `json:"kind"`
	From  string  `json:"from"` // what it was fitted to
}

// Profile turns instructions into seconds of CPU on one machine.
type Profile struct {
	Name    string `json:"name"`
	Machine string `json:"machine"`
	Server  string `json:"server"`
	Date    string `json:"date"`
	Rates   []Rate `json:"rates"`
	// Waiting is how much of the time that its walsender needs a worker that is faster
	// is awake: it finds the socket empty, replies, sleeps and is woken up again.
	// Wakeup is what that takes at most, by transaction.
	Waiting Rate `json:"waiting"`
	Wakeup  Rate `json:"wakeup"`
	// WALWriter is what the WAL writer takes for a byte of WAL, in ns.
	WALWriter Rate `json:"walwriter"`
	// Publisher prices the publisher's side; nil where it was not measured.
	Publisher *PublisherRates `json:"publisher,omitempty"`
	// Error is the median error of scenarios that were left out of the fit, Within
	// how many of Scenarios were within 10 % or inside the range of their runs.
	Error     float64 `json:"error"`
	Within    int     `json:"within"`
	Scenarios int     `json:"scenarios"`
	Note      string  `json:"note,omitempty"`
}

// PublisherRates price the publisher's side as far as the published table needs it.
type PublisherRates struct {
	Backend     Rate `json:"backend"`     // µs a row that the backends insert without a consumer
	Sender      Rate `json:"sender"`      // ns for 1000 instructions of the walsender
	Transaction Rate `json:"transaction"` // µs a transaction of the walsender
	Start       Rate `json:"start"`       // ms to begin to decode, once
	Send        Rate `json:"send"`        // ns a byte of the stream
	Cores       Rate `json:"cores"`       // cores that a load and what follows it share
	Latency     Rate `json:"latency"`     // ms until it is noticed that a change was applied
	// Replies is what a walsender takes to read replies and to be woken up by them, in
	// seconds for a second that a worker which is faster waits; nil where that was not
	// measured. The others are without.
	Replies *Rate `json:"replies,omitempty"`
	// Statements are what backends take that run SQL; nil where that was not measured.
	Statements *BackendRates `json:"statements,omitempty"`
}

//go:generate go run ../../experiments/profiles -o profiles

//go:embed profiles/*.json
var profiles embed.FS

// DefaultProfile is the profile that commands use unless told otherwise.
const DefaultProfile = "x86-64"

// ProfileNames lists the profiles that come with the program.
func ProfileNames() []string {
	entries, err := profiles.ReadDir("profiles")
	if err != nil {
		panic(err) // the folder is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// BuiltinProfile is one of the profiles that come with the program.
func BuiltinProfile(name string) (*Profile, error) {
	b, err := fs.ReadFile(profiles, "profiles/"+name+".json")
	if err != nil {
		return nil, fmt.Errorf("profile %s: expected one of %s, or a file", name, strings.Join(ProfileNames(), ", "))
	}
	return ReadProfile(b, name)
}

// ReadProfile reads a profile from JSON. file is its name, for errors.
func ReadProfile(b []byte, file string) (*Profile, error) {
	p := &Profile{}
	if err := json.Unmarshal(b, p); err != nil {
		at := len(b)
		if s, ok := err.(*json.SyntaxError); ok {
			at = int(s.Offset)
		}
		if t, ok := err.(*json.UnmarshalTypeError); ok {
			at = int(t.Offset)
		}
		return nil, fmt.Errorf("%s:%d: %w", file, 1+strings.Count(string(b[:min(at, len(b))]), "\n"), err)
	}
	if len(p.Rates) != NumRates {
		return nil, fmt.Errorf("%s: %d rates, expected %d: %s", file, len(p.Rates), NumRates, strings.Join(rateNames[:], ", "))
	}
	for i, r := range p.Rates {
		if r.Name != rateNames[i] || r.Unit != rateUnits[i] {
			return nil, fmt.Errorf("%s: rate %d is %q in %q, expected %q in %q", file, i+1, r.Name, r.Unit, rateNames[i], rateUnits[i])
		}
		if r.Value < 0 {
			return nil, fmt.Errorf("%s: rate %q is %v, expected 0 or more", file, r.Name, r.Value)
		}
	}
	if q := p.Publisher; q != nil && q.Statements != nil {
		if err := q.Statements.check(file); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Write writes the profile.
func (p *Profile) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(p)
}

// amounts are how much there is of what each rate prices, in the rate's own unit.
type amounts [NumRates]float64

// amountsOf reads them off work.
func amountsOf(m *Model, u *Usage) amounts {
	var a amounts
	for _, l := range m.Price(u) {
		a[int(l.Class)] += l.Instructions / 1000
	}
	for _, i := range u.items {
		if n := kernelRate(i.Term); n >= 0 {
			a[n] += i.Quantity
		}
	}
	return a
}

// kernelRate is the rate by which a term costs time beside its instructions, -1 for
// none.
func kernelRate(term string) int {
	switch term {
	case termTransaction:
		return rateTransaction
	case termNewPage, termSplit:
		return ratePage
	case termColdPage, termCheckedTID:
		return rateCold
	case termMessageByte:
		return rateReceive
	case termStart:
		return rateStart
	}
	return -1
}

// CPU is what work costs in seconds.
type CPU struct {
	Seconds      float64
	Instructions float64
	Terms        []TermCPU // the costliest first
	Objects      []TermCPU // by table or index, the costliest first
	Assumptions  []string
	Profile      *Profile
	Model        *Model
	// WALWriter is the WAL writer's CPU in seconds, beside the worker's.
	WALWriter float64
}

// TermCPU is a part of it.
type TermCPU struct {
	Name         string
	Seconds      float64
	Instructions float64
	Kind         Kind
}

// Apply is what work costs an apply worker on the profile's machine.
func (p *Profile) Apply(m *Model, u *Usage) *CPU {
	lines := m.Price(u)
	c := &CPU{Profile: p, Model: m, Assumptions: Assumptions(lines)}
	terms, objects := map[string]*TermCPU{}, map[string]*TermCPU{}
	add := func(sums map[string]*TermCPU, name string, seconds, instructions float64, kind Kind) {
		t := sums[name]
		if t == nil {
			t = &TermCPU{Name: name, Kind: kind}
			sums[name] = t
		}
		t.Seconds += seconds
		t.Instructions += instructions
		if kind == Assumed || kind == Estimate && t.Kind != Assumed || kind == Solved && t.Kind == Calibrated {
			t.Kind = kind
		}
	}
	bytes := 0.0
	for _, l := range lines {
		r := &p.Rates[int(l.Class)]
		kind := r.Kind
		switch {
		case l.Assumed != "":
			kind = Assumed
		case strings.HasPrefix(l.Term, accessMethodPrefix):
			kind = Estimate
		}
		seconds := float64(l.Instructions / 1000 * r.Value * rateSeconds[l.Class])
		c.Seconds += seconds
		c.Instructions += l.Instructions
		add(terms, group(l.Term), seconds, l.Instructions, kind)
		add(objects, l.Object, seconds, l.Instructions, kind)
	}
	for _, i := range u.items {
		if i.Term == termRecordByte || i.Term == termImageByte {
			bytes += i.Quantity
		}
		n := kernelRate(i.Term)
		if n < 0 {
			continue
		}
		if k := float64(i.Quantity * p.Rates[n].Value * rateSeconds[n]); k != 0 {
			add(terms, kernelNames[n], k, 0, p.Rates[n].Kind)
			add(objects, i.Object, k, 0, p.Rates[n].Kind)
			c.Seconds += k
		}
	}
	c.WALWriter = bytes * p.WALWriter.Value * 1e-9
	c.Terms, c.Objects = ranked(terms), ranked(objects)
	return c
}

// kernelNames are the terms of time that is not the worker's own instructions'.
var kernelNames = [NumRates]string{
	rateTransaction: "kernel: system calls, by transaction",
	ratePage:        "kernel: extend a file",
	rateCold:        "memory: come to a page that left the caches",
	rateReceive:     "kernel: receive and wake up, by byte of the stream",
	rateStart:       "start the worker",
}

// waitingTerm is the term of waiting for a walsender.
const waitingTerm = "kernel: wait for the walsender and wake up"

// Wait adds what it takes a worker to wait for its walsender, which needs so many
// seconds for the same transactions, all of them queued. A worker that is slower than
// its walsender finds the next message in its socket and does not wait.
func (p *Profile) Wait(c *CPU, sender, transactions float64) {
	s := wait(c.Seconds, sender, transactions, p.Waiting.Value, p.Wakeup.Value)
	if s == 0 {
		return
	}
	c.Seconds += s
	for _, list := range []*[]TermCPU{&c.Terms, &c.Objects} {
		sums := map[string]*TermCPU{}
		for i := range *list {
			sums[(*list)[i].Name] = &(*list)[i]
		}
		name := waitingTerm
		if list == &c.Objects {
			name = ""
		}
		if t := sums[name]; t != nil {
			t.Seconds += s
		} else {
			sums[name] = &TermCPU{Name: name, Seconds: s, Kind: p.Waiting.Kind}
		}
		*list = ranked(sums)
	}
}

// wait is the seconds that a worker which needs so many for the work itself spends on
// waiting.
func wait(work, sender, transactions, waiting, wakeup float64) float64 {
	if d := float64(waiting*sender) - work; d > 0 {
		return min(d, float64(transactions*wakeup*1e-6))
	}
	return 0
}

func ranked(sums map[string]*TermCPU) []TermCPU {
	list := make([]TermCPU, 0, len(sums))
	for _, t := range sums {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b TermCPU) int {
		switch {
		case a.Seconds > b.Seconds:
			return -1
		case a.Seconds < b.Seconds:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}
