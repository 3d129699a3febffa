package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"applysim/experiments/recorded"
	"applysim/experiments/workload"
	"applysim/model/stream"
)

var update = flag.Bool("update", false, "rewrite the golden output in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"applysim": func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScript runs testdata/script: commands, and what they print.
//
// Beside testscript's own commands there are
//
//	messages FILE OUT     writes a stream from a readable list of messages
//	head N FILE OUT       copies the first N bytes
//	foreground FILE OUT   unpacks a records.tsv.gz without its background records
//	workload ROWS OUT     writes the published workload's stream
//	field NAME FILE OUT   writes a field of a JSON object
//	section ID FILE OUT   writes the text of a section of a page, a line for each piece
//
// and $RECORDED, $STREAMS, $OBSERVED, $PAIRS and $SCENARIO, the folders of recorded cases, of
// streams, of statistics and of
// the example scenario.
func TestScript(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("RECORDED", filepath.Join(root, "experiments/recorded/testdata/recorded"))
			e.Setenv("OBSERVED", filepath.Join(root, "model/observed/testdata/recorded"))
			e.Setenv("PAIRS", filepath.Join(root, "model/monitor/testdata/recorded"))
			e.Setenv("SCENARIO", filepath.Join(root, "cmd/applysim/testdata/scenario"))
			e.Setenv("STREAMS", filepath.Join(root, "model/stream/testdata/recorded"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"messages":   command2("messages", writeMessages),
			"foreground": command2("foreground", writeForeground),
			"head":       writeHead,
			"workload":   writeWorkload,
			"field":      writeField,
			"section":    writeSection,
		},
	})
}

// command2 makes a script command of a function from one file to another.
func command2(name string, f func(in []byte, out io.Writer) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 2 {
			ts.Fatalf("usage: %s FILE OUT", name)
		}
		var out strings.Builder
		ts.Check(f([]byte(ts.ReadFile(args[0])), &out))
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o666))
	}
}

func writeHead(ts *testscript.TestScript, _ bool, args []string) {
	var n int
	if len(args) != 3 {
		ts.Fatalf("usage: head N FILE OUT")
	}
	_, err := fmt.Sscan(args[0], &n)
	ts.Check(err)
	b := ts.ReadFile(args[1])
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(b[:n]), 0o666))
}

func writeField(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: field NAME FILE OUT")
	}
	var fields map[string]json.RawMessage
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &fields))
	if fields[args[0]] == nil {
		ts.Fatalf("%s has no field %q", args[1], args[0])
	}
	var out bytes.Buffer
	ts.Check(json.Indent(&out, fields[args[0]], "", "  "))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), append(out.Bytes(), '\n'), 0o666))
}

// tags are what a page has beside its text.
var tags = regexp.MustCompile(`(?s)<style.*?</style>|<[^>]*>`)

func writeSection(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: section ID FILE OUT")
	}
	_, page, found := strings.Cut(ts.ReadFile(args[1]), `<section id="`+args[0]+`">`)
	if !found {
		ts.Fatalf("%s has no section %q", args[1], args[0])
	}
	page, _, _ = strings.Cut(page, "</section>")
	var out strings.Builder
	for line := range strings.Lines(tags.ReplaceAllString(page, "\n")) {
		if line = strings.TrimSpace(html.UnescapeString(line)); line != "" {
			out.WriteString(line + "\n")
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(out.String()), 0o666))
}

func writeWorkload(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: workload ROWS OUT")
	}
	o := workload.DefaultOptions()
	_, err := fmt.Sscan(args[0], &o.Rows)
	ts.Check(err)
	var b strings.Builder
	ts.Check(workload.Generate(&b, o))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o666))
}

func writeForeground(in []byte, out io.Writer) error {
	z, err := gzip.NewReader(strings.NewReader(string(in)))
	if err != nil {
		return err
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(line, "\t")
		if !(recorded.Record{Manager: f[0], Type: f[1], Relation: f[2]}).Background() {
			io.WriteString(out, line)
		}
	}
	return nil
}

// writeMessages writes a raw stream from lines such as
//
//	relation 1 public.t id:23 note:25
//	begin 700
//	insert 1 1 one
//	commit
//
// where the numbers are the relation's id, types' oids and the xid, and \N is
// NULL.
func writeMessages(in []byte, out io.Writer) error {
	lsn := stream.LSN(0x1000)
	for line := range strings.Lines(string(in)) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		var id, xid uint32
		var msg []byte
		if len(f) > 1 {
			fmt.Sscan(f[1], &id)
		}
		switch f[0] {
		case "begin":
			msg = stream.AppendBegin(nil, lsn, 0, id)
		case "commit":
			msg = stream.AppendCommit(nil, lsn, lsn+8, 0)
			lsn += 0x100
		case "relation":
			r := &stream.Relation{ID: id, Identity: 'd'}
			r.Namespace, r.Name, _ = strings.Cut(f[2], ".")
			for i, text := range f[3:] {
				c := stream.RelationColumn{Typmod: -1}
				if i == 0 {
					c.Flags = 1
				}
				name, oid, _ := strings.Cut(text, ":")
				c.Name = name
				fmt.Sscan(oid, &c.TypeID)
				r.Columns = append(r.Columns, c)
			}
			msg = stream.AppendRelation(nil, xid, r)
		case "insert":
			var row stream.Tuple
			for _, text := range f[2:] {
				if text == `\N` {
					row = append(row, stream.Column{Format: stream.ColumnNull})
				} else {
					row = append(row, stream.Column{Format: stream.ColumnText, Data: []byte(text)})
				}
			}
			msg = stream.AppendInsert(nil, xid, id, row)
		case "truncate":
			msg = stream.AppendTruncate(nil, xid, 0, []uint32{id})
		default:
			return fmt.Errorf("unknown message %q", f[0])
		}
		out.Write(append(msg, '\n'))
	}
	return nil
}
