package cost

import "fmt"

// BackendWork is what a publisher's backend has done, as far as its CPU time depends on it.
type BackendWork struct {
	// Thousands of instructions, by how fast they run: those that read and run INSERTs and end
	// transactions; that plan and run statements which look for rows; that read COPY's lines;
	// that check foreign keys; and those of what a backend does as an apply worker does.
	Statement float64 `json:"statement"`
	Planned   float64 `json:"planned"`
	Copy      float64 `json:"copy"`
	Check     float64 `json:"check"`
	Executor  float64 `json:"executor"`
	Storage   float64 `json:"storage"`
	Scan      float64 `json:"scan"`

	Rows     float64 `json:"rows"`  // that changed
	Pages    float64 `json:"pages"` // that were added to files, one at a time
	Cold     float64 `json:"cold"`  // visits to pages that the caches may have lost
	Messages float64 `json:"messages"`
	Bytes    float64 `json:"bytes"`   // of messages
	Large    float64 `json:"large"`   // of these, of statements whose memory is given back to the kernel
	Commits  float64 `json:"commits"` // of transactions that wrote
	WALBytes float64 `json:"wal_bytes"`
	Flushes  float64 `json:"flushes"` // commits that wait until they are on disk
}

// AsWorker is the part of a backend's work that is done as an apply worker does it, WAL aside.
func (m *Model) AsWorker(u *Usage) BackendWork {
	a := amountsOf(m, u)
	return BackendWork{Executor: a[int(Executor)], Storage: a[int(Storage)], Scan: a[int(Scan)], Pages: a[ratePage], Cold: a[rateCold]}
}

// Sub is what came since before.
func (w BackendWork) Sub(b BackendWork) BackendWork {
	y := b.list()
	for i, x := range w.list() {
		*x -= *y[i]
	}
	return w
}

// list are the amounts, in their order.
func (w *BackendWork) list() []*float64 {
	return []*float64{
		&w.Statement, &w.Planned, &w.Copy, &w.Check, &w.Executor, &w.Storage, &w.Scan,
		&w.Rows, &w.Pages, &w.Cold, &w.Messages, &w.Bytes, &w.Large, &w.Commits, &w.WALBytes, &w.Flushes,
	}
}

// The rates of backends.
const (
	backendStatement = iota // ns for 1000 instructions: reading and running INSERTs of a row
	backendRows             // likewise: of many
	backendPlanned          // likewise: planning and running statements that look for rows, and checks
	backendCopy             // likewise: reading COPY's lines
	backendTables           // likewise: heap and indexes
	backendCold             // µs a visit to a page that the statement before has displaced
	backendPage             // µs a page that is added to a file
	backendLarge            // ns a byte of large statements: memory that the kernel clears anew
	backendMessage          // µs a message: its receipt and its answer
	backendFlush            // µs a commit that waits until it is on disk
	backendSleep            // µs each time that the backend sleeps and is woken up
	numBackendRates  int    = iota
)

var (
	backendNames   = [numBackendRates]string{"statements", "many rows", "planning", "COPY", "tables", "cold page", "page", "large statement", "message", "flush", "sleep"}
	backendUnits   = [numBackendRates]string{"ns/1000 instructions", "ns/1000 instructions", "ns/1000 instructions", "ns/1000 instructions", "ns/1000 instructions", "us/visit", "us/page", "ns/byte", "us/message", "us/commit", "us/sleep"}
	backendSeconds = [numBackendRates]float64{1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-6, 1e-6, 1e-9, 1e-6, 1e-6, 1e-6}
)

// Amounts are how much there is of what each rate of backends prices, in seconds for a rate
// of one. sleeps is how often the backend has gone to sleep.
//
// A page that is visited again after another statement was read, planned and run is not in
// the nearest caches any more; within a statement of many rows it is, as is the code that
// reads and runs it.
func (w *BackendWork) Amounts(sleeps float64) []float64 {
	single := 1.0
	if w.Rows > 0 {
		single = min(w.Messages/w.Rows, 1)
	}
	a := []float64{
		single * (w.Statement + w.Executor), (1 - single) * (w.Statement + w.Executor), w.Planned + w.Check, w.Copy, w.Storage + w.Scan,
		single * w.Cold, w.Pages, w.Large, w.Messages, w.Flushes, sleeps,
	}
	for i := range a {
		a[i] *= backendSeconds[i]
	}
	return a
}

// Waiting is how often a backend sleeps whose client waits for the answer to each message
// before it sends the next one, and whose flushes sleep, too.
func (w *BackendWork) Waiting() float64 { return w.Messages + w.Flushes }

// BackendRates are what a publisher's backends take.
type BackendRates struct {
	Rates []Rate `json:"rates"`
	// Error is the median error of workloads that were left out of the fit, Worst the worst;
	// Within is how many of Workloads were within 15 % or inside the range of their runs.
	Error     float64 `json:"error"`
	Worst     float64 `json:"worst"`
	Within    int     `json:"within"`
	Workloads int     `json:"workloads"`
}

// Seconds are those of CPU that a backend takes for work.
func (r *BackendRates) Seconds(w *BackendWork, sleeps float64) float64 {
	sum := 0.0
	for i, x := range w.Amounts(sleeps) {
		sum += float64(x * r.Rates[i].Value)
	}
	return sum
}

// NewBackendRates are rates with their values, in the order of [BackendWork.Amounts], and the
// intervals that they lie in.
func NewBackendRates(values, low, high []float64, from string) *BackendRates {
	r := &BackendRates{}
	for i := range numBackendRates {
		r.Rates = append(r.Rates, Rate{Name: backendNames[i], Unit: backendUnits[i], Value: round4(values[i]), Low: round4(low[i]), High: round4(high[i]), Kind: Calibrated, From: from})
	}
	return r
}

// check says what is wrong with rates that were read.
func (r *BackendRates) check(file string) error {
	if len(r.Rates) != numBackendRates {
		return fmt.Errorf("%s: %d rates of backends, expected %d", file, len(r.Rates), numBackendRates)
	}
	for i, x := range r.Rates {
		if x.Name != backendNames[i] || x.Unit != backendUnits[i] || x.Value < 0 {
			return fmt.Errorf("%s: rate %d of backends is %q, %v %s, expected %q, 0 or more %s", file, i+1, x.Name, x.Value, x.Unit, backendNames[i], backendUnits[i])
		}
	}
	return nil
}

func round4(x float64) float64 { return roundTo(x, 1e4) }
