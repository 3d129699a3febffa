package timeline

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"applysim/model/cost"
	"applysim/model/pipeline"
	"applysim/model/scenario"
	"applysim/model/timeline"
)

// Case is a recorded run.
type Case struct {
	Name     string
	Scenario *scenario.Scenario
	Columns  []string
	Rows     [][]string
	Start    uint64 // LSN at which the run began

	fsys  fs.FS
	index map[string]int
}

// Open reads a recorded run from a folder of fsys.
func Open(fsys fs.FS, name string) (*Case, error) {
	c := &Case{Name: path.Base(name), fsys: fsys, index: map[string]int{}}
	file := path.Join(name, "run.toml")
	text, err := fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	if c.Scenario, err = scenario.Read(text, file); err != nil {
		return nil, err
	}
	meta, err := fs.ReadFile(fsys, path.Join(name, "meta.json"))
	if err != nil {
		return nil, err
	}
	var m struct {
		Start string `json:"start_lsn"`
	}
	if err := json.Unmarshal(meta, &m); err != nil {
		return nil, fmt.Errorf("%s/meta.json: %w", name, err)
	}
	var high, low uint64
	if _, err := fmt.Sscanf(m.Start, "%X/%X", &high, &low); err != nil {
		return nil, fmt.Errorf("%s/meta.json: start_lsn %q, expected an LSN", name, m.Start)
	}
	c.Start = high<<32 | low
	f, err := fsys.Open(path.Join(name, "samples.tsv.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	lines := bufio.NewScanner(z)
	for n := 0; lines.Scan(); n++ {
		row := strings.Split(lines.Text(), "\t")
		if n == 0 {
			c.Columns = row
			for i, column := range row {
				c.index[column] = i
			}
			continue
		}
		if len(row) != len(c.Columns) {
			return nil, fmt.Errorf("%s/samples.tsv.gz:%d: %d columns, expected %d", name, n+1, len(row), len(c.Columns))
		}
		c.Rows = append(c.Rows, row)
	}
	return c, lines.Err()
}

// Value is a number of a sample; ok is false where it is NULL.
func (c *Case) Value(row int, column string) (v float64, ok bool) {
	i, known := c.index[column]
	if !known || c.Rows[row][i] == "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(c.Rows[row][i], 64)
	return v, err == nil
}

// Text is a sample's text.
func (c *Case) Text(row int, column string) string {
	if i, ok := c.index[column]; ok {
		return c.Rows[row][i]
	}
	return ""
}

// Calibration is what a run tells of the machine and the servers that runs were recorded
// on, and no scenario: how much longer a processor takes than the profile's, and what a
// worker waits for a change.
type Calibration struct {
	Slower float64
	Wait   float64 // seconds
}

// Simulate simulates the run and returns a moment for each sample.
func (c *Case) Simulate(p *cost.Profile, v Calibration) ([]*timeline.Moment, *pipeline.Costs, error) {
	costs, err := c.costs(p)
	if err != nil {
		return nil, nil, err
	}
	s := *c.Scenario
	s.Subscriptions = nil
	for _, u := range c.Scenario.Subscriptions {
		x := *u
		x.Speed, x.Wait = 1/v.Slower, time.Duration(v.Wait*float64(time.Second))
		s.Subscriptions = append(s.Subscriptions, &x)
	}
	t := pipeline.Build(&s, costs, 60)
	t.Start = c.Start
	run, err := timeline.New(t)
	if err != nil {
		return nil, nil, err
	}
	var moments []*timeline.Moment
	run.Samples = func(float64) float64 {
		if len(moments) >= len(c.Rows) {
			return t.Duration + 1e6
		}
		at, _ := c.Value(len(moments), "t")
		return at
	}
	run.Sampled = func(m *timeline.Moment) { moments = append(moments, m) }
	if err := run.Run(); err != nil {
		return nil, nil, err
	}
	return moments, costs, nil
}

// costs are those of the scenario's transactions.
func (c *Case) costs(p *cost.Profile) (*pipeline.Costs, error) {
	return pipeline.Measure(c.Scenario, &pipeline.Options{Profile: p, Limit: sampled, Schema: func(name string) (io.ReadCloser, error) {
		return c.fsys.Open(path.Join(path.Dir(c.Scenario.File), name))
	}})
}

// sampled is how many changes of a run are simulated row by row.
const sampled = 5_000
