package expr

// After like_match.c and like.c (REL_18_1, src/backend/utils/adt).

import (
	"errors"

	"applysim/heap/datum"
)

var errLikeEscape = errors.New("LIKE pattern must not end with escape character")

// like matches text against a pattern; fold compares ASCII letters of either
// case.
func like(text, pattern []byte, fold bool) (bool, error) {
	t, p := 0, 0
	// Where to go on after a mismatch: the last % and the text it ended at.
	star, mark := -1, 0
	for {
		if p < len(pattern) && pattern[p] == '%' {
			p++
			star, mark = p, t
			continue
		}
		if t >= len(text) {
			for p < len(pattern) && pattern[p] == '%' {
				p++
			}
			if p == len(pattern) {
				return true, nil
			}
			if pattern[p] == '\\' && p+1 == len(pattern) && star < 0 {
				return false, nil
			}
			return false, nil
		}
		ok := false
		if p < len(pattern) {
			switch c := pattern[p]; {
			case c == '_':
				ok = true
				t += charLen(text[t])
				p++
			default:
				if c == '\\' {
					if p+1 == len(pattern) {
						return false, errLikeEscape
					}
					p++
					c = pattern[p]
				}
				if ok = c == text[t] || fold && lowerByte(c) == lowerByte(text[t]); ok {
					p++
					t++
				}
			}
		}
		if ok {
			t = min(t, len(text))
			continue
		}
		if star < 0 {
			return false, nil
		}
		mark += charLen(text[mark])
		t, p = mark, star
		if t > len(text) {
			return false, nil
		}
	}
}

func likeFunction(fold, not bool) func(*callee) evalFunc {
	return func(call *callee) evalFunc {
		if fold {
			if coll := call.collation(); coll != nil && coll.Lower != nil {
				lower := coll.Lower
				return call.eval(func(s *Scratch, a []datum.Value) (datum.Value, error) {
					ok, err := like(lower(nil, a[0].Bytes), lower(nil, a[1].Bytes), false)
					return boolean(ok != not), err
				})
			}
		}
		return call.eval(func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			ok, err := like(untilNUL(a[0].Bytes), a[1].Bytes, fold) // a name ends at its NUL
			return boolean(ok != not), err
		})
	}
}

// likeEscape rewrites a pattern with its own escape character to one with a
// backslash.
func likeEscape(s *Scratch, a []datum.Value) (datum.Value, error) {
	pattern, esc := a[0].Bytes, a[1].Bytes
	start := len(s.buf)
	b := s.buf
	if len(esc) == 0 { // no escape character at all
		for _, c := range pattern {
			if c == '\\' {
				b = append(b, '\\')
			}
			b = append(b, c)
		}
		return s.keep(b, start), nil
	}
	if charCount(esc) != 1 {
		return null, errors.New("invalid escape string")
	}
	if esc[0] == '\\' {
		return a[0], nil
	}
	after := false
	for at := 0; at < len(pattern); {
		n := min(charLen(pattern[at]), len(pattern)-at)
		ch := pattern[at : at+n]
		at += n
		switch {
		case string(ch) == string(esc) && !after:
			b = append(b, '\\')
			after = true
		case ch[0] == '\\':
			b = append(b, '\\')
			if !after {
				b = append(b, '\\')
			}
			after = false
		default:
			b = append(b, ch...)
			after = false
		}
	}
	return s.keep(b, start), nil
}

var _ = registerSpecial(map[string]func(*callee) evalFunc{
	"textlike": likeFunction(false, false), "textnlike": likeFunction(false, true),
	"bpcharlike": likeFunction(false, false), "bpcharnlike": likeFunction(false, true),
	"texticlike": likeFunction(true, false), "texticnlike": likeFunction(true, true),
	"namelike": likeFunction(false, false), "namenlike": likeFunction(false, true),
	"bpchariclike": likeFunction(true, false), "bpcharicnlike": likeFunction(true, true),
})

var _ = register(map[string]impl{"like_escape": likeEscape})
