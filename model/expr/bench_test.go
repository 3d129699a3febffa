package expr

import "testing"

func BenchmarkEval(b *testing.B) {
	table, resolve, rows := recordedTable(b)
	for _, c := range []struct{ name, sql string }{
		{"expr=integer_predicate", "a > 3"},
		{"expr=predicate", "a % 2 = 1 AND dt IS NOT NULL"},
		{"expr=text_equality", "v = 'abc'"},
		{"expr=in_list", "v IN ('x', 'y', 'abc')"},
		{"expr=lower", "lower(t)"},
		{"expr=numeric", "d * 1.1"},
		{"expr=jsonb", "j ->> 'a'"},
		{"expr=date_trunc", "date_trunc('day', ts)"},
	} {
		e, err := Compile(c.sql, table, resolve)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			var s Scratch
			b.ReportAllocs()
			for b.Loop() {
				s.Reset()
				if _, err := e.Eval(rows[0], &s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	table, resolve, _ := recordedTable(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile("lower(t) = 'x' AND a % 2 = 0", table, resolve); err != nil {
			b.Fatal(err)
		}
	}
}
