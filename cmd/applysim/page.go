package main

import (
	"fmt"
	"strconv"

	"applysim/model/view"
	"applysim/wal/storage"
)

var pageHelp = help{
	usage: "applysim page (heap|btree) RELATION BLOCK " + sourceUsage + " [FLAGS]",
	text: `
Shows a page of a table (heap) or of a B-tree index (btree) after a replay or a
scenario, or after its first --until changes, as the extension pageinspect shows
a real one: page_header and heap_page_items, or bt_page_stats and bt_page_items,
by their own columns; of block 0 of an index, its metapage, bt_metap. TOAST
tables (pg_toast_...) and their indexes have pages, too. What a simulated page
does not have is the checksum, which a server computes when it writes the page
out; pages of rows that a scenario begins with have LSN 0/0 until they change.
With synchronous_commit = off, the default of a subscription, hint bits
(t_infomask) depend on when the WAL writer has flushed a commit; it is taken to
keep its rhythm by the commit times in the stream.`,
	example: `  $ applysim page heap orders 0 --schema schema.sql --stream stream.bin
  $ applysim page btree orders_pkey 1 --scenario orders.toml --until 1000
`,
}

// page shows one page of a relation.
func page(env environment, args []string) error {
	f := newFlags("page")
	var o stateOptions
	o.addFlags(f)
	only := f.String("view", "", "show one `VIEW` only: page_header, heap_page_items, bt_page_stats,\nbt_page_items or bt_metap; or heap_tuple_infomask_flags, names for the bits of\nt_infomask; CSV has the items unless it is given")
	format := formatFlag(f, viewFormats...)
	if helped, err := parse(env, f, args, pageHelp); helped || err != nil {
		return err
	}
	if err := checkFormat(f, *format, viewFormats...); err != nil {
		return err
	}
	if f.NArg() != 3 || f.Arg(0) != "heap" && f.Arg(0) != "btree" {
		return hint(f, "expected heap or btree, a relation and a block number")
	}
	kind, name := f.Arg(0), f.Arg(1)
	block, err := strconv.ParseUint(f.Arg(2), 10, 32)
	if err != nil {
		return hint(f, "block %q: expected a number from 0 on", f.Arg(2))
	}
	o.positional = 3
	w, stopped := o.run(env, f, nil)
	if w == nil {
		return stopped
	}
	r, err := view.Find(w, name)
	if err != nil {
		return err
	}
	show := heapViews
	if kind == "btree" {
		show = btreeViews
	}
	views, err := show(&r, storage.BlockNumber(block))
	if err != nil {
		return err
	}
	if *only == "" {
		if views[len(views)-1].name == flagView {
			views = views[:len(views)-1]
		}
		if *format == "csv" {
			views = views[len(views)-1:]
		}
	}
	if views, err = choose(f, views, *only); err != nil {
		return err
	}
	if err := printViews(env, f, *format, views); err != nil {
		return err
	}
	return stopped
}

// flagView is shown only if it is asked for.
const flagView = "heap_tuple_infomask_flags"

// heapViews are the views of a page of a table.
func heapViews(r *view.Relation, block storage.BlockNumber) ([]titled, error) {
	p, err := r.HeapPage(block)
	if err != nil {
		return nil, err
	}
	raw := fmt.Sprintf("(get_raw_page('%s', %d))", r.Name, block)
	return []titled{
		{"page_header", "page_header" + raw, p.Header.Rows()},
		{"heap_page_items", "heap_page_items" + raw, p.Rows()},
		{flagView, "heap_tuple_infomask_flags(t_infomask, t_infomask2)", p.FlagRows()},
	}, nil
}

// btreeViews are the views of a page of a B-tree.
func btreeViews(r *view.Relation, block storage.BlockNumber) ([]titled, error) {
	raw := fmt.Sprintf("page_header(get_raw_page('%s', %d))", r.Name, block)
	if block == 0 {
		m, err := r.BTreeMeta()
		if err != nil {
			return nil, err
		}
		return []titled{{"page_header", raw, m.Header.Rows()}, {"bt_metap", fmt.Sprintf("bt_metap('%s')", r.Name), m.Rows()}}, nil
	}
	p, err := r.BTreePage(block)
	if err != nil {
		return nil, err
	}
	call := fmt.Sprintf("('%s', %d)", r.Name, block)
	return []titled{
		{"page_header", raw, p.Header.Rows()},
		{"bt_page_stats", "bt_page_stats" + call, p.StatRows()},
		{"bt_page_items", "bt_page_items" + call, p.Rows()},
	}, nil
}
