package server

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
)

// PublisherCase is the case.json of a case that is recorded on a publisher: sessions that
// change its tables. Package recorded replays it.
type PublisherCase struct {
	Name      string   `json:"name"`
	Why       string   `json:"why,omitempty"`
	Pub       string   `json:"pub"` // DDL of the tables
	Identity  string   `json:"identity,omitempty"`
	Conf      Settings `json:"conf,omitempty"`
	Checksums bool     `json:"checksums,omitempty"`
	SQL       []string `json:"sql"` // what sessions run, one after the other; each connects anew
}

// everything is the slot, and the publication, that give all changes of a case.
const everything = "everything"

// RecordPublisher records a publisher's case in dir, a folder that it makes. The case runs
// twice, on a server with wal_level = logical, whose slot gives the changes, and on one
// with the case's settings, whose WAL is kept.
func (p *Pool) RecordPublisher(c *PublisherCase, dir string) (*Summary, error) {
	conf := maps.Clone(c.Conf)
	if conf == nil {
		conf = Settings{}
	}
	// A slot decodes what is flushed.
	conf["synchronous_commit"] = "on"
	logical := maps.Clone(conf)
	logical["wal_level"] = "logical"
	var used []*Cluster
	s, err := func() (*Summary, error) {
		twin, err := p.cluster("pub", logical, false)
		if err != nil {
			return nil, err
		}
		used = append(used, twin)
		changes, err := twin.changesOf(c)
		if err != nil {
			return nil, err
		}
		k, err := p.cluster("pub", conf, c.Checksums)
		if err != nil {
			return nil, err
		}
		used = append(used, k)
		return k.walOf(c, changes, dir)
	}()
	if err != nil {
		for _, k := range used {
			p.forget(k)
		}
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return s, nil
}

// changesOf runs a case and returns its row changes, as messages of a stream.
func (c *Cluster) changesOf(pc *PublisherCase) ([][]string, error) {
	if err := c.Script(pc.Pub + ";" + strings.ReplaceAll(pc.Identity, "identity nothing", "identity full")); err != nil {
		return nil, err
	}
	if _, err := c.Query("create publication " + everything + " for all tables"); err != nil {
		return nil, err
	}
	if _, err := c.Query("select pg_create_logical_replication_slot('" + everything + "', 'pgoutput')"); err != nil {
		return nil, err
	}
	failed := c.sessions(pc)
	var changes [][]string
	if failed == nil {
		version := "4"
		if c.Major < 16 {
			version = "3"
		}
		changes, failed = c.Query("select lsn, xid, encode(data, 'hex') from pg_logical_slot_get_binary_changes('" + everything + "', null, null, 'proto_version', '" + version + "', 'publication_names', '" + everything + "')")
	}
	_, err := c.Query("select pg_drop_replication_slot('" + everything + "')")
	if failed = errors.Join(failed, err); failed != nil {
		return nil, failed
	}
	if _, err := c.Query("drop publication " + everything); err != nil {
		return nil, err
	}
	return changes, c.dropAll()
}

// sessions runs the SQL of a case.
func (c *Cluster) sessions(pc *PublisherCase) error {
	for _, text := range pc.SQL {
		k, err := Dial(c.Port, database, nil)
		if err != nil {
			return err
		}
		if err = errors.Join(k.session(text), k.Close()); err != nil {
			return fmt.Errorf("%w in: %s", err, shortened(text))
		}
	}
	return nil
}

// session runs a script, in which COPY ... FROM STDIN may stand with its lines, up to \.
func (k *Conn) session(script string) error {
	for script != "" {
		at := fromStdin.FindStringIndex(script)
		if at == nil {
			return k.Script(script)
		}
		start := strings.LastIndex(script[:at[0]], ";") + 1
		if err := k.statements(script[:start]); err != nil {
			return err
		}
		data, rest, ok := strings.Cut(script[at[1]:], "\\.\n")
		if !ok {
			return errors.New(`COPY without \.`)
		}
		var lines []string
		if data != "" {
			lines = strings.Split(strings.TrimSuffix(data, "\n"), "\n")
		}
		if err := k.CopyIn(strings.TrimSuffix(script[start:at[1]], ";\n"), lines); err != nil {
			return err
		}
		script = rest
	}
	k.rollback()
	return nil
}

// fromStdin ends a COPY whose lines follow.
var fromStdin = regexp.MustCompile(` from stdin( [^;]*)?;\n`)

// statements is Script without the rollback at the end.
func (k *Conn) statements(script string) error {
	for _, text := range Split(script) {
		if _, err := k.Query(text); err != nil {
			return fmt.Errorf("%w in: %s", err, shortened(text))
		}
	}
	return nil
}

// walOf runs a case and writes its folder.
func (c *Cluster) walOf(pc *PublisherCase, changes [][]string, dir string) (*Summary, error) {
	if err := c.Script(pc.Pub + ";" + pc.Identity); err != nil {
		return nil, err
	}
	r := &recording{sub: c}
	if err := r.objectIDs(); err != nil {
		return nil, err
	}
	rows, err := c.Query("select name, setting from pg_settings where name = 'server_version'")
	if err != nil {
		return nil, err
	}
	version := "PostgreSQL " + rows[0][1]
	if _, err := c.Query("checkpoint"); err != nil {
		return nil, err
	}
	next, err := c.Query("select pg_snapshot_xmax(pg_current_snapshot()), next_multixact_id, next_multi_offset from pg_control_checkpoint()")
	if err != nil {
		return nil, err
	}
	if r.start.StartLSN, err = c.Value("select pg_current_wal_insert_lsn()"); err != nil {
		return nil, err
	}
	if err := c.sessions(pc); err != nil {
		return nil, err
	}
	end, err := c.Value("select pg_current_wal_insert_lsn()")
	if err != nil {
		return nil, err
	}
	// This flushes it.
	if _, err := c.Query("select pg_logical_emit_message(true, 'applysim', '')"); err != nil {
		return nil, err
	}
	records, err := r.records(end)
	if err != nil {
		return nil, err
	}
	conf := maps.Clone(configuration)
	conf["synchronous_commit"] = "on"
	maps.Copy(conf, pc.Conf)
	s := &Summary{Messages: len(changes), Records: len(records)}
	for _, x := range records {
		s.Bytes += atoi(x[5])
	}
	f := &folder{dir: dir}
	if err := f.create(); err != nil {
		return nil, err
	}
	f.json("case.json", pc)
	f.lines("changes.tsv.gz", changes)
	f.lines("records.tsv.gz", records)
	f.json("expected.json", map[string]any{
		"version": version, "conf": conf, "start_lsn": r.start.StartLSN, "end_lsn": end, "next_xid": atoi(next[0][0]), "next_oid": r.start.NextOID,
		"next_multi": atoi(next[0][1]), "next_offset": atoi(next[0][2]),
	})
	if f.err != nil {
		os.RemoveAll(dir)
		return nil, f.err
	}
	return s, c.dropAll()
}
