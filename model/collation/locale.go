package collation

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// icuKeywords are the names that ICU's older form of a locale ("de@collation=
// phonebook") has for the keys of BCP 47, and of their values.
var icuKeywords = map[string]struct {
	key    string
	values map[string]string
}{
	"collation": {"co", map[string]string{"phonebook": "phonebk", "traditional": "trad", "dictionary": "dict",
		"gb2312han": "gb2312", "standard": "standard", "pinyin": "pinyin", "stroke": "stroke"}},
	"colstrength":      {"ks", map[string]string{"primary": "level1", "secondary": "level2", "tertiary": "level3", "quaternary": "level4", "identical": "identic"}},
	"colnumeric":       {"kn", map[string]string{"yes": "true", "no": "false"}},
	"colcaselevel":     {"kc", map[string]string{"yes": "true", "no": "false"}},
	"colcasefirst":     {"kf", map[string]string{"no": "false"}},
	"colalternate":     {"ka", map[string]string{"non-ignorable": "noignore"}},
	"colbackwards":     {"kb", map[string]string{"yes": "true", "no": "false"}},
	"colnormalization": {"kk", map[string]string{"yes": "true", "no": "false"}},
	"colreorder":       {"kr", nil},
	"colmaxvariable":   {"kv", nil},
}

// icuTag reads an ICU locale: a BCP 47 tag or the older form.
func icuTag(locale string) (language.Tag, error) {
	base, keywords, old := strings.Cut(locale, "@")
	text := strings.ReplaceAll(base, "_", "-")
	switch strings.ToLower(text) {
	case "", "root":
		text = "und"
	}
	if old {
		var extension []string
		for _, word := range strings.Split(keywords, ";") {
			name, value, _ := strings.Cut(strings.ToLower(word), "=")
			k, ok := icuKeywords[name]
			if !ok {
				return language.Und, fmt.Errorf("found ICU locale %q, expected no keyword %q", locale, name)
			}
			if v, ok := k.values[value]; ok {
				value = v
			}
			extension = append(extension, k.key+"-"+value)
		}
		slices.Sort(extension)
		text += "-u-" + strings.Join(extension, "-")
	}
	tag, err := language.Parse(text)
	if err != nil {
		return tag, fmt.Errorf(`found ICU locale %q, expected a language such as de, en-US or und, or one with settings such as de-u-co-phonebk`, locale)
	}
	return tag, nil
}

// icuSettings are the settings of collations in a BCP 47 tag. Those that are
// false are not known to x/text, or mean something else to it.
var icuSettings = map[string]bool{"co": true, "ka": true, "kb": true, "kc": false, "kf": false, "kk": true, "kn": true, "kr": false,
	"ks": true, "kv": false}

// supported says what of an ICU locale is not modelled.
func supported(tag language.Tag) error {
	u, ok := tag.Extension('u')
	if !ok {
		return nil
	}
	// An extension's keys have two letters, their values more.
	for _, word := range u.Tokens()[1:] {
		if known, isKey := icuSettings[word]; isKey && !known {
			if v := tag.TypeForKey(word); v != "false" && (word != "kf" || v != "upper") {
				return fmt.Errorf("the ICU setting %s-%s", word, v)
			}
		}
	}
	switch tag.TypeForKey("ka") {
	case "", "noignore", "shifted":
	default:
		return fmt.Errorf("the ICU setting ka-%s", tag.TypeForKey("ka"))
	}
	switch co := tag.TypeForKey("co"); co {
	case "", "standard":
	default:
		if !slices.Contains(variants(tag), co) {
			return fmt.Errorf("the ICU setting co-%s of locale %s", co, tag)
		}
	}
	return nil
}

// libcTag finds the language of a libc locale: ll_CC.charset@modifier.
func libcTag(locale string) (language.Tag, error) {
	fail := func() (language.Tag, error) {
		return language.Und, fmt.Errorf(`found libc locale %q, expected C, POSIX, C.utf8 or a language, a country and the encoding UTF-8 such as de_DE.utf8`, locale)
	}
	name, modifier, _ := strings.Cut(locale, "@")
	name, charset, ok := strings.Cut(name, ".")
	if c := strings.ToLower(strings.ReplaceAll(charset, "-", "")); ok && c != "utf8" {
		return fail()
	}
	lang, country, ok := strings.Cut(name, "_")
	if !ok || len(lang) < 2 || len(lang) > 3 || len(country) != 2 {
		return fail()
	}
	text := lang + "-" + country
	switch strings.ToLower(modifier) {
	case "latin":
		text = lang + "-Latn-" + country
	case "cyrillic":
		text = lang + "-Cyrl-" + country
	}
	tag, err := language.Parse(text)
	if err != nil {
		return fail()
	}
	return tag, nil
}
