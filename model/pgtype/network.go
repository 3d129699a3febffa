package pgtype

// After src/backend/utils/adt/network.c, inet_net_pton.c, mac.c, mac8.c.

import (
	"fmt"

	"applysim/heap/datum"
)

// A network address's payload: family, bits of the netmask, then 4 or 16
// bytes of address (REL_18_1, src/include/utils/inet.h).
const (
	inetIPv4 = 2 // PGSQL_AF_INET
	inetIPv6 = 3 // PGSQL_AF_INET6
)

func cidrName(cidr bool) string {
	if cidr {
		return "cidr"
	}
	return "inet"
}

func inputInet(text []byte, cidr bool, scratch []byte) (datum.Value, []byte, error) {
	var (
		addr   [16]byte
		n      = 4
		family = byte(inetIPv4)
		mask   int
		ok     bool
	)
	six := false
	for _, c := range text {
		six = six || c == ':'
	}
	if six {
		family, n = inetIPv6, 16
		mask, ok = parseIPv6(text, &addr)
	} else {
		mask, ok = parseIPv4(text, cidr, &addr)
	}
	if !ok {
		return datum.Value{}, scratch, badSyntax(cidrName(cidr), text)
	}
	if cidr && !maskedOut(addr[:n], mask) {
		return datum.Value{}, scratch, fmt.Errorf("invalid cidr value: \"%s\"", text)
	}
	start := len(scratch)
	scratch = append(scratch, family, byte(mask))
	scratch = append(scratch, addr[:n]...)
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

// maskedOut says whether no bit to the right of the mask is set.
func maskedOut(addr []byte, mask int) bool {
	for i, c := range addr {
		switch keep := mask - 8*i; {
		case keep >= 8:
		case keep <= 0:
			if c != 0 {
				return false
			}
		case c&(0xFF>>keep) != 0:
			return false
		}
	}
	return true
}

// parseIPv4 reads dotted decimal numbers and an optional mask. A cidr may
// leave out trailing numbers and its mask, which then comes from the old
// classes of addresses; it may also be hexadecimal.
func parseIPv4(text []byte, cidr bool, addr *[16]byte) (mask int, ok bool) {
	s := scanner{text}
	n := 0
	if cidr && len(text) > 2 && text[0] == '0' && text[1]|0x20 == 'x' {
		return parseHexIPv4(text[2:], addr)
	}
	for {
		v, count := s.number()
		if count == 0 || v > 255 || n >= 4 {
			return 0, false
		}
		addr[n] = byte(v)
		n++
		if !s.accept('.') {
			break
		}
		if !isDigit(s.peek()) {
			if cidr || len(s.b) > 0 && s.peek() != '/' {
				return 0, false
			}
			// inet lets a final point stand before the mask's slash or the end.
			break
		}
	}
	return finishIPv4(s, cidr, n, addr)
}

func finishIPv4(s scanner, cidr bool, n int, addr *[16]byte) (mask int, ok bool) {
	mask = -1
	if s.accept('/') {
		v, count := s.number()
		if count == 0 || v > 32 {
			return 0, false
		}
		mask = int(v)
	}
	if len(s.b) > 0 {
		return 0, false
	}
	if !cidr {
		if mask == -1 {
			if n < 4 {
				return 0, false
			}
			mask = 32
		}
		return mask, mask/8 <= n
	}
	if mask == -1 {
		switch first := addr[0]; {
		case first >= 240:
			mask = 32
		case first >= 224:
			mask = 8
		case first >= 192:
			mask = 24
		case first >= 128:
			mask = 16
		default:
			mask = 8
		}
		mask = max(mask, 8*n)
		if mask == 8 && addr[0] == 224 {
			mask = 4
		}
	}
	return mask, true
}

func parseHexIPv4(s []byte, addr *[16]byte) (mask int, ok bool) {
	digits := 0
	for digits < len(s) {
		v, hex := hexValue(s[digits])
		if !hex {
			break
		}
		if digits >= 8 {
			return 0, false
		}
		addr[digits/2] |= v << (4 - 4*(digits%2))
		digits++
	}
	if digits == 0 {
		return 0, false
	}
	return finishIPv4(scanner{s[digits:]}, true, (digits+1)/2, addr)
}

// parseIPv6 reads groups of up to four hexadecimal digits, one "::", an IPv4
// address as the last two groups, and an optional mask.
func parseIPv6(text []byte, addr *[16]byte) (mask int, ok bool) {
	var (
		n     int
		gap   = -1
		val   int
		count int // digits of the group being read
		group int // where its text begins
		i     int
	)
	mask = 128
	if text[0] == ':' {
		if len(text) < 2 || text[1] != ':' {
			return 0, false
		}
		i = 1
		group = 1
	}
loop:
	for ; i < len(text); i++ {
		c := text[i]
		if v, hex := hexValue(c); hex {
			if count++; count > 4 {
				return 0, false
			}
			val = val<<4 | int(v)
			continue
		}
		switch {
		case c == ':':
			group = i + 1
			if count == 0 {
				if gap >= 0 {
					return 0, false
				}
				gap = n
				continue
			}
			if i+1 == len(text) || n+2 > 16 {
				return 0, false
			}
			addr[n], addr[n+1] = byte(val>>8), byte(val)
			n += 2
			val, count = 0, 0
		case c == '.' && n+4 <= 16:
			if !embeddedIPv4(text[group:], addr[n:n+4], &mask) {
				return 0, false
			}
			n += 4
			count = 0
			break loop
		case c == '/':
			if !maskBits(text[i+1:], &mask) {
				return 0, false
			}
			break loop
		default:
			return 0, false
		}
	}
	if count > 0 {
		if n+2 > 16 {
			return 0, false
		}
		addr[n], addr[n+1] = byte(val>>8), byte(val)
		n += 2
	}
	if gap >= 0 {
		if n == 16 {
			return 0, false
		}
		moved := n - gap
		copy(addr[16-moved:], addr[gap:n])
		clear(addr[gap : 16-moved])
		n = 16
	}
	return mask, n == 16
}

// embeddedIPv4 reads the dotted end of an IPv6 address. Like PostgreSQL it
// forgives an empty number before the mask.
func embeddedIPv4(s []byte, addr []byte, mask *int) bool {
	n, val, digits := 0, 0, 0
	for i, c := range s {
		switch {
		case isDigit(c):
			if digits++; digits > 1 && val == 0 {
				return false
			}
			if val = val*10 + int(c-'0'); val > 255 {
				return false
			}
		case c == '.' || c == '/':
			if n > 3 {
				return false
			}
			addr[n] = byte(val)
			n++
			if c == '/' {
				return maskBits(s[i+1:], mask)
			}
			val, digits = 0, 0
		default:
			return false
		}
	}
	if digits == 0 || n > 3 {
		return false
	}
	addr[n] = byte(val)
	return true
}

func maskBits(s []byte, mask *int) bool {
	val := 0
	for i, c := range s {
		if !isDigit(c) || i > 0 && val == 0 {
			return false
		}
		if val = val*10 + int(c-'0'); val > 128 {
			return false
		}
	}
	*mask = val
	return len(s) > 0
}

func receiveInet(r *reader, cidr bool, scratch []byte) (datum.Value, []byte, error) {
	name := cidrName(cidr)
	family, mask := r.u8(), r.u8()
	r.u8() // whether it is a cidr, which the column knows
	length := r.u8()
	if r.short {
		return datum.Value{}, scratch, errShortMessage
	}
	n := 4
	switch family {
	case inetIPv4:
	case inetIPv6:
		n = 16
	default:
		return datum.Value{}, scratch, fmt.Errorf("invalid address family in external \"%s\" value", name)
	}
	if int(mask) > 8*n {
		return datum.Value{}, scratch, fmt.Errorf("invalid bits in external \"%s\" value", name)
	}
	if int(length) != n {
		return datum.Value{}, scratch, fmt.Errorf("invalid length in external \"%s\" value", name)
	}
	addr := r.bytes(n)
	if addr == nil {
		return datum.Value{}, scratch, errShortMessage
	}
	if cidr && !maskedOut(addr, int(mask)) {
		return datum.Value{}, scratch, fmt.Errorf("invalid external \"%s\" value", name)
	}
	start := len(scratch)
	scratch = append(scratch, family, mask)
	scratch = append(scratch, addr...)
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

// inputMacaddr reads six bytes, separated one by one (by : or -, with any
// number of digits), in pairs (by . or -), in threes (by : or -), or not at
// all.
func inputMacaddr(text, scratch []byte) (datum.Value, []byte, error) {
	bad := func() (datum.Value, []byte, error) { return datum.Value{}, scratch, badSyntax("macaddr", text) }
	s := trimSpace(text)
	var sep byte
	groups := 1 // bytes per group
	for i, c := range s {
		if c == ':' || c == '-' || c == '.' {
			sep = c
			if i <= 2 {
				groups = 1
			} else if i == 4 {
				groups = 2
			} else if i == 6 {
				groups = 3
			} else {
				return bad()
			}
			break
		}
	}
	if sep == '.' && groups != 2 || sep == ':' && groups == 2 {
		return bad()
	}
	start := len(scratch)
	for i := range 6 {
		if i > 0 && sep != 0 && i%groups == 0 {
			if len(s) == 0 || s[0] != sep {
				return datum.Value{}, scratch[:start], badSyntax("macaddr", text)
			}
			s = s[1:]
		}
		n, digits := 0, 0
		limit := 2
		if sep != 0 && groups == 1 {
			limit = 8
		}
		for len(s) > 0 && digits < limit {
			v, hex := hexValue(s[0])
			if !hex {
				break
			}
			n = n<<4 | int(v)
			digits++
			s = s[1:]
		}
		if digits == 0 || groups > 1 && digits != 2 {
			return datum.Value{}, scratch[:start], badSyntax("macaddr", text)
		}
		if n > 255 {
			return datum.Value{}, scratch[:start], fmt.Errorf("invalid octet value in \"macaddr\" value: \"%s\"", text)
		}
		scratch = append(scratch, byte(n))
	}
	if len(s) > 0 {
		return datum.Value{}, scratch[:start], badSyntax("macaddr", text)
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

func inputMacaddr8(text, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	bad := func() (datum.Value, []byte, error) {
		return datum.Value{}, scratch[:start], badSyntax("macaddr8", text)
	}
	s := text
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	var sep byte
	count := 0
	for len(s) > 1 {
		hi, ok1 := hexValue(s[0])
		lo, ok2 := hexValue(s[1])
		if count++; count > 8 || !ok1 || !ok2 {
			return bad()
		}
		scratch = append(scratch, hi<<4|lo)
		s = s[2:]
		if len(s) > 0 && (s[0] == ':' || s[0] == '-' || s[0] == '.') {
			if sep == 0 {
				sep = s[0]
			} else if sep != s[0] {
				return bad()
			}
			s = s[1:]
		}
		if (count == 6 || count == 8) && len(s) > 0 && isSpace(s[0]) {
			if s = trimSpace(s); len(s) > 0 {
				return bad()
			}
		}
	}
	switch count {
	case 6:
		// A 48-bit address is widened as EUI-64 has it.
		scratch = append(scratch, 0, 0)
		b := scratch[start:]
		copy(b[5:], b[3:6])
		b[3], b[4] = 0xFF, 0xFE
	case 8:
	default:
		return bad()
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

func receiveMacaddr8(r *reader, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	if len(r.b) == 6 {
		b := r.bytes(6)
		scratch = append(scratch, b[0], b[1], b[2], 0xFF, 0xFE, b[3], b[4], b[5])
	} else {
		scratch = append(scratch, r.bytes(8)...)
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}
