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

// compareWAL compares a run's records with the recorded ones. Those of the marker, whose
// transaction is one more, and what belongs to no change are left out.
func compareWAL(t *testing.T, c *recorded.Case, got *scenario.Result) {
	t.Helper()
	records, err := c.Records()
	if err != nil {
		t.Fatal(err)
	}
	toast := map[string]string{} // names of TOAST tables and their indexes have no object ids here
	for _, r := range c.Start.Relations {
		if r.ToastTable != "" {
			toast[r.ToastTable], toast[r.ToastTable+"_index"] = "pg_toast_"+r.Name, "pg_toast_"+r.Name+"_index"
		}
	}
	want := map[string]map[string]scenario.Count{}
	markers := int64(0)
	var commit scenario.Count
	for _, r := range records {
		if name, ok := toast[r.Relation]; ok {
			r.Relation = name
		}
		switch {
		case r.Background():
			continue
		case r.Relation == "marker":
			markers++
			continue
		case r.Relation == "marker_pkey":
			continue
		}
		if want[r.Relation] == nil {
			want[r.Relation] = map[string]scenario.Count{}
		}
		n := want[r.Relation][r.Manager+"/"+r.Type]
		n.Records++
		n.Bytes += int64(r.Length)
		n.FPIBytes += int64(r.FPI)
		want[r.Relation][r.Manager+"/"+r.Type] = n
		if r.Type == "COMMIT" {
			commit = scenario.Count{Bytes: int64(r.Length)}
		}
	}
	n := want["-"]["Transaction/COMMIT"]
	n.Records -= markers
	n.Bytes -= markers * commit.Bytes
	want["-"]["Transaction/COMMIT"] = n
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
