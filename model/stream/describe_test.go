package stream

import (
	"flag"
	"fmt"
	"io"
)

var rewrite = flag.Bool("rewrite", false, "write golden files anew")

// describe prints the fields that a message's kind has.
func describe(w io.Writer, m *Message) {
	fmt.Fprintf(w, "%d %s xid=%d", m.Number, m.Kind, m.Xid)
	switch m.Kind {
	case KindBegin:
		fmt.Fprintf(w, " lsn=%s time=%d", m.TxLSN, m.Time)
	case KindCommit, KindStreamCommit:
		fmt.Fprintf(w, " lsn=%s end=%s time=%d", m.TxLSN, m.EndLSN, m.Time)
	case KindOrigin:
		fmt.Fprintf(w, " lsn=%s origin=%s", m.TxLSN, m.Origin)
	case KindRelation:
		fmt.Fprintf(w, " %+v", *m.Relation)
	case KindType:
		fmt.Fprintf(w, " %+v", *m.Type)
	case KindInsert, KindUpdate, KindDelete:
		fmt.Fprintf(w, " relation=%d", m.RelationID)
		if m.OldKind != OldNone {
			fmt.Fprintf(w, " %c%s", m.OldKind, tuple(m.Old))
		}
		fmt.Fprintf(w, " new%s", tuple(m.New))
	case KindTruncate:
		fmt.Fprintf(w, " flags=%d relations=%d", m.Flags, m.RelationIDs)
	case KindMessage:
		fmt.Fprintf(w, " flags=%d lsn=%s prefix=%q content=%q", m.Flags, m.TxLSN, m.Prefix, m.Content)
	case KindStreamStart:
		fmt.Fprintf(w, " first=%v", m.First)
	case KindStreamAbort:
		fmt.Fprintf(w, " subxid=%d", m.SubXid)
		if m.AbortInfo {
			fmt.Fprintf(w, " lsn=%s time=%d", m.TxLSN, m.Time)
		}
	case KindBeginPrepare, KindPrepare, KindStreamPrepare, KindCommitPrepared:
		fmt.Fprintf(w, " lsn=%s end=%s time=%d gid=%s", m.TxLSN, m.EndLSN, m.Time, m.GID)
	case KindRollbackPrepared:
		fmt.Fprintf(w, " lsn=%s end=%s prepared=%d time=%d gid=%s", m.TxLSN, m.EndLSN, m.PrepareTime, m.Time, m.GID)
	}
	fmt.Fprintln(w)
}

func tuple(t Tuple) string {
	s := "("
	for i, c := range t {
		if i > 0 {
			s += " "
		}
		s += string(c.Format)
		if c.Data != nil {
			s += fmt.Sprintf("%q", c.Data)
		}
	}
	return s + ")"
}
