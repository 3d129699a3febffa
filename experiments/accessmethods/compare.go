package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// readCSV reads measurements, without the headings.
func readCSV(name string) ([][]string, error) {
	f, err := os.Open(filepath.Join(testdata, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	return lines[1:], nil
}

// measured is what indexes of real servers wrote, by grid and phase.
func measured() (map[string]*[3]map[string]count, error) {
	lines, err := readCSV("wal.csv")
	if err != nil {
		return nil, err
	}
	m := map[string]*[3]map[string]count{}
	for _, l := range lines {
		if m[l[0]] == nil {
			m[l[0]] = &[3]map[string]count{{}, {}, {}}
		}
		number := func(i int) int64 { n, _ := strconv.ParseInt(l[i], 10, 64); return n }
		m[l[0]][slices.Index(phases, l[1])][l[2]] = count{number(3), number(4), number(5)}
	}
	return m, nil
}

func total(m map[string]count) (sum count) {
	for _, c := range m {
		sum.records += c.records
		sum.bytes += c.bytes
		sum.images += c.images
	}
	return sum
}

// compare prints what was measured beside what the model says.
func compare(grids []grid, stdout io.Writer) error {
	real, err := measured()
	if err != nil {
		return err
	}
	for i := range grids {
		g := &grids[i]
		s, err := g.simulate()
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		m := real[g.name]
		if m == nil {
			continue
		}
		for phase, name := range phases {
			a, b := total(m[phase]), total(s.wal[phase])
			if a.records+b.records == 0 {
				continue
			}
			fmt.Fprintf(stdout, "%-22s %-7s %9d records %9d  %11d bytes %11d  %+6.1f %%\n", g.name, name, a.records, b.records, a.bytes, b.bytes, 100*(float64(b.bytes)/float64(a.bytes)-1))
			if len(grids) > 3 {
				continue
			}
			kinds := map[string]bool{}
			for k := range m[phase] {
				kinds[k] = true
			}
			for k := range s.wal[phase] {
				kinds[k] = true
			}
			for _, k := range slices.Sorted(maps.Keys(kinds)) {
				x, y := m[phase][k], s.wal[phase][k]
				fmt.Fprintf(stdout, "    %-28s %9d %9d  %11d %11d  %9d %9d\n", k, x.records, y.records, x.bytes, y.bytes, x.images, y.images)
			}
		}
	}
	return nil
}
