package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"applysim/experiments/readers"
	"applysim/experiments/server"
)

// confirmRows is what is read before a confirmation is waited for.
const confirmRows = 20_000

// confirm measures when a slot's position is confirmed, by the intervals of pg_recvlogical:
// some rows are inserted while it reads, later each time.
func confirm(pool *server.Pool, out *csv.Writer, runs int) error {
	pub, err := pool.Start("pub", nil)
	if err != nil {
		return err
	}
	if err := pub.Script(ddl + "; create publication p for all tables; select pg_create_logical_replication_slot('s', 'pgoutput')"); err != nil {
		return err
	}
	out.Write(readers.ConfirmColumns)
	for _, every := range [][2]int{{10, 10}, {1, 10}, {1, 1}} {
		for i := range runs {
			c, err := confirmed(pub, every[0], every[1], time.Second+time.Duration(i)*time.Second/time.Duration(runs))
			if err != nil {
				return err
			}
			line := []string{strconv.Itoa(every[0]), strconv.Itoa(every[1])}
			for _, d := range c {
				line = append(line, strconv.FormatFloat(d.Seconds(), 'f', 3, 64))
			}
			fmt.Println(strings.Join(line, " "))
			out.Write(line)
			out.Flush()
		}
	}
	return out.Error()
}

// confirmed starts a reader and inserts rows some time later. It returns when all was
// committed, sent and confirmed, from the reader's start.
func confirmed(pub *server.Cluster, status, fsync int, later time.Duration) (at [3]time.Duration, err error) {
	cmd := pub.Program("pg_recvlogical", "-h", "127.0.0.1", "-p", strconv.Itoa(pub.Port), "-U", server.Superuser, "-d", pub.Database(),
		"--start", "--slot", "s", "-f", os.DevNull, "-o", "proto_version=4", "-o", "publication_names=p",
		fmt.Sprintf("--status-interval=%d", status), fmt.Sprintf("--fsync-interval=%d", fsync))
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return at, err
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
		for range 200 {
			if n, err := pub.Value("select count(*) from pg_replication_slots where active"); err != nil || n == "0" {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	time.Sleep(later)
	if err := pub.Script(fmt.Sprintf("truncate events; insert into events select g, g, 1, repeat('x', 128), now() from generate_series(1, %d) g", confirmRows)); err != nil {
		return at, err
	}
	at[0] = time.Since(started)
	end, err := pub.Value("select pg_current_wal_flush_lsn()")
	if err != nil {
		return at, err
	}
	for at[2] == 0 {
		rows, err := pub.Query("select coalesce(sent_lsn >= '" + end + "', false), confirmed_flush_lsn >= '" + end + "' from pg_replication_slots left join pg_stat_replication on pid = active_pid where slot_name = 's'")
		if err != nil {
			return at, err
		}
		for i, x := range rows[0] {
			if x == "t" && at[i+1] == 0 {
				at[i+1] = time.Since(started)
			}
		}
		if time.Since(started) > time.Minute {
			return at, fmt.Errorf("nothing is confirmed after a minute")
		}
		time.Sleep(5 * time.Millisecond)
	}
	return at, nil
}
