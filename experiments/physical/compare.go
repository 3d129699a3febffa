package physical

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"

	"applysim/model/cost"
	"applysim/model/pipeline"
	"applysim/model/scenario"
	"applysim/wal"
)

// Case is a recorded run.
type Case struct {
	Name     string
	Scenario *scenario.Scenario
	Shipped  Shipped
	fsys     fs.FS
}

// Open reads a recorded run from a folder of fsys.
func Open(fsys fs.FS, name string) (*Case, error) {
	c := &Case{Name: path.Base(name), fsys: fsys}
	file := path.Join(name, "run.toml")
	f, err := fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if c.Scenario, err = scenario.Read(f, file); err != nil {
		return nil, err
	}
	text, err := fs.ReadFile(fsys, path.Join(name, "shipped.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &c.Shipped); err != nil {
		return nil, fmt.Errorf("%s/shipped.json: %w", name, err)
	}
	return c, nil
}

// lsn reads an LSN of the file.
func lsn(text string) (wal.LSN, error) {
	var high, low uint64
	if _, err := fmt.Sscanf(text, "%X/%X", &high, &low); err != nil {
		return 0, fmt.Errorf("LSN %q: %w", text, err)
	}
	return wal.LSN(high<<32 | low), nil
}

// Costs are what the model says of the run's transactions.
func (c *Case) Costs(p *cost.Profile) (*pipeline.Costs, error) {
	start, err := lsn(c.Shipped.Start)
	if err != nil {
		return nil, err
	}
	return pipeline.Measure(c.Scenario, &pipeline.Options{Profile: p, Limit: 1 << 30, Start: start, Schema: func(name string) (io.ReadCloser, error) {
		return c.fsys.Open(path.Join(path.Dir(c.Scenario.File), name))
	}})
}
