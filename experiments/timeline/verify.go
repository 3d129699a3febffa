package timeline

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strings"

	"applysim/model/cost"
)

//go:embed testdata/recorded
var embedded embed.FS

// Builtin has the recorded runs that are built in.
func Builtin() fs.FS {
	sub, err := fs.Sub(embedded, "testdata/recorded")
	if err != nil {
		panic(err)
	}
	return sub
}

// Find lists the folders below dir that hold a recorded run, in order of their names.
func Find(fsys fs.FS, dir string) ([]string, error) {
	var found []string
	err := fs.WalkDir(fsys, dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() == "run.toml" {
			if _, missing := fs.Stat(fsys, path.Join(path.Dir(p), "samples.tsv.gz")); missing == nil {
				found = append(found, path.Dir(p))
			}
		}
		return err
	})
	return found, err
}

// Outcomes of a verified run.
const (
	Within     = "within"
	Differs    = "differs"
	Calibrates = "calibrates" // it is judged by nothing, the others are simulated with what it tells
)

// Result is how near a simulated run comes to a recorded one.
type Result struct {
	Name    string  `json:"name"`
	Outcome string  `json:"result"`
	Bound   float64 `json:"bound"` // of a relative error
	// WaitS is what a worker waits for each change, by the run that calibrates.
	WaitS   float64        `json:"wait_s"`
	Figures []FigureResult `json:"figures"`
}

// FigureResult is one figure of it. Simulated and Error are null where the simulated run
// never comes to it.
type FigureResult struct {
	Name      string   `json:"name"`
	Unit      string   `json:"unit"`
	Measured  float64  `json:"measured"`
	Simulated *float64 `json:"simulated"`
	Error     *float64 `json:"error"`
	Within    bool     `json:"within"`
}

// Verify simulates the run in a folder of fsys and compares it. What the machine of the
// recording was like is taken from the run `calibrate` beside it, or from the built-in one.
func Verify(fsys fs.FS, dir string, p *cost.Profile) (*Result, error) {
	beside, from := path.Join(path.Dir(dir), calibration), fsys
	if _, err := fs.Stat(fsys, path.Join(beside, "run.toml")); err != nil {
		beside, from = calibration, Builtin()
	}
	v, err := calibrate(from, beside, p)
	if err != nil {
		return nil, err
	}
	r := &Result{Name: path.Base(dir), Outcome: Within, Bound: Tolerance, WaitS: v.Wait, Figures: []FigureResult{}}
	if r.Name == calibration {
		r.Outcome = Calibrates
		return r, nil
	}
	c, err := Open(fsys, dir)
	if err != nil {
		return nil, err
	}
	figures, err := c.Compare(p, v)
	if err != nil {
		return nil, err
	}
	for i := range figures {
		f := &figures[i]
		x := FigureResult{Name: f.Name, Unit: f.Unit, Measured: f.Measured, Within: f.Near()}
		if e := f.Error(); !math.IsInf(e, 0) && !math.IsNaN(e) {
			x.Simulated, x.Error = &f.Simulated, &e
		}
		if !x.Within {
			r.Outcome = Differs
		}
		r.Figures = append(r.Figures, x)
	}
	return r, nil
}

// Line is the result in a line: the error of each figure, or those that are too far away.
func (r *Result) Line() string {
	if r.Outcome == Calibrates {
		return fmt.Sprintf("%s calibrates the other runs: a worker waits %.3f ms for a change", r.Name, 1000*r.WaitS)
	}
	var list []string
	for _, f := range r.Figures {
		switch {
		case r.Outcome == Within:
			list = append(list, f.Name+" "+signed(*f.Error))
		case f.Within:
		case f.Error == nil:
			list = append(list, fmt.Sprintf("%s: expected %.6g %s, got none", f.Name, f.Measured, f.Unit))
		default:
			list = append(list, fmt.Sprintf("%s: expected %.6g %s, got %.6g (%s)", f.Name, f.Measured, f.Unit, *f.Simulated, signed(*f.Error)))
		}
	}
	verdict := "within"
	if r.Outcome == Differs {
		verdict = "differs, more than"
	}
	return fmt.Sprintf("%s %s %g %%: %s", r.Name, verdict, 100*r.Bound, strings.Join(list, "; "))
}

// signed is a relative error in percent.
func signed(e float64) string {
	return fmt.Sprintf("%+.1f %%", math.Round(float64(1000*e))/10+0) // no minus before a zero
}
