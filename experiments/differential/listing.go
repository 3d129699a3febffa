package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"applysim/experiments/recorded"
	"applysim/model/apply"
	"applysim/model/stream"
	"applysim/wal"
	"applysim/wal/storage"
)

// around is how many records a listing shows before and after the first difference.
const around = 20

// writeListing leaves in a case's folder what differs: both lists of records around
// the first difference, and the pages that are not the same.
func writeListing(dir string, r *recorded.Result) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.Line())
	for _, s := range r.StateDifferences {
		fmt.Fprintln(&b, s)
	}
	err := list(&b, dir, r)
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	return os.WriteFile(filepath.Join(dir, "difference.txt"), []byte(b.String()), 0o644)
}

func list(b *strings.Builder, dir string, r *recorded.Result) error {
	expected, err := recordsIn(dir)
	if err != nil {
		return err
	}
	var real []string
	for _, x := range expected {
		if !x.Background() {
			real = append(real, x.Line())
		}
	}
	var log *wal.Log
	var simulated []string
	sink := func(s *wal.Record) { simulated = append(simulated, recorded.Line(log, s)) }
	var w *apply.Worker
	var failed error
	if fsys := os.DirFS(dir); recorded.IsPublisher(fsys, ".") {
		c, err := recorded.OpenPublisher(fsys, ".")
		if err != nil {
			return err
		}
		changes, err := c.Changes()
		if err != nil {
			return err
		}
		defer changes.Close()
		in, err := stream.NewReader(changes, stream.DefaultOptions())
		if err != nil {
			return err
		}
		s, run, err := c.Backend(sink, in)
		if err != nil {
			return err
		}
		w, log = s.Worker(), s.Worker().Log()
		failed = c.Run(run)
	} else {
		c, err := recorded.Open(fsys, ".")
		if err != nil {
			return err
		}
		if w, err = c.Worker(sink); err != nil {
			return err
		}
		log = w.Log()
		_, failed = c.RunQuiet(w)
	}
	if d := r.FirstDifference; d != nil {
		section := func(title string, lines []string) {
			fmt.Fprintf(b, "\n%s\n", title)
			for i := max(0, int(d.Record)-1-around); i < min(len(lines), int(d.Record)+around); i++ {
				mark := " "
				if i == int(d.Record)-1 {
					mark = ">"
				}
				fmt.Fprintf(b, "%s%6d %s\n", mark, i+1, lines[i])
			}
		}
		section("expected", real)
		section("simulated", simulated)
	}
	if err := pages(b, dir, w); err != nil {
		return err
	}
	return failed
}

// pages lists the pages that differ at the end.
func pages(b *strings.Builder, dir string, w *apply.Worker) error {
	f, err := os.Open(filepath.Join(dir, "pages.tsv.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a publisher's case
	} else if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	real := map[string]string{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		real[pageKey(lines.Text())] = lines.Text()
	}
	shown := 0
	show := func(line string) {
		key := pageKey(line)
		if real[key] != line && shown < 6 {
			fmt.Fprintf(b, "\npage expected\n  %s\nsimulated\n  %s\n", real[key], line)
			shown++
		}
	}
	for _, t := range w.Tables() {
		for i := range t.Heap.Pages() {
			show(string(t.Heap.AppendPageLine(nil, storage.BlockNumber(i))))
		}
		for _, x := range t.Indexes {
			if x.BTree == nil {
				continue
			}
			for i := 1; i < x.BTree.Pages(); i++ {
				if !x.BTree.Deleted(storage.BlockNumber(i)) {
					show(string(x.BTree.AppendPageLine(nil, storage.BlockNumber(i))))
				}
			}
		}
	}
	return lines.Err()
}

// pageKey is what names a page in a line: kind, relation and block.
func pageKey(line string) string {
	f := strings.SplitN(line, "\t", 4)
	return strings.Join(f[:min(3, len(f))], "\t")
}
