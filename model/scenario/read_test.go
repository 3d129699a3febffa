package scenario

import (
	"strings"
	"testing"
)

// TestErrors reads bad scenarios: the first thing that is wrong is named with its line and
// what was expected.
func TestErrors(t *testing.T) {
	const head = "schema = \"s.sql\"\nduration = \"1min\"\n"
	const op = "[[operation]]\ntable = \"t\"\ndo = \"insert\"\nrate = 1\n"
	const ddl = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, r int4range, g int GENERATED ALWAYS AS (n + 1) STORED);\nCREATE TABLE bare (a int);\nCREATE TABLE parted (a int PRIMARY KEY) PARTITION BY RANGE (a);\nCREATE INDEX t_n_idx ON t (n);"
	const insert = "[tables.t.columns]\nr = { values = [\"[1,2)\"] }\n" + op
	for _, c := range []struct{ name, text, want string }{
		{"syntax", "schema = \n", `s.toml:1: unexpected character U+000A at start of value`},
		{"twice", "seed = 1\nseed = 2\n", `s.toml:2: key seed is already defined`},
		{"no schema", "duration = \"1min\"\n" + op, `s.toml:1: expected schema, the path of a file with the subscriber's DDL`},
		{"unknown key", head + "sede = 1\n" + op, `s.toml:3: unknown key "sede" (nearest known: seed)`},
		{"unknown key in a table", head + "[tables.t]\nrow = 1\n" + op, `s.toml:4: unknown key "row" in tables.t (nearest known: rows)`},
		{"unknown key of an operation", head + op + op + "wich = \"uniform\"\n", `s.toml:11: unknown key "wich" in operation[1] (nearest known: which)`},
		{"unknown key inline", head + "[tables.t.columns]\nn = { distinkt = 3 }\n" + op, `s.toml:4: unknown key "distinkt" in tables.t.columns.n (nearest known: distinct)`},
		{"unknown setting", head + "[settings]\nmax_wall_size = \"1GB\"\n" + op, `s.toml:4: unrecognized configuration parameter "max_wall_size" (nearest known: max_wal_size)`},
		{"unit", head + "[settings]\nmax_wal_size = \"1XB\"\n" + op, `s.toml:4: invalid value for parameter "max_wal_size": "1XB": expected one of the units B, kB, MB, GB and TB`},
		{"autovacuum", head + "[settings]\nautovacuum_naptime = \"0\"\n" + op, `s.toml:4: invalid value for parameter "autovacuum_naptime": "0": expected a time from 1s to 596h31m23s`},
		{"version", head + "[settings]\nserver_version = \"14\"\n" + op, `s.toml:4: invalid value for parameter "server_version": "14": not supported: expected 15, 16, 17 or 18, the versions that are modelled`},
		{"type of a value", head + "seed = \"x\"\n" + op, `s.toml:3: seed: found "x", expected a whole number from 0 on`},
		{"time", "schema = \"s\"\nduration = \"1 fortnight\"\n" + op, `s.toml:2: duration: found "1 fortnight", expected a time such as "30s" or "10min"`},
		{"both lengths", head + "changes = 3\n" + op, `s.toml:3: duration and changes are both given: expected one of them`},
		{"no length", "schema = \"s\"\n" + op, `s.toml:1: expected duration or changes: how long the run is`},
		{"no operation", head, `s.toml:1: expected an [[operation]]: what the publisher does`},
		{"rate and count", head + op + "count = 3\n", `s.toml:3: expected either rate, changes a second, or count, changes in the whole run`},
		{"action", head + "[[operation]]\ntable = \"t\"\ndo = \"upsert\"\nrate = 1\n", `s.toml:5: do = "upsert": expected one of insert, update and delete (nearest: insert)`},
		{"update of nothing", head + "[[operation]]\ntable = \"t\"\ndo = \"update\"\nrate = 1\n", `s.toml:3: expected columns = [...]: those that the update changes`},
		{"weights", head + "[tables.t.columns.n]\nvalues = [1, 2]\nweights = [1]\n" + op, `s.toml:5: 1 weights for 2 values: expected one for each`},
		{"skew without values", head + "[tables.t.columns.n]\nzipf = 1.5\nkind = \"random\"\n" + op, `s.toml:4: a skew needs a number of values: expected distinct, too`},
		{"fillfactor", head + op + "[[variant]]\nname = \"v\"\nfillfactor = { t = 5 }\n", `s.toml:9: fillfactor of t: found 5, expected a whole number from 10 to 100`},
		{"name taken", head + op + "[[variant]]\nname = \"v\"\nddl = \"x\"\n[[variant]]\nname = \"v\"\nddl = \"x\"\n", `s.toml:11: the name "v" is taken: expected another one (the scenario itself is "base")`},
		{"idle variant", head + op + "[[variant]]\nname = \"v\"\n", `s.toml:7: a variant that changes nothing: expected ddl, drop_index, fillfactor, replica_identity, column_type or settings`},
		{"snapshot", head + op + "[[snapshot]]\nfrom = \"2min\"\nuntil = \"1min\"\n", `s.toml:9: until = 1m0s: expected a time after from, 2m0s`},

		{"bursts without number", head + op + "bursts = { every = \"10us\", lasts = \"5us\", factor = 2 }\n", `s.toml:7: bursts every 10µs: 6000000 in a run of 1m0s, expected at most 1000000`},
		{"begins after the run", head + op + "begins = \"2min\"\n", `s.toml:7: begins = 2m0s: expected a time within the run of 1m0s`},
		{"stopped after the run", head + "[[subscription]]\nstopped = [{ from = \"1min\" }]\n" + op, `s.toml:4: from = 1m0s: expected a time within the run of 1m0s`},
		{"periods that overlap", head + "[[slot]]\nname = \"a\"\nstopped = [{ from = \"10s\" }, { from = \"20s\" }]\n" + op, `s.toml:5: from = 20s: expected a time after the period before`},
		{"subscription without a name", head + "[[subscription]]\nname = \"\"\n" + op, `s.toml:4: name: found "", expected that of a subscription`},
		{"synchronous_commit of a subscription", head + "[[subscription]]\nsynchronous_commit = \"banana\"\n" + op, `s.toml:4: synchronous_commit = "banana": expected one of off, local, remote_write, on and remote_apply (nearest: local)`},
		{"standby without a name", head + "[[standby]]\nflush = \"1ms\"\n" + op, `s.toml:3: a standby without a name: expected name = "...", its application_name`},
		{"unknown key of a standby", head + "[[standby]]\nname = \"a\"\nflussh = \"1ms\"\n" + op, `s.toml:5: unknown key "flussh" in standby[0] (nearest known: flush)`},
		{"setting of a standby", head + "[[standby]]\nname = \"a\"\n[standby.settings]\nhot_standby = true\n" + op, `s.toml:6: unknown key "hot_standby" in standby[0].settings (nearest known: recovery_min_apply_delay)`},
		{"value of a standby's setting", head + "[[standby]]\nname = \"a\"\n[standby.settings]\nrecovery_min_apply_delay = \"5 miles\"\n" + op, `s.toml:6: invalid value for parameter "recovery_min_apply_delay": "5 miles": expected one of the units us, ms, s, min, h and d`},
		{"clients", head + "[clients]\ncount = 0\n" + op, `s.toml:4: count: found 0, expected a whole number from 1 to 10000`},
		{"losses", head + "[[standby]]\nname = \"a\"\nlost = [{ from = \"5s\", until = \"3s\" }]\n" + op, `s.toml:5: until = 3s: expected a time after from, 5s`},
		{"commit_delay", head + "[publisher.settings]\ncommit_delay = \"1ms\"\n" + op, `s.toml:4: invalid value for parameter "commit_delay": "1ms": expected a whole number from 0 to 100000`},

		{"unknown table", head + strings.ReplaceAll(op, `"t"`, `"tt"`), `s.toml:4: table "tt" is not in s.sql (nearest: t)`},
		{"unknown table before the run", head + "[tables.bear]\nrows = 3\n" + insert, `s.toml:3: table "bear" is not in s.sql (nearest: bare)`},
		{"unknown column", head + "[tables.t.columns]\nm = { distinct = 3 }\n" + op, `s.toml:4: table "t" has no column "m" (nearest: g)`},
		{"unknown updated column", head + "[[operation]]\ntable = \"t\"\ndo = \"update\"\ncolumns = [\"idd\"]\nrate = 1\n", `s.toml:6: table "t" has no column "idd" (nearest: id)`},
		{"value of another type", head + "[tables.t.columns]\nr = { values = [\"a\"] }\n" + op, `s.toml:4: t.r: values: "a": malformed range literal: "a"`},
		{"generated", head + "[tables.t.columns]\ng = { distinct = 3 }\nr = { nulls = 1, values = [\"[1,2)\"] }\n" + op, `s.toml:4: column "g" is generated: it is not published`},
		{"nulls", head + "[tables.t.columns]\nn = { nulls = 0.5 }\nr = { nulls = 1, values = [\"[1,2)\"] }\n" + op, `s.toml:4: nulls = 0.5: t.n is NOT NULL`},
		{"no identity", head + "[[operation]]\ntable = \"bare\"\ndo = \"delete\"\nrate = 1\n", `s.toml:3: table "bare" has no replica identity: its publisher would refuse to delete (expected a primary key, or ALTER TABLE ... REPLICA IDENTITY FULL)`},
		{"kind of a type", head + "[tables.t.columns]\nn = { kind = \"time\" }\nr = { values = [\"[1,2)\"] }\n" + op, `s.toml:4: t.n: kind = "time" goes with dates and times, not with type integer`},
		{"index of a variant", head + insert + "[[variant]]\nname = \"v\"\ndrop_index = \"nix\"\n", `s.toml:11: variant "v": there is no index "nix" (nearest: t_n_idx)`},
		{"rows of a partitioned table", head + "[tables.parted]\nrows = 5\n" + insert, `s.toml:4: table "parted" has no rows of its own: rows before the run go to its partitions`},
		{"load", head + "[tables.t]\nrows = 5\nload = \"dump\"\n" + op, `s.toml:5: load = "dump": expected one of copy, indexes first and inserts (nearest: copy)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Read(strings.NewReader(c.text), "s.toml")
			if err == nil {
				for _, v := range append([]*Variant{nil}, s.Variants...) {
					if _, err = s.prepare(v, &Options{Schema: opener(ddl)}); err != nil {
						break
					}
				}
			}
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// FuzzRead reads anything without a panic.
func FuzzRead(f *testing.F) {
	f.Add(shop)
	f.Add("schema = \"s\"\nchanges = 1\n[[operation]]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Read(strings.NewReader(text), "s.toml"); err == nil && len(s.Operations) == 0 {
			t.Error("a scenario without operations is read")
		}
	})
}
