package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shortScenario is the example scenario, of half a minute.
func shortScenario(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/scenario/orders.toml")
	if err != nil {
		t.Fatal(err)
	}
	ddl, err := os.ReadFile("testdata/scenario/orders.sql")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "orders.toml")
	short := strings.Replace(string(text), "10min", "30s", 1)
	if err := errors.Join(os.WriteFile(file, []byte(short), 0o666), os.WriteFile(filepath.Join(dir, "orders.sql"), ddl, 0o666)); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestBudgetCodes checks the exit codes of budgets: 0 within, 1 over, 2 not understood.
func TestBudgetCodes(t *testing.T) {
	file := shortScenario(t)
	for _, test := range []struct {
		args string
		want int
	}{
		{"run --min-hot customers=80%", 0},
		{"run --min-hot orders=95%", 1},
		{"run --min-hot 20% --max-wal 1GB --max-lag 1s", 0},
		{"run --min-hot 20% --max-wal 1kB --max-lag 1s", 1},
		{"run --min-hot nothing=95%", 2},
		{"run --min-hot 101%", 2},
		{"run --max-wal 1GiB", 2},
		{"run --max-lag -1s", 2},
		{"run --min-rate NaN", 2},
		{"run --max-ratio wal=1", 2}, // there is one variant only
		{"compare --max-ratio wal=1", 0},
		{"compare --max-ratio wal=0.8", 1},
		{"compare --min-ratio rate=0.9", 0},
		{"compare --min-ratio rate=1.5", 1},
		{"compare --max-ratio wal=Inf", 2},
		{"compare --min-ratio 1", 2},
	} {
		args := strings.Fields(test.args)
		args = append(append([]string{args[0], file, "--marginal", "off"}, args[1:]...), "--format", "csv")
		var stdout, stderr bytes.Buffer
		got := run(args, strings.NewReader(""), &stdout, &stderr)
		if got != test.want {
			t.Errorf("%s: exit code %d, expected %d: %s", test.args, got, test.want, &stderr)
		}
		if lines := strings.Count(stderr.String(), "\n"); test.want == 2 && lines != 1 || test.want == 0 && lines != 0 {
			t.Errorf("%s: %d lines of errors: %s", test.args, lines, &stderr)
		}
	}
}
