package pgtype

import (
	"bytes"
	"testing"
)

// TestRecordedSend compares the binary form of every recorded value with what the
// server's send function gave.
func TestRecordedSend(t *testing.T) {
	n := 0
	for _, r := range recorded().values {
		if r.binary == nil || r.spec == "jsonpath" {
			continue
		}
		typ, typmod := resolve(t, r.spec)
		v, _, err := typ.Input(r.text, typmod, nil)
		if err != nil {
			t.Fatalf("%s %q: %v", r.spec, r.text, err)
		}
		b, ok := typ.Send([]byte("before"), v)
		if want := append([]byte("before"), r.binary...); !ok || !bytes.Equal(b, want) {
			t.Errorf("%s %q: %x %v, the server sends %x", r.spec, r.text, b[6:], ok, r.binary)
		}
		if size := typ.SendSize(); size >= 0 && size != len(r.binary) {
			t.Errorf("%s: SendSize %d, the server sends %d bytes", r.spec, size, len(r.binary))
		}
		n++
	}
	if n < 100 {
		t.Errorf("%d values compared", n)
	}
}

func TestSendNeverPanics(t *testing.T) {
	for _, r := range recorded().values {
		typ, _ := resolve(t, r.spec)
		for n := range r.stored {
			if !typ.ByVal {
				typ.Send(nil, fromStored(typ, r.stored[:n]))
			}
		}
	}
}
