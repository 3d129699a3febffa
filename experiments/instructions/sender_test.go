package instructions_test

import (
	"testing"

	"applysim/experiments/instructions"
	"applysim/model/cost"
	"applysim/model/publisher"
)

// TestSenderModel checks that the model of a walsender is what its recorded steps give,
// and that grids which are left out are predicted.
func TestSenderModel(t *testing.T) {
	steps, err := instructions.RecordedSender()
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := cost.NewFitterOf(steps, publisher.Parts()).Model("")
	if err != nil {
		t.Fatal(err)
	}
	built, err := publisher.Model()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Terms) != len(built.Terms) || m.Fit != built.Fit || m.Validation != built.Validation {
		t.Errorf("fitted %d terms, %+v, %+v; built in %d, %+v, %+v: expected the same (go run ./experiments/instructions/fit --side walsender)",
			len(m.Terms), m.Fit, m.Validation, len(built.Terms), built.Fit, built.Validation)
	}
	for i := range built.Terms {
		if i < len(m.Terms) && (m.Terms[i].Name != built.Terms[i].Name || m.Terms[i].Instructions != built.Terms[i].Instructions) {
			t.Errorf("%s: fitted %v, built in %v", built.Terms[i].Name, m.Terms[i].Instructions, built.Terms[i].Instructions)
		}
	}
	if v := built.Validation; v.Median > 0.03 || v.Worst > 0.1 || v.Steps < 40 {
		t.Errorf("left out: %+v, expected a median of at most 3 %% and none above 10 %%", v)
	}
}
