package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// build makes the program for another machine.
func build(t *testing.T, system, processor, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes a build of the standard library")
	}
	file := filepath.Join(t.TempDir(), name)
	cmd := exec.Command(goTool(), "build", "-o", file, ".")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

func goTool() string { return filepath.Join(runtime.GOROOT(), "bin", "go") }

// fused are the instructions of arm64 that compute x*y+z in one step.
var fused = regexp.MustCompile(`\sF(N)?M(ADD|SUB)[SD]\s`)

// TestNothingFused looks for instructions that multiply and add in one step, which round
// once where others round twice: figures would depend on the machine. The compiler makes
// them of x*y + z unless the product is converted, as in float64(x*y) + z.
func TestNothingFused(t *testing.T) {
	program := build(t, "linux", "arm64", "applysim")
	listing, err := exec.Command(goTool(), "tool", "objdump", "-s", "^applysim/", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(listing), "\n")
	if len(lines) < 100_000 {
		t.Fatalf("%d lines of assembly, expected the whole program", len(lines))
	}
	function := ""
	for _, line := range lines {
		if name, ok := strings.CutPrefix(line, "TEXT "); ok {
			function = name
		} else if fused.MatchString(line) {
			t.Errorf("%s\n%s", function, line)
		}
	}
}

// TestSameInBrowser runs a scenario with the WebAssembly build, which has no assembly of
// the standard library's and no fused instructions: the output is the same byte for byte.
func TestSameInBrowser(t *testing.T) {
	starter := filepath.Join(runtime.GOROOT(), "lib", "wasm", "go_js_wasm_exec")
	if _, err := exec.LookPath("node"); err != nil && os.Getenv("CI") == "true" {
		t.Fatal("no node: continuous integration must not leave this out")
	} else if err != nil {
		t.Skip("no node")
	} else if _, err := os.Stat(starter); err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("no %s: continuous integration must not leave this out", starter)
	} else if err != nil {
		t.Skip("no " + starter)
	}
	program := build(t, "js", "wasm", "applysim.wasm")
	for _, args := range [][]string{
		{"run", "testdata/scenario/orders.toml", "--marginal", "off", "--format", "json"},
		{"compare", "testdata/scenario/orders.toml", "--marginal", "off"},
	} {
		var want bytes.Buffer
		if code := run(args, strings.NewReader(""), &want, os.Stderr); code != 0 {
			t.Fatalf("%v: exit code %d", args, code)
		}
		var stderr bytes.Buffer
		cmd := exec.Command(starter, append([]string{program}, args...)...)
		cmd.Stderr = &stderr
		got, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, &stderr)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%v: WebAssembly says\n%s\nexpected\n%s", args, got, &want)
		}
	}
}
