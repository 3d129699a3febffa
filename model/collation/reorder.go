package collation

import (
	"strings"
	"unicode"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/rangetable"
)

// Two things that CLDR says of a language and x/text/collate does not do: which
// scripts come before all others, and that capitals come first. Both are changes
// of a sort key's weights. After compareTertiary and the reordering of
// CollationSettings in ICU's source/i18n.

const indic = "Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh"

// scriptsFirst are the scripts that a language has before all others, in that
// order. Source: CLDR 32, common/collation, "reorder"; those of languages that are
// written in Latin letters put Cyrillic ones behind them.
var scriptsFirst = map[string]string{
	"ar": "Arab", "fa": "Arab", "ps": "Arab", "ug": "Arab", "ur": "Arab",
	"be": "Cyrl", "bg": "Cyrl", "kk": "Cyrl", "ky": "Cyrl", "mk": "Cyrl", "mn": "Cyrl Mong", "ru": "Cyrl", "sr": "Cyrl",
	"uk": "Cyrl", "bs-Cyrl": "Cyrl",
	"az": "Latn Cyrl", "bs": "Latn Cyrl", "hr": "Latn Cyrl", "sr-Latn": "Latn Cyrl",
	"am": "Ethi", "chr": "Cher", "el": "Grek", "he": "Hebr", "yi": "Hebr", "hy": "Armn", "ka": "Geor", "km": "Khmr",
	"lo": "Laoo", "my": "Mymr", "th": "Thai", "ne": "Deva",
	"hi": indic, "kok": indic, "mr": indic, "as": front("Beng"), "bn": front("Beng"), "gu": front("Gujr"),
	"kn": front("Knda"), "or": front("Orya"), "pa": front("Guru") + " Arab", "si": front("Sinh"), "ta": front("Taml"),
	"te": front("Telu"), "ml": "Mlym Latn Deva Arab Taml Knda Telu Beng Guru Gujr Orya Sinh",
	"ko": "Hang Hani", "zh": "Hani", "yue": "Hani",
}

// front is the order of the Indic scripts with one of them first.
func front(script string) string {
	return script + " " + strings.ReplaceAll(strings.ReplaceAll(indic, script+" ", ""), " "+script, "")
}

var scriptTables = map[string]*unicode.RangeTable{
	"Arab": unicode.Arabic, "Armn": unicode.Armenian, "Beng": unicode.Bengali, "Cher": unicode.Cherokee, "Cyrl": unicode.Cyrillic,
	"Deva": unicode.Devanagari, "Ethi": unicode.Ethiopic, "Geor": unicode.Georgian, "Grek": unicode.Greek, "Gujr": unicode.Gujarati,
	"Guru": unicode.Gurmukhi, "Hang": unicode.Hangul, "Hani": unicode.Han, "Hebr": unicode.Hebrew, "Hira": unicode.Hiragana,
	"Khmr": unicode.Khmer, "Knda": unicode.Kannada, "Laoo": unicode.Lao, "Latn": unicode.Latin, "Mlym": unicode.Malayalam,
	"Mong": unicode.Mongolian, "Mymr": unicode.Myanmar, "Orya": unicode.Oriya, "Sinh": unicode.Sinhala, "Taml": unicode.Tamil,
	"Telu": unicode.Telugu, "Thai": unicode.Thai,
}

// move puts primary weights from lo to hi before those from first to lo.
type move struct{ first, lo, hi int }

func (m move) weight(p int) int {
	switch {
	case p < m.first || p > m.hi:
		return p
	case p >= m.lo:
		return p - (m.lo - m.first)
	}
	return p + m.hi + 1 - m.lo
}

// readjust finds what has to be changed in the sort keys of an ICU collation.
func (c *Collation) readjust(tag language.Tag) {
	base, script, _ := tag.Raw()
	name := base.String()
	list, ok := "", false
	if script != (language.Script{}) {
		list, ok = scriptsFirst[name+"-"+script.String()]
	}
	if !ok {
		list = scriptsFirst[name]
	}
	kf := tag.TypeForKey("kf")
	c.capitalsFirst = kf == "upper" || kf == "" && (name == "da" || name == "mt")
	if list == "" {
		return
	}
	first := c.firstPrimary('a')
	scripts := strings.Fields(list)
	var moves []move
	for i := len(scripts) - 1; i >= 0; i-- {
		lo, hi := c.scriptWeights(scriptTables[scripts[i]], first)
		if hi == 0 {
			continue
		}
		// The weights have moved with the scripts before.
		for _, m := range moves {
			lo, hi = m.weight(lo), m.weight(hi)
		}
		if lo <= hi {
			moves = append(moves, move{first, lo, hi})
		}
	}
	c.moves = moves
}

// scriptWeights finds the primary weights of a script's letters and vowel signs.
func (c *Collation) scriptWeights(t *unicode.RangeTable, first int) (lo, hi int) {
	known := rangetable.Assigned(collate.UnicodeVersion)
	one := func(r rune) {
		// Others have weights by their numbers, far from their script.
		if !unicode.In(r, unicode.L, unicode.M) || !unicode.Is(known, r) {
			return
		}
		if p := c.firstPrimary(r); p >= first {
			if hi == 0 || p < lo {
				lo = p
			}
			hi = max(hi, p)
		}
	}
	for _, r := range t.R16 {
		for x := rune(r.Lo); x <= rune(r.Hi); x += rune(r.Stride) {
			one(x)
		}
	}
	for _, r := range t.R32 {
		for x := rune(r.Lo); x <= rune(r.Hi); x += rune(r.Stride) {
			one(x)
		}
	}
	return lo, hi
}

// firstPrimary is a character's first primary weight, 0 if it has none.
func (c *Collation) firstPrimary(r rune) int {
	key := c.appendPlainKey(c.key[:0], []byte(string(r)))
	c.key = key
	p, _ := primary(key)
	return p
}

// primary reads a primary weight of a sort key: two bytes, or three if the first one's
// highest bit is set.
func primary(key []byte) (p, size int) {
	switch {
	case len(key) < 2:
		return 0, len(key)
	case key[0] < 0x80:
		return int(key[0])<<8 | int(key[1]), 2
	case len(key) < 3:
		return 0, len(key)
	}
	return int(key[0]&0x7F)<<16 | int(key[1])<<8 | int(key[2]), 3
}

// Tertiary weights of capitals (Unicode Technical Standard 10, table of tertiary
// weights), and what capitals first makes of all others.
func isCapital(t byte) bool {
	return t >= 0x08 && t <= 0x0C || t == 0x0E || t == 0x11 || t == 0x12 || t == 0x1D
}

const notCapital = 0x40

// adjust changes a sort key in place, from start on: it has primary weights, secondary
// ones of two bytes, tertiary ones of one byte, with two zero bytes between them.
func (c *Collation) adjust(key []byte, start int) []byte {
	if c.moves == nil && !c.capitalsFirst {
		return key
	}
	c.copied = append(c.copied[:0], key[start:]...)
	from := c.copied
	key = key[:start]
	for len(from) > 0 {
		p, size := primary(from)
		if p == 0 {
			break
		}
		for _, m := range c.moves {
			p = m.weight(p)
		}
		if p <= 0x7FFF {
			key = append(key, byte(p>>8), byte(p))
		} else {
			key = append(key, byte(p>>16)|0x80, byte(p>>8), byte(p))
		}
		from = from[size:]
	}
	rest := len(key)
	key = append(key, from...)
	if !c.capitalsFirst || len(from) < 4 {
		return key
	}
	at := rest + 2
	for at+1 < len(key) && (key[at] != 0 || key[at+1] != 0) {
		at += 2
	}
	for at += 2; at < len(key) && key[at] != 0; at++ {
		if !isCapital(key[at]) {
			key[at] += notCapital
		}
	}
	return key
}
