package server

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// folder writes a case's files; the first error stays.
type folder struct {
	dir string
	err error
}

func (f *folder) create() error { return os.MkdirAll(f.dir, 0o755) }

func (f *folder) write(name string, content []byte) {
	f.err = errors.Join(f.err, os.WriteFile(filepath.Join(f.dir, name), content, 0o644))
}

func (f *folder) json(name string, v any) {
	b, err := marshal(v)
	f.err = errors.Join(f.err, err)
	f.write(name, b)
}

// text writes lines, no file if there are none.
func (f *folder) text(name string, lines []string) {
	if len(lines) == 0 {
		os.Remove(filepath.Join(f.dir, name)) // of an earlier recording
		return
	}
	f.write(name, []byte(strings.Join(lines, "\n")+"\n"))
}

// lines writes rows as compressed lines of columns.
func (f *folder) lines(name string, rows [][]string) {
	lines := make([]string, len(rows))
	for i, x := range rows {
		lines[i] = strings.Join(x, "\t")
	}
	f.compressed(name, lines)
}

func (f *folder) compressed(name string, lines []string) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	f.err = errors.Join(f.err, err)
	for _, l := range lines {
		z.Write([]byte(l))
		z.Write([]byte{'\n'})
	}
	f.err = errors.Join(f.err, z.Close())
	f.write(name, b.Bytes())
}

// OpenIn opens files by their names in a folder.
func OpenIn(dir string) func(string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(dir, name)) }
}
