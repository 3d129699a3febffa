package wal

// What there was of images, and until which checkpoint.

// Mark is how far the log was when a checkpoint began.
type Mark struct {
	Redo   LSN   // the redo pointer
	Total  Count // of all records before it
	Imaged int64 // those of them that carry images
}

// Marks lists the checkpoints so far.
func (l *Log) Marks() []Mark { return l.marks }

// Imaged is how many records of one relation and type carry images.
func (l *Log) Imaged(rel RelID, t RecordType) int64 {
	return l.imaged[int(rel+1)*NumRecordTypes+int(t)]
}

// TotalImaged is how many records carry images.
func (l *Log) TotalImaged() int64 {
	var n int64
	for _, m := range l.imaged {
		n += m
	}
	return n
}
