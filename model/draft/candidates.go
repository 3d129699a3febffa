package draft

import (
	"applysim/model/expr"
	"applysim/model/pgtype"
	"slices"
	"strconv"
	"strings"
)

// candidates are values that a column is tried with: what constraints mention, something
// around it, and what types have; NULL where the column takes it.
func (d *Draft) candidates(t *Table, c *Column, sql string) []*string {
	var list []*string
	add := func(v string) {
		if len(list) < 4*manyCandidates && !slices.ContainsFunc(list, func(w *string) bool { return *w == v }) && c.takes(v) {
			list = append(list, &v)
		}
	}
	k := c.base().Kind
	texts, numbers := constants(sql)
	if e, err := expr.CompileOptions(c.Schema.Default, nil, d.exprOptions()); c.Schema.Default != "" && err == nil && e.Constant() {
		var s expr.Scratch
		if v, err := e.Eval(nil, &s); err == nil && !v.Null && e.Type() != nil {
			add(e.Type().Text(v))
		}
	}
	switch {
	case k == pgtype.KindBool:
		add("t")
		add("f")
	case k == pgtype.KindEnum:
		for _, l := range c.base().Labels {
			add(l)
		}
	case isNumber(k):
		for _, n := range numbers {
			add(n)
			if i, err := strconv.ParseInt(n, 10, 64); err == nil {
				add(strconv.FormatInt(i+1, 10))
				add(strconv.FormatInt(i-1, 10))
			}
		}
		for _, n := range []string{"1", "0", "2", "10", "100", "-1", "0.5", "1000"} {
			add(n)
		}
	case isText(k):
		for _, s := range texts {
			add(s)
			for _, made := range matching(s) {
				add(made)
			}
		}
		for _, n := range numbers {
			if i, err := strconv.Atoi(n); err == nil && i > 0 && i < 5000 {
				add(strings.Repeat("a", i))
				add(strings.Repeat("1", i))
			}
		}
		for _, s := range []string{"a", "", "A", "1", "abc", "a@example.org", "https://example.org/a", "2026-08-03"} {
			add(s)
		}
	case k == pgtype.KindBytea:
		for _, n := range numbers {
			if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < 5000 {
				add("\\x" + strings.Repeat("ab", i))
			}
		}
		add("\\x")
	case k == pgtype.KindJSON, k == pgtype.KindJsonb:
		for _, s := range append([]string{"{}", "[]", `"a"`, "1", "true", "null"}, texts...) {
			add(s)
		}
		for _, s := range documents(texts) {
			add(s)
		}
	case k == pgtype.KindArray:
		for _, s := range append([]string{"{}", "{1}", "{a}", "{1,2}", "{a,b}"}, texts...) {
			add(s)
		}
		for _, s := range arrays(texts, numbers) {
			add(s)
		}
	case isTime(k), k == pgtype.KindInterval:
		for _, s := range append(texts, "2026-08-03 00:00:00", "2026-08-04 00:00:00", "2030-01-01 00:00:00", "2000-01-01 00:00:00", "infinity", "12:00:00", "1 day") {
			add(s)
		}
	default:
		for _, s := range texts {
			add(s)
		}
		switch k {
		case pgtype.KindUUID:
			add("00000000-0000-4000-8000-000000000001")
		case pgtype.KindInet, pgtype.KindCidr:
			add("10.0.0.1")
			add("2001:db8::1")
		}
		if base, err := d.sample(t, 3); err == nil {
			for _, r := range base {
				if v := r[c.number]; v != nil {
					add(*v)
				}
			}
		}
	}
	if len(list) > manyCandidates && !isText(k) {
		list = list[:manyCandidates]
	}
	if !c.Schema.NotNull {
		list = append(list, nil)
	}
	return list
}

// documents are JSON objects with the names and values that SQL mentions.
func documents(texts []string) []string {
	var list []string
	for _, value := range []string{`"a"`, "1", "[1]", "{}", "true"} {
		all := ""
		for _, s := range texts {
			name, ok := jsonText(s)
			if !ok {
				continue
			}
			list = append(list, "{"+name+": "+value+"}")
			if all != "" {
				all += ", "
			}
			all += name + ": " + value
			for _, other := range texts {
				if v, ok := jsonText(other); ok && other != s {
					list = append(list, "{"+name+": "+v+"}")
				}
			}
			if path := strings.Split(strings.Trim(s, "{}"), ","); len(path) > 1 && len(path) < 6 {
				inner := value
				for i := range path {
					part, _ := jsonText(strings.TrimSpace(path[len(path)-1-i]))
					inner = "{" + part + ": " + inner + "}"
				}
				list = append(list, inner)
			}
		}
		list = append(list, "{"+all+"}")
	}
	for i, s := range texts {
		for _, other := range texts[i+1:] {
			a, ok := jsonText(s)
			if b, too := jsonText(other); ok && too && a != b && len(list) < 200 {
				list = append(list, "{"+a+`: "a", `+b+`: "a"}`)
			}
		}
	}
	return list
}

// jsonText is a text as JSON has it; ok is false for one that is not plain.
func jsonText(s string) (text string, ok bool) {
	return `"` + s + `"`, s != "" && len(s) < 40 && !strings.ContainsAny(s, "\"\\{}[]\n\t")
}

// arrays have the elements and as many of them as SQL mentions.
func arrays(texts, numbers []string) []string {
	var list []string
	var plain []string
	for _, s := range texts {
		if s != "" && !strings.ContainsAny(s, "{}\",\\ ") {
			plain = append(plain, s)
			list = append(list, "{"+s+"}", "{"+s+",1}")
		}
	}
	list = append(list, "{"+strings.Join(plain, ",")+"}", "{{1,2},{3,4}}", "{{a,b},{c,d}}", "{1.5}", "{100}", "{2026-08-03}")
	for _, n := range numbers {
		if i, err := strconv.Atoi(n); err == nil && i > 0 && i < 100 {
			list = append(list, "{"+strings.Repeat("1,", i-1)+"1}", "{"+n+"}", "{"+strconv.Itoa(i+1)+"}")
		}
	}
	return list
}

// constants are the texts and numbers that SQL mentions.
func constants(sql string) (texts, numbers []string) {
	for i := 0; i < len(sql); {
		switch b := sql[i]; {
		case b == '\'':
			escapes := i > 0 && (sql[i-1] == 'E' || sql[i-1] == 'e')
			var s strings.Builder
			for i++; i < len(sql); i++ {
				if escapes && sql[i] == '\\' && i+1 < len(sql) {
					i++
					s.WriteByte(sql[i])
					continue
				}
				if sql[i] == '\'' {
					if i+1 < len(sql) && sql[i+1] == '\'' {
						i++
					} else {
						break
					}
				}
				s.WriteByte(sql[i])
			}
			i++
			texts = append(texts, s.String())
			if list := s.String(); strings.HasPrefix(list, "{") && strings.HasSuffix(list, "}") && !strings.ContainsAny(list, `"\`) {
				texts = append(texts, strings.Split(strings.Trim(list, "{}"), ",")...)
			}
			if _, err := strconv.ParseFloat(s.String(), 64); err == nil {
				numbers = append(numbers, s.String())
			}
		case b == '"':
			for i++; i < len(sql) && sql[i] != '"'; i++ {
			}
			i++
		case b >= '0' && b <= '9':
			from := i
			for i < len(sql) && (sql[i] >= '0' && sql[i] <= '9' || sql[i] == '.') {
				i++
			}
			if n := sql[from:i]; !slices.Contains(numbers, n) {
				if from > 0 && sql[from-1] == '-' {
					n = "-" + n
				}
				numbers = append(numbers, n)
			}
		case wordByte(b):
			for i < len(sql) && wordByte(sql[i]) {
				i++
			}
		default:
			i++
		}
	}
	return texts, numbers
}
