package collation

import (
	"fmt"
	"slices"
	"strings"

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

// elsewhere are the languages in whose order a random list differs from that of a
// server with ICU 60, 72 or 78: CLDR has changed their rules since the tables were
// made, the tables do not have them, or x/text reads them otherwise.
const elsewhere = "ar az be bg blo ceb da dsb et fi fy gl haw hsb hy ja kk ko ku ky lkt lt lv mk mn mr my nd ps ru si smn sr th tk to " +
	"uk ur uz vi wae wo yi yue zh"

// Differs says in which way the order is known to differ from a real server's,
// beside characters newer than the tables; "" if no other is known.
func (c *Collation) Differs() string {
	if c.spec.Provider == Libc {
		return "only near to glibc's"
	}
	tag, _ := icuTag(c.spec.Locale)
	base, _, region := tag.Raw()
	name := base.String()
	if slices.Contains(strings.Fields(elsewhere), name) || name == "fr" && region.String() == "CA" || name == "fa" && region.String() == "AF" {
		return "some letters stand elsewhere on a server"
	}
	return ""
}

// Note says by what the order is made, and how near it is to a real server's.
func (c *Collation) Note() string {
	text := fmt.Sprintf("golang.org/x/text/collate for %s (CLDR %s)", c.tag, collate.CLDRVersion)
	if why := c.Differs(); why != "" {
		text += ", " + why
	}
	return text
}
