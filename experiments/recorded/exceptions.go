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
	// Messages is how many messages of a slot it is about, if it is about some.
	Messages int64 `json:"messages,omitempty"`
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

// parallelOrder is the reason of the named exception for VACUUM by parallel workers,
// which shows in the order of records and nothing else.
const parallelOrder = "parallel workers of VACUUM write the records of several indexes in an order of their own"

// reordered looks for a simulated record among the recorded ones that come later, while
// parallel workers clean indexes: it must be the next one of its index. The recording
// continues with it then.
func (k *comparison) reordered(got Record) bool {
	if !k.together() {
		return false
	}
	for i := k.next - 1; i < len(k.expected); i++ {
		x := k.expected[i]
		if strings.HasPrefix(x.Manager, "Heap") || x.Manager == "Transaction" && !x.Background() {
			return false
		}
		if name, known := k.files[x.Relation]; known {
			x.Relation = name // of a file that was replaced later
		}
		if x.Relation != got.Relation {
			continue
		}
		if x != got {
			return false
		}
		k.except(parallelOrder, got, got)
		copy(k.expected[k.next:i+1], k.expected[k.next-1:i])
		k.expected[k.next-1] = x
		return true
	}
	return false
}

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
		k.except(e.reason, want, got)
		return true
	}
	return false
}

// except counts a record that differs for a reason.
func (k *comparison) except(reason string, want, got Record) {
	r := k.result
	i := 0
	for i < len(r.Exceptions) && r.Exceptions[i].Reason != reason {
		i++
	}
	if i == len(r.Exceptions) {
		r.Exceptions = append(r.Exceptions, Exception{Reason: reason})
	}
	x := &r.Exceptions[i]
	x.Records++
	x.Expected += int64(want.Length)
	x.Simulated += int64(got.Length)
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
		n, noun := x.Records, "record"
		if x.Messages > 0 {
			n, noun = x.Messages, "message"
		}
		if n != 1 {
			noun += "s"
		}
		fmt.Fprintf(&b, "%d %s: %s", n, noun, x.Reason)
	}
	return b.String()
}
