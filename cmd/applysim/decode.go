package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"applysim/experiments/recorded"
	"applysim/heap/datum"
	"applysim/model/capture"
	"applysim/model/decode"
	"applysim/model/schema"
	"applysim/model/stream"
)

var decodeHelp = help{
	usage: "applysim decode (--case DIR | --stream FILE|- [--schema FILE]) [FLAGS]",
	text: `
Decodes a publisher's changes as its replication slots do, and prints side by
side what each output plugin makes of them, message by message, and the slots'
counters as pg_stat_replication_slots has them: what goes to disk or is streamed
for want of logical_decoding_work_mem. The stream is one of all tables (a
publication FOR ALL TABLES without a row filter, test_decoding or wal2json);
the schema's publications say what pgoutput sends of it, all tables if it has
none. With --case both come from the folder of a case recorded on a publisher,
and its WAL says what no stream has: work that was rolled back, changes of
catalogs.`,
	example: `  $ pg_dump --schema-only app > schema.sql
  $ applysim decode --schema schema.sql --stream all.bin --set logical_decoding_work_mem=64kB
`,
}

type decodeOptions struct {
	caseDir, schema, stream, version, format, show string
	publications, set, slots                       []string
	messages, twoPhase                             bool
}

var decodeFormats = []string{"text", "json", "markdown", "csv"}

func (o *decodeOptions) addFlags(f *pflag.FlagSet) *string {
	f.StringVar(&o.caseDir, "case", "", "folder `DIR` of a case recorded on a publisher")
	f.StringVar(&o.schema, "schema", "", "the publisher's DDL, a `FILE`, with its publications; without it tables are\ntaken to be as the stream describes them")
	f.StringVar(&o.stream, "stream", "", "the stream of all changes, a `FILE` or - for standard input")
	f.StringArrayVar(&o.publications, "publication", nil, "`NAME` of a publication that pgoutput is asked for; may be given more than\nonce; all of the schema's unless it is given")
	f.StringArrayVar(&o.slots, "slot", nil, "decode only this `WAY`: "+strings.Join(decode.Ways, ",\n")+";\nmay be given more than once")
	f.StringArrayVar(&o.set, "set", nil, "server setting `GUC=VALUE`: logical_decoding_work_mem (64MB unless set),\ndefault_toast_compression; may be given more than once")
	f.StringVar(&o.version, "server-version", "18", "PostgreSQL version `N` of the publisher, 10 to 18")
	f.BoolVar(&o.messages, "messages", false, "pgoutput sends what pg_logical_emit_message has written, too")
	f.BoolVar(&o.twoPhase, "two-phase", false, "the slots have two_phase: prepared transactions are decoded when they are\nprepared")
	f.StringVar(&o.show, "show", "", "print the messages of one `WAY` instead, each on a line, pgoutput's in hex")
	return formatFlag(f, decodeFormats...)
}

// decodeReport is what decode prints in JSON.
type decodeReport struct {
	SchemaVersion int             `json:"schema_version"`
	Transactions  int64           `json:"transactions"` // those that committed
	Changes       int64           `json:"changes"`      // row changes and TRUNCATEs of them
	WorkMem       int64           `json:"logical_decoding_work_mem"`
	ServerVersion int             `json:"server_version"`
	Slots         []decode.Result `json:"slots"`
	Warnings      []string        `json:"warnings"`
}

// decodeChanges decodes a stream of changes as several slots do.
func decodeChanges(env environment, args []string) error {
	f := newFlags("decode")
	var o decodeOptions
	format := o.addFlags(f)
	if helped, err := parse(env, f, args, decodeHelp); helped || err != nil {
		return err
	}
	o.format = *format
	if err := o.check(f); err != nil {
		return err
	}
	options, err := o.options(env)
	if err != nil {
		return err
	}
	var d *decode.Decoder
	r := &decodeReport{SchemaVersion: 1, WorkMem: options.WorkMem, ServerVersion: options.Major, Warnings: []string{}}
	if o.caseDir != "" {
		d, err = o.decodeCase(&options, f)
		r.WorkMem, r.ServerVersion = options.WorkMem, options.Major
	} else {
		d, err = o.decodeStream(env, options, r)
	}
	if err != nil {
		return err
	}
	r.Transactions, r.Changes = d.Transactions(), d.Changes()
	r.Slots = d.Results()
	r.Warnings = append(r.Warnings, d.Warnings()...)
	for _, text := range r.Warnings {
		fmt.Fprintf(env.stderr, "applysim: warning: %s\n", text)
	}
	if o.show != "" {
		return nil
	}
	return printDecoded(env.stdout, o.format, r)
}

func (o *decodeOptions) check(f *pflag.FlagSet) error {
	switch {
	case f.NArg() > 0:
		return hint(f, "unexpected argument %q", f.Arg(0))
	case o.caseDir != "" && (o.schema != "" || o.stream != ""):
		return hint(f, "--case has its own schema and stream: expected it without --schema and --stream")
	case o.caseDir == "" && o.stream == "":
		return hint(f, "expected --case or --stream")
	case o.schema == "-" && o.stream == "-":
		return hint(f, "--schema and --stream cannot both be standard input")
	case o.show != "" && !slices.Contains(decode.Ways, o.show):
		return hint(f, "--show %s: expected one of %s", o.show, strings.Join(decode.Ways, ", "))
	case o.show != "" && o.slots != nil:
		return hint(f, "--show chooses the slot: expected it without --slot")
	}
	for _, s := range o.slots {
		if !slices.Contains(decode.Ways, s) {
			return hint(f, "--slot %s: expected one of %s", s, strings.Join(decode.Ways, ", "))
		}
	}
	return checkFormat(f, o.format, decodeFormats...)
}

// options are those of the decoder.
func (o *decodeOptions) options(env environment) (decode.Options, error) {
	d := decode.DefaultOptions()
	d.Publications, d.Messages, d.TwoPhase, d.Ways = o.publications, o.messages, o.twoPhase, o.slots
	if _, err := fmt.Sscanf(o.version, "%d", &d.Major); err != nil || d.Major < 10 || d.Major > 18 {
		return d, fmt.Errorf("--server-version %s: expected 10 to 18", o.version)
	}
	for _, text := range o.set {
		name, value, ok := strings.Cut(text, "=")
		var err error
		switch strings.ToLower(name) {
		case "logical_decoding_work_mem":
			d.WorkMem, err = decode.ParseMemory(value)
		case "default_toast_compression":
			switch strings.ToLower(value) {
			case "pglz":
			case "lz4":
				d.Compression = datum.LZ4
			default:
				err = fmt.Errorf("found %q, expected pglz or lz4", value)
			}
		default:
			err = errors.New("expected logical_decoding_work_mem or default_toast_compression, which decoding depends on")
		}
		if !ok {
			err = errors.New("expected the form name=value")
		}
		if err != nil {
			return d, fmt.Errorf("--set %s: %w", text, err)
		}
	}
	if d.Ways == nil {
		d.Ways = slices.Clone(decode.Ways)
		if d.Major < 14 { // nothing was streamed then
			d.Ways = slices.DeleteFunc(d.Ways, func(w string) bool { return w == decode.PgoutputStreaming })
		}
	}
	if o.show != "" {
		d.Ways = []string{o.show}
		d.Emit = func(way string, message []byte) {
			if strings.HasPrefix(way, "pgoutput") {
				message = hex.AppendEncode(nil, message)
			}
			env.stdout.Write(message)
			env.stdout.WriteByte('\n')
		}
	}
	return d, nil
}

// decodeCase decodes a case recorded on a publisher.
func (o *decodeOptions) decodeCase(d *decode.Options, f *pflag.FlagSet) (*decode.Decoder, error) {
	if !recorded.IsPublisher(hostFS{}, o.caseDir) {
		return nil, fmt.Errorf("%s: expected the folder of a case recorded on a publisher, which has a changes.tsv.gz", o.caseDir)
	}
	c, err := recorded.OpenPublisher(hostFS{}, o.caseDir)
	if err != nil {
		return nil, err
	}
	own, err := c.DecodeOptions()
	if err != nil {
		return nil, err
	}
	if d.Publications == nil {
		d.Publications = own.Publications
	}
	set := strings.ToLower(strings.Join(o.set, " "))
	if !strings.Contains(set, "logical_decoding_work_mem") {
		d.WorkMem = own.WorkMem
	}
	if !strings.Contains(set, "default_toast_compression") {
		d.Compression = own.Compression
	}
	if !f.Changed("server-version") {
		d.Major = own.Major
	}
	return c.Decode(*d)
}

// decodeStream decodes a captured stream.
func (o *decodeOptions) decodeStream(env environment, options decode.Options, r *decodeReport) (*decode.Decoder, error) {
	db, file := new(schema.Database), ""
	var err error
	if o.schema != "" {
		ddl, err := openInput(env, o.schema)
		if err != nil {
			return nil, err
		}
		defer ddl.Close()
		file = o.schema
		if db, err = schema.Read(ddl, file); err != nil {
			return nil, err
		}
		r.Warnings = append(r.Warnings, schemaWarnings(file, db)...)
	} else if db, err = schema.Read(strings.NewReader(""), ""); err != nil {
		return nil, err
	}
	if options.Publications == nil {
		for _, p := range db.Publications {
			options.Publications = append(options.Publications, p.Name)
		}
		options.AllTables = len(db.Publications) == 0
	}
	d, err := decode.New(db, options)
	if err != nil {
		return nil, err
	}
	in, err := openInput(env, o.stream)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	messages, err := capture.NewReader(in, hints(db))
	if err != nil {
		return nil, streamError(o.stream, err)
	}
	var m stream.Message
	for {
		err := messages.Next(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = d.Message(&m)
		}
		if err != nil {
			return nil, streamError(o.stream, err)
		}
	}
	r.Warnings = append(r.Warnings, messages.Warnings()...)
	if d.Unfinished() {
		r.Warnings = append(r.Warnings, "the stream ends within a transaction, which is not decoded")
	}
	return d, nil
}

// hints are what the publisher's schema tells of its tables. Generated columns stay:
// other plugins than pgoutput print them.
func hints(db *schema.Database) func(schema, table string) *capture.Hint {
	find := capture.Hints(db)
	return func(namespace, table string) *capture.Hint {
		h := find(namespace, table)
		if h != nil {
			h.Generated = nil
		}
		return h
	}
}

// streamError adds the input's name to an error.
func streamError(name string, err error) error {
	var at *capture.Error
	if errors.As(err, &at) {
		return textError(name, err)
	}
	if name == "-" {
		name = "standard input"
	}
	return fmt.Errorf("%s: %w", name, err)
}
