package recorded

import (
	"embed"
	"io/fs"
)

//go:embed testdata/recorded
var embedded embed.FS

// Builtin has the folders of the cases that are compiled into the program. The
// list only grows.
func Builtin() fs.FS {
	sub, err := fs.Sub(embedded, "testdata/recorded")
	if err != nil {
		panic(err) // the path is a constant
	}
	return sub
}
