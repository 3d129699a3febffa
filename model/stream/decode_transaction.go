package stream

// decode_transaction.go: the messages that begin and end transactions and
// streamed blocks.

// transaction decodes every message that may not be inside a streamed block.
func (d *Decoder) transaction(b []byte, m *Message, framed bool) int {
	switch m.Kind {
	case KindBegin:
		if len(b) < 21 {
			return d.short(21, "its fields")
		}
		m.TxLSN, m.Time, m.Xid = LSN(be64(b, 1)), Timestamp(be64(b, 9)), be32(b, 17)
		if m.TxLSN == 0 {
			return d.badText("expected a final LSN in begin, found 0/0")
		}
		return 21
	case KindCommit:
		if len(b) < 26 {
			return d.short(26, "its fields")
		}
		return d.commit(b, 1, m)
	case KindStreamCommit:
		if len(b) < 30 {
			return d.short(30, "its fields")
		}
		if m.Xid = be32(b, 1); m.Xid == 0 {
			return d.badNumber("a valid xid in stream commit", 0)
		}
		return d.commit(b, 5, m)
	case KindStreamStart:
		if len(b) < 6 {
			return d.short(6, "its fields")
		}
		if m.Xid = be32(b, 1); m.Xid == 0 {
			return d.badNumber("a valid xid in stream start", 0)
		}
		if b[5] > 1 {
			return d.badNumber("0 or 1 for the first streamed block", int64(b[5]))
		}
		m.First = b[5] == 1
		return 6
	case KindStreamAbort:
		return d.streamAbort(b, m, framed)
	case KindBeginPrepare:
		return d.twoPhase(b, 1, m)
	case KindPrepare, KindStreamPrepare, KindCommitPrepared, KindRollbackPrepared:
		if len(b) < 2 {
			return d.short(2, "its flags")
		}
		if b[1] != 0 {
			return d.badNumber("flags of 0 in "+m.Kind.String(), int64(b[1]))
		}
		return d.twoPhase(b, 2, m)
	}
	return d.badByte("the type byte of a message", b[0])
}

// commit decodes what commit and stream commit share.
func (d *Decoder) commit(b []byte, p int, m *Message) int {
	if b[p] != 0 {
		return d.badNumber("flags of 0 in "+m.Kind.String(), int64(b[p]))
	}
	m.TxLSN, m.EndLSN, m.Time = LSN(be64(b, p+1)), LSN(be64(b, p+9)), Timestamp(be64(b, p+17))
	return p + 25
}

// twoPhase decodes what the messages of two-phase commit share: two LSNs, a
// time (rollback prepared has two), the xid and the global identifier.
func (d *Decoder) twoPhase(b []byte, p int, m *Message) int {
	fixed := p + 28
	if m.Kind == KindRollbackPrepared {
		fixed += 8
	}
	if len(b) < fixed {
		return d.short(fixed, "its fields")
	}
	m.TxLSN, m.EndLSN = LSN(be64(b, p)), LSN(be64(b, p+8))
	p += 16
	if m.Kind == KindRollbackPrepared {
		m.PrepareTime = Timestamp(be64(b, p))
		p += 8
	}
	m.Time, m.Xid = Timestamp(be64(b, p)), be32(b, p+8)
	if m.TxLSN == 0 || m.EndLSN == 0 {
		return d.badText("expected two LSNs in " + m.Kind.String() + ", found 0/0")
	}
	if m.Xid == 0 && (m.Kind == KindPrepare || m.Kind == KindStreamPrepare) {
		return d.badNumber("a valid xid in "+m.Kind.String(), 0)
	}
	gid, p := d.cstring(b, fixed, "the global identifier")
	if p > 0 {
		m.GID = gid
	}
	return p
}

const (
	abortShortBytes = 9
	abortLongBytes  = 25
)

// streamAbort decodes both forms of stream abort; the package comment says how
// they are told apart.
func (d *Decoder) streamAbort(b []byte, m *Message, framed bool) int {
	if len(b) < abortShortBytes {
		return d.short(abortShortBytes, "its fields")
	}
	m.Xid, m.SubXid = be32(b, 1), be32(b, 5)
	if m.Xid == 0 || m.SubXid == 0 {
		return d.badNumber("two valid xids in stream abort", 0)
	}
	m.AbortInfo = len(b) > abortShortBytes
	if !framed {
		// At the end of the input the reader calls again with framed set if
		// the message and its newline are all that is left.
		if len(b) < abortShortBytes+2 {
			return d.short(abortShortBytes+2, "its end")
		}
		m.AbortInfo = b[abortShortBytes] != '\n' || !Kind(b[abortShortBytes+1]).Known()
	}
	if !m.AbortInfo {
		return abortShortBytes
	}
	if len(b) < abortLongBytes {
		return d.short(abortLongBytes, "the abort's LSN and time")
	}
	m.TxLSN, m.Time = LSN(be64(b, 9)), Timestamp(be64(b, 17))
	return abortLongBytes
}
