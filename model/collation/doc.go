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
// compared by a table, unless the language reads two of its characters as one; all
// other text by sort keys, of which nothing but the last is kept.
//
// # Where the order is known to differ
//
// Random lists of letters with and without accents, of the language's own script
// and of others, punctuation, symbols and digits were sorted by real servers with
// ICU 60, 72 and 78. The root and four of five languages (169 of 207, 185 of 229,
// 211 of 256) put 3,000 texts each into the same order as this package, the root
// with ICU 60 and 72 also 60,000. The others are listed in language.go. Most of
// them differ in letters that are rare in the language: Cyrillic letters of other
// languages (be, bg, kk, ru, uk), capitals of the letters that Danish adds. Some
// differ in common ones, as CLDR has changed their rules since version 23: ar, az,
// et, fi, gl, haw, lv, smn, th, ur, wo, zh.
//
// In all of them: characters that Unicode 6.2 did not have (the signs of bitcoin
// and ruble, many emoji), several combining marks in a row, and with ICU 78 the
// order of quotation marks that are not ASCII's. Of glibc's locales, keys such as
// names, addresses, e-mail addresses and article numbers in Latin letters come in
// the same order; random strings of punctuation, letters and digits differ in one
// of 350 places, and all East Asian scripts do.
//
// Left out: RULES, the BCP 47 keys kc, kr and kv (levels of case, order of scripts,
// which characters are variable), kf-lower, and initcap in ICU's collations and
// pg_unicode_fast.
//
// Read spec.go and locale.go (names), collation.go, ascii.go,
// libc.go, language.go, reorder.go, letters.go.
package collation
