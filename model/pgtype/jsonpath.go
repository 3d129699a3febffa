package pgtype

import (
	"errors"

	"applysim/heap/datum"
)

var errJsonpath = errors.New("type jsonpath: its stored form is not modelled")

// inputJsonpath is not done: nobody replicates a column of compiled paths.
func inputJsonpath(_, scratch []byte) (datum.Value, []byte, error) {
	return datum.Value{}, scratch, errJsonpath
}
