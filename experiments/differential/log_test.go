package main

import (
	"encoding/json"
	"strings"
	"testing"

	"applysim/experiments/server"
)

func caseText(c *server.Case) string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestAddCounts(t *testing.T) {
	lines := strings.Split("Runs.\n\n"+typesHead+"\n| --- | --- | --- |\n| Heap/INSERT | 10 | 2 |\n\nMore.", "\n")
	lines = addCounts(lines, map[string]*typeCount{"Heap/INSERT": {5, 1}, "Btree/DEDUP": {3, 3}})
	lines = addRow(lines, runsHead, "| a |")
	lines = addRow(lines, runsHead, "| b |")
	want := "Runs.\n\n" + typesHead + "\n| --- | --- | --- |\n| Btree/DEDUP | 3 | 3 |\n| Heap/INSERT | 15 | 3 |\n\nMore.\n\n" +
		runsHead + "\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n| a |\n| b |"
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
}

// A seed makes the same case again, and what the shrinker changes stays a copy.
func TestGenerate(t *testing.T) {
	f := features{lz4: true, zstd: true, major: 18}
	for seed := range uint64(200) {
		s := generate(seed, f, seed%2 == 1)
		first := s.Case()
		again := generate(seed, f, seed%2 == 1).Case()
		a, b := caseText(first), caseText(again)
		if a != b {
			t.Fatalf("seed %d makes two cases", seed)
		}
		c := s.clone()
		for _, o := range c.Ops {
			o.N, o.Body = o.N/2, nil
		}
		for _, x := range c.Tables {
			x.Columns, x.Indexes = nil, nil
		}
		c.SubConf["fsync"] = "on"
		if caseText(s.Case()) != a {
			t.Fatalf("seed %d: a change of a copy shows in the original", seed)
		}
	}
}
