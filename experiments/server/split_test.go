package server

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		script string
		want   []string
	}{
		{"", nil},
		{" ; ;\n", nil},
		{"a; b ;c", []string{"a", "b", "c"}},
		{"select 'x;y''z;'; \"a;b\"", []string{"select 'x;y''z;'", "\"a;b\""}},
		{`select E'\';'; b`, []string{`select E'\';'`, "b"}},
		{`select '\'; b`, []string{`select '\'`, "b"}},
		{"do $$ begin; end; $$; do $x$ $$ ; $x$; b", []string{"do $$ begin; end; $$", "do $x$ $$ ; $x$", "b"}},
		{"a $1; b", []string{"a $1", "b"}},
		{"a -- x;y\n; b", []string{"a -- x;y", "b"}},
		{"a /* x; /* y; */ z; */ b; c", []string{"a /* x; /* y; */ z; */ b", "c"}},
		{"create rule r as on insert to t do (a; b); c", []string{"create rule r as on insert to t do (a; b)", "c"}},
		{`select 1 \gexec`, []string{`select 1 \gexec`}},
		{"a; select 1 \\gexec\nb; c", []string{"a", `select 1 \gexec`, "b", "c"}},
		{`select 1 \gexec; b`, []string{`select 1 \gexec`, "b"}},
		{"a; 'open ;", []string{"a", "'open ;"}},
	} {
		if got := Split(c.script); !slices.Equal(got, c.want) {
			t.Errorf("Split(%q)\n     got %q\nexpected %q", c.script, got, c.want)
		}
	}
}
