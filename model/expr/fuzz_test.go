package expr

import (
	"os"
	"strings"
	"testing"
)

// FuzzCompile feeds any text: neither compiling nor evaluating may panic.
func FuzzCompile(f *testing.F) {
	table, resolve, rows := recordedTable(f)
	text, err := os.ReadFile(recordedDir + "expressions.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f.Add(strings.TrimSpace(line))
	}
	f.Fuzz(func(t *testing.T, sql string) {
		e, err := Compile(sql, table, resolve)
		if err != nil {
			if e != nil {
				t.Fatal("an expression beside an error")
			}
			return
		}
		var s Scratch
		for _, row := range rows {
			s.Reset()
			v, err := e.Eval(row, &s)
			if b := e.Type().Base(); err == nil && !v.Null && b.Len > 0 && !b.ByVal && len(v.Bytes) != int(b.Len) {
				t.Fatalf("%s: %d bytes, expected %d", sql, len(v.Bytes), b.Len)
			}
		}
	})
}
