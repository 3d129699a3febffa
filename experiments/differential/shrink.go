package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"applysim/experiments/recorded"
)

// keep makes a case that differs smaller and leaves it as a folder with listings.
func (d *differential) keep(seed uint64, s subject, dir string) {
	best := filepath.Join(d.out, s.name())
	os.RemoveAll(best)
	if err := move(dir, best); err != nil {
		fmt.Fprintf(d.stdout, "seed %d: %v\n", seed, err)
		return
	}
	k := &shrinker{differential: d, dir: best, left: d.shrink, viewed: compare(best).Outcome == recorded.Exact, kind: kindOf(compareAll(best, map[string]int{}))}
	s.shrink(k)
	result := compareAll(best, map[string]int{})
	fmt.Fprintf(d.stdout, "seed %d: smallest case in %s: %s\n", seed, best, result.Line())
	if err := writeListing(best, result); err != nil {
		fmt.Fprintf(d.stdout, "seed %d: %v\n", seed, err)
	}
}

// move renames a folder, across file systems if need be.
func move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if os.Rename(from, to) == nil {
		return nil
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return os.RemoveAll(from)
}

// shrinker looks for the smallest spec that still differs.
type shrinker struct {
	*differential
	best   *Spec
	dir    string // of its recording
	left   int    // recordings that may still be made
	viewed bool   // it is one of what views show
	kind   string // of the difference, which stays the same
}

// kindOf is what a difference is about, without where it is: shrinking must not end at
// another one.
func kindOf(r *recorded.Result) string {
	if d := r.FirstDifference; d != nil {
		expected, got := strings.Split(d.Expected, "\t"), strings.Split(d.Got, "\t")
		kind := strings.Join(expected[:min(2, len(expected))], "/") + " " + strings.Join(got[:min(2, len(got))], "/")
		for i := 2; i < min(len(expected), len(got)); i++ {
			kind += fmt.Sprint(" ", expected[i] == got[i])
		}
		return kind
	}
	if len(r.StateDifferences) > 0 {
		if view, column, ok := strings.Cut(r.StateDifferences[0], ": row "); ok {
			view, _, _ = strings.Cut(view, " ")
			_, column, _ = strings.Cut(column, ": ")
			column, _, _ = strings.Cut(column, " ")
			return view + " " + column
		}
		what, _, _ := strings.Cut(r.StateDifferences[0], ":")
		return what[strings.LastIndexByte(what, '.')+1:]
	}
	return ""
}

// try records a spec; if it still differs it is the best one.
func (k *shrinker) try(s *Spec) bool {
	if k.left <= 0 {
		return false
	}
	if !k.differs(s) {
		return false
	}
	k.best = s
	return true
}

// differs says whether a case differs as the first one did. If it does its recording takes
// the place of the best one's.
func (k *shrinker) differs(s subject) bool {
	k.left--
	dir := filepath.Join(k.work, "shrinking")
	os.RemoveAll(dir)
	if s.record(k.differential, dir, k.viewed) != nil {
		return false
	}
	if r := compareAll(dir, map[string]int{}); r.Outcome != recorded.Differs || kindOf(r) != k.kind {
		return false
	}
	os.RemoveAll(k.dir)
	return move(dir, k.dir) == nil
}

// change tries a changed copy of the best spec.
func (k *shrinker) change(f func(*Spec)) bool {
	s := k.best.clone()
	f(s)
	return k.try(s)
}

func (s *Spec) shrink(k *shrinker) {
	k.best = s.clone()
	for progress := true; progress && k.left > 0; {
		progress = false
		progress = k.fewerOps() || progress
		progress = k.fewerTables() || progress
		progress = k.fewerIndexes() || progress
		progress = k.plainSettings() || progress
		progress = k.fewerColumns() || progress
		progress = k.smallerOps() || progress
	}
}

// fewerOps leaves out ops: the later half, then ever smaller parts.
func (k *shrinker) fewerOps() (progress bool) {
	for size := max(1, len(k.best.Ops)/2); size > 0; size /= 2 {
		for at := len(k.best.Ops); at > 0 && k.left > 0; at -= size {
			from, to := max(0, at-size), min(at, len(k.best.Ops))
			if from >= to {
				continue
			}
			if k.change(func(s *Spec) { s.Ops = slices.Delete(s.Ops, from, to) }) {
				progress = true
			}
		}
	}
	// Within transactions.
	for i := 0; i < len(k.best.Ops); i++ {
		for j := len(k.best.Ops[i].Body) - 1; j >= 0 && len(k.best.Ops[i].Body) > 1 && k.left > 0; j-- {
			progress = k.change(func(s *Spec) { s.Ops[i].Body = slices.Delete(s.Ops[i].Body, j, j+1) }) || progress
		}
	}
	return progress
}

func (k *shrinker) fewerTables() (progress bool) {
	for i := len(k.best.Tables) - 1; i >= 0 && len(k.best.Tables) > 1; i-- {
		name := k.best.Tables[i].Name
		progress = k.change(func(s *Spec) {
			s.Tables = slices.Delete(s.Tables, i, i+1)
			s.Ops = withoutTable(s.Ops, name)
		}) || progress
	}
	return progress
}

// withoutTable leaves out the ops of a table.
func withoutTable(list []*Op, name string) []*Op {
	var left []*Op
	for _, o := range list {
		o.Body, o.Between = withoutTable(o.Body, name), withoutTable(o.Between, name)
		switch {
		case o.Table == name, o.Kind == opTruncate, o.Kind == opEvent && mentions(o.Text, name), o.Kind == opTx && len(o.Body) == 0:
		default:
			left = append(left, o)
		}
	}
	return left
}

func mentions(text, table string) bool {
	n := len(text) - len(table)
	return n > 0 && (text[n:] == table || n > 2 && text[n-2:len(text)-2] == table)
}

func (k *shrinker) fewerIndexes() (progress bool) {
	for i := range k.best.Tables {
		for j := len(k.best.Tables[i].Indexes) - 1; j >= 0 && k.left > 0; j-- {
			progress = k.change(func(s *Spec) { s.Tables[i].Indexes = slices.Delete(s.Tables[i].Indexes, j, j+1) }) || progress
		}
	}
	return progress
}

// plainSettings goes back to defaults, one by one.
func (k *shrinker) plainSettings() (progress bool) {
	for name := range cloneSettings(k.best.SubConf) {
		progress = k.change(func(s *Spec) { delete(s.SubConf, name) }) || progress
	}
	for name := range cloneSettings(k.best.PubConf) {
		progress = k.change(func(s *Spec) { delete(s.PubConf, name) }) || progress
	}
	for i := len(k.best.SubOptions) - 1; i > 0; i-- {
		progress = k.change(func(s *Spec) { s.SubOptions = slices.Delete(s.SubOptions, i, i+1) }) || progress
	}
	if k.best.Checksums {
		progress = k.change(func(s *Spec) { s.Checksums = false }) || progress
	}
	for i, t := range k.best.Tables {
		if t.Fillfactor != 0 {
			progress = k.change(func(s *Spec) { s.Tables[i].Fillfactor = 0 }) || progress
		}
		if t.Toast != "" {
			progress = k.change(func(s *Spec) { s.Tables[i].Toast = "" }) || progress
		}
	}
	return progress
}

func (k *shrinker) fewerColumns() (progress bool) {
	for i := range k.best.Tables {
		for j := len(k.best.Tables[i].Columns) - 1; j >= 0 && k.left > 0; j-- {
			t := k.best.Tables[i]
			c := t.Columns[j]
			if c.Name == "part" || slices.ContainsFunc(t.Indexes, func(x *Index) bool { return x.uses(c.Name) }) || t.Identity == identityIndex && t.identityColumn() == c.Name {
				continue
			}
			progress = k.change(func(s *Spec) { s.Tables[i].Columns = slices.Delete(s.Tables[i].Columns, j, j+1) }) || progress
		}
	}
	return progress
}

// smallerOps halves the numbers of rows.
func (k *shrinker) smallerOps() (progress bool) {
	for i, o := range k.best.Ops {
		if o.N > 1 && o.Kind != opBulk && o.Kind != opBulkDel {
			progress = k.change(func(s *Spec) { s.Ops[i].N /= 2 }) || progress
		}
		for j, b := range o.Body {
			if b.N > 1 && b.Kind != opBulk && b.Kind != opBulkDel {
				progress = k.change(func(s *Spec) { s.Ops[i].Body[j].N /= 2 }) || progress
			}
		}
	}
	return progress
}
