package synccommit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Method is how synchronous standbys are chosen.
type Method int

// The methods of synchronous_standby_names.
const (
	First Method = iota // those that stand first
	Any                 // a quorum
)

func (m Method) String() string {
	if m == Any {
		return "ANY"
	}
	return "FIRST"
}

// StandbyNames is a value of synchronous_standby_names.
type StandbyNames struct {
	Method Method
	Count  int      // how many are waited for; 0 if the setting is empty
	Names  []string // * stands for every standby
}

// ParseStandbyNames reads a value of synchronous_standby_names:
//
//	[FIRST] num (name, ...) | ANY num (name, ...) | name, ...
//
// Source of the grammar: REL_18_1, src/backend/replication/syncrep_gram.y and
// syncrep_scanner.l.
func ParseStandbyNames(text string) (StandbyNames, error) {
	if text == "" {
		return StandbyNames{}, nil
	}
	words, err := nameTokens(text)
	if err != nil {
		return StandbyNames{}, err
	}
	n := StandbyNames{Count: 1}
	p := nameParser{words: words}
	listed := true
	switch {
	case p.is(0, wordAny), p.is(0, wordFirst):
		if p.is(0, wordAny) {
			n.Method = Any
		}
		p.at++
		if !p.is(0, wordNumber) {
			return n, p.wrong("a number")
		}
		n.Count, listed = number(p.words[p.at].text), false
		p.at++
	case p.is(0, wordNumber) && p.is(1, wordOpen):
		n.Count, listed = number(p.words[p.at].text), false
		p.at++
	}
	if !listed {
		if !p.is(0, wordOpen) {
			return n, p.wrong("(")
		}
		p.at++
	}
	for {
		if !p.is(0, wordName) && !p.is(0, wordNumber) {
			return n, p.wrong("the name of a standby")
		}
		n.Names = append(n.Names, p.words[p.at].text)
		p.at++
		if !p.is(0, wordComma) {
			break
		}
		p.at++
	}
	if !listed {
		if !p.is(0, wordClose) {
			return n, p.wrong(", or )")
		}
		p.at++
	}
	if p.at < len(p.words) {
		return n, p.wrong("the end")
	}
	if n.Count <= 0 {
		return n, fmt.Errorf("number of synchronous standbys (%d) must be greater than zero", n.Count)
	}
	return n, nil
}

// String writes the value as PostgreSQL reads it.
func (n StandbyNames) String() string {
	if n.Count == 0 {
		return ""
	}
	var names []string
	for _, name := range n.Names {
		if name != "*" {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		names = append(names, name)
	}
	return fmt.Sprintf("%v %d (%s)", n.Method, n.Count, strings.Join(names, ", "))
}

// Priority is the sync_priority of a standby by its application_name: its place in the
// list, counted from 1, or 0 if it is not there. It is 1 for all of a quorum. Source:
// REL_18_1, src/backend/replication/syncrep.c, SyncRepGetStandbyPriority.
func (n StandbyNames) Priority(name string) int {
	for i, x := range n.Names {
		if x == "*" || strings.EqualFold(x, name) {
			if n.Method == Any {
				return 1
			}
			return i + 1
		}
	}
	return 0
}

// word is a token of the setting.
type word struct {
	kind wordKind
	text string
}

type wordKind int

const (
	wordName wordKind = iota
	wordNumber
	wordAny
	wordFirst
	wordComma
	wordOpen
	wordClose
)

type nameParser struct {
	words []word
	at    int
}

func (p *nameParser) is(ahead int, kind wordKind) bool {
	return p.at+ahead < len(p.words) && p.words[p.at+ahead].kind == kind
}

func (p *nameParser) wrong(expected string) error {
	if p.at >= len(p.words) {
		return fmt.Errorf("syntax error at end of input: expected %s", expected)
	}
	return fmt.Errorf("syntax error at or near %q: expected %s", p.words[p.at].text, expected)
}

// number reads digits as atoi does, which the server uses: what does not fit a long becomes
// the greatest, of which an int keeps the lower half.
func number(digits string) int {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		n = math.MaxInt64 // they are digits only, so that there are too many
	}
	return int(int32(n))
}

func nameTokens(text string) ([]word, error) {
	var words []word
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case strings.IndexByte(" \t\n\r\f\v", c) >= 0:
			i++
		case c == ',' || c == '(' || c == ')':
			kind := map[byte]wordKind{',': wordComma, '(': wordOpen, ')': wordClose}[c]
			words = append(words, word{kind, string(c)})
			i++
		case c == '*':
			words = append(words, word{wordName, "*"})
			i++
		case c == '"':
			name, n, ok := quoted(text[i:])
			if !ok {
				return nil, fmt.Errorf("unterminated quoted identifier at end of input")
			}
			words = append(words, word{wordName, name})
			i += n
		case c >= '0' && c <= '9':
			n := i
			for n < len(text) && text[n] >= '0' && text[n] <= '9' {
				n++
			}
			words = append(words, word{wordNumber, text[i:n]})
			i = n
		case letter(c):
			n := i
			for n < len(text) && (letter(text[n]) || text[n] >= '0' && text[n] <= '9' || text[n] == '$') {
				n++
			}
			w := word{wordName, text[i:n]}
			switch {
			case strings.EqualFold(w.text, "any"):
				w.kind = wordAny
			case strings.EqualFold(w.text, "first"):
				w.kind = wordFirst
			}
			words = append(words, w)
			i = n
		default:
			return nil, fmt.Errorf("syntax error at or near %q: expected a name, a number or a list", string(c))
		}
	}
	return words, nil
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// quoted reads a name in double quotes at the beginning of a text, and how long it is
// there.
func quoted(text string) (name string, n int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		if text[i] != '"' {
			b.WriteByte(text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		return b.String(), i + 1, true
	}
	return "", 0, false
}
