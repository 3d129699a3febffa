package server

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Conn is a connection to a server: version 3 of the protocol with simple
// queries and no authentication.
//
//	startup:  length 4 | version 4 | name 0 value 0 ... 0
//	then:     type 1 | length 4, itself included | content
type Conn struct {
	c      net.Conn
	r      *bufio.Reader
	status byte // of the last ReadyForQuery: I idle, T in a transaction, E in a failed one
}

// ServerError is an error that the server reports.
type ServerError struct {
	Severity, Code, Message, Detail, Hint, Where string
}

func (e *ServerError) Error() string {
	text := e.Severity + ":  " + e.Message
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	return text
}

const protocolVersion = 3 << 16

// Dial connects to a server.
func Dial(port int, database string, settings map[string]string) (*Conn, error) {
	c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), 10*time.Second)
	if err != nil {
		return nil, err
	}
	k := &Conn{c: c, r: bufio.NewReaderSize(c, 64<<10)}
	msg := binary.BigEndian.AppendUint32(make([]byte, 4), protocolVersion)
	add := func(name, value string) { msg = append(append(append(append(msg, name...), 0), value...), 0) }
	add("user", superuser)
	add("database", database)
	add("application_name", "applysim")
	for name, value := range settings {
		add(name, value)
	}
	msg = append(msg, 0)
	binary.BigEndian.PutUint32(msg, uint32(len(msg)))
	if _, err := c.Write(msg); err != nil {
		c.Close()
		return nil, err
	}
	if _, err := k.results(); err != nil {
		c.Close()
		return nil, err
	}
	return k, nil
}

// Close ends the session.
func (k *Conn) Close() error {
	k.c.Write([]byte{'X', 0, 0, 0, 4})
	return k.c.Close()
}

// Query runs one statement, or several in one transaction, and returns the rows
// of all. NULL reads as an empty string.
func (k *Conn) Query(sql string) ([][]string, error) {
	if strings.IndexByte(sql, 0) >= 0 {
		return nil, errors.New("a zero byte in SQL text")
	}
	msg := append(binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5)), sql...)
	if _, err := k.c.Write(append(msg, 0)); err != nil {
		return nil, err
	}
	return k.results()
}

// Pipeline runs statements one after the other, each in a message of its own, but sends them
// all before it reads what comes back. They give few rows.
func (k *Conn) Pipeline(list []string) error {
	var msg []byte
	for _, sql := range list {
		if strings.IndexByte(sql, 0) >= 0 {
			return errors.New("a zero byte in SQL text")
		}
		msg = append(append(binary.BigEndian.AppendUint32(append(msg, 'Q'), uint32(len(sql)+5)), sql...), 0)
	}
	if _, err := k.c.Write(msg); err != nil {
		return err
	}
	var failed error
	for range list {
		if _, err := k.results(); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// CopyIn runs COPY ... FROM STDIN with lines.
func (k *Conn) CopyIn(sql string, lines []string) error {
	msg := append(binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5)), sql...)
	if _, err := k.c.Write(append(msg, 0)); err != nil {
		return err
	}
	kind, body, err := k.message()
	switch {
	case err != nil:
		return err
	case kind == 'E':
		failed := serverError(body)
		k.results()
		return failed
	case kind != 'G':
		return fmt.Errorf("%s: the server answers with message %q, expected 'G'", sql, kind)
	}
	w := bufio.NewWriterSize(k.c, 64<<10)
	for _, l := range lines {
		w.Write(binary.BigEndian.AppendUint32([]byte{'d'}, uint32(len(l)+5)))
		w.WriteString(l)
		w.WriteByte('\n')
	}
	w.Write([]byte{'c', 0, 0, 0, 4})
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = k.results()
	return err
}

// results reads until the server is ready for a query.
func (k *Conn) results() ([][]string, error) {
	var rows [][]string
	var failed error
	for {
		kind, body, err := k.message()
		if err != nil {
			if failed != nil {
				return nil, failed
			}
			return nil, err
		}
		switch kind {
		case 'D':
			row, err := dataRow(body)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		case 'E':
			e := serverError(body)
			if failed == nil {
				failed = e
			}
			if e.Severity == "FATAL" || e.Severity == "PANIC" {
				return nil, failed
			}
		case 'R':
			if len(body) < 4 || binary.BigEndian.Uint32(body) != 0 {
				return nil, errors.New("the server asks for authentication, expected none (trust)")
			}
		case 'd': // a line of COPY TO STDOUT
			rows = append(rows, []string{strings.TrimSuffix(string(body), "\n")})
		case 'G', 'W':
			return nil, errors.New("COPY from the client: expected CopyIn")
		case 'Z':
			if len(body) > 0 {
				k.status = body[0]
			}
			if failed != nil {
				return nil, failed
			}
			return rows, nil
		}
	}
}

// message reads one message.
func (k *Conn) message() (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(k.r, head[:]); err != nil {
		return 0, nil, fmt.Errorf("connection to the server: %w", err)
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n < 4 || n > 1<<30 {
		return 0, nil, fmt.Errorf("connection to the server: a message of %d bytes", n)
	}
	body = make([]byte, n-4)
	if _, err := io.ReadFull(k.r, body); err != nil {
		return 0, nil, fmt.Errorf("connection to the server: %w", err)
	}
	return head[0], body, nil
}

func dataRow(body []byte) ([]string, error) {
	broken := errors.New("connection to the server: a row that ends too early")
	if len(body) < 2 {
		return nil, broken
	}
	row := make([]string, binary.BigEndian.Uint16(body))
	body = body[2:]
	for i := range row {
		if len(body) < 4 {
			return nil, broken
		}
		n := int32(binary.BigEndian.Uint32(body))
		body = body[4:]
		if n < 0 {
			continue
		}
		if int(n) > len(body) {
			return nil, broken
		}
		row[i], body = string(body[:n]), body[n:]
	}
	return row, nil
}

func serverError(body []byte) *ServerError {
	e := new(ServerError)
	for len(body) > 0 && body[0] != 0 {
		value, rest, _ := strings.Cut(string(body[1:]), "\x00")
		switch body[0] {
		case 'V':
			e.Severity = value
		case 'C':
			e.Code = value
		case 'M':
			e.Message = value
		case 'D':
			e.Detail = value
		case 'H':
			e.Hint = value
		case 'W':
			e.Where = value
		}
		body = []byte(rest)
	}
	return e
}

// Value runs a query that gives one value.
func (k *Conn) Value(sql string) (string, error) {
	rows, err := k.Query(sql)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 || len(rows[len(rows)-1]) == 0 {
		return "", fmt.Errorf("no row from %q, expected one", sql)
	}
	return rows[len(rows)-1][0], nil
}

// Script runs the statements of a script one after the other, each in its own
// transaction unless the script begins one, as psql does. Each value that a
// statement gives which ends in \gexec is run as a statement, too. A transaction
// that the script leaves open is rolled back.
func (k *Conn) Script(script string) error {
	defer k.rollback()
	for _, statement := range Split(script) {
		text, execute := strings.CutSuffix(statement, gexec)
		rows, err := k.Query(text)
		if err != nil {
			return fmt.Errorf("%w in: %s", err, shortened(text))
		}
		if !execute {
			continue
		}
		for _, row := range rows {
			for _, made := range row {
				if _, err := k.Query(made); err != nil {
					return fmt.Errorf("%w in: %s", err, shortened(made))
				}
			}
		}
	}
	return nil
}

func (k *Conn) rollback() {
	if k.status == 'T' || k.status == 'E' {
		k.Query("rollback")
	}
}

func shortened(s string) string {
	if len(s) > 300 {
		return s[:300] + "..."
	}
	return s
}
