package opclass

// After src/backend/utils/adt/network.c (network_cmp_internal).

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"

	"applysim/heap/datum"
)

// A network address's payload is its family (2 for IPv4, 3 for IPv6), the
// number of bits of the netmask, then 4 or 16 address bytes.
const inetIPv6 = 3

func decodeInet(b []byte) (family, mask int, addr []byte) {
	if len(b) < 2 {
		return 0, 0, nil
	}
	return int(b[0]), int(b[1]), b[2:]
}

func compareInet(a, b *datum.Value) int {
	af, am, aa := decodeInet(a.Bytes)
	bf, bm, ba := decodeInet(b.Bytes)
	if af != bf {
		return cmp.Compare(af, bf)
	}
	if c := compareBits(aa, ba, min(am, bm)); c != 0 {
		return c
	}
	if am != bm {
		return cmp.Compare(am, bm)
	}
	return bytes.Compare(aa, ba)
}

// compareBits compares the first n bits of two addresses.
func compareBits(a, b []byte, n int) int {
	whole := min(n/8, len(a), len(b))
	if c := bytes.Compare(a[:whole], b[:whole]); c != 0 {
		return c
	}
	rest := n % 8
	if rest == 0 || whole >= len(a) || whole >= len(b) {
		return 0
	}
	return cmp.Compare(a[whole]>>(8-rest), b[whole]>>(8-rest))
}

// abbrevInet is family, network (host bits cleared), then for IPv4 also the
// mask's length and as much of the host part as fits. Clearing the host bits
// keeps the order, since a shorter mask sorts first among equal prefixes.
func abbrevInet(v *datum.Value) uint64 {
	family, mask, addr := decodeInet(v.Bytes)
	if family == inetIPv6 {
		n := prefix8(addr)
		if mask < 64 {
			n &^= 1<<(64-mask) - 1
		}
		return 1<<63 | n>>1
	}
	if len(addr) < 4 {
		return 0
	}
	n := binary.BigEndian.Uint32(addr)
	host := n & uint32(1<<(32-min(mask, 32))-1)
	a := uint64(n&^host)<<31 | uint64(min(mask, 63))<<25
	if over := bits.Len32(uint32(1<<(32-min(mask, 32))-1)) - 25; over > 0 {
		host >>= over
	}
	return a | uint64(host)
}
