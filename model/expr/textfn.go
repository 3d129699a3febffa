package expr

// After varlena.c, oracle_compat.c and bytea.c (REL_18_1, src/backend/utils/adt).

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"applysim/heap/datum"
)

// maxBuilt bounds, in bytes, what repeat, lpad and rpad make of a short text.
const maxBuilt = 1 << 24

// charCount counts UTF-8 characters.
func charCount(b []byte) int {
	n := 0
	for at := 0; at < len(b); at += charLen(b[at]) {
		n++
	}
	return n
}

// charOffset is where character n (from 0) begins.
func charOffset(b []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(b); n-- {
		at += charLen(b[at])
	}
	return min(at, len(b))
}

func intResult(n int) (datum.Value, error) { return datum.Value{Bits: uint64(int64(n))}, nil }

func textResult(b []byte) (datum.Value, error) { return datum.Value{Bytes: b}, nil }

// argInt reads an integer argument.
func argInt(v datum.Value) int { return int(int32(v.Bits)) }

// substr gives length characters from the start-th (from 1); negative is
// whether there is a length.
func substr(b []byte, start, length int64, toEnd bool) (datum.Value, error) {
	end := start + length
	if !toEnd && length < 0 {
		return null, errors.New("negative substring length not allowed")
	}
	from := max(start, 1)
	lo := charOffset(b, int(min(from-1, int64(len(b)))))
	if toEnd {
		return textResult(b[lo:])
	}
	if end <= from {
		return textResult(b[:0])
	}
	return textResult(b[lo : lo+charOffset(b[lo:], int(min(end-from, int64(len(b)))))])
}

func substrBytes(b []byte, start, length int64, toEnd bool) (datum.Value, error) {
	if !toEnd && length < 0 {
		return null, errors.New("negative substring length not allowed")
	}
	end := start + length
	if toEnd {
		end = int64(len(b)) + 1
	}
	from := min(max(start, 1), int64(len(b))+1)
	return textResult(b[from-1 : max(from-1, min(end-1, int64(len(b))))])
}

// trimSet cuts the characters of set off the ends.
func trimSet(b, set []byte, left, right bool) (datum.Value, error) {
	has := func(c []byte) bool {
		for at := 0; at < len(set); {
			n := min(charLen(set[at]), len(set)-at)
			if bytes.Equal(set[at:at+n], c) {
				return true
			}
			at += n
		}
		return false
	}
	for left && len(b) > 0 {
		n := min(charLen(b[0]), len(b))
		if !has(b[:n]) {
			break
		}
		b = b[n:]
	}
	for right && len(b) > 0 {
		n := len(b) - 1
		for n > 0 && b[n]&0xC0 == 0x80 {
			n--
		}
		if !has(b[n:]) {
			break
		}
		b = b[:n]
	}
	return textResult(b)
}

func trimFunction(left, right bool) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		set := []byte{' '}
		if len(a) == 2 {
			set = a[1].Bytes
		}
		return trimSet(a[0].Bytes, set, left, right)
	}
}

func padFunction(left bool) impl {
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		text, n, fill := a[0].Bytes, max(argInt(a[1]), 0), []byte{' '}
		if len(a) == 3 {
			fill = a[2].Bytes
		}
		have := charCount(text)
		if have >= n || len(fill) == 0 {
			return textResult(text[:charOffset(text, n)])
		}
		if n > maxBuilt/4 {
			return null, &UnsupportedError{What: "padding to more than 16 MB"}
		}
		start := len(s.buf)
		b := s.buf
		if !left {
			b = append(b, text...)
		}
		for at := 0; have < n; have++ {
			w := min(charLen(fill[at]), len(fill)-at)
			b = append(b, fill[at:at+w]...)
			if at += w; at >= len(fill) {
				at = 0
			}
		}
		if left {
			b = append(b, text...)
		}
		return s.keep(b, start), nil
	}
}

// leftRight gives the first or last n characters; a negative n leaves -n out.
func leftRight(right bool) impl {
	return func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		b, n := a[0].Bytes, argInt(a[1])
		if n < 0 || right {
			if n < 0 {
				n += charCount(b)
				if right {
					n = max(n, 0)
				}
			}
			if right {
				return textResult(b[charOffset(b, max(charCount(b)-n, 0)):])
			}
		}
		return textResult(b[:charOffset(b, n)])
	}
}

func splitPart(_ *Scratch, a []datum.Value) (datum.Value, error) {
	text, sep, n := a[0].Bytes, a[1].Bytes, argInt(a[2])
	if n == 0 {
		return null, errors.New("field position must not be zero")
	}
	if len(text) == 0 {
		return textResult(nil)
	}
	if len(sep) == 0 {
		if n == 1 || n == -1 {
			return textResult(text)
		}
		return textResult(nil)
	}
	if n < 0 {
		n += bytes.Count(text, sep) + 2
		if n < 1 {
			return textResult(nil)
		}
	}
	for ; n > 1; n-- {
		i := bytes.Index(text, sep)
		if i < 0 {
			return textResult(nil)
		}
		text = text[i+len(sep):]
	}
	if i := bytes.Index(text, sep); i >= 0 {
		text = text[:i]
	}
	return textResult(text)
}

// position gives the character at which needle begins, 0 if it does not.
func position(_ *Scratch, a []datum.Value) (datum.Value, error) {
	i := bytes.Index(a[0].Bytes, a[1].Bytes)
	if i < 0 {
		return intResult(0)
	}
	return intResult(charCount(a[0].Bytes[:i]) + 1)
}

func translate(s *Scratch, a []datum.Value) (datum.Value, error) {
	from, to := []rune(string(a[1].Bytes)), []rune(string(a[2].Bytes))
	start := len(s.buf)
	b := s.buf
	for _, r := range string(a[0].Bytes) {
		at := -1
		for i := range from {
			if from[i] == r {
				at = i
				break
			}
		}
		switch {
		case at < 0:
			b = utf8.AppendRune(b, r)
		case at < len(to):
			b = utf8.AppendRune(b, to[at])
		}
	}
	return s.keep(b, start), nil
}

func ascii(_ *Scratch, a []datum.Value) (datum.Value, error) {
	if len(a[0].Bytes) == 0 {
		return intResult(0)
	}
	r, _ := utf8.DecodeRune(a[0].Bytes)
	return intResult(int(r))
}

func chr(s *Scratch, a []datum.Value) (datum.Value, error) {
	n := int64(int32(a[0].Bits))
	switch {
	case n < 0:
		return null, errors.New("character number must be positive")
	case n == 0:
		return null, errors.New("null character not permitted")
	case n > 0x10FFFF:
		return null, fmt.Errorf("requested character too large for encoding: %d", n)
	case n >= 0xD800 && n < 0xE000:
		return null, fmt.Errorf("requested character not valid for encoding: %d", n)
	}
	return s.text(string(rune(n))), nil
}

func encode(s *Scratch, a []datum.Value) (datum.Value, error) {
	data := a[0].Bytes
	start := len(s.buf)
	switch format := foldASCII(string(a[1].Bytes)); format {
	case "hex":
		return s.keep(hex.AppendEncode(s.buf, data), start), nil
	case "base64":
		b := s.buf
		text := base64.StdEncoding.EncodeToString(data)
		for len(text) > 76 { // lines end after 76 characters
			b = append(append(b, text[:76]...), '\n')
			text = text[76:]
		}
		return s.keep(append(b, text...), start), nil
	case "escape":
		b := s.buf
		for _, c := range data {
			switch {
			case c == 0 || c >= 0x80:
				b = append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			case c == '\\':
				b = append(b, '\\', '\\')
			default:
				b = append(b, c)
			}
		}
		return s.keep(b, start), nil
	default:
		return null, fmt.Errorf("unrecognized encoding: \"%s\"", a[1].Bytes)
	}
}

func decode(s *Scratch, a []datum.Value) (datum.Value, error) {
	text := a[0].Bytes
	start := len(s.buf)
	switch foldASCII(string(a[1].Bytes)) {
	case "hex":
		clean := bytes.Map(func(r rune) rune {
			if r == ' ' || r == '\n' || r == '\t' || r == '\r' {
				return -1
			}
			return r
		}, text)
		for _, c := range clean {
			if _, ok := hexDigit(c); !ok {
				return null, &UnsupportedError{What: "decode of damaged hexadecimal"}
			}
		}
		if len(clean)%2 != 0 {
			return null, errors.New("invalid hexadecimal data: odd number of digits")
		}
		b, _ := hex.AppendDecode(s.buf, clean)
		return s.keep(b, start), nil
	case "base64":
		clean := bytes.Map(func(r rune) rune {
			if r == ' ' || r == '\n' || r == '\t' || r == '\r' {
				return -1
			}
			return r
		}, text)
		b, err := base64.StdEncoding.AppendDecode(s.buf, clean)
		if err != nil {
			return null, &UnsupportedError{What: "decode of damaged base64"}
		}
		return s.keep(b, start), nil
	}
	return null, &UnsupportedError{What: "decode from format " + string(a[1].Bytes)}
}

func hashText(sum func(b []byte) []byte, asHex bool) impl {
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		h := sum(a[0].Bytes)
		start := len(s.buf)
		if asHex {
			return s.keep(hex.AppendEncode(s.buf, h), start), nil
		}
		return s.keep(append(s.buf, h...), start), nil
	}
}

func md5Sum(b []byte) []byte { h := md5.Sum(b); return h[:] }

func textReverse(s *Scratch, a []datum.Value) (datum.Value, error) {
	text := a[0].Bytes
	start := len(s.buf)
	b := s.buf
	for len(text) > 0 {
		n := len(text) - 1
		for n > 0 && text[n]&0xC0 == 0x80 {
			n--
		}
		b = append(b, text[n:]...)
		text = text[:n]
	}
	return s.keep(b, start), nil
}

func textRepeat(s *Scratch, a []datum.Value) (datum.Value, error) {
	n := max(argInt(a[1]), 0)
	if int64(n)*int64(len(a[0].Bytes)) > maxBuilt {
		return null, &UnsupportedError{What: "repeat to more than 16 MB"}
	}
	start := len(s.buf)
	b := s.buf
	for range n {
		b = append(b, a[0].Bytes...)
	}
	return s.keep(b, start), nil
}

func textReplace(s *Scratch, a []datum.Value) (datum.Value, error) {
	if len(a[1].Bytes) == 0 {
		return a[0], nil
	}
	return s.bytes(bytes.ReplaceAll(a[0].Bytes, a[1].Bytes, a[2].Bytes)), nil
}

func textOverlay(s *Scratch, a []datum.Value) (datum.Value, error) {
	at, n := int64(argInt(a[2])), int64(charCount(a[1].Bytes))
	if len(a) == 4 {
		n = int64(argInt(a[3]))
	}
	if at <= 0 {
		return null, errors.New("negative substring length not allowed")
	}
	head, _ := substr(a[0].Bytes, 1, at-1, false)
	rest, _ := substr(a[0].Bytes, at+n, 0, true)
	start := len(s.buf)
	return s.keep(append(append(append(s.buf, head.Bytes...), a[1].Bytes...), rest.Bytes...), start), nil
}

func length(_ *Scratch, a []datum.Value) (datum.Value, error) {
	return intResult(charCount(a[0].Bytes))
}
func octetLength(_ *Scratch, a []datum.Value) (datum.Value, error) { return intResult(len(a[0].Bytes)) }

func toHex(mask uint64) impl {
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		return s.text(strconv.FormatUint(a[0].Bits&mask, 16)), nil
	}
}

var _ = register(map[string]impl{
	"textlen": length, "textoctetlen": octetLength, "bpcharoctetlen": octetLength, "byteaoctetlen": octetLength,
	"bpcharlen": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return intResult(charCount(trimBlanks(a[0].Bytes)))
	},
	"sql_bit_length": func(_ *Scratch, a []datum.Value) (datum.Value, error) { return intResult(8 * len(a[0].Bytes)) },
	"text_left":      leftRight(false), "text_right": leftRight(true),
	"text_substr": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return substr(a[0].Bytes, int64(argInt(a[1])), int64(argInt(a[2])), false)
	},
	"text_substr_no_len": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return substr(a[0].Bytes, int64(argInt(a[1])), 0, true)
	},
	"bytea_substr": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return substrBytes(a[0].Bytes, int64(argInt(a[1])), int64(argInt(a[2])), false)
	},
	"bytea_substr_no_len": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return substrBytes(a[0].Bytes, int64(argInt(a[1])), 0, true)
	},
	"btrim": trimFunction(true, true), "btrim1": trimFunction(true, true),
	"ltrim": trimFunction(true, false), "ltrim1": trimFunction(true, false),
	"rtrim": trimFunction(false, true), "rtrim1": trimFunction(false, true),
	"lpad": padFunction(true), "sql_lpad": padFunction(true), "rpad": padFunction(false), "sql_rpad": padFunction(false),
	"replace_text": textReplace, "text_reverse": textReverse, "repeat": textRepeat, "split_part": splitPart,
	"textpos": position, "translate": translate, "ascii": ascii, "chr": chr,
	"textoverlay": textOverlay, "textoverlay_no_len": textOverlay,
	"text_starts_with": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		return boolean(bytes.HasPrefix(a[0].Bytes, a[1].Bytes)), nil
	},
	"binary_encode": encode, "binary_decode": decode,
	"md5_text": hashText(md5Sum, true), "md5_bytea": hashText(md5Sum, true),
	"sha224_bytea": hashText(func(b []byte) []byte { h := sha256.Sum224(b); return h[:] }, false),
	"sha256_bytea": hashText(func(b []byte) []byte { h := sha256.Sum256(b); return h[:] }, false),
	"sha384_bytea": hashText(func(b []byte) []byte { h := sha512.Sum384(b); return h[:] }, false),
	"sha512_bytea": hashText(func(b []byte) []byte { h := sha512.Sum512(b); return h[:] }, false),
	"to_hex32":     toHex(0xFFFFFFFF), "to_hex64": toHex(0xFFFFFFFFFFFFFFFF),
})

// concatFunction is concat and concat_ws: arguments of any type as text,
// NULLs left out.
func concatFunction(separator bool) func(*callee) evalFunc {
	return func(call *callee) evalFunc {
		args := make([]*node, len(call.args))
		for i, a := range call.args {
			if !printable(a.typ.Base()) {
				return nil
			}
			args[i] = a
		}
		return evalCall(args, false, func(s *Scratch, a []datum.Value) (datum.Value, error) {
			var sep []byte
			from := 0
			if separator {
				if a[0].Null {
					return null, nil
				}
				sep, from = a[0].Bytes, 1
			}
			var b []byte
			first := true
			for i := from; i < len(a); i++ {
				if a[i].Null {
					continue
				}
				if !first {
					b = append(b, sep...)
				}
				first = false
				// The output function, not the cast: a boolean is one letter.
				b = append(b, output(s, args[i].typ.Base(), a[i]).Bytes...)
			}
			return s.bytes(b), nil
		})
	}
}

var _ = registerSpecial(map[string]func(*callee) evalFunc{
	"text_concat": concatFunction(false), "text_concat_ws": concatFunction(true),
})
