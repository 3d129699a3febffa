package pgtype

import (
	"errors"

	"applysim/heap/datum"
)

var errStub = errors.New("not yet")

func (t *Type) inputGeometry(text, scratch []byte) (datum.Value, []byte, error) {
	return datum.Value{}, scratch, errStub
}
func (t *Type) receiveGeometry(r *reader, scratch []byte) (datum.Value, []byte, error) {
	return datum.Value{}, scratch, errStub
}
func inputTSVector(text, scratch []byte) (datum.Value, []byte, error) {
	return datum.Value{}, scratch, errStub
}
func receiveTSVector(r *reader, scratch []byte) (datum.Value, []byte, error) {
	return datum.Value{}, scratch, errStub
}
func inputTSQuery(text, scratch []byte) (datum.Value, []byte, error) {
	return datum.Value{}, scratch, errStub
}
func receiveTSQuery(r *reader, scratch []byte) (datum.Value, []byte, error) {
	return datum.Value{}, scratch, errStub
}
func inputJsonpath(text, scratch []byte) (datum.Value, []byte, error) {
	return datum.Value{}, scratch, errStub
}
