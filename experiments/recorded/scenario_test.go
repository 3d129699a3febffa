package recorded_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"applysim/experiments/recorded"
	"applysim/model/scenario"
	"applysim/model/stream"
)

// TestScenario runs the scenarios in testdata/scenario, whose changes were made on a real
// publisher too: a real subscriber has written the same WAL, by relation and record type,
// and what the real publisher sent has the same values in the same order.
func TestScenario(t *testing.T) {
	for _, name := range []string{"orders", "sessions", "full", "documents"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata/scenario", name+".toml")
			text, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer text.Close()
			s, err := scenario.Read(text, file)
			if err != nil {
				t.Fatal(err)
			}
			var raw bytes.Buffer
			got, err := s.Run(nil, &scenario.Options{
				Schema: func(path string) (io.ReadCloser, error) { return os.Open(filepath.Join("testdata/scenario", path)) },
				Stream: &raw,
			})
			if err != nil {
				t.Fatal(err)
			}
			c, err := recorded.Open(os.DirFS("testdata/recorded/scenario"), "scenario_"+name)
			if err != nil {
				t.Fatal(err)
			}
			compareWAL(t, c, got)
			in, err := c.Stream()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			want, have := changes(t, in), changes(t, &raw)
			if len(want) != len(have) {
				t.Errorf("%d changes and ends of transactions, the real publisher sent %d", len(have), len(want))
			}
			for i := range want {
				if i < len(have) && !reflect.DeepEqual(want[i], have[i]) {
					t.Fatalf("change %d: %q, the real publisher sent %q", i, have[i], want[i])
				}
			}
		})
	}
}

// compareWAL compares a run's records with the recorded ones.
func compareWAL(t *testing.T, c *recorded.Case, got *scenario.Result) {
	t.Helper()
	want, err := c.ByRelation()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.WAL, want) {
		t.Errorf("got  %v\nwant %v", got.WAL, want)
	}
}

// changes lists the kinds and values of a stream's changes, the marker's left out.
func changes(t *testing.T, r io.Reader) [][]string {
	t.Helper()
	in, err := stream.NewReader(r, stream.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var all, transaction [][]string
	names := map[uint32]string{}
	var m stream.Message
	for {
		if err := in.Next(&m); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		switch m.Kind {
		case stream.KindRelation:
			names[m.Relation.ID] = m.Relation.Name
			var columns []string
			for _, c := range m.Relation.Columns {
				key := ""
				if c.Key() {
					key = " key"
				}
				columns = append(columns, c.Name+key)
			}
			if m.Relation.Name != "marker" {
				transaction = append(transaction, append([]string{"relation", m.Relation.Name, string(m.Relation.Identity)}, columns...))
			}
		case stream.KindInsert, stream.KindUpdate, stream.KindDelete:
			if names[m.RelationID] == "marker" {
				continue
			}
			change := []string{m.Kind.String(), names[m.RelationID], string(m.OldKind)}
			for _, tuple := range []stream.Tuple{m.Old, m.New} {
				for _, c := range tuple {
					change = append(change, string(c.Format)+string(c.Data))
				}
			}
			transaction = append(transaction, change)
		case stream.KindCommit:
			if len(transaction) > 0 {
				all = append(append(all, transaction...), []string{"commit"})
				transaction = nil
			}
		}
	}
}
