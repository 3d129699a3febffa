package publisher_test

import (
	"fmt"
	"math"
	"testing"

	"applysim/model/publisher"
	"applysim/model/stream"
)

func Example() {
	var c publisher.Counter
	c.Add(&stream.Message{Kind: stream.KindRelation, Relation: &stream.Relation{ID: 1, Columns: []stream.RelationColumn{{TypeID: 23}}}})
	for range 1000 {
		c.Add(&stream.Message{Kind: stream.KindInsert, RelationID: 1, Size: 13, New: stream.Tuple{{Format: stream.ColumnText, Data: []byte("42")}}})
		c.Add(&stream.Message{Kind: stream.KindCommit})
	}
	fmt.Println(c.Transactions(), c.Bytes())
	for _, i := range c.Usage().Items() {
		fmt.Println(i.Term, i.Quantity)
	}
	// Output:
	// 1000 13000
	// read a WAL record 3000
	// read a byte of WAL 177000
	// pass over a record that is not decoded 1000
	// decode a row change 1000
	// decode a byte of a row 67000
	// decode a commit 1000
	// put a change into its transaction's order 1000
	// look a relation up for the first time 1
	// send a transaction 1000
	// send a change 1000
	// send a byte 13000
	// describe a relation 1
	// describe a column 1
	// output type 23 (text), by value 1000
	// output type 23 (text), by byte 2000
}

func TestDrain(t *testing.T) {
	for _, c := range []struct {
		p    publisher.Pipeline
		want float64
	}{
		{publisher.Pipeline{Load: 2, Sender: 3, Worker: 4, Cores: 8, Runnable: 16}, 3},
		{publisher.Pipeline{Load: 2, Sender: 3, Worker: 1, Cores: 8, Runnable: 4}, 1},
		{publisher.Pipeline{Load: 9, Sender: 3, Worker: 1, Cores: 8, Runnable: 4}, 0},
	} {
		if got, err := c.p.Drain(); err != nil || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v, %v", c.p, got, err)
		}
	}
	if _, err := (publisher.Pipeline{}).Drain(); err == nil {
		t.Error("no cores: no error")
	}
}

func TestModel(t *testing.T) {
	m, err := publisher.Model()
	if err != nil || len(m.Terms) < 5 || m.Fit.Median > 0.05 {
		t.Errorf("%v, %+v", err, m)
	}
}
