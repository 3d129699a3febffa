// Package schema reads DDL: it turns a script of PostgreSQL statements, a
// hand-written one or the output of pg_dump, into the tables, columns and
// indexes that the simulator needs.
//
//	script -> statements -> tokens -> one parser per statement -> Database
//	(lex.go)  (script.go)             (parser.go)                 (database.go)
//
// It is a reader by hand, not the server's grammar: it reads the statements
// that say something about the structure of tables with the syntax of
// PostgreSQL 18, passes over all others and counts them (Database.Skipped),
// and knows nothing of permissions, functions or data. What it models it
// models as the server does:
//
//   - Generated names: constraints and indexes that a statement leaves unnamed
//     get the server's names, truncation and numbering included (naming.go,
//     figure.go).
//   - The order of Table.Indexes is the order of their OIDs, which decides the
//     order of index records and the index that REPLICA IDENTITY FULL uses:
//     within one CREATE TABLE the primary key first, then the other
//     constraints as they are written; the parent's indexes before a
//     partition's own; indexes that ALTER COLUMN TYPE makes anew at the end.
//   - Column.Attr is what tuple formation needs; dropped columns keep their
//     place.
//
// # Warnings and errors
//
// An error is one line, "FILE:LINE: found ..., expected ...": broken syntax in
// a statement that matters, or a reference to something that no statement
// before it makes. Where a doubt remains that does not stop the work there is
// a Warning: a type that nobody knows (it becomes opaque), CREATE TABLE AS, a
// psql \i that is not followed, a DROP of something missing, a statement of an
// unknown kind. pg_dump prints indexes sorted by name, so a dump cannot tell
// the order of their OIDs; a warning says so, and Table.SortIndexes puts it
// right with the server's own list:
//
//	SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
//	WHERE i.indrelid = 'events'::regclass ORDER BY c.oid
//
// # Left out
//
// Expressions (defaults, checks, predicates, index expressions, row filters)
// are kept as their source text, without comments and superfluous white space
// and parentheses; nothing here evaluates or type-checks them. Not followed
// are: CREATE TABLE AS and materialized views (their columns come from a
// query), foreign tables, DDL within functions and DO blocks, ROLLBACK, the
// columns that DROP TYPE ... CASCADE takes along, ALTER TYPE of a composite
// type's attributes, the CHECK constraints of domains, tablespaces, access
// methods of tables, extended statistics.
//
// # Reading order
//
// database.go (the model), script.go and lex.go (statements and tokens),
// parser.go (the cursor), exec.go (which statement goes where), createtable.go
// with columns.go, constraint.go, merge.go and partition.go, index.go,
// naming.go and figure.go, altertable.go with altercolumn.go, attach.go and
// rename.go; the rest is one kind of object a file.
package schema
