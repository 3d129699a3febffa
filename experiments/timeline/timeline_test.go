package timeline

import (
	"os"
	"testing"

	"applysim/model/cost"
)

// TestRecorded compares all runs that were not used to calibrate.
func TestRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	fsys := os.DirFS("testdata/recorded")
	v, err := Calibrate(fsys, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a worker waits %.3f ms for a change", v.Wait*1e3)
	names, err := Names(fsys)
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, name := range names {
		if name == calibration {
			continue
		}
		c, err := Open(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		figures, err := c.Compare(p, v)
		if err != nil {
			t.Fatal(err)
		}
		judged++
		for _, f := range figures {
			t.Logf("%-14s %-30s measured %12.4g %-5s simulated %12.4g %+.1f %%", name, f.Name, f.Measured, f.Unit, f.Simulated, 100*f.Error())
			if !f.Near() {
				t.Errorf("%s: %s: %v %s simulated, %v measured: expected it within %v", name, f.Name, f.Simulated, f.Unit, f.Measured, Tolerance)
			}
		}
	}
	if judged < 5 {
		t.Errorf("%d runs, expected five or more", judged)
	}
}
