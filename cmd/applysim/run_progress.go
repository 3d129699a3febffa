package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"applysim/experiments/table"
	"applysim/model/scenario"
)

// Progress is shown after a second, and then so often.
const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// showProgress keeps a line on a terminal about a run of so many changes in all, if it
// takes longer than a second. stop takes the line away.
func showProgress(w io.Writer, p *scenario.Progress, total int64) (stop func()) {
	if !isTerminal(w) {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		start, shown := time.Now(), 0
		defer func() {
			if shown > 0 {
				fmt.Fprintf(w, "\r%s\r", strings.Repeat(" ", shown))
			}
		}()
		for wait := progressAfter; ; wait = progressEvery {
			select {
			case <-done:
				return
			case <-time.After(wait):
			}
			line := progressLine(p.Done.Load(), total, time.Since(start))
			fmt.Fprintf(w, "\r%-*s", shown, line)
			shown = max(shown, len(line))
		}
	}()
	return func() {
		close(done)
		<-gone
	}
}

// progressLine says how far it is, how fast it goes and how long it will take.
func progressLine(done, total int64, took time.Duration) string {
	rate := float64(done) / took.Seconds()
	line := fmt.Sprintf("%s changes, %s a second", table.Integer(done), table.Integer(int64(rate)))
	if total > 0 && rate > 0 && done <= total {
		left := time.Duration(float64(total-done) / rate * float64(time.Second))
		line = fmt.Sprintf("%3.0f %%, %s, %s left", 100*float64(done)/float64(total), line, left.Round(time.Second))
	}
	return line
}

// isTerminal says whether somebody watches.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
