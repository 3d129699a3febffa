package schema

import (
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// Database is what the statements of a script leave behind.
type Database struct {
	// Tables are in the order of their creation, which is the order of their
	// OIDs. Partitioned tables and temporary ones are among them.
	Tables []*Table
	// Types are the types that the script makes, and those that it uses but
	// nobody knows (Opaque), by "schema.name".
	Types map[string]*pgtype.Type
	// Collations are those of CREATE COLLATION, by "schema.name".
	Collations   map[string]*Collation
	Sequences    []*Sequence
	Publications []*Publication
	Warnings     []Warning
	// Skipped counts the statements that were passed over, by kind:
	// "COMMENT", "CREATE FUNCTION", "COPY", `\restrict`.
	Skipped map[string]int

	tables      map[objectName]*Table
	indexes     map[objectName]*Index
	others      map[objectName]string // views, sequences, ...: every other entry of pg_class
	constraints map[objectName]int    // how many constraints of a schema have the name
	schemas     map[string]bool
	path        []string // search_path, "$user" and pg_catalog left out
	dump        bool     // the script is one of pg_dump's
	order       indexOrder
	warned      map[string]bool
	attributes  map[*pgtype.Type]int // of composite types, nested ones included
	unknown     map[string]bool      // statements not known, so that each is warned of once
}

// objectName is a qualified name: pg_class and pg_constraint are unique, or
// counted, by schema and name.
type objectName struct{ schema, name string }

// Warning is a doubt that did not stop the reading.
type Warning struct {
	File string
	Line int
	Text string
}

func (w Warning) String() string { return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Text) }

// Table is one row of pg_class with what belongs to it.
type Table struct {
	Schema, Name string
	Columns      []Column // dropped ones included, so that the index is attnum-1
	// Indexes are in the order of their OIDs: within one CREATE TABLE the
	// primary key first, then other constraints; afterwards in the order of
	// the statements.
	Indexes          []*Index
	ReplicaIdentity  byte // 'd' default, 'n' nothing, 'f' full, 'i' index (see Index.ReplicaIdentity)
	Fillfactor       int  // 100 unless set
	ToastTupleTarget int  // 0: the server's TOAST_TUPLE_TARGET
	Unlogged, Temp   bool
	Kind             byte       // 'r' table, 'p' partitioned table
	Partition        *Partition // PARTITION BY of a partitioned table
	Parent           *Table     // the table this one is a partition of
	Bound            *Bound     // FOR VALUES of a partition
	Children         []*Table   // partitions, or inheritance children, in order of creation
	Inherits         []*Table   // parents by INHERITS
	Checks           []Check
	Exclusions       []Exclusion
	ForeignKeys      int // how many; the apply worker does not check them
	References       []ForeignKey
	Triggers         []Trigger
	Options          map[string]string // WITH (...) as written, fillfactor among them

	foreignKeys []string // their names
	file        string
	line        int
}

// QualifiedName is the table's name as the program prints it: the schema is
// left out where it is public.
func (t *Table) QualifiedName() string {
	if t.Schema == "public" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}

// ForeignKey is a foreign key of a table.
type ForeignKey struct {
	Name               string
	Columns            []int  // of the table
	Table              *Table // that it refers to; nil if the script does not make it
	Keys               []int  // its columns, as many as Columns
	OnDelete, OnUpdate Action
	Deferred           bool // INITIALLY DEFERRED
}

// Action is what happens to the rows that refer to one which goes, or whose key changes.
type Action byte

// The actions.
const (
	NoAction Action = 'a'
	Restrict Action = 'r'
	Cascade  Action = 'c'
	SetValue Action = 'n' // SET NULL or SET DEFAULT
)

// Column is one row of pg_attribute.
type Column struct {
	Name          string
	Type          *pgtype.Type
	Typmod        int32 // -1: none
	NotNull       bool
	Default       string // SQL text; "" none
	Generated     byte   // 0, 's' stored, 'v' virtual
	GeneratedExpr string
	Identity      byte   // 0, 'a' always, 'd' by default
	Storage       byte   // 'p', 'e', 'm', 'x'
	Compression   byte   // 0 default_toast_compression, 'p' pglz, 'l' lz4
	Collation     string // as written, without pg_catalog; "" the type's own
	Dropped       bool

	notNull  string    // name of the not-null constraint
	origin   inherited // of the column
	nnOrigin inherited // of the constraint
	nnOwn    bool      // NO INHERIT: the constraint is not for children
}

// Attr is what tuple formation must know of the column.
func (c *Column) Attr() datum.Attr {
	a := c.Type.Attr()
	a.Storage = c.Storage
	a.NotNull = c.NotNull
	return a
}

// Attrs gives the attributes of all columns, dropped ones included: they keep
// their place in a tuple, as NULL.
func (t *Table) Attrs() []datum.Attr {
	attrs := make([]datum.Attr, len(t.Columns))
	for i := range t.Columns {
		attrs[i] = t.Columns[i].Attr()
	}
	return attrs
}

// Column returns the 0-based number of the named column, -1 if there is none.
// Dropped columns have no name.
func (t *Table) Column(name string) int {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Name == name && !c.Dropped {
			return i
		}
	}
	return -1
}

// PrimaryKey returns the primary key's index, nil if there is none.
func (t *Table) PrimaryKey() *Index {
	for _, x := range t.Indexes {
		if x.Primary {
			return x
		}
	}
	return nil
}

// Index returns the table's index of that name, nil if there is none.
func (t *Table) Index(name string) *Index {
	for _, x := range t.Indexes {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// SortIndexes puts the indexes into the order of the given names, that of
// their OIDs on a real server; a script cannot always tell it (see the
// package comment). Indexes that are not named keep their order, after the
// others.
func (t *Table) SortIndexes(names []string) {
	rank := func(x *Index) int {
		if i := slices.Index(names, x.Name); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(t.Indexes, func(a, b *Index) int { return rank(a) - rank(b) })
}

// Index is one row of pg_index. An index of a partitioned table has no
// storage; those of its partitions point to it with Parent.
type Index struct {
	Name             string
	Table            *Table
	Method           string // "btree" unless USING says otherwise
	Unique           bool
	Primary          bool
	NullsNotDistinct bool
	Deferrable       bool
	ReplicaIdentity  bool // REPLICA IDENTITY USING INDEX names it
	Constraint       bool // made by, or turned into, a constraint
	WithoutOverlaps  bool
	Keys             []IndexKey
	Include          []int  // column numbers, 0-based
	Predicate        string // SQL text; "" none
	Fillfactor       int    // 90 for a B-tree
	DeduplicateItems bool
	Options          map[string]string // WITH (...) as written
	Parent           *Index

	operators []string // of an exclusion constraint
	colnames  []string // pg_attribute.attname of the index's columns, INCLUDE ones last
}

// IndexKey is one key column of an index.
type IndexKey struct {
	Column         int    // 0-based, -1 for an expression
	Expr           string // SQL text without parentheses around it
	OpClass        string // name without schema; "" the type's default
	OpClassOptions string // parameters of the operator class, as written
	Collation      string // as written, without pg_catalog; "" the column's
	Desc           bool
	NullsFirst     bool // in effect: DESC alone means NULLS FIRST
}

// Partition is the PARTITION BY clause.
type Partition struct {
	By   string // "range", "list", "hash"
	Keys []IndexKey
}

// Bound is the FOR VALUES clause of a partition.
type Bound struct {
	Default            bool
	In                 []BoundValue // list
	From, To           []BoundValue // range: From is inclusive, To exclusive
	Modulus, Remainder int          // hash
}

// BoundValue is one value of a partition bound.
type BoundValue struct {
	// Text is the value as a type's input function reads it, or the SQL
	// source of an expression.
	Text               string
	Null               bool
	MinValue, MaxValue bool
	Expr               bool // Text is not a constant
}

// Check is a CHECK constraint. The apply worker evaluates it.
type Check struct {
	Name, Expr             string
	NoInherit, NotEnforced bool
	// Assume says that the constraint is taken to hold without a look at the row. No DDL
	// says so, but who makes rows up may.
	Assume bool

	origin inherited
}

// Exclusion is an EXCLUDE constraint; its index is among the table's.
type Exclusion struct {
	Index     *Index
	Operators []string // one per key
}

// Trigger is a CREATE TRIGGER. The apply worker runs as a replica: it fires
// only triggers that are enabled as 'R' or 'A'.
type Trigger struct {
	Name       string
	Timing     string   // "before", "after", "instead of"
	Events     []string // "insert", "update", "delete", "truncate"
	Columns    []string // UPDATE OF
	Row        bool     // FOR EACH ROW
	Constraint bool
	When       string
	Function   string
	Enabled    byte // 'O' origin, 'D' disabled, 'R' replica, 'A' always
}

// Sequence is one of CREATE SEQUENCE, of a serial column or of an identity.
type Sequence struct {
	Schema, Name              string
	Start, Increment          int64
	MinValue, MaxValue, Cache int64
	Cycle, Unlogged           bool
	Table                     *Table // owner; nil if none
	Column                    int    // of the owner, 0-based

	typ   string // "smallint", "integer", "bigint"
	owner string // the owning column's name until its number is known
}

// Publication is a CREATE PUBLICATION with what ALTER PUBLICATION added.
type Publication struct {
	Name                             string
	AllTables                        bool
	Schemas                          []string // TABLES IN SCHEMA
	Tables                           []PublicationTable
	Insert, Update, Delete, Truncate bool
	ViaRoot                          bool // publish_via_partition_root
	GeneratedStored                  bool // publish_generated_columns = stored
}

// PublicationTable is one table of a publication.
type PublicationTable struct {
	Table   *Table
	Only    bool
	Columns []string // nil: all
	Where   string   // row filter, SQL text; "" none
}

// Find returns the publication's entry for a table, nil if it is published
// as part of a schema or of all tables, or not at all (see Covers).
func (pub *Publication) Find(t *Table) *PublicationTable {
	for i := range pub.Tables {
		if pub.Tables[i].Table == t {
			return &pub.Tables[i]
		}
	}
	return nil
}

// Covers reports whether the publication publishes the table, itself or as a
// partition of a published one. Temporary and unlogged tables never are.
func (pub *Publication) Covers(t *Table) bool {
	if t.Temp || t.Unlogged {
		return false
	}
	for a := t; a != nil; a = a.Parent {
		if pub.AllTables || slices.Contains(pub.Schemas, a.Schema) || pub.Find(a) != nil {
			return true
		}
	}
	return false
}

// Table returns the table, nil if there is none.
func (d *Database) Table(schema, name string) *Table {
	return d.tables[objectName{schema, name}]
}

// Publication returns the named publication, nil if there is none.
func (d *Database) Publication(name string) *Publication {
	for _, p := range d.Publications {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Sequence returns the sequence, nil if there is none.
func (d *Database) Sequence(schema, name string) *Sequence {
	for _, s := range d.Sequences {
		if s.Schema == schema && s.Name == name {
			return s
		}
	}
	return nil
}

func (d *Database) warn(file string, line int, format string, args ...any) {
	d.Warnings = append(d.Warnings, Warning{file, line, oneLine(fmt.Sprintf(format, args...))})
}

func (d *Database) init() {
	if d.tables != nil {
		return
	}
	d.Types = map[string]*pgtype.Type{}
	d.Collations = map[string]*Collation{}
	d.Skipped = map[string]int{}
	d.tables = map[objectName]*Table{}
	d.indexes = map[objectName]*Index{}
	d.others = map[objectName]string{}
	d.constraints = map[objectName]int{}
	d.schemas = map[string]bool{"public": true}
	d.path = []string{"public"}
	d.warned = map[string]bool{}
	d.attributes = map[*pgtype.Type]int{}
	d.unknown = map[string]bool{}
}
