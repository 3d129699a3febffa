package instructions

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"applysim/model/cost"
	"applysim/model/publisher"
	"applysim/model/stream"
)

// ObserveSender reads grids whose walsender was counted: what it sent in each step, and
// what that took. Grids whose publisher has more to decode than it sends (other
// indexes, filters, unpublished tables) are left out.
func ObserveSender(fsys fs.FS) ([]cost.Observation, error) {
	grids, err := ReadGrids(fsys)
	if err != nil {
		return nil, err
	}
	net, err := ReadMeasured(fsys)
	if err != nil {
		return nil, err
	}
	var list []cost.Observation
	for _, g := range grids {
		switch g.Name {
		case "p_extra_indexes", "p_row_filter", "p_column_list", "p_unpublished":
			continue
		}
		var c publisher.Counter
		if err := sendStep(&c, fsys, g.Name, emptyStep); err != nil {
			return nil, err
		}
		before := c.Usage()
		marker := before
		for _, s := range g.Steps {
			if err := sendStep(&c, fsys, g.Name, s.Name); err != nil {
				return nil, err
			}
			now := c.Usage()
			m, ok := net[[2]string{g.Name, s.Name}]
			if !ok {
				return nil, fmt.Errorf("measured.json: nothing for step %s of grid %s", s.Name, g.Name)
			}
			list = append(list, cost.Observation{Grid: g.Name, Step: s.Name, Usage: now.Sub(before).Sub(marker), Total: m.Instructions})
			before = now
		}
	}
	return list, nil
}

func sendStep(c *publisher.Counter, fsys fs.FS, grid, step string) error {
	name, err := streamName(fsys, grid+"."+step)
	if err != nil {
		return err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := stream.NewReader(f, stream.DefaultOptions())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var m stream.Message
	for {
		if err := in.Next(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.Add(&m)
	}
}
