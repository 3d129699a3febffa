package physical

import (
	"io/fs"
	"os"
	"testing"

	"applysim/model/cost"
)

func cases(t *testing.T) []*Case {
	fsys := os.DirFS("testdata/recorded")
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	var list []*Case
	for _, e := range entries {
		if _, err := fs.Stat(fsys, e.Name()+"/shipped.json"); err != nil {
			continue
		}
		c, err := Open(fsys, e.Name())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// TestShipped: bytes of both ways.
func TestShipped(t *testing.T) {
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases(t) {
		costs, err := c.Costs(p)
		if err != nil {
			t.Fatal(err)
		}
		op := &costs.Operations[0]
		u := &op.Subscriptions[0]
		n := op.Transactions
		start, _ := lsn(c.Shipped.Start)
		end, _ := lsn(c.Shipped.End)
		var records, images int64
		for _, r := range c.Shipped.Records {
			records += r.Count
			images += r.Images
		}
		w := c.Shipped.Physical[">dw"]
		t.Logf("%-15s n %v/%d WAL %d model %.0f (sent %d, on the wire %d of %d messages); records %d model %.0f; images %d model %.0f", c.Name, n, c.Shipped.Transactions, end-start, op.WAL*n, c.Shipped.SentBytes, w.Bytes, w.Messages, records, op.Records*n, images, op.Images*n)
		t.Logf("   cpu %v; replies %v, keepalives %v", c.Shipped.CPU, c.Shipped.Physical["<dr"], c.Shipped.Logical[">dk"])
		l := c.Shipped.Logical[">dw"]
		t.Logf("%-15s logical %d bytes of %d messages, model %.0f of %.0f; subscriber WAL %d model %.0f; apply %.3f model %.3f; sender %.3f model %.3f", "", l.Bytes, l.Messages, u.Bytes*n, u.Messages*n, c.Shipped.SubscriberWAL, u.WAL*n, c.Shipped.CPU["apply worker"], u.Apply*n, c.Shipped.CPU["logical walsender"], u.Sender*n)
	}
}
