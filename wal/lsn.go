package wal

// LSN arithmetic, after xlog.c (XLogBytePosToRecPtr and its relatives).

import (
	"fmt"
	"strconv"
	"strings"
)

// LSN is a log sequence number: a byte position in the WAL, page headers
// included.
type LSN uint64

// The layout of WAL files. Sources: REL_18_1, src/include/access/xlog_internal.h
// (XLogPageHeaderData, XLogLongPageHeaderData) and pg_config.h (XLOG_BLCKSZ).
const (
	// WALPageSize is XLOG_BLCKSZ.
	WALPageSize = 8192
	// shortPageHeader stands at the start of each WAL page, longPageHeader at
	// that of each segment's first page.
	shortPageHeader = 24
	longPageHeader  = 40
	// DefaultSegmentSize is wal_segment_size as initdb sets it.
	DefaultSegmentSize = 16 << 20
)

// String gives PostgreSQL's notation, as in 0/1972CB8.
func (l LSN) String() string {
	return fmt.Sprintf("%X/%X", uint32(l>>32), uint32(l))
}

// ParseLSN reads PostgreSQL's notation of an LSN.
func ParseLSN(s string) (LSN, error) {
	hi, lo, ok := strings.Cut(s, "/")
	h, err1 := strconv.ParseUint(hi, 16, 32)
	l, err2 := strconv.ParseUint(lo, 16, 32)
	if !ok || err1 != nil || err2 != nil {
		return 0, fmt.Errorf("invalid LSN %q: expected the form 16/B374D848", s)
	}
	return LSN(h<<32 | l), nil
}

// Start returns where a record that follows position l begins: l itself, or
// past the page header if l is the start of a page.
func (l LSN) Start(segmentSize uint64) LSN {
	if l%WALPageSize != 0 {
		return l
	}
	if uint64(l)%segmentSize == 0 {
		return l + longPageHeader
	}
	return l + shortPageHeader
}

// Advance returns the position after a record of length bytes that begins
// after position l. Records are aligned to 8 bytes and run on over page and
// segment headers. The result is the start of a page, not past its header, if
// the record fills its last page to the brim.
func (l LSN) Advance(length int, segmentSize uint64) LSN {
	left := uint64(length+7) &^ 7
	at := uint64(l.Start(segmentSize))
	for {
		room := WALPageSize - at%WALPageSize
		if left <= room {
			return LSN(at + left)
		}
		left -= room
		at = uint64(LSN(at + room).Start(segmentSize))
	}
}
