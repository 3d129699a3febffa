package collation

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// recorded is a list of texts as a real server orders them: PostgreSQL 18.1 with
// ICU 60.2 and glibc 2.36. Texts of the same rank are equal.
type recorded struct {
	Spec
	texts [][]byte
	ranks []int
}

func readRecorded(t *testing.T, file string) recorded {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if i == 0 {
			f := strings.Split(strings.TrimPrefix(line, "# "), "\t")
			p, err := ParseProvider(f[0])
			if err != nil {
				t.Fatal(err)
			}
			r.Spec = Spec{Provider: p, Locale: f[1], Deterministic: f[2] == "deterministic"}
			continue
		}
		rank, word, ok := strings.Cut(line, "\t")
		n, err := strconv.Atoi(rank)
		if !ok || err != nil {
			t.Fatalf("%s:%d: %q", file, i+1, line)
		}
		r.ranks = append(r.ranks, n)
		r.texts = append(r.texts, []byte(word))
	}
	return r
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// TestOrder compares all pairs of each recorded list, and their prefixes.
func TestOrder(t *testing.T) {
	files, err := filepath.Glob("testdata/recorded/*_*.tsv")
	if err != nil || len(files) < 15 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		r := readRecorded(t, file)
		c, err := Open(r.Spec)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		compare := bytes.Compare
		prefix := func([]byte) uint64 { return 0 }
		if c != nil {
			compare, prefix = c.Compare, c.Prefix
		}
		wrong := 0
		for i, a := range r.texts {
			for j, b := range r.texts {
				want := sign(r.ranks[i] - r.ranks[j])
				if got := sign(compare(a, b)); got != want {
					if wrong++; wrong < 5 {
						t.Errorf("%s: %q and %q: %d, expected %d", file, a, b, got, want)
					}
				}
				if want < 0 && prefix(a) > prefix(b) {
					t.Errorf("%s: the prefix of %q is not below that of %q", file, a, b)
				}
			}
		}
	}
}

// TestLetters compares case with a real server's.
func TestLetters(t *testing.T) {
	text, err := os.ReadFile("testdata/recorded/letters.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		p, err := ParseProvider(f[0])
		if err != nil || len(f) != 6 {
			t.Fatalf("%q: %v", line, err)
		}
		l := OpenLetters(Spec{Provider: p, Locale: f[1], Deterministic: true})
		for i, change := range []func(dst, s []byte) []byte{l.Lower, l.Upper, l.Initcap} {
			if change == nil {
				continue // initcap of ICU
			}
			if got := string(change(nil, []byte(f[2]))); got != f[3+i] {
				t.Errorf("%s %s: %q (function %d): %q, expected %q", f[0], f[1], f[2], i, got, f[3+i])
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for _, c := range []struct {
		name string
		want string // "" unknown
	}{
		{"C", "libc, locale C"}, {"POSIX", "libc, locale POSIX"}, {"ucs_basic", "builtin, locale C"},
		{"pg_c_utf8", "builtin, locale C.UTF-8"}, {"pg_unicode_fast", "builtin, locale PG_UNICODE_FAST"},
		{"unicode", "icu, locale und"}, {"und-x-icu", "icu, locale und"}, {"de-AT-x-icu", "icu, locale de-AT"},
		{"zh-Hans-CN-x-icu", "icu, locale zh-Hans-CN"}, {"en_US.utf8", "libc, locale en_US.utf8"},
		{"C.UTF-8", "libc, locale C.UTF-8"}, {"de_DE", "libc, locale de_DE"}, {"sr_RS.utf8@latin", "libc, locale sr_RS.utf8@latin"},
		{"", ""}, {"de", ""}, {"xx", ""}, {"xyzzy-x-icu", ""}, {"-x-icu", "icu, locale "}, {"en_US.latin1", ""}, {"en_USA.utf8", ""},
		{"default", ""}, {"german", ""}, {"!-x-icu", ""},
	} {
		s, ok := Named(c.name)
		if ok != (c.want != "") || ok && s.String() != c.want {
			t.Errorf("%s: %v, %v, expected %q", c.name, s, ok, c.want)
		}
	}
}

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		provider Provider
		locale   string
		want     string // part of the error; "" none
	}{
		{ICU, "de@collation=phonebook", ""}, {ICU, "root", ""}, {ICU, "@colStrength=secondary", ""}, {ICU, "en_US", ""},
		{ICU, "de@x=y", `expected no keyword "x"`}, {ICU, "und-u-kf-upper", ""}, {ICU, "und-u-kf-lower", "the ICU setting kf-lower"}, {ICU, "und-u-kc-ks-level1", "the ICU setting kc-"},
		{ICU, "da@colCaseFirst=upper", ""}, {ICU, "und-u-kr-grek", "the ICU setting kr-grek"},
		{ICU, "de-u-co-trad", "the ICU setting co-trad of locale de-u-co-trad"}, {ICU, "not a locale", "expected a language"},
		{Libc, "de_DE.utf8", ""}, {Libc, "C", ""}, {Libc, "german", "expected C, POSIX"},
		{Builtin, "C.UTF-8", ""}, {Builtin, "de", "the locales of provider builtin"},
	} {
		_, err := Open(Spec{Provider: c.provider, Locale: c.locale, Deterministic: true})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %s: %v, expected %q", c.provider, c.locale, err, c.want)
		}
	}
}

var fuzzed = []Spec{
	{ICU, "und", true}, {ICU, "de", true}, {ICU, "cs", true}, {ICU, "hu", true}, {ICU, "fr-CA", true},
	{ICU, "und-u-ks-level2", false}, {ICU, "und-u-ka-shifted", true}, {ICU, "und-u-kn-true", true},
	{Libc, "en_US.utf8", true}, {Libc, "sv_SE.utf8", true},
	{Libc, "cs_CZ.utf8", true}, {ICU, "ru", true}, {ICU, "da", true}, {ICU, "und-u-kf-upper-ks-level2", false},
}

// checkOrder says that Compare, the sort keys and the prefixes of two texts agree.
func checkOrder(t *testing.T, c *Collation, a, b []byte) {
	t.Helper()
	got := sign(c.Compare(a, b))
	x, y := c.AppendKey(nil, a), c.AppendKey(nil, b)
	want := bytes.Compare(x, y)
	if want == 0 && c.Deterministic() {
		want = bytes.Compare(a, b)
	}
	if got != want {
		t.Fatalf("%v: %q and %q compare as %d, their keys as %d", c.Spec(), a, b, got, want)
	}
	if back := sign(c.Compare(b, a)); back != -got {
		t.Fatalf("%v: %q and %q compare as %d, the other way round as %d", c.Spec(), a, b, got, back)
	}
	if p, q := c.Prefix(a), c.Prefix(b); p < q && got >= 0 || p > q && got <= 0 {
		t.Fatalf("%v: the prefixes of %q and %q are %x and %x, but they compare as %d", c.Spec(), a, b, p, q, got)
	}
	if c.Compare(a, a) != 0 {
		t.Fatalf("%v: %q does not equal itself", c.Spec(), a)
	}
}

// FuzzCompare compares what Compare says with sort keys. For ASCII texts they come
// from different code.
func FuzzCompare(f *testing.F) {
	for _, s := range [][2]string{{"a", "B"}, {"co-op", "coop"}, {"straße", "STRASSE"}, {"a\xff", "\x00"}, {"e\u0301", "é"}, {"a1", "a10"}} {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	var list []*Collation
	for _, s := range fuzzed {
		c, err := Open(s)
		if err != nil {
			f.Fatal(err)
		}
		list = append(list, c)
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, c := range list {
			checkOrder(t, c, a, b)
		}
	})
}

// TestASCII compares the table of ASCII characters with x/text's keys on random
// texts.
func TestASCII(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() []byte {
		b := make([]byte, r.IntN(9))
		for i := range b {
			if r.IntN(3) == 0 {
				b[i] = byte(1 + r.IntN(127))
			} else {
				b[i] = "aAbB-_1 ccHsSzdgyDZ"[r.IntN(19)]
			}
		}
		return b
	}
	for _, s := range fuzzed {
		c, err := Open(s)
		if err != nil {
			t.Fatal(err)
		}
		if table := c.ascii != nil; table != (s.Deterministic && s.Locale != "und-u-kn-true") {
			t.Errorf("%v: table of ASCII characters: %v", s, table)
		}
		for range 3000 {
			checkOrder(t, c, word(), word())
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, s := range []Spec{{ICU, "und", true}, {Libc, "en_US.utf8", true}} {
		c, _ := Open(s)
		for _, p := range [][2]string{{"customer-000123@example.com", "customer-000124@example.com"}, {"Müller, Jürgen", "Müller, Jörg"}} {
			x, y := []byte(p[0]), []byte(p[1])
			b.Run("collation="+s.Locale+"/text="+p[0], func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.Compare(x, y)
				}
			})
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, locale := range []string{"und", "ru", "cs"} {
		b.Run("collation="+locale, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Open(Spec{ICU, locale, true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
