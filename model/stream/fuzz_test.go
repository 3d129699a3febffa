package stream

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"
)

// FuzzDecode decodes arbitrary bytes as one message. What is accepted must be
// encoded to the same bytes.
func FuzzDecode(f *testing.F) {
	for _, b := range synthetic() {
		f.Add(b, false)
		f.Add(b, true)
	}
	f.Fuzz(func(t *testing.T, b []byte, streamed bool) {
		var m Message
		d := Decoder{streamed: streamed}
		if err := d.Decode(b, &m); err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) || e.Text == "" || d.streamed != streamed {
				t.Fatalf("%#v", err)
			}
			return
		}
		got, err := AppendMessage(nil, &m)
		if err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%x was encoded to %x (%v)", b, got, err)
		}
	})
}

// fuzzReader reads arbitrary bytes as a container, through windows of two sizes
// and byte by byte: all must give the same messages and the same error. It
// returns the messages that were read as a raw stream.
func fuzzReader(t *testing.T, b []byte, c Container) ([]byte, error) {
	var first []byte
	var firstErr string
	var result error
	for i, read := range []io.Reader{bytes.NewReader(b), bytes.NewReader(b), slowReader{bytes.NewReader(b)}} {
		o := Options{Container: c, BufferBytes: []int{4096, sniffBytes, sniffBytes}[i]}
		var out bytes.Buffer
		r, err := NewReader(read, o)
		if err == nil {
			_, err = encodeAll(r, NewWriter(&out, Raw))
		}
		text := ""
		if err != nil {
			e := (*Error)(nil)
			if !errors.As(err, &e) || e.Text == "" || e.Message < 1 || e.Offset < 0 {
				t.Fatalf("%#v", err)
			}
			// How much had arrived when a long line was found to be wrong
			// depends on the window; where it is does not.
			text = (&Error{Message: e.Message, Offset: e.Offset}).Error()
			if c == Raw {
				text = err.Error()
			}
		}
		if i == 0 {
			first, firstErr, result = bytes.Clone(out.Bytes()), text, err
		} else if text != firstErr {
			t.Fatalf("way %d: %q, then %q (%v)", i, firstErr, text, err)
		} else if err == nil && !bytes.Equal(out.Bytes(), first) {
			t.Fatalf("way %d: %x, then %x", i, first, out.Bytes())
		}
	}
	return first, result
}

func seeds(f *testing.F, c Container) {
	var out bytes.Buffer
	w := NewWriter(&out, c)
	for i, b := range synthetic() {
		if i%9 == 0 {
			w.Flush()
			f.Add(bytes.Clone(out.Bytes()))
		}
		w.WriteEncoded(LSN(i), uint32(i), b)
	}
	w.Flush()
	f.Add(out.Bytes())
}

func FuzzRaw(f *testing.F) {
	seeds(f, Raw)
	f.Fuzz(func(t *testing.T, b []byte) {
		out, err := fuzzReader(t, b, Raw)
		if err == nil && !bytes.Equal(out, b) {
			t.Fatalf("%x was encoded to %x", b, out)
		}
	})
}

func FuzzLines(f *testing.F) {
	seeds(f, Lines)
	f.Fuzz(func(t *testing.T, b []byte) { fuzzReader(t, b, Lines) })
}

func FuzzHex(f *testing.F) {
	seeds(f, Hex)
	f.Fuzz(func(t *testing.T, b []byte) { fuzzReader(t, b, Hex) })
}

// FuzzSniff leaves it to the reader what the bytes are; gzip is among the seeds.
func FuzzSniff(f *testing.F) {
	for _, c := range []Container{Raw, Lines, Hex} {
		seeds(f, c)
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		z.Write(benchmarkInput(c, 25))
		z.Close()
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.HasPrefix(b, gzipMagic) && len(b) > 10_000 {
			return // a bomb takes too long
		}
		fuzzReader(t, b, Auto)
	})
}
