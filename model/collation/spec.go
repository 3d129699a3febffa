package collation

import (
	"fmt"
	"strings"
)

// Provider is pg_collation.collprovider.
type Provider byte

// The providers of collations. Source: REL_18_1, src/include/catalog/pg_collation.h.
const (
	Builtin Provider = 'b'
	ICU     Provider = 'i'
	Libc    Provider = 'c'
)

func (p Provider) String() string {
	switch p {
	case Builtin:
		return "builtin"
	case ICU:
		return "icu"
	}
	return "libc"
}

// ParseProvider reads the provider of CREATE COLLATION; "" is libc.
func ParseProvider(s string) (Provider, error) {
	switch strings.ToLower(s) {
	case "builtin":
		return Builtin, nil
	case "icu":
		return ICU, nil
	case "libc", "":
		return Libc, nil
	}
	return 0, fmt.Errorf("found provider %q, expected builtin, icu or libc", s)
}

// Spec says what a collation is: what pg_collation has of it.
type Spec struct {
	Provider      Provider
	Locale        string // as CREATE COLLATION has it
	Deterministic bool
}

func (s Spec) String() string {
	text := fmt.Sprintf("%s, locale %s", s.Provider, s.Locale)
	if !s.Deterministic {
		text += ", nondeterministic"
	}
	return text
}

// Expected is what Named takes, for errors.
const Expected = `"C", "POSIX", "ucs_basic", "pg_c_utf8", "pg_unicode_fast", "unicode", one of ICU such as "de-x-icu" or one of libc such as "de_DE.utf8"`

// Named returns the collation that initdb makes under a name, those of ICU's
// languages and libc's locales included. "default" is not among them.
func Named(name string) (Spec, bool) {
	s := Spec{Deterministic: true}
	switch name {
	case "C", "POSIX":
		s.Provider, s.Locale = Libc, name
	case "ucs_basic":
		s.Provider, s.Locale = Builtin, "C"
	case "pg_c_utf8":
		s.Provider, s.Locale = Builtin, "C.UTF-8"
	case "pg_unicode_fast":
		s.Provider, s.Locale = Builtin, "PG_UNICODE_FAST"
	case "unicode":
		s.Provider, s.Locale = ICU, "und"
	default:
		var ok bool
		if s.Locale, ok = strings.CutSuffix(name, "-x-icu"); ok {
			s.Provider = ICU
		} else {
			s.Provider, s.Locale = Libc, name
		}
		// A name such as "german" is none that initdb makes.
		if !ok && !strings.ContainsAny(name, "_.") {
			return s, false
		}
	}
	return s, s.Check() == nil
}

// Check says whether there is such a locale.
func (s Spec) Check() error {
	switch s.Provider {
	case Builtin:
		switch s.Locale {
		case "C", "C.UTF-8", "C.UTF8", "PG_UNICODE_FAST":
			return nil
		}
		return fmt.Errorf("found locale %q, expected C, C.UTF-8 or PG_UNICODE_FAST, the locales of provider builtin", s.Locale)
	case ICU:
		_, err := icuTag(s.Locale)
		return err
	}
	if s.bytewise() {
		return nil
	}
	_, err := libcTag(s.Locale)
	return err
}

// bytewise says whether the collation's order is that of bytes. glibc orders
// C.UTF-8 by code point, which in UTF-8 is the same.
func (s Spec) bytewise() bool {
	if s.Provider == Builtin {
		return true
	}
	return s.Provider == Libc && isC(s.Locale)
}

func isC(locale string) bool {
	switch strings.ToLower(locale) {
	case "c", "posix", "c.utf8", "c.utf-8":
		return true
	}
	return false
}

// ascii says whether the collation knows no letters but those of ASCII.
func (s Spec) ascii() bool {
	return s.Locale == "C" || s.Locale == "POSIX" && s.Provider == Libc
}
