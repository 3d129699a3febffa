package recorded

import (
	"os"
	"strings"
	"testing"
)

// TestDecoding compares what slots gave in testdata/decoding: messages and bytes by
// kind, and counters, of four ways of reading a slot.
func TestDecoding(t *testing.T) {
	fsys := os.DirFS("testdata/decoding")
	dirs, err := Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) < 5 {
		t.Errorf("%d cases, expected 5 or more", len(dirs))
	}
	for _, dir := range dirs {
		c, err := OpenPublisher(fsys, dir)
		if err != nil {
			t.Fatal(err)
		}
		d, err := c.VerifyDecoding()
		if err != nil {
			t.Error(err)
			continue
		}
		if len(d.Slots) != 4 {
			t.Errorf("%s: %d slots, expected 4", dir, len(d.Slots))
		}
		for _, s := range d.Slots {
			for _, text := range s.Differences {
				t.Errorf("%s: slot %s: %s", dir, s.Decoded.Way, text)
			}
			if len(s.Exceptions) > 0 {
				t.Errorf("%s: slot %s: %v", dir, s.Decoded.Way, s.Exceptions)
			}
		}
	}
}

// TestRolledBackRows says what is left open of a case whose SQL does not tell the rows
// that were rolled back.
func TestRolledBackRows(t *testing.T) {
	c, err := OpenPublisher(os.DirFS("testdata/decoding"), "rolled_back")
	if err != nil {
		t.Fatal(err)
	}
	c.SQL = nil
	r := &Result{Name: "x", Outcome: Exact}
	if err := c.verifySlots(r); err != nil {
		t.Fatal(err)
	}
	const want = "x exact except 356 messages: bytes of rows that were streamed and then rolled back: no stream has their values"
	if r.Outcome != ExactExcept || r.Line() != want {
		t.Errorf("%s: %s, expected %s", r.Outcome, r.Line(), want)
	}
}

// TestDecodingDiffers says that a difference is found and named.
func TestDecodingDiffers(t *testing.T) {
	c, err := OpenPublisher(os.DirFS("testdata/decoding"), "filters")
	if err != nil {
		t.Fatal(err)
	}
	c.Publication = strings.Replace(c.Publication, "between 10 and 20", "between 10 and 19", 1)
	r := &Result{Outcome: Exact}
	if err := c.verifySlots(r); err != nil {
		t.Fatal(err)
	}
	if r.Outcome != Differs || !strings.HasPrefix(r.StateDifferences[0], "slot pgoutput_text: D messages: expected 76, got ") {
		t.Errorf("%s: %q", r.Outcome, r.StateDifferences)
	}
	c.Publication = strings.Replace(c.Publication, "v between", "nosuch between", 1)
	if _, err := c.VerifyDecoding(); err == nil || !strings.Contains(err.Error(), "row filter of table f") {
		t.Errorf("a row filter on a column that is not there: %v", err)
	}
}
