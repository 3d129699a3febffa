package expr

// After network.c (REL_18_1, src/backend/utils/adt). An inet's payload is its
// family (2: IPv4, 3: IPv6), the mask's bits and the address.

import (
	"bytes"
	"strings"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// sameNetwork compares the first bits of two addresses.
func sameNetwork(x, y []byte, bits int) bool {
	whole := bits / 8
	if !bytes.Equal(x[2:2+whole], y[2:2+whole]) {
		return false
	}
	if rest := bits % 8; rest > 0 {
		return (x[2+whole]^y[2+whole])>>(8-rest) == 0
	}
	return true
}

// within makes << <<= >> >>= and &&.
func within(f func(x, y int) bool) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		x, y := a[0].Bytes, a[1].Bytes
		if len(x) != len(y) || x[0] != y[0] || !f(int(x[1]), int(y[1])) {
			return boolean(false), nil
		}
		return boolean(sameNetwork(x, y, int(min(x[1], y[1])))), nil
	}
}

var _ = register(map[string]impl{
	"network_sub": within(func(x, y int) bool { return x > y }), "network_subeq": within(func(x, y int) bool { return x >= y }),
	"network_sup": within(func(x, y int) bool { return x < y }), "network_supeq": within(func(x, y int) bool { return x <= y }),
	"network_overlap": within(func(x, y int) bool { return true }),
	"network_masklen": func(_ *Scratch, a []datum.Value) (datum.Value, error) { return intResult(int(a[0].Bytes[1])) },
	"network_family": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		if len(a[0].Bytes) == 6 {
			return intResult(4)
		}
		return intResult(6)
	},
	"network_host": func(s *Scratch, a []datum.Value) (datum.Value, error) {
		text, _, _ := strings.Cut(pgtype.ByOID(650).Text(a[0]), "/")
		return s.text(text), nil
	},
})
