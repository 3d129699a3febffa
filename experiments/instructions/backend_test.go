package instructions_test

import (
	"testing"

	"applysim/experiments/instructions"
	"applysim/model/backend"
	"applysim/model/cost"
)

// TestBackendModel checks that the model of a backend is what its recorded steps give, and
// that grids which are left out are predicted.
func TestBackendModel(t *testing.T) {
	steps, err := instructions.RecordedBackend()
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := cost.NewFitterOf(steps, nil).Model("")
	if err != nil {
		t.Fatal(err)
	}
	built, err := backend.Model()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Terms) != len(built.Terms) || m.Fit != built.Fit || m.Validation != built.Validation {
		t.Errorf("fitted %d terms, %+v, %+v; built in %d, %+v, %+v: expected the same (go generate ./model/backend)",
			len(m.Terms), m.Fit, m.Validation, len(built.Terms), built.Fit, built.Validation)
	}
	for i, b := range built.Terms {
		if i < len(m.Terms) && (m.Terms[i].Name != b.Name || m.Terms[i].Instructions != b.Instructions) {
			t.Errorf("%s: fitted %v, built in %v", b.Name, m.Terms[i].Instructions, b.Instructions)
		}
		if b.Name == backend.TermShared && (b.Instructions < 0.97 || b.Instructions > 1.03) {
			t.Errorf("what a backend does as a worker does: %v of a worker's price, expected about the same", b.Instructions)
		}
	}
	if v := built.Validation; v.Median > 0.03 || v.P90 > 0.06 || v.Worst > 0.15 || v.Steps < 150 {
		t.Errorf("left out: %+v, expected a median of at most 3 %%, nine of ten within 6 %% and none above 15 %%", v)
	}
}
