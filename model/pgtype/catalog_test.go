package pgtype

import (
	"strings"
	"testing"

	"applysim/heap/datum"
)

// TestCatalog compares the catalogue with pg_type, and default operator
// classes with what CREATE INDEX chose on a column of each type.
func TestCatalog(t *testing.T) {
	missing := map[string]bool{ // types of the server's own, in no user's table
		"gtsvector": true, "aclitem": true, "pg_ndistinct": true, "pg_dependencies": true, "pg_mcv_list": true,
		"pg_brin_bloom_summary": true, "pg_brin_minmax_multi_summary": true,
	}
	for _, f := range readTSV("testdata/recorded/catalog.tsv.gz") {
		elem := strings.TrimSuffix(f[2], "[]")
		if missing[elem] || strings.HasPrefix(f[1], "_pg_") && f[1] != "_pg_lsn" && f[1] != "_pg_snapshot" || f[1] == "_cstring" {
			continue
		}
		typ := ByOID(uint32(atoi(f[0])))
		if typ == nil {
			t.Errorf("%s is missing", f[1])
			continue
		}
		for _, name := range []string{f[1], f[2], "pg_catalog." + f[1], strings.ToUpper(f[2])} {
			if got := Lookup(name); f[1] == "char" && name != f[2] && !strings.Contains(name, `"`) {
				if got == nil || got.OID != 1042 {
					t.Errorf("Lookup(%q) = %v, want character", name, got)
				}
			} else if got == nil || got.OID != typ.OID {
				t.Errorf("Lookup(%q) = %v, want %s", name, got, typ)
			}
		}
		want := datum.Attr{Len: int16(atoi(f[3])), ByVal: f[4] == "t", Align: alignBytes(f[5][0]), Storage: f[6][0]}
		if got := typ.Attr(); got != want {
			t.Errorf("%s: %+v, want %+v", f[1], got, want)
		}
		if f[7] != "0" && ArrayOf(typ).OID != uint32(atoi(f[7])) {
			t.Errorf("%s: array type %d, want %s", f[1], ArrayOf(typ).OID, f[7])
		}
		if typ.Collation != f[8] {
			t.Errorf("%s: collation %q, want %q", f[1], typ.Collation, f[8])
		}
		class, image := "-", "-"
		if c := typ.OpClass(); c != nil {
			class, image = c.Name, "-"
			if c.EqualImage {
				image = "equalimage"
			}
		}
		wantClass, wantImage, _ := strings.Cut(f[10], ":")
		if strings.HasSuffix(wantImage, "equalimage") {
			wantImage = "equalimage"
		} else {
			wantImage = "-"
		}
		if typ.Kind == KindArray && typ.Elem.OpClass() == nil {
			continue // the index can be created, but not take a second row
		}
		if class != wantClass || image != wantImage {
			t.Errorf("%s: operator class %s (%s), want %s (%s)", f[1], class, image, wantClass, wantImage)
		}
	}
}

func TestLookupSpellings(t *testing.T) {
	for name, oid := range map[string]uint32{
		"int": 23, "INTEGER": 23, "character  varying": 1043, "char": 1042, `"char"`: 18, "dec": 1700, "float": 701,
		"timestamp with time zone[]": 1185, "text[][]": 1009, "int4 array": 1007, "bit varying": 1562, "integer[3]": 1007,
		`"timestamp"`: 1114, "pg_catalog.int4": 23, "_text": 1009,
	} {
		if got := Lookup(name); got == nil || got.OID != oid {
			t.Errorf("Lookup(%q) = %v, want %d", name, got, oid)
		}
	}
	for _, name := range []string{"", "[]", "nothing", `"integer"`, "int[", "x[]"} {
		if got := Lookup(name); got != nil {
			t.Errorf("Lookup(%q) = %v", name, got)
		}
	}
}
