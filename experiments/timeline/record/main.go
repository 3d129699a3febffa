//go:build linux

// Record runs a scenario on a real publisher and subscriber and samples their views in
// time: where the WAL is, what was sent, applied and confirmed, what the slots keep.
//
//	go run ./experiments/timeline/record [FLAGS] DIR...
//
// Each DIR has run.toml, a scenario with a subscription, and gets samples.tsv.gz and
// meta.json. It runs on Linux, as it reads what processes take there. Times are seconds since the run began, positions are bytes of WAL since
// then. The publisher's transactions come at the times that the scenario says, from one
// session for each operation.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/server"
)

func main() {
	f := pflag.NewFlagSet("record", pflag.ExitOnError)
	pg := f.String("pg", "", "`PREFIX` of the PostgreSQL installation")
	dir := f.String("dir", "", "make the clusters below `DIR`")
	port := f.Int("port", 0, "first of the ports to use")
	beside := f.String("beside", "", "a shell `COMMAND` that runs beside the timed part")
	every := f.Duration("every", 100*time.Millisecond, "time between samples")
	wait := f.Duration("wait", 30*time.Second, "how long to wait for the subscriber after the run")
	f.Parse(os.Args[1:])
	pool, err := server.NewPool(server.Options{Prefix: *pg, Dir: *dir, Port: *port})
	if err == nil {
		for _, d := range f.Args() {
			r := &recording{pool: pool, dir: d, beside: *beside, every: *every, wait: *wait}
			if err = r.run(); err != nil {
				err = fmt.Errorf("%s: %w", d, err)
				break
			}
		}
		pool.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// startBeside starts the command beside the timed part.
func (r *recording) startBeside() (func(), error) {
	if r.beside == "" {
		return func() {}, nil
	}
	cmd := exec.Command("sh", "-c", r.beside)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	time.Sleep(300 * time.Millisecond)
	return func() { cmd.Wait() }, nil
}
