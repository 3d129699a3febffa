package scenario

import (
	"fmt"
	"regexp/syntax"
	"unicode/utf8"
)

// pattern is how the texts of a column look: one of some characters at each place. Values
// are numbered in the order of those characters, the last place counting fastest.
type pattern struct {
	places [][]rune
	count  uint64 // how many different texts there are, at most mostTexts
}

const (
	mostTexts = 1 << 50
	// mostPlaces and mostChoices bound what a pattern may say.
	mostPlaces  = 10_000
	mostChoices = 2_000
)

// parsePattern reads a pattern: characters, classes such as [A-Z0-9] or \d, and numbers of
// repetitions as in {4}, of which every text has the same number of characters.
func parsePattern(s string) (*pattern, error) {
	re, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return nil, err
	}
	p := &pattern{count: 1}
	if err := p.add(re); err != nil {
		return nil, err
	}
	for _, set := range p.places {
		if p.count > mostTexts/uint64(len(set)) {
			p.count = mostTexts
			break
		}
		p.count *= uint64(len(set))
	}
	return p, nil
}

func (p *pattern) add(re *syntax.Regexp) error {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine:
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			p.places = append(p.places, []rune{r})
		}
	case syntax.OpCharClass:
		var set []rune
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i+1]-re.Rune[i] > mostChoices {
				return fmt.Errorf("%s: expected a class of at most %d characters", re, mostChoices)
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				set = append(set, r)
			}
		}
		if len(set) == 0 || len(set) > mostChoices {
			return fmt.Errorf("%s: expected a class of 1 to %d characters", re, mostChoices)
		}
		p.places = append(p.places, set)
	case syntax.OpCapture:
		return p.add(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min != re.Max {
			return fmt.Errorf("%s: expected a fixed number of repetitions, as in {4}", re)
		}
		for range re.Min {
			if err := p.add(re.Sub[0]); err != nil {
				return err
			}
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if err := p.add(sub); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("%s: expected characters, classes as [A-Z0-9], and numbers of repetitions as {4}", re)
	}
	if len(p.places) > mostPlaces {
		return fmt.Errorf("expected a pattern of at most %d characters", mostPlaces)
	}
	return nil
}

// append appends text number n, in the order of the places' characters. Where there are
// more places than a number can tell apart those on the left have their first character.
func (p *pattern) append(dst []byte, n uint64) []byte {
	var room [64]rune
	text := append(room[:0], make([]rune, len(p.places))...)
	for i := len(p.places) - 1; i >= 0; i-- {
		set := p.places[i]
		text[i] = set[n%uint64(len(set))]
		n /= uint64(len(set))
	}
	for _, r := range text {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// patternNumber is the number of the text that stands for value v.
func (x *column) patternNumber(v uint64) uint64 {
	switch {
	case x.Kind == Monotone, x.Kind == Correlated, x.Distinct > 0:
		v = uint64(x.number(v)) - 1
	}
	if x.pattern.count < mostTexts {
		v %= x.pattern.count
	}
	return v
}

// long is the greatest number of bytes of a text.
func (p *pattern) long() int {
	n := 0
	for _, set := range p.places {
		n += len(string(set[len(set)-1]))
	}
	return n
}

// PatternCount is how many different texts a column's pattern has, at most 1<<50; 0 if it
// is none.
func PatternCount(s string) int64 {
	p, err := parsePattern(s)
	if err != nil {
		return 0
	}
	return int64(p.count)
}

// PatternLength is how many characters the texts of a pattern have.
func PatternLength(s string) int {
	p, err := parsePattern(s)
	if err != nil {
		return 0
	}
	return len(p.places)
}
