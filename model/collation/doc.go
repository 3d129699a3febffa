// Package collation orders text as PostgreSQL's collations do, and changes its
// case.
//
//	name of a collation --Named--> Spec --Open--> Collation
//	CREATE COLLATION ------------> Spec           (nil: the order of bytes)
//
// Which order a Collation has depends on its provider:
//
//	builtin  C, ucs_basic, pg_c_utf8, pg_unicode_fast: memcmp, exact
//	libc     C, POSIX, C.utf8: memcmp, exact; any other locale by
//	         golang.org/x/text/collate for its language, with glibc's way of
//	         passing over punctuation: near, not exact
//	icu      golang.org/x/text/collate for the language, of the text in
//	         normalization form D: CLDR's tables of version 23, while a server
//	         has those of its own ICU
//
// As varstr_cmp of src/backend/utils/adt/varlena.c (REL_18_1) has it, texts that
// a deterministic collation takes for equal are ordered by their bytes, so that
// only identical ones are equal; in a nondeterministic one they are equal.
//
// A Collation may be used from several goroutines. Text that is all ASCII is
// compared by a table, where the language reads no two ASCII characters as one;
// all other text by sort keys, of which nothing but the last is kept.
//
// # Where the order is known to differ
//
// Random lists of letters with and without accents, punctuation, symbols and
// digits were sorted by real servers with ICU 60, 72 and 78. The root and four of
// five languages (161 of 207, 179 of 229, 205 of 256) put 3,000 texts each into
// the same order as this package, the root with ICU 60 and 72 also 60,000. The
// others, by what differs (language.go):
//
//	da mt                       capitals come first there
//	ar be bg el fa he hi ja ko  the language's own script comes before others
//	ru th uk zh and others      there, and some of its rarer letters elsewhere
//	az et fi gl lv tk and       rules that CLDR has changed since version 23, or
//	others                      that the tables do not have
//	fr-CA lt to vi wae          single letters with accents
//
// In all of them: characters that Unicode 6.2 did not have (the signs of bitcoin
// and ruble, many emoji), several combining marks in a row, and with ICU 78 the
// order of quotation marks that are not ASCII's. Of glibc's locales, keys such as
// names, addresses, e-mail addresses and article numbers in Latin letters come in
// the same order; random strings of punctuation, letters and digits differ in one
// of 350 places, and all East Asian scripts do.
//
// Left out: RULES, the BCP 47 keys kc, kf, kr and kv (levels of case, capitals
// first, order of scripts, which characters are variable), and initcap in ICU's
// collations and pg_unicode_fast.
//
// Read spec.go and locale.go (names), collation.go, ascii.go,
// libc.go, language.go, letters.go.
package collation
