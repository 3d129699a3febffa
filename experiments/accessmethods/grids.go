package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// grid is a series of changes of a table with one index.
type grid struct {
	name    string
	index   string // what follows CREATE INDEX x ON t
	columns string // of the table, after id bigint PRIMARY KEY
	rows    int    // inserted, in transactions of perTransaction
	value   func(r *rand.Rand, i int) []string
	updated int // rows updated afterwards, drawn at random, each to a new value
	deleted int // one row in so many is deleted afterwards, and the table vacuumed; 0 none
	// Settings of the server.
	settings map[string]string
	// Instructions are counted for the first so many rows; 0: not.
	counted int
	// needs is an extension that PostgreSQL does not come with, "" if none.
	needs string
	// family are the grids that are left out together when the fit is judged.
	family string
}

// perTransaction is how many rows a transaction has.
const perTransaction = 25

// The distributions.

// zipf draws from 1 to n, k with a weight of about 1/k.
func zipf(r *rand.Rand, n int) int {
	return int(math.Exp(float64(r.Float64()*math.Log(float64(n)+1)))) - 0
}

// letters are n random lower-case letters.
func letters(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

// word is the k-th of a vocabulary, from 3 to 10 letters long.
func word(k int) string {
	r := rand.New(rand.NewPCG(uint64(k), 77))
	return letters(r, 3+r.IntN(8))
}

func uuid(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&0xffffffffffff)
}

func array(n int, element func(k int) string) string {
	list := make([]string, n)
	for k := range list {
		list[k] = element(k)
	}
	return "{" + strings.Join(list, ",") + "}"
}

// one makes a value of one column.
func one(f func(r *rand.Rand, i int) string) func(r *rand.Rand, i int) []string {
	return func(r *rand.Rand, i int) []string { return []string{f(r, i)} }
}

// document is a JSON object of n members: an id of its own, states of which there are
// few, numbers and words.
func document(n int) func(r *rand.Rand, i int) []string {
	return one(func(r *rand.Rand, i int) string {
		var b strings.Builder
		fmt.Fprintf(&b, `{"id": "%s"`, letters(r, 12))
		for k := 1; k < n; k++ {
			switch k % 4 {
			case 0:
				fmt.Fprintf(&b, `, "count%d": %d`, k, r.IntN(1000))
			case 1:
				fmt.Fprintf(&b, `, "state%d": "%s"`, k, []string{"new", "paid", "sent", "done"}[r.IntN(4)])
			case 2:
				fmt.Fprintf(&b, `, "word%d": "%s"`, k, word(zipf(r, 5000)))
			default:
				fmt.Fprintf(&b, `, "flag%d": %v`, k, r.IntN(2) == 0)
			}
		}
		return b.String() + "}"
	})
}

// nested is a JSON document with an array of tags and an object within.
func nested(r *rand.Rand, i int) []string {
	var tags []string
	for range r.IntN(6) {
		tags = append(tags, `"`+word(zipf(r, 500))+`"`)
	}
	return []string{fmt.Sprintf(`{"user": {"name": "%s", "age": %d, "mail": null}, "tags": [%s]}`, word(zipf(r, 20000)), r.IntN(90), strings.Join(tags, ", "))}
}

// vector is a tsvector of about n lexemes out of a vocabulary.
func vector(n, vocabulary int) func(r *rand.Rand, i int) []string {
	return one(func(r *rand.Rand, i int) string {
		var b strings.Builder
		for k := range n {
			fmt.Fprintf(&b, "'%s':%d ", word(zipf(r, vocabulary)), k+1)
		}
		return b.String()
	})
}

func point(r *rand.Rand) (x, y float64) { return r.Float64() * 1000, r.Float64() * 1000 }

// allGrids are the grids in the order in which they are recorded.
func allGrids() []grid {
	var list []grid
	add := func(family string, g grid) {
		g.family = family
		list = append(list, g)
	}
	// Each GIN index with the pending list and without it.
	gin := func(family string, g grid) {
		counted := g.counted
		g.counted = counted * 2
		add(family, g)
		g.name += "_slow"
		g.counted = counted
		g.index += " with (fastupdate = off)"
		if strings.Contains(g.index, "gin_pending_list_limit") {
			return
		}
		add(family, g)
	}
	few := map[string]string{"work_mem": "4MB"}
	ints := func(n, distinct int) func(r *rand.Rand, i int) []string {
		return one(func(r *rand.Rand, i int) string {
			return array(n, func(int) string { return fmt.Sprint(r.IntN(distinct)) })
		})
	}
	gin("array", grid{name: "gin_int3", index: "using gin (v)", columns: "v int[]", rows: 40000, value: ints(3, 1000), counted: 4000, deleted: 5})
	gin("array 10", grid{name: "gin_int10", index: "using gin (v)", columns: "v int[]", rows: 20000, value: ints(10, 100000), counted: 2000, updated: 2000})
	gin("array", grid{name: "gin_int3_small", index: "using gin (v)", columns: "v int[]", rows: 3000, value: ints(3, 1000)})
	gin("array ascending", grid{name: "gin_int_ascending", index: "using gin (v)", columns: "v int[]", rows: 20000, value: one(func(r *rand.Rand, i int) string { return fmt.Sprintf("{%d,%d}", 2*i, 2*i+1) }), counted: 3000})
	gin("texts", grid{name: "gin_text5", index: "using gin (v)", columns: "v text[]", rows: 20000, counted: 2000, deleted: 3,
		value: one(func(r *rand.Rand, i int) string {
			return array(5, func(int) string { return word(zipf(r, 5000)) })
		})})
	gin("jsonb", grid{name: "gin_jsonb5", index: "using gin (v)", columns: "v jsonb", rows: 20000, value: document(5), counted: 2000, updated: 2000})
	gin("jsonb 30", grid{name: "gin_jsonb30", index: "using gin (v)", columns: "v jsonb", rows: 5000, value: document(30), counted: 800})
	gin("nested", grid{name: "gin_nested", index: "using gin (v)", columns: "v jsonb", rows: 20000, value: nested, counted: 2000})
	gin("path", grid{name: "gin_path5", index: "using gin (v jsonb_path_ops)", columns: "v jsonb", rows: 20000, value: document(5), counted: 2000})
	gin("path nested", grid{name: "gin_path_nested", index: "using gin (v jsonb_path_ops)", columns: "v jsonb", rows: 20000, value: nested, counted: 2000})
	gin("tsvector", grid{name: "gin_tsvector20", index: "using gin (v)", columns: "v tsvector", rows: 10000, value: vector(20, 10000), counted: 1000, updated: 1000, deleted: 4})
	gin("tsvector 60", grid{name: "gin_tsvector60", index: "using gin (v)", columns: "v tsvector", rows: 4000, value: vector(60, 20000), counted: 500})
	gin("trgm", grid{name: "gin_trgm32", index: "using gin (v gin_trgm_ops)", columns: "v text", rows: 8000, counted: 800,
		value: one(func(r *rand.Rand, i int) string { return letters(r, 32) })})
	gin("trgm words", grid{name: "gin_trgm_words", index: "using gin (v gin_trgm_ops)", columns: "v text", rows: 10000, counted: 1000, deleted: 4,
		value: one(func(r *rand.Rand, i int) string {
			return word(zipf(r, 3000)) + " " + word(zipf(r, 3000)) + " " + word(zipf(r, 3000))
		})})
	gin("two columns", grid{name: "gin_two", index: "using gin (v, w)", columns: "v int[], w text[]", rows: 20000, counted: 2000,
		value: func(r *rand.Rand, i int) []string {
			return []string{array(2, func(int) string { return fmt.Sprint(r.IntN(300)) }), array(3, func(int) string { return word(zipf(r, 2000)) })}
		}})
	gin("limit", grid{name: "gin_limit64", index: "using gin (v) with (gin_pending_list_limit = 64)", columns: "v int[]", rows: 20000, value: ints(5, 20000), counted: 2000, settings: few})
	// Long posting trees, of which updates change the middle.
	gin("tags", grid{name: "gin_tags", index: "using gin (v)", columns: "v text[]", rows: 10000, counted: 2000, updated: 12000, deleted: 4,
		value: one(func(r *rand.Rand, i int) string {
			return array(3, func(int) string { return word(zipf(r, 30)) })
		})})
	gin("tags numbers", grid{name: "gin_int_few", index: "using gin (v)", columns: "v int[]", rows: 20000, updated: 8000, value: ints(2, 12)})
	gin("images", grid{name: "gin_images", index: "using gin (v)", columns: "v int[]", rows: 10000, value: ints(5, 20000), settings: map[string]string{"full_page_writes": "on"}})

	// Hash.
	hash := func(name, column string, rows, counted, deleted int, f func(r *rand.Rand, i int) string) {
		add("hash", grid{name: "hash_" + name, index: "using hash (v)", columns: "v " + column, rows: rows, value: one(f), counted: counted, deleted: deleted})
	}
	hash("int_ascending", "int", 40000, 4000, 5, func(r *rand.Rand, i int) string { return fmt.Sprint(i) })
	hash("int_repeated", "int", 20000, 4000, 0, func(r *rand.Rand, i int) string { return fmt.Sprint(zipf(r, 500)) })
	hash("int_few", "int", 1000, 0, 0, func(r *rand.Rand, i int) string { return fmt.Sprint(r.IntN(1 << 30)) })
	hash("text", "text", 20000, 4000, 3, func(r *rand.Rand, i int) string { return letters(r, 20) })
	hash("uuid", "uuid", 60000, 4000, 0, func(r *rand.Rand, i int) string { return uuid(r) })

	// GiST.
	gist := func(family, name, column, class string, rows, counted, deleted int, f func(r *rand.Rand, i int) string) {
		add(family, grid{name: "gist_" + name, index: "using gist (v " + class + ")", columns: "v " + column, rows: rows, value: one(f), counted: counted, deleted: deleted})
	}
	gist("range", "range_random", "int4range", "", 20000, 3000, 5, func(r *rand.Rand, i int) string {
		a := r.IntN(1000000)
		return fmt.Sprintf("[%d,%d)", a, a+1+r.IntN(1000))
	})
	gist("range", "range_ascending", "int4range", "", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("[%d,%d)", 10*i, 10*i+1+r.IntN(50))
	})
	gist("time", "tstzrange", "tstzrange", "", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		day := i / 400
		h := r.IntN(23)
		return fmt.Sprintf(`["2026-%02d-%02d %02d:00:00+00","2026-%02d-%02d %02d:30:00+00")`, 1+day/28, 1+day%28, h, 1+day/28, 1+day%28, h+r.IntN(2))
	})
	gist("plane", "point_random", "point", "", 20000, 3000, 5, func(r *rand.Rand, i int) string {
		x, y := point(r)
		return fmt.Sprintf("(%.6f,%.6f)", x, y)
	})
	gist("plane", "point_large", "point", "", 60000, 0, 0, func(r *rand.Rand, i int) string {
		x, y := point(r)
		return fmt.Sprintf("(%.6f,%.6f)", x, y)
	})
	gist("plane", "box_random", "box", "", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		x, y := point(r)
		return fmt.Sprintf("((%.4f,%.4f),(%.4f,%.4f))", x, y, x+r.Float64()*10, y+r.Float64()*10)
	})
	gist("clusters", "point_clusters", "point", "", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		c := rand.New(rand.NewPCG(uint64(zipf(r, 50)), 5))
		x, y := point(c)
		return fmt.Sprintf("(%.6f,%.6f)", x+r.NormFloat64(), y+r.NormFloat64())
	})
	gist("inet", "inet", "inet", "inet_ops", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("10.%d.%d.%d", r.IntN(4), r.IntN(256), r.IntN(256))
	})
	gist("btree_gist", "int_random", "int", "", 20000, 3000, 0, func(r *rand.Rand, i int) string { return fmt.Sprint(r.IntN(1 << 30)) })
	gist("btree_gist", "int_ascending", "int", "", 20000, 3000, 0, func(r *rand.Rand, i int) string { return fmt.Sprint(i) })
	gist("exclusion", "room_during", "int4range", "", 20000, 3000, 0, nil)
	list[len(list)-1].index, list[len(list)-1].columns = "using gist (v, w)", "v int, w tstzrange"
	list[len(list)-1].value = func(r *rand.Rand, i int) []string {
		day := i / 400
		h := r.IntN(23)
		return []string{fmt.Sprint(r.IntN(200)), fmt.Sprintf(`["2026-%02d-%02d %02d:00:00+00","2026-%02d-%02d %02d:30:00+00")`, 1+day/28, 1+day%28, h, 1+day/28, 1+day%28, h+r.IntN(2))}
	}
	gist("signature", "trgm", "text", "gist_trgm_ops", 5000, 1000, 0, func(r *rand.Rand, i int) string {
		return word(zipf(r, 3000)) + " " + word(zipf(r, 3000)) + " " + word(zipf(r, 3000))
	})
	add("signature", grid{name: "gist_tsvector", index: "using gist (v)", columns: "v tsvector", rows: 5000, value: vector(20, 10000), counted: 800})

	// SP-GiST.
	spgist := func(family, name, column string, rows, counted, deleted int, f func(r *rand.Rand, i int) string) {
		add(family, grid{name: "spgist_" + name, index: "using spgist (v)", columns: "v " + column, rows: rows, value: one(f), counted: counted, deleted: deleted})
	}
	spgist("spgist point", "point", "point", 20000, 3000, 5, func(r *rand.Rand, i int) string {
		x, y := point(r)
		return fmt.Sprintf("(%.6f,%.6f)", x, y)
	})
	spgist("spgist point", "point_ascending", "point", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("(%d,%d)", i, i+r.IntN(100))
	})
	spgist("spgist text", "text_random", "text", 20000, 3000, 0, func(r *rand.Rand, i int) string { return letters(r, 24) })
	spgist("spgist text", "text_paths", "text", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		return "/home/" + word(zipf(r, 300)) + "/" + word(zipf(r, 3000)) + "/" + letters(r, 8)
	})
	spgist("spgist inet", "inet", "inet", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("10.%d.%d.%d", r.IntN(4), r.IntN(256), r.IntN(256))
	})
	spgist("spgist range", "range", "int4range", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		a := r.IntN(1000000)
		return fmt.Sprintf("[%d,%d)", a, a+1+r.IntN(1000))
	})

	spgist("spgist inet", "inet_wide", "inet", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("%d.%d.%d.%d", 1+r.IntN(223), r.IntN(256), r.IntN(256), r.IntN(256))
	})
	spgist("spgist range", "range_ascending", "int4range", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("[%d,%d)", 10*i, 10*i+1+r.IntN(50))
	})
	spgist("spgist box", "box", "box", 20000, 3000, 0, func(r *rand.Rand, i int) string {
		x, y := point(r)
		return fmt.Sprintf("((%.4f,%.4f),(%.4f,%.4f))", x, y, x+r.Float64()*10, y+r.Float64()*10)
	})

	// Access methods of extensions.
	add("bloom one", grid{name: "bloom_one", index: "using bloom (v)", columns: "v text", rows: 20000, counted: 3000,
		value: one(func(r *rand.Rand, i int) string { return letters(r, 20) })})
	add("bloom", grid{name: "bloom", index: "using bloom (v, w)", columns: "v int, w text", rows: 20000, counted: 3000, deleted: 5,
		value: func(r *rand.Rand, i int) []string { return []string{fmt.Sprint(r.IntN(1000)), letters(r, 10)} }})
	vector := func(n int) func(r *rand.Rand, i int) []string {
		return one(func(r *rand.Rand, i int) string {
			list := make([]string, n)
			for k := range list {
				list[k] = fmt.Sprintf("%.4f", r.NormFloat64())
			}
			return "[" + strings.Join(list, ",") + "]"
		})
	}
	add("vector", grid{name: "vector_hnsw", index: "using hnsw (v vector_l2_ops)", columns: "v vector(64)", rows: 3000, value: vector(64), counted: 300, needs: "vector"})
	add("vector", grid{name: "vector_ivfflat", index: "using ivfflat (v vector_l2_ops) with (lists = 10)", columns: "v vector(64)", rows: 10000, value: vector(64), counted: 1000, needs: "vector"})
	add("vector 16", grid{name: "vector_hnsw_16", index: "using hnsw (v vector_l2_ops)", columns: "v vector(16)", rows: 6000, value: vector(16), counted: 500, needs: "vector"})
	add("vector 16", grid{name: "vector_ivfflat_16", index: "using ivfflat (v vector_l2_ops) with (lists = 10)", columns: "v vector(16)", rows: 10000, value: vector(16), counted: 1000, needs: "vector"})
	return list
}

// extensions are those that the grids need.
const extensions = "create extension if not exists pg_trgm; create extension if not exists btree_gist; create extension if not exists bloom;"

// change is one change of the table: the new values, none for a deletion.
type change struct {
	id     int
	values []string
	insert bool
}

// changes gives the grid's changes in their order, those of a phase: 0 insertions, 1
// updates, 2 deletions.
func (g *grid) changes(phase int) []change {
	r := rand.New(rand.NewPCG(1, uint64(len(g.name))))
	var list []change
	for i := range g.rows {
		list = append(list, change{i, g.value(r, i), true})
	}
	switch phase {
	case 0:
		return list
	case 1:
		list = list[:0]
		for range g.updated {
			list = append(list, change{id: r.IntN(g.rows), values: g.value(r, g.rows)})
		}
		return list
	}
	list = nil
	if g.deleted > 0 {
		for i := 0; i < g.rows; i += g.deleted {
			list = append(list, change{id: i})
		}
	}
	return list
}
