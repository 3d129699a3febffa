package stream_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"applysim/model/stream"
)

// list gives messages that a test has made.
type list []stream.Message

func (l *list) Next(m *stream.Message) error {
	if len(*l) == 0 {
		return io.EOF
	}
	*m = (*l)[0]
	*l = (*l)[1:]
	return nil
}

// TestExecute puts a transaction that was prepared before another one began, and committed
// after it, where its id is; the description of its table goes with it.
func TestExecute(t *testing.T) {
	relation := func(id uint32) stream.Message {
		return stream.Message{Kind: stream.KindRelation, Relation: &stream.Relation{ID: id, Columns: []stream.RelationColumn{{Name: "a", TypeID: 16400}}}}
	}
	insert := func(id uint32) stream.Message { return stream.Message{Kind: stream.KindInsert, RelationID: id} }
	begin := func(kind stream.Kind, xid uint32) stream.Message { return stream.Message{Kind: kind, Xid: xid} }
	commit := stream.Message{Kind: stream.KindCommit}
	for _, c := range []struct {
		name     string
		in       list
		want     string
		twoPhase bool
	}{
		{"in order of ids", list{
			begin(stream.KindBegin, 12), {Kind: stream.KindType, Type: &stream.Type{ID: 16400}}, relation(1), insert(1), commit,
			begin(stream.KindBegin, 10), insert(1), commit,
			begin(stream.KindBegin, 11), relation(2), {Kind: stream.KindTruncate, RelationIDs: []uint32{1, 2}}, commit,
		}, "B10 Y R1 I C B11 R2 T C B12 Y R1 I C", false},
		{"as it is", list{
			begin(stream.KindBeginPrepare, 12), relation(1), insert(1), {Kind: stream.KindPrepare, Xid: 12},
			begin(stream.KindBegin, 11), insert(1), commit, {Kind: stream.KindCommitPrepared, Xid: 12},
		}, "b12 R1 I P B11 I C K", true},
	} {
		e, err := stream.Execute(&c.in)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			var m stream.Message
			if err := e.Next(&m); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			text := string(rune(m.Kind))
			switch m.Kind {
			case stream.KindBegin, stream.KindBeginPrepare:
				text += fmt.Sprint(m.Xid)
			case stream.KindRelation:
				text += fmt.Sprint(m.Relation.ID)
			}
			got = append(got, text)
		}
		if s := strings.Join(got, " "); s != c.want || e.TwoPhase != c.twoPhase {
			t.Errorf("%s: %s, two-phase %v, expected %s", c.name, s, e.TwoPhase, c.want)
		}
	}
}
