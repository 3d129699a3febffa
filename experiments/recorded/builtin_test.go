package recorded_test

import (
	"path"
	"testing"

	"applysim/experiments/recorded"
)

// excepted are the cases with named exceptions, and the number of records.
var excepted = map[string]int64{"wal_compression_zstd": 50}

// TestBuiltin replays every case that is compiled into the program: each claims
// to be exact, named exceptions aside.
func TestBuiltin(t *testing.T) {
	fsys := recorded.Builtin()
	dirs, err := recorded.Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, dir := range dirs {
		t.Run(dir, func(t *testing.T) {
			r, err := recorded.Verify(fsys, dir)
			if err != nil {
				t.Fatal(err)
			}
			if r.Name != path.Base(dir) {
				t.Errorf("the case in %s is called %s", dir, r.Name)
			}
			if n := excepted[r.Name]; n > 0 {
				if r.Outcome != recorded.ExactExcept || r.Exceptions[0].Records != n {
					t.Errorf("%s, expected %d records", r.Line(), n)
				}
			} else if r.Outcome != recorded.Exact {
				t.Error(r.Line())
			}
			for _, s := range r.StateDifferences {
				t.Error(s)
			}
			names[r.Name] = true
		})
	}
	// These are the project's promise.
	for _, name := range []string{
		"insert_pk_text", "insert_pk_binary", "insert_four_indexes", "insert_uuid_pk",
		"insert_low_cardinality", "wal_level_replica", "wide_transaction",
		"full_page_writes", "wal_compression_pglz", "wal_compression_lz4", "checksums_hint_bits", "checksums_without_images",
		"update_hot_fillfactor_100", "update_hot_fillfactor_70", "update_indexed_column", "update_non_hot_other_index",
		"delete_by_pk", "full_identity_no_index", "full_identity_index", "identity_using_index", "extra_columns",
		"many_types", "missing_rows", "second_unique_index", "update_wal_level_replica",
		"toast", "partial_and_expression_indexes", "partitioned_subscriber", "row_movement", "truncate_and_reload",
		"streamed_off", "streamed_spool", "streamed_parallel", "two_phase",
		"vacuum_after_deletes", "vacuum_after_updates", "vacuum_hot_table",
		"key_change", "row_filter", "subtransactions", "truncate_and_ddl",
	} {
		if !names[name] {
			t.Errorf("the case %s is missing", name)
		}
	}
}
