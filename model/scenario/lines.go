package scenario

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// lines are the line numbers of a TOML document's keys, by their path:
// "operation[1].table".
type lines map[string]int

// line is that of a key, or of the nearest table around it.
func (l lines) line(path string) int {
	for path != "" {
		if n, ok := l[path]; ok {
			return n
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return 1
}

// findLines notes where the keys of a document stand that is known to be good.
func findLines(doc []byte) lines {
	l := lines{}
	arrays := map[string]int{} // elements so far
	var p unstable.Parser
	p.Reset(doc)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = ""
			it := e.Key()
			for it.Next() {
				n := it.Node()
				table = join(table, string(n.Data))
				if it.IsLast() {
					if e.Kind == unstable.ArrayTable {
						arrays[table]++
						l.note(doc, table, n)
						table = fmt.Sprintf("%s[%d]", table, arrays[table]-1)
					}
					l.note(doc, table, n)
				} else if k := arrays[table]; k > 0 {
					table = fmt.Sprintf("%s[%d]", table, k-1)
				}
			}
		case unstable.KeyValue:
			l.keyValue(doc, table, e)
		}
	}
	return l
}

func (l lines) keyValue(doc []byte, path string, e *unstable.Node) {
	it := e.Key()
	for it.Next() {
		path = join(path, string(it.Node().Data))
		l.note(doc, path, it.Node())
	}
	l.value(doc, path, e.Value())
}

func (l lines) value(doc []byte, path string, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			l.keyValue(doc, path, it.Node())
		}
	case unstable.Array:
		i := 0
		for it := v.Children(); it.Next(); i++ {
			at := fmt.Sprintf("%s[%d]", path, i)
			if it.Node().Raw.Length > 0 {
				l.note(doc, at, it.Node())
			}
			l.value(doc, at, it.Node())
		}
	}
}

func (l lines) note(doc []byte, path string, n *unstable.Node) {
	if _, ok := l[path]; !ok {
		l[path] = 1 + strings.Count(string(doc[:n.Raw.Offset]), "\n")
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
