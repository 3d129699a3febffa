package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Case is case.json: what to record.
type Case struct {
	Name        string   `json:"name"`
	Why         string   `json:"why,omitempty"`
	Pub         string   `json:"pub"`             // DDL of the publisher
	Sub         string   `json:"sub,omitempty"`   // DDL of the subscriber, if it is another one
	Load        []Load   `json:"load,omitempty"`  // rows that both sides have before
	After       string   `json:"after,omitempty"` // DDL of the subscriber after these: its indexes
	SQL         []Step   `json:"sql"`
	SubOptions  string   `json:"sub_options,omitempty"` // of the subscription, such as "binary = true"
	SubConf     Settings `json:"sub_conf,omitempty"`    // settings of the subscriber
	PubConf     Settings `json:"pub_conf,omitempty"`
	Checksums   bool     `json:"checksums,omitempty"`   // of the subscriber's cluster
	Identity    string   `json:"identity,omitempty"`    // SQL for the publisher after its DDL
	Publication string   `json:"publication,omitempty"` // the statement that makes publication p
	Stops       bool     `json:"stops,omitempty"`       // the last step makes the worker stop with an error
}

// Load is rows that a table has before the case, and how they came there.
type Load struct {
	Table string `json:"table"`
	Query string `json:"rows"` // what gives them on the publisher, with the table's columns in their order
	// How is copy (COPY, indexes built afterwards), indexes first (COPY into a table with
	// indexes) or inserts (one by one, indexes being there).
	How    string `json:"how"`
	Vacuum string `json:"vacuum,omitempty"` // VACUUM or VACUUM (FREEZE) afterwards; none if empty
}

// The ways in which rows come into a table.
const (
	LoadCopy         = "copy"
	LoadIndexesFirst = "indexes first"
	LoadInserts      = "inserts"
)

func (l *Load) check() error {
	switch {
	case l.Table == "" || l.Query == "":
		return fmt.Errorf("load: expected table, and rows: a query that gives them")
	case l.How != LoadCopy && l.How != LoadIndexesFirst && l.How != LoadInserts:
		return fmt.Errorf("load of table %q: how is %q: expected %s, %s or %s", l.Table, l.How, LoadCopy, LoadIndexesFirst, LoadInserts)
	case l.Vacuum != "" && !strings.HasPrefix(strings.ToUpper(l.Vacuum), "VACUUM"):
		return fmt.Errorf("load of table %q: vacuum is %q: expected VACUUM with its options, without the table", l.Table, l.Vacuum)
	}
	return nil
}

// Settings are values of server settings by name.
type Settings map[string]string

// UnmarshalJSON takes numbers and truth values, too.
func (s *Settings) UnmarshalJSON(b []byte) error {
	var values map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&values); err != nil {
		return err
	}
	*s = Settings{}
	for name, v := range values {
		switch v := v.(type) {
		case string:
			(*s)[name] = v
		case json.Number:
			(*s)[name] = v.String()
		case bool:
			(*s)[name] = strconv.FormatBool(v)
		default:
			return fmt.Errorf("setting %s is %v: expected a string or a number", name, v)
		}
	}
	return nil
}

// Step is a script that runs on the publisher, or on the subscriber once all
// before it is applied.
type Step struct {
	Pub, Sub string
	// During runs on the publisher while the first table waits to be copied that the
	// subscriber's command brings over.
	During string
}

// MarshalJSON gives a publisher's step as a string, a subscriber's as an object.
func (s Step) MarshalJSON() ([]byte, error) {
	var v any = s.Pub
	if s.Sub != "" {
		m := map[string]string{"sub": s.Sub}
		if s.During != "" {
			m["during"] = s.During
		}
		v = m
	}
	return marshal(v)
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (s *Step) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &s.Pub)
	}
	var o struct {
		Sub    string `json:"sub"`
		During string `json:"during"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil || o.Sub == "" {
		return fmt.Errorf("a step of sql is %s: expected a string, or an object {\"sub\": SQL, \"during\": SQL}", b)
	}
	s.Sub, s.During = o.Sub, o.During
	return nil
}

// ReadCase reads a case's file.
func ReadCase(file string) (*Case, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := new(Case)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		line := 1 + bytes.Count(text[:min(d.InputOffset(), int64(len(text)))], []byte("\n"))
		return nil, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	if c.Name == "" || strings.ContainsAny(c.Name, "/\\") || c.Name[0] == '.' {
		return nil, fmt.Errorf("%s: name %q: expected one that a folder can have", file, c.Name)
	}
	for i := range c.Load {
		if err := c.Load[i].check(); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return c, nil
}

// marshal is json.Marshal without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// parallel says whether streamed transactions are applied by parallel workers: the
// default since PostgreSQL 18.
func (c *Case) parallel(major int) bool {
	if !strings.Contains(c.SubOptions, "streaming") {
		return major >= 18
	}
	return strings.Contains(c.SubOptions, "parallel")
}
