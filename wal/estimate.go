package wal

// Estimated says whether records of the type come from Estimate only.
func (t RecordType) Estimated() bool { return t >= GinInsert && t <= GenericGeneric }

// Estimate counts a record of a relation whose pages are not modelled byte by byte, with
// images of so many bytes within its length. The log advances as by any record, so that
// checkpoints come when they would, but the sink does not get it: its contents are not
// known. It returns the record's end.
func (l *Log) Estimate(t RecordType, rel RelID, length, images int) LSN {
	n := int(rel+1)*NumRecordTypes + int(t)
	c := Count{1, int64(length), int64(images)}
	l.counts[n].Add(c)
	l.total.Add(c)
	if images > 0 {
		l.imaged[n]++
	}
	l.MoveTo(l.lsn.Advance(length, l.segment))
	return l.lsn
}
