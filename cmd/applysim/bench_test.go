//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"applysim/experiments/scenarios"
	"applysim/experiments/workload"
)

// bestOf is of how many runs the best one counts.
const bestOf = 5

// BenchmarkReplay runs the program as users do, on one core: the published workload of
// 500,000 rows from a file. It reports the CPU of the whole process (user and system, the
// best of five runs), its peak memory, the size of the same relations on a real server, and how many
// times less CPU that is than a real apply worker takes (experiments/scenarios, medians).
func BenchmarkReplay(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "applysim")
	cmd := exec.Command(goTool(), "build", "-o", program, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	stream := filepath.Join(dir, "stream.bin")
	f, err := os.Create(stream)
	if err != nil {
		b.Fatal(err)
	}
	o := workload.DefaultOptions()
	o.Rows = 500_000
	if err := workload.Generate(f, o); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		indexes  int
		scenario string
	}{{0, "insert_text_pk_published"}, {4, "insert_text_pk_4_published"}} {
		indexes, scenario := c.indexes, c.scenario
		b.Run(fmt.Sprintf("indexes=%d", indexes+1), func(b *testing.B) {
			schema := filepath.Join(dir, "schema.sql")
			if err := os.WriteFile(schema, []byte(workload.Schema(indexes)), 0o644); err != nil {
				b.Fatal(err)
			}
			cpu, peak := math.Inf(1), 0.0
			replay := func(args ...string) []byte {
				cmd := exec.Command(program, append([]string{"replay", "--schema", schema, "--stream", stream}, args...)...)
				cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
				out, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				if len(args) == 0 {
					used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
					cpu = min(cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
					peak = max(peak, float64(used.Maxrss)/1024)
				}
				return out
			}
			var pages struct {
				Tables map[string]struct {
					Pages   int
					Indexes map[string]struct{ Pages int }
				}
			}
			if err := json.Unmarshal(replay("--format", "json"), &pages); err != nil {
				b.Fatal(err)
			}
			real := 0
			for _, t := range pages.Tables {
				real += t.Pages
				for _, x := range t.Indexes {
					real += x.Pages
				}
			}
			for b.Loop() {
				for range bestOf {
					replay()
				}
			}
			b.ReportMetric(cpu, "cpu-s")
			b.ReportMetric(peak, "peak-MiB")
			b.ReportMetric(float64(real)/128, "real-MiB")
			b.ReportMetric(realApply(b, scenario)/cpu, "real/sim")
		})
	}
}

// realApply is the CPU seconds of a real apply worker in a scenario, the median of the
// recorded runs.
func realApply(b *testing.B, scenario string) float64 {
	b.Helper()
	recorded, err := scenarios.RecordedRuns()
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range recorded {
		if r.Scenario.Name == scenario {
			return scenarios.Median(r.Apply)
		}
	}
	b.Fatalf("no measurements of %s", scenario)
	return 0
}
