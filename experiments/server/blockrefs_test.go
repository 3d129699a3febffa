package server

import "testing"

func TestFirstReference(t *testing.T) {
	for text, want := range map[string]reference{
		"": {},
		"blkref #0: rel 1663/5/16390 fork main blk 7":                                                               {"16390", "0", "7"},
		"blkref #0: rel 1663/5/16390 fork vm blk 0 (FPW); hole: offset: 0, length: 0 blkref #1: rel 1663/5/1 blk 2": {"16390", "2", "0"},
		"blkref #1: rel 1663/5/3 fork fsm blk 4294967294 blkref #2: rel 1663/5/3 fork main blk 0":                   {"3", "1", "4294967294"},
	} {
		r, ok, err := firstReference(text)
		if err != nil || ok != (text != "") || r != want {
			t.Errorf("%q: %v %v, error %v; expected %v", text, r, ok, err, want)
		}
	}
	for _, text := range []string{"blkref", "blkref #0: rel 1663/5/16390 fork other blk 7", "blkref #0: rel 1663/5 fork main blk 7", "blkref #0: rel 1/2/3 fork main"} {
		if _, _, err := firstReference(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
