package backends

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the file below
	"encoding/json"
	"fmt"
	"io"

	"applysim/model/cost"
)

// Measured is a workload with what a real backend took for it.
type Measured struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
	Runs []Run  `json:"runs"`
	// Work is what the simulator says that the backend had to do.
	Work cost.BackendWork `json:"work"`
}

// Run is a run of a workload.
type Run struct {
	// Ahead says that the client sent statements without waiting for the one before.
	Ahead   bool    `json:"ahead,omitempty"`
	Seconds float64 `json:"cpu_s"`
	// System is the kernel's part. It comes from the kernel's clock, 250 ticks a second.
	System float64 `json:"system_s"`
	Sleeps int64   `json:"sleeps"` // how often the backend went to sleep
}

// seconds are the measurements, made by the command measure on PostgreSQL 18.6 as Debian
// builds it.
//
//go:embed seconds.json.gz
var seconds []byte

// Recorded reads the measurements that come with the program.
func Recorded() ([]Measured, error) { return Read(bytes.NewReader(seconds)) }

// Read reads a file of measurements.
func Read(r io.Reader) ([]Measured, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("measured backends: %w", err)
	}
	var list []Measured
	if err := json.NewDecoder(z).Decode(&list); err != nil {
		return nil, fmt.Errorf("measured backends: %w", err)
	}
	return list, nil
}

// Write writes measurements as the program's recorded ones.
func Write(w io.Writer, list []Measured) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(z).Encode(list); err != nil {
		return err
	}
	return z.Close()
}
