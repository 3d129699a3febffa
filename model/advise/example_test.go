package advise_test

import (
	"fmt"
	"io"
	"strings"

	"applysim/model/advise"
	"applysim/model/cost"
	"applysim/model/scenario"
)

func Example() {
	const ddl = `CREATE TABLE orders (id bigint PRIMARY KEY, status text NOT NULL, cents int NOT NULL);
		CREATE INDEX orders_status ON orders (status);`
	s, err := scenario.Read(strings.NewReader(`
schema = "orders.sql"
duration = "20s"
[tables.orders]
rows = 1000
[tables.orders.columns]
status = { values = ["new", "paid", "sent"] }
[[operation]]
table = "orders"
do = "update"
columns = ["status"]
rate = 50
`), "orders.toml")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := cost.Builtin()
	if err != nil {
		fmt.Println(err)
		return
	}
	profile, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := advise.Advise(s, &advise.Options{
		Schema: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil },
		Price:  scenario.Price(profile, model),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	best := report.Advice[0]
	fmt.Println(best.DDL)
	fmt.Printf("saves %d of %d bytes of WAL\n", best.Saves.WALBytes, report.Base.WALBytes)
	fmt.Println("unknown:", best.Unknown[0])
	// Output:
	// DROP INDEX orders_status;
	// saves 169658 of 492008 bytes of WAL
	// unknown: whether anybody reads orders_status (pg_stat_user_indexes.idx_scan of the subscriber; --stats)
}
