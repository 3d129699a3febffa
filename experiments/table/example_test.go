package table_test

import (
	"os"

	"applysim/experiments/table"
)

func Example() {
	t := table.Table{Columns: []table.Column{{Name: "relation"}, {Name: "bytes", Right: true}, {Name: "share", Right: true, Decimals: 1, Unit: " %"}}}
	t.Add("events", 108999712, 75.4321)
	t.Add("  events_pkey", 33044072, 24.5)
	t.Rule()
	t.Add("total", 142043784, nil)
	t.Text(os.Stdout)
	t.CSV(os.Stdout)
	t.Markdown(os.Stdout)
	// Output:
	// relation             bytes   share
	// ----------------------------------
	// events         108,999,712  75.4 %
	//   events_pkey   33,044,072  24.5 %
	// ----------------------------------
	// total          142,043,784
	// relation,bytes,share
	// events,108999712,75.4321
	// events_pkey,33044072,24.5
	// total,142043784,
	// | relation | bytes | share |
	// | --- | ---: | ---: |
	// | events | 108,999,712 | 75.4 % |
	// | events_pkey | 33,044,072 | 24.5 % |
	// | total | 142,043,784 |  |
}
