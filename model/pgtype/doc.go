// Package pgtype is the catalogue of PostgreSQL's types and their input
// functions: it turns what a publisher sends for a column into the bytes that
// a subscriber stores.
//
// A Type says how long a value is, how it is aligned and stored, and in which
// order an index keeps it. Its Input takes the text form and its Receive the
// binary form of a value; both give the value exactly as PostgreSQL 18 has it
// in a tuple, without the length word of a varlena:
//
//	numeric '1.50'   00 81 | 01 00 | 88 13            short header, 1, 5000
//	integer[] '{7}'  ndim 1 | no NULLs | type 23 | length 1 | bound 1 | 7
//	jsonb '{"a":1}'  header | key entry | value entry | a | padding | numeric
//	int4range [1,5)  type 3904 | 1 | 5 | flags
//	interval 1 day   microseconds 8 | days 4 | months 4
//	a record         typmod | type | ctid | columns | infomask | hoff | nulls | ...
//
// Types of the schema's own are made by NewEnum, NewDomain, NewComposite and
// NewRange; NewOpaque stands for a type that is not known (an extension's).
// Their OIDs are stored inside arrays, ranges and records and decide enum
// values: a caller that knows them sets Type.OID before the first value.
//
// What is left out: how constraints of domains are evaluated (Type.Constrain takes
// it from outside), the names of reg* types (they need a catalog; numbers
// and regtype's built-in names are read), jsonpath, whether XML is well-formed,
// date styles other than ISO and words such as "now", the validity of UTF-8.
// Encoding UTF8 is taken for granted; OpClassIn
// orders text in other collations than C.
//
// Read type.go and catalog.go, then input.go and receive.go, which branch to
// one file per family: number.go, text.go, datetime.go, time.go, interval.go, uuid.go,
// numeric.go, json.go and jsonb.go, network.go, bit.go, geometry.go,
// tsvector.go, tsquery.go, misc.go. Containers (array.go, range.go, record.go) share
// place.go. output.go prints values for people to read.
package pgtype
