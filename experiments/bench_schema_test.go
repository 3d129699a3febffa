package experiments_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"applysim/model/cost"
	"applysim/model/draft"
	"applysim/model/scenario"
	"applysim/model/schema"
)

// manyIndexes is a schema of tables with five indexes each, as applications have them: keys,
// foreign keys with times, partial ones, expressions, BRIN, here and there GIN.
func manyIndexes(indexes int) string {
	var b strings.Builder
	for i := range indexes / 5 {
		fmt.Fprintf(&b, `CREATE TABLE t%[1]d (id bigint PRIMARY KEY, account_id integer NOT NULL, status text NOT NULL, tags text[], body jsonb,
	amount numeric(10,2), note text, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL);
CREATE INDEX t%[1]d_account ON t%[1]d (account_id, created_at);
CREATE INDEX t%[1]d_status ON t%[1]d (status) WHERE status <> 'done';
CREATE INDEX t%[1]d_updated ON t%[1]d %[2]s (updated_at);
CREATE INDEX t%[1]d_last ON t%[1]d %[3]s;
`, i, map[bool]string{true: "USING brin"}[i%4 == 0], map[bool]string{true: "USING gin (tags)", false: "(lower(note))"}[i%10 == 0])
	}
	return b.String()
}

// BenchmarkManyIndexes is init and run: from a schema to what 100,000 changes cost.
func BenchmarkManyIndexes(b *testing.B) {
	m, err := cost.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	profile, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{60, 600} {
		b.Run(fmt.Sprintf("indexes=%d", n), func(b *testing.B) {
			ddl := manyIndexes(n)
			open := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil }
			for b.Loop() {
				db, err := schema.Read(strings.NewReader(ddl), "many.sql")
				if err != nil {
					b.Fatal(err)
				}
				d, err := draft.New(db, draft.Options{Schema: "many.sql", Changes: draft.DefaultChanges, Seed: 1})
				if err != nil {
					b.Fatal(err)
				}
				var file bytes.Buffer
				if err := d.Write(&file); err != nil {
					b.Fatal(err)
				}
				s, err := scenario.Read(&file, "many.toml")
				if err != nil {
					b.Fatal(err)
				}
				r, err := s.Run(nil, &scenario.Options{Schema: open, Price: scenario.Price(profile, m)})
				if err != nil {
					b.Fatal(err)
				}
				if r.Changes < draft.DefaultChanges {
					b.Fatalf("%d changes, expected %d", r.Changes, draft.DefaultChanges)
				}
			}
		})
	}
}
