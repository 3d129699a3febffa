package collation

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Letters are the functions that change a text's case. They append to dst.
type Letters struct {
	Lower, Upper func(dst, s []byte) []byte
	// Initcap is nil where words and their first letters are found by Unicode's
	// longer rules, which are not modelled: in ICU and pg_unicode_fast.
	Initcap func(dst, s []byte) []byte
}

// OpenLetters returns how a collation changes case; nil where it knows no letters
// but those of ASCII. ICU and pg_unicode_fast map characters as their context and
// language ask for (package cases), all others one by one (package unicode).
func OpenLetters(s Spec) *Letters {
	if s.ascii() {
		return nil
	}
	if s.Provider == Builtin && s.Locale == "PG_UNICODE_FAST" {
		return fullLetters(language.Und)
	}
	if s.Provider == ICU {
		tag, _ := icuTag(s.Locale)
		return fullLetters(tag)
	}
	lower, upper := unicode.ToLower, unicode.ToUpper
	if tag, err := libcTag(s.Locale); s.Provider == Libc && err == nil {
		if base, _ := tag.Base(); base.String() == "tr" || base.String() == "az" {
			lower, upper = unicode.TurkishCase.ToLower, unicode.TurkishCase.ToUpper
		}
	}
	return &Letters{Lower: mapping(lower), Upper: mapping(upper), Initcap: initcap(upper, lower)}
}

func fullLetters(tag language.Tag) *Letters {
	var mu sync.Mutex // a Caser keeps state
	apply := func(c cases.Caser) func(dst, s []byte) []byte {
		return func(dst, s []byte) []byte {
			mu.Lock()
			defer mu.Unlock()
			return append(dst, c.Bytes(s)...)
		}
	}
	return &Letters{Lower: apply(cases.Lower(tag)), Upper: apply(cases.Upper(tag))}
}

func mapping(f func(rune) rune) func(dst, s []byte) []byte {
	return func(dst, s []byte) []byte {
		for len(s) > 0 {
			r, n := utf8.DecodeRune(s)
			dst = appendMapped(dst, s[:n], r, f)
			s = s[n:]
		}
		return dst
	}
}

// appendMapped leaves bytes that are no character as they are.
func appendMapped(dst, raw []byte, r rune, f func(rune) rune) []byte {
	if r == utf8.RuneError && len(raw) <= 1 {
		return append(dst, raw...)
	}
	return utf8.AppendRune(dst, f(r))
}

func initcap(upper, lower func(rune) rune) func(dst, s []byte) []byte {
	return func(dst, s []byte) []byte {
		inWord := false
		for len(s) > 0 {
			r, n := utf8.DecodeRune(s)
			f := upper
			if inWord {
				f = lower
			}
			dst = appendMapped(dst, s[:n], r, f)
			inWord = unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.In(r, unicode.Nl, unicode.Other_Alphabetic)
			s = s[n:]
		}
		return dst
	}
}
