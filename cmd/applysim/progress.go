package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// progress shows on a terminal how far a long run is, in one line that goes when it
// ends. Elsewhere it shows nothing.
type progress struct {
	w           io.Writer
	done, total int
	width       int
}

func newProgress(w io.Writer, total int) *progress {
	p := &progress{total: total}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.w = w
		}
	}
	return p
}

// step says that a part is done.
func (p *progress) step(name string) {
	p.done++
	if p.w == nil {
		return
	}
	line := fmt.Sprintf("%d of %d: %s", p.done, p.total, name)
	fmt.Fprintf(p.w, "\r%-*s", p.width, line)
	p.width = max(p.width, len(line))
}

func (p *progress) end() {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
	}
}
