package cost

import (
	"strings"
	"testing"
)

func builtinModel(t *testing.T) *Model {
	t.Helper()
	m, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// No term costs a negative amount, each is within its interval, and those that most
// depends on are there.
func TestBuiltin(t *testing.T) {
	m := builtinModel(t)
	for _, x := range m.Terms {
		if x.Instructions <= 0 || x.Low > x.Instructions || x.High < x.Instructions || x.Steps < 1 {
			t.Errorf("%+v", x)
		}
	}
	for _, name := range []string{
		termMessage, termWriting, termChange, termOpenIndex, termHeapInsert, termHeapUpdate, termHeapDelete, termLock, termLevel,
		compareTerm("int8_ops"), termSplit, termPruneTuple, termSeqRow, termRecord, termRecordByte, firstTable, firstClass,
		ParseTerm("integer", "text", "value"), ParseTerm("integer", "binary", "value"), ParseTerm("text", "text", "value"),
	} {
		if _, ok := m.number[name]; !ok {
			t.Errorf("%s is not in the model", name)
		}
	}
}

// A type that was never measured costs what a similar one does, and that is said.
func TestAssumed(t *testing.T) {
	m := builtinModel(t)
	u := &Usage{}
	for _, typ := range []string{"tsvector", "tsvector[]", "integer", "smallint"} {
		for _, unit := range []string{"value", "byte", "element"} {
			u.Add(Item{ParseTerm(typ, "text", unit), typ, Parse, 100})
		}
	}
	lines := m.Price(u)
	list := Assumptions(lines)
	if len(list) != 2 || !strings.Contains(list[0], "tsvector (text)") || !strings.Contains(list[0], "what text (text) does") || !strings.Contains(list[1], "what text[] (text) does") {
		t.Errorf("%q", list)
	}
	for _, l := range lines {
		if strings.HasPrefix(l.Object, "tsvector") != (l.Assumed != "") {
			t.Errorf("%+v", l)
		}
	}
}

func TestUsage(t *testing.T) {
	u, v := &Usage{}, &Usage{}
	u.Add(Item{termMessage, "", Loop, 3})
	v.Add(Item{termMessage, "", Loop, 5})
	v.Add(Item{firstTable, "t", Dispatch, 1})
	v.Add(Item{termSplit, "x", IndexInsert, 0})
	d := v.Sub(u)
	if got := d.Items(); len(got) != 2 || got[0].Quantity != 2 || got[1].Quantity != 1 {
		t.Errorf("%+v", got)
	}
	if got := d.WithoutFirst().Items(); len(got) != 1 || got[0].Term != termMessage {
		t.Errorf("%+v", got)
	}
}
