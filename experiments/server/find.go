package server

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Installation is a PostgreSQL installation.
type Installation struct {
	Prefix  string // has bin/postgres and bin/initdb
	Version string // such as 18.1
	Major   int

	// root is the root directory of another system that the installation belongs
	// to: its programs run there. Prefix and all other paths that they see are
	// those inside; empty for this system's own.
	root string
}

// ErrNotFound says that no PostgreSQL installation was found.
var ErrNotFound = errors.New("no PostgreSQL server found: expected a prefix with bin/postgres and bin/initdb from --pg, from the environment variable PG, below /usr/lib/postgresql, in /usr/local/pgsql, or a directory of PATH")

// Find returns the installation in prefix; if that is empty the one that the
// environment variable PG names, or else the newest in the usual places.
func Find(prefix string) (*Installation, error) {
	if prefix == "" {
		prefix = os.Getenv("PG")
	}
	if prefix != "" {
		return examine(prefix)
	}
	places, _ := filepath.Glob("/usr/lib/postgresql/*")
	places = append(places, "/usr/local/pgsql", "/opt/homebrew/opt/postgresql", "/usr/local/opt/postgresql")
	if program, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			places = append(places, filepath.Dir(filepath.Dir(real)))
		}
	}
	var found []*Installation
	for _, p := range places {
		if i, err := examine(p); err == nil {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return nil, ErrNotFound
	}
	return slices.MaxFunc(found, func(a, b *Installation) int { return a.Major - b.Major }), nil
}

// examine looks at the installation in a prefix.
func examine(prefix string) (*Installation, error) {
	prefix, err := filepath.Abs(prefix)
	if err != nil {
		return nil, err
	}
	i := &Installation{Prefix: prefix}
	for _, program := range []string{"postgres", "initdb"} {
		if _, err := os.Stat(i.program(program)); err != nil {
			return nil, fmt.Errorf("no PostgreSQL server in %s: expected bin/%s there: %w", prefix, program, err)
		}
	}
	i.findRoot()
	cmd := exec.Command(i.program("postgres"), "--version")
	i.enter(cmd)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", i.program("postgres"), err)
	}
	// postgres (PostgreSQL) 18.1, perhaps with what a distribution adds
	words := strings.Fields(string(out))
	if len(words) < 3 {
		return nil, fmt.Errorf("%s --version says %q: expected a version", i.program("postgres"), strings.TrimSpace(string(out)))
	}
	i.Version = words[2]
	digits := strings.IndexFunc(i.Version, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		digits = len(i.Version)
	}
	if i.Major, err = strconv.Atoi(i.Version[:digits]); err != nil {
		return nil, fmt.Errorf("%s --version says %q: expected a version", i.program("postgres"), strings.TrimSpace(string(out)))
	}
	return i, nil
}

// findRoot finds out whether the prefix lies in the root directory of another system,
// as debootstrap makes it: the nearest directory above it with an etc/debian_version.
func (i *Installation) findRoot() {
	for dir := filepath.Dir(i.Prefix); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "etc/debian_version")); err == nil {
			i.root, i.Prefix = dir, strings.TrimPrefix(i.Prefix, dir)
			return
		}
	}
}

// inside is a path as the installation's programs see it.
func (i *Installation) inside(path string) string {
	if i.root == "" {
		return path
	}
	return strings.TrimPrefix(path, i.root)
}

// enter makes a command run in the installation's system, with its environment.
func (i *Installation) enter(cmd *exec.Cmd) {
	cmd.Env = i.environment()
	if i.root != "" {
		changeRoot(cmd, i.root)
	}
}

func (i *Installation) program(name string) string { return filepath.Join(i.Prefix, "bin", name) }

// environment is that of all programs of the installation, which may not be
// installed where its libraries are looked for.
func (i *Installation) environment() []string {
	return append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(i.Prefix, "lib"), "TZ=UTC", "LC_ALL=C")
}
