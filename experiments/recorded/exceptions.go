package recorded

import (
	"fmt"
	"strings"
)

// Exception counts the records in which a case differs for a reason that has a
// name.
type Exception struct {
	Reason    string `json:"reason"`
	Records   int64  `json:"records"`
	Expected  int64  `json:"expected"`  // bytes of these records
	Simulated int64  `json:"simulated"` // likewise
}

// exceptionKind is one of the named exceptions.
type exceptionKind struct {
	reason string
	// applies says whether a case may show it.
	applies func(settings map[string]string) bool
	// covers says whether it explains that got was simulated where want was
	// recorded.
	covers func(want, got Record) bool
}

// compressHeader is how much longer, in bytes, the header of an image with a hole is
// if the image is compressed (SizeOfXLogRecordBlockCompressHeader).
const compressHeader = 2

// exceptionKinds is the fixed list of named exceptions. What is not listed here must
// be exact.
var exceptionKinds = []exceptionKind{{
	reason:  "zstd images come from another encoder than the C library's",
	applies: func(settings map[string]string) bool { return settings["wal_compression"] == "zstd" },
	covers: func(want, got Record) bool {
		// Only images may differ in length, not what is around them, but for the
		// header of one that only one of the two encoders makes shorter.
		around := (want.Length - want.FPI) - (got.Length - got.FPI)
		if want.FPI == 0 || got.FPI == 0 || max(around, -around) > compressHeader {
			return false
		}
		want.Length, want.FPI, got.Length, got.FPI = 0, 0, 0, 0
		return want == got
	},
}}

// exceptions lists the named exceptions that may show in the case.
func (c *Case) exceptions() []exceptionKind {
	var list []exceptionKind
	for _, e := range exceptionKinds {
		if e.applies(c.Start.Settings) {
			list = append(list, e)
		}
	}
	return list
}

// excepted says whether a named exception explains a difference, and counts it.
func (k *comparison) excepted(want, got Record) bool {
	for _, e := range k.allowed {
		if !e.covers(want, got) {
			continue
		}
		r := k.result
		i := 0
		for i < len(r.Exceptions) && r.Exceptions[i].Reason != e.reason {
			i++
		}
		if i == len(r.Exceptions) {
			r.Exceptions = append(r.Exceptions, Exception{Reason: e.reason})
		}
		x := &r.Exceptions[i]
		x.Records++
		x.Expected += int64(want.Length)
		x.Simulated += int64(got.Length)
		return true
	}
	return false
}

// exceptionText says what a case is exact except for.
func exceptionText(list []Exception) string {
	var b strings.Builder
	for i, x := range list {
		if i == 0 {
			b.WriteString(" exact except ")
		} else {
			b.WriteString("; ")
		}
		noun := "records"
		if x.Records == 1 {
			noun = "record"
		}
		fmt.Fprintf(&b, "%d %s: %s", x.Records, noun, x.Reason)
	}
	return b.String()
}
