package apply

import "strings"

// Run runs a command on the subscriber between two messages: CHECKPOINT. The
// records of the checkpoint itself are not written if quiet.
func (w *Worker) Run(sql string, quiet bool) error {
	command := strings.ToLower(strings.TrimRight(strings.TrimSpace(sql), ";"))
	if command == "checkpoint" {
		w.Checkpoint(quiet)
		return nil
	}
	return &UnsupportedError{What: "the event " + sql}
}
