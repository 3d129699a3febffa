package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"applysim/model/capture"
)

// hostFS opens files by the names that the user gave, so that messages show
// them as they are. It takes names that fs.ValidPath does not.
type hostFS struct{}

func (hostFS) Open(name string) (fs.File, error) { return os.Open(name) }

// resultFile is a file that appears only when it is complete: it is written
// beside its place and renamed by commit. A device or a pipe is written to as
// it is.
type resultFile struct {
	*bufio.Writer
	file    *os.File
	name    string
	signals chan os.Signal
	direct  bool
}

func createResult(name string) (*resultFile, error) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // a link goes on pointing where it did
	}
	r := &resultFile{name: name}
	var err error
	info, statErr := os.Stat(name)
	switch {
	case statErr == nil && info.IsDir():
		return nil, fmt.Errorf("%s: is a directory, expected a file", name)
	case statErr == nil && !info.Mode().IsRegular():
		r.direct = true
		r.file, err = os.OpenFile(name, os.O_WRONLY, 0)
	default:
		temporary := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%d.tmp", filepath.Base(name), os.Getpid()))
		r.file, err = os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			at.Path = name // not that of the temporary file
		}
		return nil, err
	}
	r.Writer = bufio.NewWriterSize(r.file, 256<<10)
	if !r.direct {
		r.removeOnSignal()
	}
	return r, nil
}

// removeOnSignal takes the unfinished file away when the program is told to
// end.
func (r *resultFile) removeOnSignal() {
	signals, temporary := make(chan os.Signal, 1), r.file.Name()
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	r.signals = signals
	go func() {
		if _, ok := <-signals; ok {
			os.Remove(temporary)
			os.Exit(exitUnusable)
		}
	}()
}

func (r *resultFile) stopSignals() {
	if r.signals != nil {
		signal.Stop(r.signals)
		close(r.signals)
		r.signals = nil
	}
}

// commit puts the file in its place.
func (r *resultFile) commit() error {
	err := errors.Join(r.Flush(), r.file.Close())
	if err == nil && !r.direct {
		err = os.Rename(r.file.Name(), r.name)
	}
	if err != nil {
		r.abandon()
		return err
	}
	r.stopSignals()
	r.file = nil
	return nil
}

// abandon leaves nothing behind. After commit it does nothing.
func (r *resultFile) abandon() {
	if r.file == nil {
		return
	}
	r.file.Close()
	if !r.direct {
		os.Remove(r.file.Name())
	}
	r.stopSignals()
	r.file = nil
}

// openInput opens a file, "-" being standard input.
func openInput(env environment, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(env.stdin), nil
	}
	return os.Open(name)
}

// textError puts the file and line before what is wrong with a text of changes.
func textError(file string, err error) error {
	var at *capture.Error
	if !errors.As(err, &at) {
		return err
	}
	if file == "-" {
		file = "standard input"
	}
	return fmt.Errorf("%s:%d: %s", file, at.Line, at.Text)
}
