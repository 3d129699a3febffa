package server

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"
)

// workerError is the error with which an apply worker has stopped.
type workerError struct {
	Text   string `json:"text"`
	Detail string `json:"detail,omitempty"`
}

// errStopped says that the worker has stopped with an error.
var errStopped = errors.New("replication has stopped")

// once has a worker that stops not started again: it would do, and write, the same once
// more.
func (r *recording) once() error {
	settings := maps.Clone(r.sub.reloads)
	if settings == nil {
		settings = map[string]string{}
	}
	settings["wal_retrieve_retry_interval"] = "1h"
	return r.sub.reload(settings)
}

// stopped notes the error with which the worker has stopped, if err says that it has, and
// waits until it is gone.
func (r *recording) stopped(err error) error {
	switch {
	case err == nil:
		return errors.New("the worker has not stopped: expected an error in the last step")
	case !errors.Is(err, errStopped):
		return err
	}
	for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		n, err := r.sub.Value("select count(*) from pg_stat_activity where backend_type like 'logical replication%worker' and backend_type not like '%launcher%'")
		if err != nil {
			return err
		}
		if n == "0" {
			break
		}
		if time.Since(started) > applyTimeout {
			return fmt.Errorf("the worker has not ended within %v", applyTimeout)
		}
	}
	r.stop = errorOf(r.sub.log()[r.logged:])
	if r.stop == nil {
		return fmt.Errorf("the worker has stopped without an error: %s", tail(r.sub.log(), 500))
	}
	return nil
}

var workerLine = regexp.MustCompile(`^logical replication (?:parallel )?(?:apply )?worker: (\w+):  (.*)$`)

// errorOf reads the first error of a worker in a server's log: what stands before a line
// is "backend type: ", lines that a message goes on with begin with a tab.
func errorOf(log string) *workerError {
	var e *workerError
	var into *string
	for line := range strings.SplitSeq(log, "\n") {
		if rest, ok := strings.CutPrefix(line, "\t"); ok && into != nil {
			*into += "\n" + rest
			continue
		}
		into = nil
		m := workerLine.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1] == "ERROR" && e == nil:
			e = &workerError{Text: m[2]}
			into = &e.Text
		case m[1] == "ERROR":
			return e
		case m[1] == "DETAIL" && e != nil && e.Detail == "":
			e.Detail = m[2]
			into = &e.Detail
		}
	}
	return e
}
