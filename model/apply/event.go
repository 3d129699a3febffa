package apply

import (
	"fmt"
	"strings"

	"applysim/model/guc"
	"applysim/wal"
)

// session is what a session other than the worker's knows of the WAL: the redo pointer
// as of the last record that it wrote itself (xlog.c, RedoRecPtr and doPageWrites,
// which XLogInsertRecord renews).
type session struct {
	redo    wal.LSN // 0 if it has written nothing
	records int64   // in the log, as far as they are not the session's
}

// begin is for a new session.
func (s *session) begin(log *wal.Log) { *s = session{records: log.Total().Records} }

// learn notes what the session has learnt if it has written something.
func (s *session) learn(log *wal.Log) {
	if log.Total().Records > s.records {
		s.redo = log.Redo()
	}
}

// Run runs commands on the subscriber between two messages, in a session of their
// own: CHECKPOINT, VACUUM, ANALYZE, SET for the settings that VACUUM goes by, and BEGIN ISOLATION
// LEVEL REPEATABLE READ and COMMIT in events of their own, for a session that holds a
// snapshot in between. Records that
// belong to no change are not written if quiet: those of a checkpoint, and those that
// tell of a truncated file.
func (w *Worker) Run(sql string, quiet bool) error {
	server, before := w.opts.Settings, w.log.Total().Records
	defer func() {
		w.opts.Settings = server // what SET has changed is forgotten
		w.ended += w.log.Total().Records - before
	}()
	w.session.begin(w.log)
	for _, command := range fieldsOutside(sql, ";") {
		if command = strings.TrimSpace(command); command == "" {
			continue
		}
		if err := w.runCommand(command, quiet); err != nil {
			return err
		}
	}
	return nil
}

func (w *Worker) runCommand(command string, quiet bool) error {
	words := strings.Fields(strings.ToLower(command))
	switch words[0] {
	case "checkpoint":
		if len(words) == 1 {
			w.session.learn(w.log)
			w.Checkpoint(quiet)
			w.session.records = w.log.Total().Records // the checkpointer's are not its own
			return nil
		}
	case "set":
		return w.set(command)
	case "begin":
		if strings.Join(words, " ") == "begin isolation level repeatable read" {
			w.xacts.Hold()
			return nil
		}
	case "commit":
		if len(words) == 1 {
			w.xacts.ReleaseSnapshot()
			return nil
		}
	}
	if words[0] == "analyze" || words[0] == "analyse" {
		return w.analyze(nameFields(command)[1:])
	}
	if strings.HasPrefix(words[0], "vacuum") {
		o, names, err := parseVacuum(command)
		if err != nil {
			return err
		}
		return w.vacuumNamed(o, names, quiet)
	}
	return &UnsupportedError{What: "the event " + command}
}

// set changes a setting for the commands that follow in the same event.
func (w *Worker) set(command string) error {
	text := strings.TrimSpace(command[len("set"):])
	if first, rest, ok := strings.Cut(text, " "); ok && strings.EqualFold(first, "session") {
		text = strings.TrimSpace(rest)
	}
	end := strings.IndexAny(text, "= \t\n")
	if end < 0 {
		return fmt.Errorf("SET: expected a name and a value in %q", command)
	}
	name, value := text[:end], strings.TrimSpace(text[end:])
	switch {
	case strings.HasPrefix(value, "="):
		value = value[1:]
	case len(value) > 2 && strings.EqualFold(value[:2], "to"):
		value = value[2:]
	default:
		return fmt.Errorf("SET: expected = or TO after %s in %q", name, command)
	}
	value = strings.Trim(strings.TrimSpace(value), "'")
	switch {
	case strings.EqualFold(name, "synchronous_commit"):
		// Set alone would set the worker's.
		on, err := guc.ParseSynchronousCommit(value)
		if err != nil {
			return fmt.Errorf("synchronous_commit: %w", err)
		}
		w.opts.Settings.Vacuum.SynchronousCommit = on
		return nil
	case guc.OfVacuum(name):
		return w.opts.Settings.Set(name, value)
	}
	return &UnsupportedError{What: "the event " + command}
}
