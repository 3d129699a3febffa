package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReadme runs the README's examples: in blocks that begin with ```console,
// each line `$ applysim ...` is followed by what it prints, standard output and
// then standard error. A line `...` stands for any number of lines. The
// commands run in the project's top folder. With -update outputs without such a
// line are rewritten.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	ran := 0
	lines := map[string]string{} // new outputs
	for _, example := range consoleExamples(string(text)) {
		args := words(example.command)[1:]
		if testing.Short() && (len(args) < 2 || args[0] != "run" && args[0] != "compare") {
			continue
		}
		t.Run(example.command, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			run(args, strings.NewReader(""), &stdout, &stderr)
			got := stdout.String() + stderr.String()
			if *update && !slices.Contains(example.output, "...") {
				lines[example.command] = got
				return
			}
			if !matches(example.output, strings.Split(strings.TrimRight(got, "\n"), "\n")) {
				t.Errorf("the README says\n%s\nbut it is\n%s", strings.Join(example.output, "\n"), got)
			}
		})
		ran++
	}
	if ran == 0 {
		t.Error("no examples found")
	}
	if len(lines) > 0 {
		if err := os.WriteFile("README.md", []byte(rewritten(string(text), lines)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// words parts a command as a shell does, as far as the README needs: double quotes hold
// words together.
func words(command string) []string {
	var list []string
	for i, part := range strings.Split(command, `"`) {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// rewritten puts new outputs in the place of the old.
func rewritten(text string, outputs map[string]string) string {
	var b strings.Builder
	skip := false
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\n")
		if strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "$ ") {
			skip = false
		}
		if skip {
			continue
		}
		b.WriteString(line)
		if strings.HasPrefix(bare, "$ ") {
			if out, ok := outputs[bare[2:]]; ok {
				b.WriteString(out)
				skip = true
			}
		}
	}
	return b.String()
}

type consoleExample struct {
	command string
	output  []string
}

// consoleExamples finds the commands and outputs. Blocks of other commands,
// which show what to do outside of the program, are passed over.
func consoleExamples(text string) []consoleExample {
	var list []consoleExample
	in := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "```console":
			in = true
		case strings.HasPrefix(line, "```"):
			in = false
		case in && strings.HasPrefix(line, "$ applysim"):
			list = append(list, consoleExample{command: line[2:]})
		case in && len(list) > 0:
			e := &list[len(list)-1]
			e.output = append(e.output, line)
		}
	}
	for i := range list {
		for n := len(list[i].output); n > 0 && list[i].output[n-1] == ""; n-- {
			list[i].output = list[i].output[:n-1]
		}
	}
	return list
}

// matches compares lines, `...` matching any number of them.
func matches(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "..." {
		for i := range len(got) + 1 {
			if matches(want[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && want[0] == got[0] && matches(want[1:], got[1:])
}

// TestReadmeFiles checks that the README names only files that are there.
func TestReadmeFiles(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" \n`()|,;", r) }) {
		top, _, _ := strings.Cut(word, "/")
		switch top {
		case "cmd", "model", "heap", "index", "wal", "experiments":
			if strings.Contains(word, "/") && !strings.ContainsAny(word, "*.{") {
				if _, err := os.Stat(filepath.Join("../..", word)); err != nil {
					t.Errorf("README: %v", err)
				}
			}
		}
	}
}
