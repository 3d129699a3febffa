package capture

import (
	"errors"
	"io"
	"strings"
	"testing"

	"applysim/model/stream"
)

// readAll reads a text to its end or to what is wrong with it.
func readAll(text string) (messages int, warnings []string, err error) {
	r, err := NewReader(strings.NewReader(text), nil)
	if err != nil {
		return 0, nil, err
	}
	var m stream.Message
	for {
		err := r.Next(&m)
		if errors.Is(err, io.EOF) {
			return messages, r.Warnings(), nil
		}
		if err != nil {
			if again := r.Next(&m); again == nil || again.Error() != err.Error() {
				return messages, nil, errors.New("another error the second time")
			}
			return messages, r.Warnings(), err
		}
		messages++
	}
}

// TestErrors says what is wrong with texts, and where.
func TestErrors(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"BEGIN 1\nBEGIN 2\n", `line 2: found the begin of a transaction within another one, expected its commit before it`},
		{"BEGIN x\n", `line 1: expected the end of the line, found "x\n"`},
		{"BEGIN 99999999999\n", `line 1: expected a transaction id, found "99999999999"`},
		{"BEGIN 1\nhello\n", `line 2: expected a message of test_decoding: BEGIN, COMMIT, table or message, found "hello\n"`},
		{"BEGIN 1\ntable public.t INSERT:\n", `line 2: expected a colon after the table "public"."t INSERT"`},
		{"BEGIN 1\ntable public.t: UPSERT: a[integer]:1\n", `line 2: expected INSERT, UPDATE, DELETE or TRUNCATE, found "UPSERT"`},
		{"BEGIN 1\ntable public.t: INSERT: a[integer:1\n", `line 3: expected the closing bracket of a type`},
		{"BEGIN 1\ntable public.t: INSERT: a[integer] 1\n", `line 2: column "a": expected a colon after its type`},
		{"BEGIN 1\ntable public.t: INSERT: a[text]:'x\ny\n", `line 4: column "a": expected the closing quote of its value`},
		{"BEGIN 1\ntable public.t: INSERT: a[integer]:1 a[integer]:2\n", `line 3: table "public"."t": found a column twice`},
		{"BEGIN 1\ntable public.t, public.u: INSERT: a[integer]:1\n", `line 2: expected TRUNCATE of 2 tables, found "INSERT"`},
		{"BEGIN 1\ntable public.t: TRUNCATE: now\n", `line 2: expected (no-flags), restart_seqs or cascade after TRUNCATE`},
		{"BEGIN 1\nCOMMIT 1 (at noon)\n", `line 2: expected a time such as 2026-01-01 00:00:00+00, found "noon"`},
		{"BEGIN 1\nmessage: transactional: 1 prefix: p, sz: 9 content:abc\n", `line 3: found 4 bytes of a message, expected 9`},
		{"BEGIN 1\nPREPARE TRANSACTION 'x'\n", `line 2: not supported: two-phase commit in the text of test_decoding`},
		{"opening a streamed block for transaction TXN 5\n", `line 1: not supported: a streamed transaction, of which test_decoding prints no rows: expected stream-changes to be off`},

		{`{"change":[{"kind":"insert","schema":"public","table":"t","columnnames":["a"],"columntypes":["integer"],"columnvalues":[1,2]}]}`,
			`line 1: found more than 1 column in the list of values, as many as there are names`},
		{"{\"change\":[\n{\"kind\":\"upsert\"}]}", `line 2: expected the kind insert, update, delete or message, found "upsert"`},
		{"{\"change\":[\n{\"kind\":\"insert\",\"schema\":\"public\",\"table\":\"t\"}]}", `line 2: table "public"."t": found an insert without columns`},
		{`{"change":[{"kind":"insert","table":""}]}`, `line 1: expected the name of a table, found ""`},
		{`{"action":"X"}`, `line 1: expected the action B, C, I, U, D, T or M, found "X"`},
		{`{"action":"I","schema":"public","table":"t","columns":[{"name":"a","type":"integer"}]}`, `line 1: column "a": expected a value`},
		{`{"action":"I","schema":"public","table":"t","columns":[{"name":"a","type":"integer","value":[1]}]}`,
			`line 1: column "a": expected a number, a string, true, false or null`},
		{`{"action":"B","xid":-5}`, `line 1: expected a transaction id, found "-5"`},
		{`{"action":"B","lsn":"5"}`, `line 1: expected an LSN such as 0/196FD20, found "5"`},
		{`{"action":"M","transactional":1}`, `line 1: expected true or false for transactional`},
		{`{"x":1}`, `line 1: found an object without change or action, which wal2json does not print`},
		{"{\"action\":\"B\"}\n{\"action\":\"B\"}", `line 2: found the begin of a transaction within another one, expected its commit before it`},
		{"{\"action\":\"B\"}\n[1]", `line 2: expected '{', found '['`},
		{`{"action":"I`, `line 1: expected the closing quote of a string`},
		{`{"action":"\q"}`, `line 1: found an unknown escape 'q' in a string`},
		{`{"action":"\ud800x"}`, `line 1: found half of a surrogate pair in a string`},
		{`{"action":"\u0000"}`, `line 1: found a zero character in a string, which no text in PostgreSQL has`},
		{`{"action":"I","x":` + strings.Repeat("[", 100), `line 1: expected values nested at most 16 deep`},
		{`{"action":"I","x":-}`, `line 1: expected a number, found "-"`},
		{`{"change":[1]}`, `line 1: expected '{', found '1'`},
		{`{"action":"B"} {"change":[]}`, `line 1: found a transaction of format 1 within one of format 2`},
	} {
		_, _, err := readAll(x.text)
		var at *Error
		if err == nil || err.Error() != x.want || !errors.As(err, &at) {
			t.Errorf("%.80q:\n got  %v\n want %s", x.text, err, x.want)
		}
	}
}

// TestBroken says that what is no text is left to package stream.
func TestBroken(t *testing.T) {
	for _, text := range []string{"\x1f\x8bxx", "hello", "B\x00\x00\x00"} {
		var at *stream.Error
		if _, _, err := readAll(text); err == nil || !errors.As(err, &at) || at.Message != 1 {
			t.Errorf("%q: %v, expected an error at message 1", text, err)
		}
	}
	if n, _, err := readAll(""); n != 0 || err != nil {
		t.Errorf("an empty input: %d messages, %v", n, err)
	}
}

// TestWarnings says what the texts did not tell.
func TestWarnings(t *testing.T) {
	for _, x := range []struct {
		text     string
		messages int
		want     []string
	}{
		{"table public.t: INSERT: a[integer]:1\nCOMMIT 5 (at 2026-01-01 00:00:00+00)\n", 4,
			[]string{"line 2: the capture begins within a transaction: its changes before that are missing"}},
		{"COMMIT 5\nBEGIN 6\ntable public.t: INSERT: a[mood]:'x'\nCOMMIT 6\n", 4,
			[]string{
				"line 1: the capture begins with the end of a transaction: its changes are missing",
				"type mood is not built in: its name is all that the text tells of it",
				"no transaction has a time: nothing that depends on the clock happens between them",
			}},
		{`,{"kind":"insert","schema":"public","table":"t","columnnames":["a"],"columntypes":["integer"],"columnvalues":[1]}` + "\n]}\n", 4,
			[]string{
				"line 1: the capture begins within a transaction: its changes before that are missing",
				"no transaction has a time: nothing that depends on the clock happens between them",
			}},
		{`{"change":[{"kind":"insert","table":"t","columnnames":["a"],"columnvalues":[1]}],"timestamp":"2026-01-01 00:00:00+00"}`, 4,
			[]string{
				"columns stand without their types (include-types is off): taken to be text",
				"tables stand without their schemas (include-schemas is off): taken to be in schema public",
				"no transaction has a time: nothing that depends on the clock happens between them",
			}},
		{"BEGIN 1\ntable public.t: DELETE: (no-tuple-data)\nCOMMIT 1\nBEGIN 2\n", 0,
			[]string{
				"table t: deletes without an old row are left out: it has no replica identity",
				"line 5: the text ends within a transaction without changes",
			}},
		{`{"action":"B"}{"action":"I","schema":"public","table":"t","columns":[{"name":"a","type":"integer","value":1},{"name":"b","type":"text","value":"x"}]}` +
			`{"action":"U","schema":"public","table":"t","columns":[{"name":"a","type":"integer","value":1}],"identity":[{"name":"a","type":"integer","value":1}]}{"action":"C","timestamp":"2026-01-01 00:00:00+00"}`, 6,
			[]string{"table t: columns that an update lacks are taken for out-of-line values that did not change"}},
	} {
		n, got, err := readAll(x.text)
		if err != nil || n != x.messages || strings.Join(got, "\n") != strings.Join(x.want, "\n") {
			t.Errorf("%.60q: %d messages, %v:\n%s\nexpected %d messages:\n%s", x.text, n, err, strings.Join(got, "\n"), x.messages, strings.Join(x.want, "\n"))
		}
	}
}
