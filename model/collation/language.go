package collation

import (
	"fmt"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// sameOrder are languages that CLDR orders as another one, and that the tables do
// not have, or not by this name. Source: CLDR 32, common/collation.
var sameOrder = map[string]string{"nb": "nn", "no": "nn", "bs": "hr", "bs-Latn": "hr", "sr-Latn": "hr"}

// tabled brings a language to what the tables have: the same order under another
// name, and for Canadian French that accents count from the end.
func tabled(tag language.Tag) language.Tag {
	base, script, region := tag.Raw()
	name := base.String()
	if script != (language.Script{}) {
		name += "-" + script.String()
	}
	if other := sameOrder[name]; other != "" {
		if t, err := language.Compose(language.MustParse(other), tag.Extensions()); err == nil {
			return t
		}
	}
	if base.String() == "fr" && region.String() == "CA" && tag.TypeForKey("kb") == "" {
		if t, err := tag.SetTypeForKey("kb", "true"); err == nil {
			return t
		}
	}
	return tag
}

// How a language's order differs from the server's (see the package comment).
const (
	capitalsFirst = "capitals first are not known to it"
	scriptFirst   = "with other scripts before the language's own"
	otherRules    = "the language's rules have changed since"
	few           = "some letters with accents differ"
)

var languageDiffers = map[string]string{
	"da": capitalsFirst, "mt": capitalsFirst,

	"ar": scriptFirst, "as": scriptFirst, "be": scriptFirst, "bg": scriptFirst, "bn": scriptFirst, "el": scriptFirst,
	"fa": scriptFirst, "he": scriptFirst, "hi": scriptFirst, "hy": scriptFirst, "ja": scriptFirst, "kk": scriptFirst,
	"ko": scriptFirst, "mk": scriptFirst, "mn": scriptFirst, "mr": scriptFirst, "ps": scriptFirst, "ru": scriptFirst,
	"sr": scriptFirst, "th": scriptFirst, "uk": scriptFirst, "ur": scriptFirst, "yue": scriptFirst, "zh": scriptFirst,

	"az": otherRules, "ceb": otherRules, "dsb": otherRules, "et": otherRules, "fi": otherRules, "fy": otherRules,
	"gl": otherRules, "haw": otherRules, "hsb": otherRules, "ku": otherRules, "lkt": otherRules, "lv": otherRules,
	"smn": otherRules, "tk": otherRules, "wo": otherRules,

	"blo": few, "lt": few, "to": few, "vi": few, "wae": few,
}

// Differs says in which way the order is known to differ from a real server's,
// beside characters newer than the tables; "" if no other is known.
func (c *Collation) Differs() string {
	if c.spec.Provider == Libc {
		return "only near to glibc's"
	}
	tag, _ := icuTag(c.spec.Locale)
	base, _, region := tag.Raw()
	if base.String() == "fr" && region.String() == "CA" {
		return few
	}
	return languageDiffers[base.String()]
}

// Note says by what the order is made, and how near it is to a real server's.
func (c *Collation) Note() string {
	text := fmt.Sprintf("golang.org/x/text/collate for %s (CLDR %s)", c.tag, collate.CLDRVersion)
	if why := c.Differs(); why != "" {
		text += ", " + why
	}
	return text
}
