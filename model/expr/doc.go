// Package expr evaluates SQL expressions over the columns of a table: index
// expressions and predicates, generated columns, CHECK constraints, defaults
// and row filters.
//
//	SQL text -> tokens -> tree  -> typed nodes                     -> Expr -> Eval(row)
//	            lex.go    ast.go   compile.go, resolve.go, coerce.go  expr.go
//	                      parse.go
//
// What an operator or a function means is decided as the server does it: by
// PostgreSQL 18.1's own pg_operator, pg_proc, pg_cast and type categories
// (folder catalog, recorded from a server), with its rules for literals of
// unknown type, implicit casts, polymorphic functions, common types of CASE,
// COALESCE, ARRAY and IN, type modifiers and collations. Because all
// candidates are known, also those that are not evaluated here, an expression
// is either understood as the server understands it, or refused.
//
// Results are what a tuple stores: see package datum. The tests compare types,
// stored bytes and error texts of some 1,600 expressions over eleven rows with
// a real server's.
//
// # Grammar
//
// Literals ('...', E'...', $$...$$, B'...', X'...', numbers in every base,
// TYPE '...', TRUE, FALSE, NULL), columns (quoted, qualified), casts in both
// forms, parentheses, all operators with the server's precedences,
// OPERATOR(pg_catalog.x), AND OR NOT, IS [NOT] NULL, TRUE, FALSE, UNKNOWN and
// DISTINCT FROM, [NOT] BETWEEN [SYMMETRIC], IN (list), LIKE, ILIKE, SIMILAR TO,
// ANY and ALL over arrays, CASE, COALESCE, NULLIF, GREATEST, LEAST, ARRAY[...],
// subscripts, COLLATE, AT TIME ZONE, the special syntaxes of EXTRACT, SUBSTRING,
// TRIM, POSITION and OVERLAY, CURRENT_TIMESTAMP and the like.
//
// # What is refused
//
// An *UnsupportedError names it: subqueries, row constructors and fields of
// rows, array slices, aggregates, named arguments, XML and the SQL/JSON
// functions, jsonb subscripts, jsonpath, text search, geometry, most functions
// over ranges, functions and types of the schema's own or of extensions,
// date literals not in ISO form and intervals in another form than the
// server's own output, names of regclass and its like, time zone abbreviations
// other than UTC, regular expressions that Go's package regexp would read
// otherwise (back references, look-around, non-greedy quantifiers where the
// extent of a match counts), powers and logarithms that no exact arithmetic
// gives. Some of it only a row can tell; then Eval gives that error.
//
// What depends on the clock, on chance or on the session compiles, with its
// type; Volatile says so, and Eval works for the clock (Scratch.Now) and for
// sequences (Scratch.Nextval) alone.
//
// # Assumptions and known differences
//
// TimeZone is UTC, DateStyle ISO, IntervalStyle postgres, the encoding UTF8.
// The default collation is C unless Options says otherwise; a collation that it
// does not know is refused where it counts, and so are searches within text in a
// nondeterministic one. Domains are called by their
// schema's name in errors, as in a worker's session, whose search_path is empty. Named time zones are those of the
// machine (package time). The server lays out an array that array_append or
// array_prepend has just made with a long header, which a Value cannot say.
//
// # Reading order
//
// expr.go (the API), lex.go, ast.go, parse.go, primary.go, typename.go;
// catalog.go, resolve.go, compile.go, coerce.go, length.go, casts.go; apply.go
// (how functions are called), logic.go, compare.go, choice.go; the rest is one
// family of functions each: integer.go, numeric.go with numericfn.go,
// floats.go, textfn.go, textcase.go, like.go, regex.go, array.go with
// arrayfn.go, jsonb.go, jsonbuild.go, json.go, civil.go, span.go, datetime.go,
// datefields.go, tochar.go.
package expr
