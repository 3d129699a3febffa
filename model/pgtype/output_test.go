package pgtype

import (
	"strings"
	"testing"
)

// TestRecordedOutput prints the stored values and compares with what the
// server printed, in UTC.
func TestRecordedOutput(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range recorded().values {
		typ, _ := resolve(t, r.spec)
		base := typ.Base()
		if base.Kind == KindArray {
			base = base.Elem
		}
		switch base.Kind {
		case KindPoint, KindLine, KindLseg, KindBox, KindPath, KindPolygon, KindCircle, KindSnapshot, KindTSQuery, KindJsonpath:
			continue
		}
		// Only the first text of a stored value is in UTC.
		key := r.spec + string(r.stored)
		if r.binary == nil || seen[key] {
			continue
		}
		seen[key] = true
		if got := typ.Text(fromStored(typ, r.stored)); got != string(r.text) {
			t.Errorf("%s: %q, the server prints %q", r.spec, got, r.text)
		}
	}
}

// TestTextNeverPanics prints damaged values.
func TestTextNeverPanics(t *testing.T) {
	for _, r := range recorded().values {
		typ, _ := resolve(t, r.spec)
		if typ.ByVal || len(r.stored) > 200 {
			continue
		}
		for i := range r.stored {
			typ.Text(fromStored(typ, r.stored[:i]))
			b := []byte(strings.Clone(string(r.stored)))
			b[i] ^= 0xFF
			typ.Text(fromStored(typ, b))
		}
	}
}
