// Applysim is an in-process model of the subscriber side of PostgreSQL logical
// replication. `applysim --help` lists what it can do.
//
// Each subcommand has a file of its own: it reads its flags, calls the packages
// below model and experiments, and prints what they return.
//
// The compiler optimizes by default.pgo, a profile of benchmarks:
//
//	go test -trimpath ./experiments -run '^$' -bench 'Apply|Scenario' -cpuprofile a
//	go test -trimpath ./model/scenario -run '^$' -bench 'Run|Load' -benchtime 4s -cpuprofile b
//	go tool pprof -proto a b > cmd/applysim/default.pgo
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// The exit codes.
const (
	exitDone     = 0
	exitNo       = 1 // the answer is no: differs, stopped, over the limit
	exitUnusable = 2 // the input cannot be used
)

// environment is what a command reads from and writes to.
type environment struct {
	stdin  io.Reader
	stdout *bufio.Writer
	stderr io.Writer
}

// errNo makes the program exit with exitNo; what there is to say was printed.
var errNo = errors.New("the answer is no")

// command is one subcommand.
type command struct {
	name, summary string
	run           func(environment, []string) error
}

// commands are the subcommands in the order of the help text.
func commands() []command {
	return []command{
		{"reproduce", "published figures beside simulated ones (also without a command)", reproduce},
		{"replay", "apply a captured change stream and report what it costs", replay},
		{"verify", "replay recorded cases and compare them with the real server", verify},
		{"run", "a synthetic workload on a schema, and what it costs", runScenario},
		{"compare", "the same workload under a scenario's variants, side by side", compareVariants},
		{"init", "draft a scenario from a schema, and from a real server's statistics", initScenario},
		{"advise", "what to change about a subscriber, ranked by what it saves", adviseChanges},
		{"explain", "one change step by step: what the worker does, record by record", explainChange},
		{"page", "a page of a table or index, as pageinspect shows it", page},
		{"wal", "the WAL record by record, as pg_waldump lists it", walListing},
		{"stat", "statistics views by their own columns", stat},
		{"lesson", "small lessons about what a subscriber does inside", lesson},
		{"decode", "what output plugins make of a publisher's changes, and what decoding keeps", decodeChanges},
		{"pipeline", "lag, catch-up and limits in time, from the publisher's WAL to the rows", runPipeline},
		{"copy", "the initial copy of tables: WAL, CPU, how long with several workers", runCopy},
		{"physical", "the same changes shipped to a physical standby and to subscriptions", runPhysical},
		{"compare-observed", "where a real pipeline's views and the simulation part", compareObserved},
		{"slots", "what replication slots keep, when they are lost, when to be told", runSlots},
		{"commit", "what clients wait for by synchronous_commit, and what would be lost", runCommit},
		{"record", "record cases on real servers, for verify", record},
		{"calibrate", "fit a profile to CPU seconds that were measured", calibrate},
	}
}

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := bufio.NewWriterSize(stdout, 64<<10)
	err := dispatch(environment{stdin, out, stderr}, args)
	if flushed := out.Flush(); flushed != nil && (err == nil || errors.Is(err, errNo)) {
		err = flushed
	}
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errNo):
		return exitNo
	}
	fmt.Fprintf(stderr, "applysim: %v\n", err)
	return exitUnusable
}

// dispatch runs the command that the arguments name.
func dispatch(env environment, args []string) error {
	if len(args) == 0 {
		return reproduce(env, nil)
	}
	switch name := args[0]; {
	case name == "--help" || name == "-h" || name == "help" && len(args) == 1:
		usage(env.stdout)
		return nil
	case name == "help":
		return dispatch(env, []string{args[1], "--help"})
	case strings.HasPrefix(name, "-"):
		return reproduce(env, args)
	default:
		for _, c := range commands() {
			if c.name == name {
				return c.run(env, args[1:])
			}
		}
		return fmt.Errorf("unknown command %q: expected %s (see applysim --help)", name, commandNames())
	}
}

func commandNames() string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func usage(w io.Writer) {
	fmt.Fprint(w, `applysim models the subscriber side of PostgreSQL logical replication: it
applies a stream of changes to paged heaps and B-trees as the apply worker of
PostgreSQL 18 does, and reports the WAL, record by record, and the pages.

Usage:
  applysim [COMMAND] [FLAGS]

Commands:
`)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, `
Example: what a captured stream would write on a subscriber
  pg_recvlogical -d app --slot s --create-slot --plugin=pgoutput
  pg_recvlogical -d app --slot s --start -f stream.bin \
      -o proto_version=4 -o publication_names=p
  applysim replay --schema schema.sql --stream stream.bin

Exit code: 0 done; 1 the answer is no (a case differs, replication would stop,
a figure is over its limit); 2 the input cannot be used.
Help on a command: applysim COMMAND --help
`)
}
