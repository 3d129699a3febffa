package instructions

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"applysim/model/apply"
	"applysim/model/backend"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// ReplayBackend carries the steps of a grid out as one session of a publisher: what its
// backend had to do in each. The folder streams of fsys has the row changes of each step,
// and as NAME.warm those of what it ran before.
func ReplayBackend(fsys fs.FS, g *Grid) ([]Work, error) {
	shared, err := cost.Builtin()
	if err != nil {
		return nil, err
	}
	db, err := schema.Read(strings.NewReader(g.Pub+";"), "grid.json: "+g.Name)
	if err != nil {
		return nil, err
	}
	set := guc.Defaults()
	for _, v := range append(settings, [2]string{"wal_level", "logical"}) {
		if err := set.Set(v[0], v[1]); err != nil {
			return nil, err
		}
	}
	b, err := apply.NewBackend(db, apply.Options{Settings: set})
	if err != nil {
		return nil, err
	}
	script, err := backend.ReadScript([]string{g.Pub + ";"}, func(int) string { return "grid.json: " + g.Name })
	if err != nil {
		return nil, err
	}
	if err := backend.NewRunner(b, db, nothing{}).RunSQL(script); err != nil {
		return nil, fmt.Errorf("grid %s: %w", g.Name, err)
	}
	run := backend.NewRunner(b, db, &joined{fsys: fsys, names: streamNames(g)})
	run.Quiet = true
	var list []Work
	for _, step := range g.Steps {
		if _, err := runSession(run, shared, g.Name+"."+step.Name, step.Warm); err != nil {
			return nil, err
		}
		u, err := runSession(run, shared, g.Name+"."+step.Name, step.SQL)
		if err != nil {
			return nil, err
		}
		list = append(list, Work{g.Name, step.Name, u})
	}
	return list, nil
}

// nothing is a stream without messages.
type nothing struct{}

func (nothing) Next(*stream.Message) error { return io.EOF }

// streamNames are the streams of a grid's steps, in order.
func streamNames(g *Grid) []string {
	var names []string
	for _, step := range g.Steps {
		name := g.Name + "." + step.Name
		names = append(names, name+".warm", name)
	}
	return names
}

// joined reads the streams of steps one after the other: what one step has committed may
// not have been flushed when its stream was read, and comes with the next.
type joined struct {
	fsys  fs.FS
	names []string
	in    *stream.Reader
	close func() error
}

// Next gives the next message.
func (j *joined) Next(m *stream.Message) error {
	for {
		if j.in != nil {
			err := j.in.Next(m)
			if !errors.Is(err, io.EOF) {
				return err
			}
			j.in = nil
			if err := j.close(); err != nil {
				return err
			}
		}
		if len(j.names) == 0 {
			return io.EOF
		}
		name := j.names[0]
		j.names = j.names[1:]
		file, err := streamName(j.fsys, name)
		if err != nil {
			return err
		}
		f, err := j.fsys.Open(file)
		if err != nil {
			return err
		}
		if j.in, err = stream.NewReader(f, stream.DefaultOptions()); errors.Is(err, io.EOF) {
			err = nil // an empty one
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		j.close = f.Close
	}
}

// runSession carries out SQL of a session and returns the work.
func runSession(run *backend.Runner, shared *cost.Model, name string, sql []string) (*cost.Usage, error) {
	before := run.Usage(shared)
	script, err := backend.ReadScript(sql, func(int) string { return "grid.json: " + name })
	if err != nil {
		return nil, err
	}
	if err := run.Continue(script); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return run.Usage(shared).Sub(before), nil
}

// ObserveBackend reads grids of which a backend was counted: what it did in each step, and
// what that took.
func ObserveBackend(fsys fs.FS) ([]cost.Observation, error) {
	grids, err := ReadGrids(fsys)
	if err != nil {
		return nil, err
	}
	net, err := ReadMeasured(fsys)
	if err != nil {
		return nil, err
	}
	var list []cost.Observation
	for i := range grids {
		work, err := ReplayBackend(fsys, &grids[i])
		if err != nil {
			return nil, err
		}
		for _, w := range work {
			m, ok := net[[2]string{grids[i].Name, w.Step}]
			if !ok {
				return nil, fmt.Errorf("measured.json: nothing for step %s of grid %s", w.Step, w.Grid)
			}
			list = append(list, cost.Observation{Grid: w.Grid, Step: w.Step, Usage: w.Usage, Total: m.Instructions})
		}
	}
	return list, nil
}
