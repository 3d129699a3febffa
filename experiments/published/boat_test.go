package published_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/background"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

const boatRows = 500_000

// boatStep is what an update wrote, by relation and record type, as
// testdata/boat18.json has it.
type boatStep struct {
	Where   string `json:"where"`
	Records []struct {
		Relation string `json:"relation"`
		Type     string `json:"type"`
		Count    int64  `json:"count"`
		Bytes    int64  `json:"bytes"`
		Imaged   int64  `json:"imaged"` // records that carry images
		FPIBytes int64  `json:"fpi_bytes"`
	} `json:"records"`
}

// TestBoat is the published case of an update after a checkpoint: one row in a
// thousand of 500,000, with and without room on its page.
//
// Published for PostgreSQL 15 to 17: 1000 LOCK (500 of them with an image), 500
// UPDATE, 1000 INSERT_LEAF all with one, 11,645,347 bytes of records.
func TestBoat(t *testing.T) {
	if testing.Short() {
		t.Skip("500,000 rows")
	}
	db, err := schema.Read(strings.NewReader(`
		create table boat(id int primary key, name text, reg float8);
		create index boat_reg on boat(reg);`), "boat.sql")
	if err != nil {
		t.Fatal(err)
	}
	s := guc.Defaults()
	s.DataChecksums = false
	w, err := apply.New(db, apply.Options{Settings: s, Start: 0x1000028})
	if err != nil {
		t.Fatal(err)
	}
	do := func(m stream.Message) {
		if err := w.Apply(&m); err != nil {
			t.Fatal(err)
		}
	}
	columns := []stream.RelationColumn{
		{Flags: 1, Name: "id", TypeID: 23, Typmod: -1}, {Name: "name", TypeID: 25, Typmod: -1}, {Name: "reg", TypeID: 701, Typmod: -1},
	}
	do(stream.Message{Kind: stream.KindRelation, Relation: &stream.Relation{
		ID: 1, Namespace: "public", Name: "boat", Identity: 'd', Columns: columns,
	}})
	row := func(id int, name string) stream.Tuple {
		var v stream.Tuple
		for _, text := range []string{strconv.Itoa(id), name, strconv.FormatFloat(math.Log10(float64(id)), 'g', -1, 64)} {
			v = append(v, stream.Column{Format: stream.ColumnText, Data: []byte(text)})
		}
		return v
	}
	do(stream.Message{Kind: stream.KindBegin})
	for id := 1; id <= boatRows; id++ {
		sum := md5.Sum([]byte(strconv.Itoa(id)))
		do(stream.Message{Kind: stream.KindInsert, RelationID: 1, New: row(id, hex.EncodeToString(sum[:]))})
	}
	do(stream.Message{Kind: stream.KindCommit})
	// The WAL writer flushes what was loaded before anything else happens.
	schedule := background.NewSchedule(w)
	schedule.WALWriter = true
	schedule.BeforeEvent()
	if err := w.Vacuum("public", "boat", apply.VacuumOptions{}); err != nil {
		t.Fatal(err)
	}
	w.Checkpoint(false)

	log := w.Log()
	// update does an update and returns what it wrote.
	update := func(remainder int) map[string]int64 {
		log.ResetCounts()
		do(stream.Message{Kind: stream.KindBegin})
		for id := remainder; id <= boatRows; id += 1000 {
			do(stream.Message{Kind: stream.KindUpdate, RelationID: 1, New: row(id, "trade winds")})
		}
		do(stream.Message{Kind: stream.KindCommit})
		got := map[string]int64{}
		for rel := wal.NoRelation; int(rel) < log.Relations(); rel++ {
			for k := range wal.NumRecordTypes {
				typ := wal.RecordType(k)
				if c := log.Count(rel, typ); c.Records > 0 {
					at := log.Name(rel) + " " + typ.String() + " "
					got[at+"count"], got[at+"bytes"] = c.Records, c.Bytes
					got[at+"imaged"], got[at+"fpi_bytes"] = log.Imaged(rel, typ), c.FPIBytes
				}
			}
		}
		return got
	}
	first := update(1)
	for key, want := range map[string]int64{
		"boat Heap/LOCK count": 1000, "boat Heap/LOCK imaged": 500,
		"boat_pkey Btree/INSERT_LEAF count": 500, "boat_reg Btree/INSERT_LEAF count": 500,
		"boat_pkey Btree/INSERT_LEAF imaged": 500, "boat_reg Btree/INSERT_LEAF imaged": 500,
	} {
		if first[key] != want {
			t.Errorf("%s: %d, published %d", key, first[key], want)
		}
	}
	if n := first["boat Heap/UPDATE count"] + first["boat Heap/UPDATE+INIT count"]; n != 500 {
		t.Errorf("%d UPDATE, published 500", n)
	}
	if n := log.Total().Bytes - first["- Transaction/COMMIT bytes"]; n != 11_645_347 {
		t.Errorf("%d bytes of records about the table, published 11645347", n)
	}
	second := update(2)
	if hot, all := w.Tables()[0].Heap.Counters.HOTUpdates, int64(boatRows/1000); hot < all*98/100 {
		t.Errorf("%d of the next %d updates are HOT, published: almost all", hot, all)
	}

	var recorded struct {
		Steps []boatStep `json:"steps"`
	}
	text, err := os.ReadFile("testdata/boat18.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	for i, got := range []map[string]int64{first, second} {
		step := recorded.Steps[i]
		for _, r := range step.Records {
			at := r.Relation + " " + r.Type + " "
			for key, want := range map[string]int64{"count": r.Count, "bytes": r.Bytes, "imaged": r.Imaged, "fpi_bytes": r.FPIBytes} {
				if got[at+key] != want {
					t.Errorf("where %s: %s%s: %d, recorded %d", step.Where, at, key, got[at+key], want)
				}
				delete(got, at+key)
			}
		}
		for key := range got {
			if strings.HasPrefix(key, "-") {
				continue // records about no table
			}
			t.Errorf("where %s: %s is not in the recording", step.Where, key)
		}
	}
}
