package capture

import (
	"errors"
	"io"
	"strings"
	"testing"

	"applysim/model/stream"
)

// fuzz reads what may be any text. It must end, and give messages that can be encoded
// and decoded again, or an error with a line.
func fuzz(t *testing.T, text string) {
	r, err := NewReader(strings.NewReader(text), nil)
	if err != nil {
		return
	}
	if r.Plugin() == Pgoutput {
		return // package stream has tests of its own
	}
	relations := map[uint32]*stream.Relation{}
	var m, again stream.Message
	var dec stream.Decoder
	for {
		err := r.Next(&m)
		if errors.Is(err, io.EOF) {
			return
		}
		var at *Error
		if err != nil {
			if !errors.As(err, &at) || at.Line < 1 {
				t.Fatalf("error without a line: %v", err)
			}
			return
		}
		b, err := stream.AppendMessage(nil, &m)
		if err != nil {
			t.Fatal(err)
		}
		if err := dec.Decode(b, &again); err != nil {
			t.Fatalf("%s: %v", m.Kind, err)
		}
		switch m.Kind {
		case stream.KindRelation:
			relations[m.Relation.ID] = m.Relation
		case stream.KindInsert, stream.KindUpdate, stream.KindDelete:
			x := relations[m.RelationID]
			if x == nil || len(m.New) > 0 && len(m.New) != len(x.Columns) || len(m.Old) > 0 && len(m.Old) != len(x.Columns) {
				t.Fatalf("%s of %d and %d columns for %+v", m.Kind, len(m.New), len(m.Old), x)
			}
		}
	}
}

func FuzzTestDecoding(f *testing.F) {
	f.Add(recvlogical(f, "18", "test_decoding"))
	f.Add("BEGIN 1\ntable public.\"a\"\"b\": UPDATE: old-key: a[integer]:1 new-tuple: a[integer[]]:'{1}' b[bit]:B'1' c[text]:unchanged-toast-datum\nCOMMIT 1\n")
	f.Add(" 0/15 | 7 | BEGIN 7\n 0/15 | 7 | table public.t: INSERT: a[text]:'x      +\n      |   | y'\n(2 rows)\n")
	f.Add("table public.a, public.b: TRUNCATE: restart_seqs cascade\nmessage: transactional: 0 prefix: p, sz: 3 content:a\nb\n")
	f.Fuzz(fuzz)
}

func FuzzWal2JSON1(f *testing.F) {
	for _, slot := range []string{"wal2json_1", "wal2json_1_chunks"} {
		f.Add(recvlogical(f, "15", slot))
	}
	f.Add(",{\"kind\":\"delete\",\"schema\":\"s\",\"table\":\"t\",\"oldkeys\":{\"keynames\":[\"a\"],\"keytypes\":[\"integer\"],\"keyvalues\":[1]}}\n]}\n")
	f.Add("0/15|7|{\"xid\":7,\"change\":[\n0/15|7|]}\n")
	f.Fuzz(fuzz)
}

func FuzzWal2JSON2(f *testing.F) {
	f.Add(recvlogical(f, "15", "wal2json_2"))
	f.Add(`{"action":"B"}{"action":"I","schema":"s","table":"t","columns":[{"name":"a","type":"integer","value":1.50}]}{"action":"T","schema":"s","table":"t"}{"action":"C"}`)
	f.Fuzz(fuzz)
}
