package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// TestPrefixes cuts every distinct message everywhere.
func TestPrefixes(t *testing.T) {
	n := 0
	var m Message
	for text, streamed := range messages(t) {
		b := []byte(text)
		step := 1
		if len(b) > 4000 {
			step = 97 // a TOASTed value: no need to cut it at each byte
		}
		for cut := 0; cut < len(b); cut += step {
			d := Decoder{streamed: streamed}
			err := d.Decode(b[:cut], &m)
			if Kind(b[0]) == KindStreamAbort && cut == abortShortBytes {
				if err != nil || m.AbortInfo {
					t.Errorf("a long stream abort cut to the short form: %v", err)
				}
				continue
			}
			var e *Error
			if !errors.As(err, &e) || e.Message != 1 || !strings.Contains(e.Text, "expected") {
				t.Fatalf("%x cut to %d bytes: %v", b, cut, err)
			}
			if d.streamed != streamed || d.number != 0 {
				t.Fatalf("%x cut to %d bytes changed the decoder", b, cut)
			}
			n++
		}
		d := Decoder{streamed: streamed}
		if err := d.Decode(append(b, 0), &m); err == nil {
			t.Errorf("%x with a byte too many is accepted", b)
		}
	}
	t.Logf("%d messages cut", n)
}

// TestCutRawStream cuts a raw stream everywhere: what is whole is read, then
// there is one error, or none where the cut is between two messages.
func TestCutRawStream(t *testing.T) {
	var raw []byte
	ends := map[int]int64{0: 0}
	for i, b := range synthetic() {
		raw = append(append(raw, b...), '\n')
		ends[len(raw)] = int64(i + 1)
	}
	for cut := range raw {
		r := open(t, raw[:cut], Options{BufferBytes: sniffBytes})
		n, err := encodeAll(r, NewWriter(io.Discard, Raw))
		whole, between := ends[cut]
		if between {
			if err != nil || n != whole {
				t.Errorf("cut at %d: %d messages, %v", cut, n, err)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.Message != n+1 || ends[int(e.Offset)] != n {
			t.Errorf("cut at %d: after %d messages: %v", cut, n, err)
		}
		var m Message
		if again := r.Next(&m); again != err {
			t.Errorf("cut at %d: %v, then %v", cut, err, again)
		}
	}
}

func TestErrors(t *testing.T) {
	begin := AppendBegin(nil, 0x1000, 5, 700)
	insert := AppendInsert(nil, 0, 7, Tuple{{ColumnText, []byte("1")}})
	bad := func(b []byte, at int, with ...byte) string {
		b = bytes.Clone(b)
		copy(b[at:], with)
		return string(b) + "\n"
	}
	ok := string(begin) + "\n"
	for _, c := range []struct{ in, want string }{
		{"zzz", "message 1 (offset 0): expected gzip, the type byte of a message, an LSN or hex, found 'z'"},
		{"BEGIN 700\n", "message 1 (offset 0): expected pgoutput messages, found the text of test_decoding"},
		{"\x1f\x8b", "message 1 (offset 0): reading the gzip header: unexpected EOF"},
		{ok + "x", "message 2 (offset 22): expected the type byte of a message, found 'x'"},
		{string(begin), "message 1 (offset 0): expected a newline after begin of 21 bytes, found the end of the input"},
		{string(begin) + "I", "message 1 (offset 0): expected a newline after begin of 21 bytes, found 'I'"},
		{ok + ok[:10], "message 2 (offset 22): begin is cut short at its fields: expected at least 21 bytes, found 10"},
		{ok + string(insert[:10]), "message 2 (offset 22): insert is cut short at column 1: expected at least 13 bytes, found 10"},
		{ok + bad(insert, 5, 'O'), "message 2 (offset 22): expected 'N' before the new tuple, found 'O'"},
		{ok + bad(insert, 6, 0xff), "message 2 (offset 22): expected at most 1600 columns, found 65281"},
		{ok + bad(insert, 8, 'x'), "message 2 (offset 22): expected 'n', 'u', 't' or 'b' before a column, found 'x'"},
		{ok + bad(insert, 9, 0x7f), "message 2 (offset 22): expected a value of less than 1 GB, found 2130706433"},
		{ok + bad(insert, 9, 0x3f, 0xff, 0xff, 0xff), "message 2 (offset 22): expected a message of less than 1 GB, found one of at least 1073741836 bytes"},
		{ok + bad(insert, 9, 0x2f), "message 2 (offset 22): insert is cut short at column 1: expected at least 788529166 bytes, found 15"},
		{ok + "E\n", "message 2 (offset 22): expected stream start before stream stop"},
		{"S\x00\x00\x00\x01\x01\n" + ok, "message 2 (offset 7): expected stream stop before begin"},
		{"S\x00\x00\x00\x01\x01\nS\x00\x00\x00\x01\x00\n", "message 2 (offset 7): expected stream stop before stream start"},
		{bad(begin, 1, 0, 0, 0, 0, 0, 0, 0, 0), "message 1 (offset 0): expected a final LSN in begin, found 0/0"},
		{"Y\x00\x00\x00\x01" + strings.Repeat("x", 3<<20), "message 1 (offset 0): expected a zero byte within 1 MiB at the end of the type's schema"},
		{"0/1\t7\t42\n", "message 1 (offset 0): begin is cut short at its fields: expected at least 21 bytes, found 1"},
		{"0/1\t7\t420\n", "message 1 (offset 0): expected an even number of hex digits, found 3"},
		{"0/1\t7\t4x\n", "message 1 (offset 0): expected a hex digit, found 'x'"},
		{"0/1\tx\t42\n", "message 1 (offset 0): expected an xid and a tab after the LSN"},
		{"0/1\t7\t45\n", "message 1 (offset 0): expected stream start before stream stop"},
		{"0/1\t7\t530000000101\n0/1 7\n", "message 2 (offset 19): expected an LSN such as 0/196FD20 and a tab at the start of the line"},
		{"530000000101\n\n4545\n", "message 2 (offset 14): expected the end of stream stop after 1 bytes, found 1 more"},
		{"0/1\t7\t4900000001" + "4e000174" + "00000001" + strings.Repeat("31", 10000), "message 1 (offset 0): expected the end of insert after 14 bytes, found at least "},
	} {
		in := c.in
		r, err := NewReader(strings.NewReader(in), Options{BufferBytes: 256})
		if err == nil {
			_, err = encodeAll(r, NewWriter(io.Discard, Raw))
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.60q:\n got  %v\n want %s", in, err, c.want)
		}
	}
}

func TestAcceptedVariants(t *testing.T) {
	stop := "530000000101"
	for _, in := range []string{
		"0/1\t7\t" + stop + "\n0/1\t7\t45", "0/1|7|\\x" + stop + "\r\n0/1|7|\\x45\r\n", "0/1\t7\t\\\\x" + stop + "\n\n0/1\t7\t\\\\x45\n\n",
		stop + "\n45\n", "\\x" + stop + "\n\\x45", strings.ToUpper(stop) + "\r\n45\r\n", "FFFFFFFF/FFFFFFFF\t4294967295\t" + stop + "\nA/1\t7\t45",
		"B/1\t7\t" + stop + "\nc/1\t7\t45", "S\x00\x00\x00\x01\x01\nE\n",
	} {
		r := open(t, []byte(in), DefaultOptions())
		if n, err := encodeAll(r, NewWriter(io.Discard, Raw)); n != 2 || err != nil {
			t.Errorf("%q: %d messages, %v", in, n, err)
		}
	}
	r := open(t, nil, DefaultOptions())
	if n, err := encodeAll(r, NewWriter(io.Discard, Raw)); n != 0 || err != nil {
		t.Errorf("empty: %d messages, %v", n, err)
	}
}

// TestReadError hands on the source's error, after the messages before it.
func TestReadError(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, c := range []Container{Raw, Lines, Hex} {
		var in bytes.Buffer
		w := NewWriter(&in, c)
		w.WriteEncoded(1, 7, AppendBegin(nil, 1, 2, 3))
		w.WriteEncoded(1, 7, AppendBegin(nil, 1, 2, 3))
		w.Flush()
		cut := in.Len() - 5
		r, err := NewReader(io.MultiReader(bytes.NewReader(in.Bytes()[:cut]), failingReader{broken}), DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		n, err := encodeAll(r, NewWriter(io.Discard, Raw))
		var e *Error
		if n != 1 || !errors.Is(err, broken) || !errors.As(err, &e) || e.Offset != int64(in.Len()/2) {
			t.Errorf("%s: %d messages, %v", c, n, err)
		}
	}
}

// TestLargeValue measures what a large value takes, and a length that lies.
func TestLargeValue(t *testing.T) {
	const size = 12 << 20
	msg := AppendInsert(nil, 0, 7, Tuple{{ColumnText, bytes.Repeat([]byte("v"), size)}})
	for _, c := range []Container{Raw, Hex} {
		var in bytes.Buffer
		w := NewWriter(&in, c)
		w.WriteEncoded(0, 0, msg)
		w.WriteEncoded(0, 0, AppendBegin(nil, 1, 2, 3))
		w.Flush()
		var m Message
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := open(t, in.Bytes(), DefaultOptions())
		if err := r.Next(&m); err != nil || len(m.New[0].Data) != size {
			t.Fatal(err)
		}
		if err := r.Next(&m); err != nil || m.Kind != KindBegin {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		if allocated > size*22/10 {
			t.Errorf("%s: a value of %d bytes took %d", c, size, allocated)
		}
	}
	lie := append([]byte(nil), msg[:1000]...)
	binary.BigEndian.PutUint32(lie[9:], 900<<20)
	r := open(t, lie, DefaultOptions())
	var m Message
	if err := r.Next(&m); err == nil {
		t.Error("a cut message is accepted")
	}
	if len(r.buf) > 256<<10 {
		t.Errorf("a length that lies made the window %d bytes", len(r.buf))
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	for _, c := range []Container{Raw, Lines, Hex} {
		r := open(t, benchmarkInput(c, 2000), DefaultOptions())
		var m Message
		for range 10 {
			if err := r.Next(&m); err != nil {
				t.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(1000, func() { r.Next(&m) }); n != 0 {
			t.Errorf("%s: %v allocations a message", c, n)
		}
	}
}
