package server

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
)

// message frames content as a server does.
func message(kind byte, content string) string {
	return string(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(content)+4))) + content
}

func reading(text string) *Conn { return &Conn{r: bufio.NewReader(strings.NewReader(text))} }

func TestResults(t *testing.T) {
	row := "\x00\x02" + "\x00\x00\x00\x01a" + "\xff\xff\xff\xff"
	k := reading(message('T', "\x00\x00") + message('D', row) + message('D', row) + message('C', "SELECT 2\x00") + message('Z', "I"))
	rows, err := k.results()
	if err != nil || len(rows) != 2 || !slices.Equal(rows[1], []string{"a", ""}) || k.status != 'I' {
		t.Errorf("rows %q, status %c, error %v", rows, k.status, err)
	}
	k = reading(message('E', "SERROR\x00VERROR\x00C22003\x00Mtoo large\x00Dby far\x00\x00") + message('Z', "E"))
	var failed *ServerError
	if _, err = k.results(); !errors.As(err, &failed) || failed.Code != "22003" || err.Error() != "ERROR:  too large (by far)" || k.status != 'E' {
		t.Errorf("status %c, error %v", k.status, err)
	}
	for name, text := range map[string]string{
		"nothing": "", "half a head": "D\x00\x00", "half a message": message('D', row)[:9], "no length": "D\x00\x00\x00\x00",
		"a row without columns": message('D', "\x00"), "a column that is too short": message('D', "\x00\x01\x00\x00\x00\x05a"),
		"a password": message('R', "\x00\x00\x00\x03"), "COPY": message('G', "\x00\x00\x00"),
	} {
		if rows, err := reading(text).results(); err == nil {
			t.Errorf("%s: rows %q, expected an error", name, rows)
		}
	}
}

// The proxy passes everything on and keeps pgoutput's messages, descriptions of
// relations as if they were not streamed.
func TestProxy(t *testing.T) {
	data := func(lsn uint64, hexText string) string {
		content, err := hex.DecodeString(hexText)
		if err != nil {
			t.Fatal(err)
		}
		head := binary.BigEndian.AppendUint64([]byte{'w'}, lsn)
		return message('d', string(append(head, make([]byte, 16)...))+string(content))
	}
	begin := "42" + "0000000000000010" + "0000000000000001" + "00000007"
	text := message('Z', "I") +
		data(0x100000001, begin) + data(2, "5200000001") + // begin, relation
		data(3, "530000000901") + data(4, "520000000900000002") + data(5, "45") + // a block of transaction 9
		message('d', "k"+strings.Repeat("x", 17)) // a keepalive
	p := new(proxy)
	var out bytes.Buffer
	p.forward(&link{}, &out, bufio.NewReader(strings.NewReader(text)))
	if out.String() != text {
		t.Errorf("%d of %d bytes are passed on, or others", out.Len(), len(text))
	}
	want := [][]string{{"1/1", "7", begin}, {"0/2", "7", "5200000001"}, {"0/3", "9", "530000000901"}, {"0/4", "9", "520000000900000002"}, {"0/5", "9", "45"}}
	if got := p.passed(); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v", got)
	}
	p.reset()
	want = [][]string{{"0/2", "7", "5200000001"}, {"0/4", "9", "5200000002"}}
	if got := p.passed(); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("after a reset: got %v", got)
	}
}
