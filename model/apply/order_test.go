package apply

import (
	"strings"
	"testing"

	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// What a stream says at a transaction's end must go with its begin, and messages come
// in the order in which a publisher sends them.
func TestOrderOfMessages(t *testing.T) {
	const xid = 700
	begin := &stream.Message{Kind: stream.KindBegin, TxLSN: 0x200, Xid: xid}
	beginPrepare := &stream.Message{Kind: stream.KindBeginPrepare, TxLSN: 0x200, Xid: xid}
	prepare := &stream.Message{Kind: stream.KindPrepare, TxLSN: 0x200, Xid: xid}
	relation := &stream.Message{Kind: stream.KindRelation, Relation: &stream.Relation{ID: 1, Namespace: "public", Name: "t",
		Identity: 'd', Columns: []stream.RelationColumn{{Flags: 1, Name: "id", TypeID: 23, Typmod: -1}}}}
	insert := &stream.Message{Kind: stream.KindInsert, RelationID: 1, New: stream.Tuple{{Format: stream.ColumnText, Data: []byte("1")}}}
	commit := func(lsn stream.LSN) *stream.Message { return &stream.Message{Kind: stream.KindCommit, TxLSN: lsn} }
	finish := func(kind stream.Kind, xid uint32) *stream.Message {
		return &stream.Message{Kind: kind, TxLSN: 0x300, Xid: xid}
	}
	type messages []*stream.Message
	for _, c := range []struct {
		name       string
		stream     messages
		want       string
		unfinished string
	}{
		{"commit at another LSN", messages{begin, commit(0x300)}, "replication would stop: ERROR:  incorrect commit LSN 0/300 in commit message (expected 0/200)", ""},
		{"prepare at another LSN", messages{beginPrepare, finish(stream.KindPrepare, xid)}, "replication would stop: ERROR:  incorrect prepare LSN 0/300 in prepare message (expected 0/200)", ""},
		{"commit of what is to be prepared", messages{beginPrepare, commit(0x200)}, "commit of a transaction that began with begin prepare: expected prepare", ""},
		{"prepare of another transaction", messages{begin, prepare}, "prepare of a transaction that began with begin: expected commit", ""},
		{"prepared twice", messages{beginPrepare, prepare, beginPrepare, prepare}, `replication would stop: ERROR:  transaction identifier "pg_gid_16384_700" is already in use`, ""},
		{"second phase of another transaction", messages{beginPrepare, prepare, finish(stream.KindCommitPrepared, 701)}, `replication would stop: ERROR:  prepared transaction with identifier "pg_gid_16384_701" does not exist`, ""},
		{"second phase in a transaction", messages{begin, finish(stream.KindCommitPrepared, 701)}, "commit prepared within a transaction: expected its end first", ""},
		{"rollback of what is not there", messages{finish(stream.KindRollbackPrepared, 701)}, "", ""},
		{"origin outside a transaction", messages{{Kind: stream.KindOrigin}}, "replication would stop: ERROR:  ORIGIN message sent out of order", ""},
		{"origin after a change", messages{begin, relation, insert, {Kind: stream.KindOrigin}}, "replication would stop: ERROR:  ORIGIN message sent out of order", ""},
		{"origin", messages{begin, {Kind: stream.KindOrigin}, relation, insert, commit(0x200)}, "", ""},
		{"abort of what was not streamed", messages{{Kind: stream.KindStreamAbort, Xid: xid, SubXid: xid}}, "the abort of streamed transaction 700 without a stream start before it", ""},
		{"abort of a subtransaction of what was not streamed", messages{{Kind: stream.KindStreamAbort, Xid: xid, SubXid: xid + 1}}, "", ""},
		{"stream commit in a transaction", messages{begin, {Kind: stream.KindStreamCommit, Xid: 701}}, "stream commit within a transaction: expected its end first", ""},
		{"no end", messages{begin, relation, insert}, "", "transaction 700"},
		{"no end, no change", messages{begin, relation}, "", ""},
		{"no stream stop", messages{{Kind: stream.KindStreamStart, Xid: xid, First: true}}, "", "a block of streamed transaction 700"},
		{"no stream commit", messages{{Kind: stream.KindStreamStart, Xid: xid, First: true}, {Kind: stream.KindStreamStop}}, "", "streamed transaction 700"},
	} {
		for _, parallel := range []bool{false, true} {
			db, err := schema.Read(strings.NewReader("create table t (id int primary key)"), "t.sql")
			if err != nil {
				t.Fatal(err)
			}
			w, err := New(db, Options{Settings: guc.Defaults(), Start: 1 << 24, Parallel: parallel})
			if err != nil {
				t.Fatal(err)
			}
			var got string
			for i, m := range c.stream {
				m := *m
				m.Number = int64(i + 1)
				if err := w.Apply(&m); err != nil {
					if got = err.Error(); i != len(c.stream)-1 {
						t.Errorf("%s: message %d: %v", c.name, i+1, err)
					}
					break
				}
			}
			if !strings.HasSuffix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("%s: got %q, expected %q", c.name, got, c.want)
			}
			if c.want == "" && w.Unfinished() != c.unfinished {
				t.Errorf("%s: unfinished %q, expected %q", c.name, w.Unfinished(), c.unfinished)
			}
		}
	}
}

// A CHECK constraint that is no condition, which no server would have, is not evaluated.
func TestCheckWithoutCondition(t *testing.T) {
	db, err := schema.Read(strings.NewReader("create table t (id int, check (id + 1))"), "t.sql")
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(db, Options{Settings: guc.Defaults(), Start: 1 << 24})
	if err != nil {
		t.Fatal(err)
	}
	const want = "assumed: t.t_id_check: holds: the CHECK constraint: argument of CHECK must be type boolean, not type integer"
	if len(w.Warnings) != 1 || w.Warnings[0] != want {
		t.Errorf("got %q, expected %q", w.Warnings, want)
	}
}
