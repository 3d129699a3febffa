package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// reports writes the pages of run, compare and advise.
func reports(t *testing.T) map[string]string {
	t.Helper()
	file, dir := shortScenario(t), t.TempDir()
	both, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = both.WriteString("\n[publisher]\nbackend = \"20us\"\n\n[[subscription]]\nname = \"reports\"\n")
	if err := errors.Join(err, both.Close()); err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, command := range []string{
		"run --max-wal 1kB", "compare --max-ratio wal=0.9", "advise --goal hot=90% --limit 12",
	} {
		args := strings.Fields(command)
		name := filepath.Join(dir, args[0]+".html")
		args = append(append([]string{args[0], file}, args[1:]...), "--report", name)
		var stdout, stderr bytes.Buffer
		if code := run(args, strings.NewReader(""), &stdout, &stderr); code == exitUnusable {
			t.Fatalf("%s: %s", command, &stderr)
		}
		pages[args[0]] = name
	}
	return pages
}

// outside finds what a page would have to fetch.
var outside = regexp.MustCompile(`(?i)(https?:)?//[a-z]|\b(src|srcset|action|poster)\s*=|@import|url\(|<(script|iframe|object|embed|img)`)

// TestReport looks at the pages as they are written, and as a browser shows them.
func TestReport(t *testing.T) {
	pages := reports(t)
	t.Run("alone", func(t *testing.T) { reportsAlone(t, pages) })
	t.Run("in browser", func(t *testing.T) { reportsInBrowser(t, pages) })
}

// reportsAlone looks at the pages' text: nothing is fetched, all of it is well-formed, the
// charts have what they show in words, and links lead somewhere.
func reportsAlone(t *testing.T, pages map[string]string) {
	for command, name := range pages {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if !strings.Contains(text, `id="ends"`) || !strings.Contains(text, "publisher: walsender of reports") {
			t.Errorf("%s: the page does not show both ends", command)
		}
		if at := outside.FindString(text); at != "" {
			t.Errorf("%s: the page is not alone: %q", command, at)
		}
		d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "<!DOCTYPE html>")))
		charts := 0
		ids, links := map[string]bool{}, []string{}
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", command, err)
			}
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			labelled := false
			for _, a := range e.Attr {
				switch {
				case a.Name.Local == "id" && ids[a.Value]:
					t.Errorf("%s: id %q twice", command, a.Value)
				case a.Name.Local == "id":
					ids[a.Value] = true
				case a.Name.Local == "href" && strings.HasPrefix(a.Value, "#"):
					links = append(links, a.Value[1:])
				case a.Name.Local == "aria-label":
					labelled = a.Value != ""
				}
			}
			if e.Name.Local == "svg" {
				charts++
				if !labelled {
					t.Errorf("%s: a chart without a label", command)
				}
			}
		}
		for _, l := range links {
			if !ids[l] {
				t.Errorf("%s: a link to #%s, which is not there", command, l)
			}
		}
		if want := map[string]int{"run": 6, "compare": 10, "advise": 4}[command]; charts < want {
			t.Errorf("%s: %d charts, expected %d at least", command, charts, want)
		}
		for _, want := range []string{"prefers-color-scheme: dark", "@media print", "exact", "calibrated", "Assumed"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in the page", command, want)
			}
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: a figure that is no number", command)
		}
	}
}

// browser finds Chromium. Without it the test is passed over, but not in CI.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no Chromium: expected chromium, chromium-browser, google-chrome or chrome in PATH")
	}
	t.Skip("no Chromium")
	return ""
}

// render opens a page in Chromium and gives what it is then, and what the console says.
func render(t *testing.T, program, page string, width int, flags ...string) (dom, console string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--user-data-dir=" + t.TempDir(),
		fmt.Sprintf("--window-size=%d,900", width), "--dump-dom",
	}, flags...)
	cmd := exec.CommandContext(ctx, program, append(args, "file://"+page)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v: %s", program, err, &stderr)
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, "CONSOLE") {
			console += line
		}
	}
	return stdout.String(), console
}

// probe measures the page from within: what is wider than the window, how large the texts
// of charts are, and the colours.
const probe = `<script>
var small = Math.min.apply(null, Array.from(document.querySelectorAll("svg text")).map(function (e) { return e.getBoundingClientRect().height; }));
var style = getComputedStyle(document.body);
document.body.setAttribute("data-probe", [document.documentElement.scrollWidth - window.innerWidth, small.toFixed(1), style.backgroundColor, document.querySelectorAll("svg").length].join("|"));
</script></body>`

var probed = regexp.MustCompile(`data-probe="(-?\d+)\|([\d.]+)\|([^|"]*)\|(\d+)"`)

// reportsInBrowser renders the pages in Chromium, as on a phone and on a desk, dark and
// light: the console stays silent, nothing is wider than the window, texts can be read.
func reportsInBrowser(t *testing.T, pages map[string]string) {
	program := browser(t)
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.html")
	if err := os.WriteFile(broken, []byte("<body><script>nowhere()</script></body>"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, console := render(t, program, broken, 400); !strings.Contains(console, "nowhere") {
		t.Fatalf("a page that is broken gives %q on the console: its errors would not be seen", console)
	}
	const light, dark = "rgb(253, 253, 251)", "rgb(20, 24, 30)"
	for command, name := range pages {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		page := filepath.Join(dir, command+".html")
		if err := os.WriteFile(page, []byte(strings.Replace(string(b), "</body>", probe, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, look := range []struct {
			width  int
			flags  []string
			colour string
		}{{500, nil, light}, {1280, []string{"--blink-settings=preferredColorScheme=0"}, dark}} {
			dom, console := render(t, program, page, look.width, look.flags...)
			if console != "" {
				t.Errorf("%s, %d wide: the console says %s", command, look.width, console)
			}
			m := probed.FindStringSubmatch(dom)
			if m == nil {
				t.Errorf("%s, %d wide: the page did not render: %.300s", command, look.width, dom)
				continue
			}
			var wider int
			var height float64
			fmt.Sscan(m[1], &wider)
			fmt.Sscan(m[2], &height)
			if wider > 0 || height < 8 || m[3] != look.colour || m[4] == "0" {
				t.Errorf("%s, %d wide: %d pixels too wide, smallest text of a chart %.1f high, background %s (expected %s), %s charts", command, look.width, wider, height, m[3], look.colour, m[4])
			}
		}
	}
}
