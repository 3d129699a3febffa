package server

import "testing"

// What callgrind_annotate prints: of copies of a function the greatest counts.
func TestAnnotated(t *testing.T) {
	text := `
54,946,401 (100.0%)  ???:ApplyWorkerMain [/usr/lib/postgresql/18/bin/postgres]
 1,344,685 ( 2.45%)  ./build/../src/backend/replication/logical/proto.c:logicalrep_read_insert [/usr/lib/postgresql/18/bin/postgres]
       917 ( 0.00%)  ???:slot_store_data.part.0'2 [/usr/lib/postgresql/18/bin/postgres]
Auto-annotated source
`
	found := annotated.FindAllStringSubmatch(text, -1)
	want := [][2]string{{"54,946,401", "ApplyWorkerMain"}, {"1,344,685", "logicalrep_read_insert"}, {"917", "slot_store_data"}}
	if len(found) != len(want) {
		t.Fatalf("%q", found)
	}
	for i, m := range found {
		if [2]string{m[1], m[2]} != want[i] {
			t.Errorf("%q, expected %q", m[1:], want[i])
		}
	}
}
