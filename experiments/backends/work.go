package backends

import (
	"errors"
	"io"
	"strings"

	"applysim/model/apply"
	"applysim/model/backend"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// settings are those of the measured server that matter to the work.
var settings = [][2]string{{"wal_level", "logical"}, {"full_page_writes", "off"}, {"data_checksums", "off"}, {"shared_buffers", "256MB"}}

// Work carries a workload out on a simulated backend. The streams are what pgoutput gave of
// its setup and of what is measured.
func (w *Workload) Work(setup, measured io.Reader) (*cost.BackendWork, error) {
	db, err := schema.Read(strings.NewReader(w.DDL), w.Name)
	if err != nil {
		return nil, err
	}
	set := guc.Defaults()
	for _, v := range settings {
		if err := set.Set(v[0], v[1]); err != nil {
			return nil, err
		}
	}
	b, err := apply.NewBackend(db, apply.Options{Settings: set})
	if err != nil {
		return nil, err
	}
	run := backend.NewRunner(b, db, &chain{readers: []io.Reader{setup, measured}})
	run.Quiet = true
	shared, err := cost.Builtin()
	if err != nil {
		return nil, err
	}
	own, err := backend.Model()
	if err != nil {
		return nil, err
	}
	do := func(list []string) error {
		var text strings.Builder
		for _, s := range list {
			head, lines, copied := strings.Cut(s, "\n")
			text.WriteString(head + ";\n")
			if copied {
				text.WriteString(lines + "\\.\n")
			}
		}
		script, err := backend.ReadScript([]string{text.String()}, func(int) string { return w.Name })
		if err != nil {
			return err
		}
		return run.Continue(script)
	}
	if err := do(w.Setup); err != nil {
		return nil, err
	}
	before := run.Effort(own, shared)
	if err := do(w.Statements); err != nil {
		return nil, err
	}
	x := run.Effort(own, shared).Sub(before)
	if w.Flush {
		x.Flushes = x.Commits
	}
	return &x, nil
}

// chain reads streams one after the other.
type chain struct {
	readers []io.Reader
	in      *stream.Reader
}

// Next gives the next message.
func (c *chain) Next(m *stream.Message) error {
	for {
		if c.in != nil {
			if err := c.in.Next(m); !errors.Is(err, io.EOF) {
				return err
			}
			c.in = nil
		}
		if len(c.readers) == 0 {
			return io.EOF
		}
		in, err := stream.NewReader(c.readers[0], stream.DefaultOptions())
		c.readers = c.readers[1:]
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err == nil {
			c.in = in
		}
	}
}
