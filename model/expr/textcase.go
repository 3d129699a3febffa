package expr

import (
	"applysim/heap/datum"
)

// caseFunction makes lower, upper and initcap. In the C collation they change
// ASCII letters only.
func caseFunction(ascii func(dst, s []byte) []byte, other func(c *Collation) func(dst, s []byte) []byte) func(*callee) evalFunc {
	return func(call *callee) evalFunc {
		f := ascii
		if coll := call.collation(); coll != nil && coll.Lower != nil {
			if f = other(coll); f == nil {
				return nil
			}
		}
		arg := call.args[0]
		return func(s *Scratch) (datum.Value, error) {
			v, err := arg.eval(s)
			if err != nil || v.Null {
				return v, err
			}
			start := len(s.buf)
			return s.keep(f(s.buf, v.Bytes), start), nil
		}
	}
}

func lowerASCII(dst, s []byte) []byte {
	for _, c := range s {
		dst = append(dst, lowerByte(c))
	}
	return dst
}

func upperASCII(dst, s []byte) []byte {
	for _, c := range s {
		dst = append(dst, upperByte(c))
	}
	return dst
}

func isAlnum(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }

func initcapASCII(dst, s []byte) []byte {
	inWord := false
	for _, c := range s {
		if inWord {
			dst = append(dst, lowerByte(c))
		} else {
			dst = append(dst, upperByte(c))
		}
		inWord = isAlnum(c)
	}
	return dst
}

var _ = registerSpecial(map[string]func(*callee) evalFunc{
	"lower":   caseFunction(lowerASCII, func(c *Collation) func(dst, s []byte) []byte { return c.Lower }),
	"upper":   caseFunction(upperASCII, func(c *Collation) func(dst, s []byte) []byte { return c.Upper }),
	"initcap": caseFunction(initcapASCII, func(c *Collation) func(dst, s []byte) []byte { return c.Initcap }),
	// text || anything and anything || text.
	"sql_textanycat": concatOperator,
	"sql_anytextcat": concatOperator,
})

func concatOperator(call *callee) evalFunc {
	for i, a := range call.args {
		if !printable(a.typ.Base()) {
			return nil
		}
		call.args[i] = call.c.coerce(a, typeText, -1, explicit)
	}
	return evalCall(call.args, true, concat2)
}

func concat2(s *Scratch, a []datum.Value) (datum.Value, error) {
	start := len(s.buf)
	return s.keep(append(append(s.buf, a[0].Bytes...), a[1].Bytes...), start), nil
}

var _ = register(map[string]impl{"textcat": concat2, "byteacat": concat2})
