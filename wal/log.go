package wal

import "applysim/wal/storage"

// RelID numbers the relations that a Log knows, in the order of registration.
type RelID int32

// NoRelation is the relation of a record that refers to no block.
const NoRelation RelID = -1

// Record is one WAL record as a Sink gets it.
type Record struct {
	Start    LSN // where it begins
	End      LSN // where it ends: what the changed pages get as their LSN
	Type     RecordType
	Relation RelID               // NoRelation if it refers to no block
	Fork     uint8               // 0 main, 1 free space map, 2 visibility map
	Block    storage.BlockNumber // lowest block reference
	Length   int                 // bytes
	FPI      int                 // bytes of full-page images within Length
	Detail   *Detail             // what it consists of; nil unless Details was asked for
}

// Sink gets each record in the order of writing. One that follows a recording may
// change the record's end, and must then move the log there.
type Sink func(*Record)

// Count is how many records there were, and their bytes.
type Count struct {
	Records  int64
	Bytes    int64 // record lengths
	FPIBytes int64 // the part that is full-page images
}

// Add adds d to c.
func (c *Count) Add(d Count) {
	c.Records += d.Records
	c.Bytes += d.Bytes
	c.FPIBytes += d.FPIBytes
}

// Options set up a Log.
type Options struct {
	Start       LSN    // where the first record may begin
	SegmentSize uint64 // wal_segment_size, bytes; a power of two
	Origin      bool   // records are written by an apply worker: those that can, carry the replication origin
	Sink        Sink   // gets each record; may be nil
	Images      ImageOptions
	ServerMajor int // major version of the server; 0 stands for the newest
	// Unlogged makes the log of what is not logged: pages show no LSN of its records.
	Unlogged bool
}

// Log is the write-ahead log: its position, its counters, its sink.
type Log struct {
	lsn     LSN // end of the last record
	left    int // bytes left on the WAL page of lsn
	topXID  int // bytes of the top-level transaction id that the next record must carry
	segment uint64
	fixed   [NumRecordTypes]int // length of each type without block data
	main    [NumRecordTypes]int // main data that every record of a type has
	sink    Sink
	names   []string
	bare    map[RelID]string // names without the schema, where they have one
	counts  []Count          // by relation, then type; row 0 belongs to NoRelation
	imaged  []int64          // records with images, likewise
	marks   []Mark
	total   Count
	images  ImageOptions
	redo    LSN // redo pointer of the last checkpoint
	work    imageWork
	detail  *Detail // of the next record; nil unless somebody wants to know
	origin  bool
	noRedo  bool // checkpoints begin without a record
	shown   LSN  // the bits of an LSN that pages show
	// mapChecksums says that pages of maps show a checksum.
	mapChecksums bool
	memory       storage.Arena
}

// NewLog returns an empty log.
func NewLog(o Options) *Log {
	if o.SegmentSize == 0 {
		o.SegmentSize = DefaultSegmentSize
	}
	l := &Log{segment: o.SegmentSize, sink: o.Sink, origin: o.Origin, images: o.Images, counts: make([]Count, NumRecordTypes), imaged: make([]int64, NumRecordTypes)}
	if !o.Unlogged {
		l.shown = ^LSN(0)
	}
	l.noRedo = o.before(releaseCheckpointRedo)
	l.mapChecksums = o.Images.Checksums && o.before(releaseMapsInMemory)
	l.MoveTo(o.Start)
	for t := range catalogue {
		k := &catalogue[t]
		l.main[t] = o.mainData(RecordType(t))
		l.fixed[t] = Parts{MainData: l.main[t], BlockRefs: k.blocks, Origin: k.origin && o.Origin}.Length()
	}
	return l
}

// Unlogged says whether it is the log of what is not logged.
func (l *Log) Unlogged() bool { return l.shown == 0 }

// PageLSN is how a page shows the LSN of its last record.
func (l *Log) PageLSN(lsn LSN) uint64 { return uint64(lsn & l.shown) }

// Register makes a relation known under the name that records show.
func (l *Log) Register(name string) RelID {
	l.names = append(l.names, name)
	l.counts = append(l.counts, make([]Count, NumRecordTypes)...)
	l.imaged = append(l.imaged, make([]int64, NumRecordTypes)...)
	return RelID(len(l.names) - 1)
}

// RegisterIn is Register for a relation that another schema than public may hold: its
// name is qualified then, its RelName is not.
func (l *Log) RegisterIn(schema, name string) RelID {
	if schema == "public" {
		return l.Register(name)
	}
	rel := l.Register(schema + "." + name)
	if l.bare == nil {
		l.bare = map[RelID]string{}
	}
	l.bare[rel] = name
	return rel
}

// RelName is the name that a relation has in its schema, as pg_class has it; "-" for
// NoRelation.
func (l *Log) RelName(r RelID) string {
	if l.bare != nil {
		if name, ok := l.bare[r]; ok {
			return name
		}
	}
	return l.Name(r)
}

// Name is the name that a relation was registered under, "-" for NoRelation.
func (l *Log) Name(r RelID) string {
	if r == NoRelation {
		return "-"
	}
	return l.names[r]
}

// Insert writes a record that refers to blocks of one relation, the first of
// them block. data is the size of what it carries beside the fixed parts of
// its type: block data, and ExtraBlockRef for each reference more than the
// type always has. It returns the end of the record, which the changed pages
// get as their LSN.
func (l *Log) Insert(t RecordType, rel RelID, block storage.BlockNumber, data int) LSN {
	return l.insert(t, rel, 0, block, data, 0)
}

// insert writes a record on a fork of a relation, with images of so many bytes
// in all, which are part of data.
func (l *Log) insert(t RecordType, rel RelID, fork uint8, block storage.BlockNumber, data, images int) LSN {
	length, top := l.fixed[t]+data, l.topXID
	if top != 0 {
		length += top
		l.topXID = 0
	}
	n := int(rel+1)*NumRecordTypes + int(t)
	c := &l.counts[n]
	c.Records++
	c.Bytes += int64(length)
	l.total.Records++
	l.total.Bytes += int64(length)
	if images > 0 {
		l.imaged[n]++
		c.FPIBytes += int64(images)
		l.total.FPIBytes += int64(images)
	}
	before := l.lsn
	aligned := (length + 7) &^ 7
	if aligned <= l.left {
		l.lsn += LSN(aligned)
		l.left -= aligned
	} else {
		l.MoveTo(l.lsn.Advance(length, l.segment))
	}
	end := l.lsn
	if l.sink != nil {
		r := Record{
			Start: before.Start(l.segment), End: end, Type: t, Relation: rel, Fork: fork, Block: block,
			Length: length, FPI: images,
		}
		if l.detail != nil {
			r.Detail = l.finish(t, length, top)
		}
		l.sink(&r)
		end = r.End
	}
	return end
}

// InsertMain is Insert for a record with extra bytes of main data beyond what
// its type always has. Main data of more than 255 bytes has a longer header.
func (l *Log) InsertMain(t RecordType, rel RelID, block storage.BlockNumber, data, extra int) LSN {
	data += extra
	if l.main[t]+extra > dataHeaderLimit {
		data += dataHeaderLong - dataHeaderShort
	}
	return l.Insert(t, rel, block, data)
}

// InsertImages is InsertMain for a record that also carries images.
func (l *Log) InsertImages(t RecordType, rel RelID, block storage.BlockNumber, data, extra int, image Image) LSN {
	data += extra + image.Length + image.Header
	if l.main[t]+extra > dataHeaderLimit {
		data += dataHeaderLong - dataHeaderShort
	}
	return l.insert(t, rel, 0, block, data, image.Length)
}

// InsertPlain writes a record that refers to no block, with extra bytes of
// main data beyond what its type always has.
func (l *Log) InsertPlain(t RecordType, extra int) LSN {
	return l.InsertMain(t, NoRelation, storage.InvalidBlock, 0, extra)
}

// LogTopXID makes the next record carry the id of the top-level transaction: the
// first one of a subtransaction does at wal_level logical, so that logical decoding
// knows where it belongs (XLR_BLOCK_ID_TOPLEVEL_XID).
func (l *Log) LogTopXID() { l.topXID = sizeOfTopXID }

// ForgetTopXID takes LogTopXID back: the subtransaction has ended and nothing of it was
// logged.
func (l *Log) ForgetTopXID() { l.topXID = 0 }

// TopXIDPending says whether the next record will carry it.
func (l *Log) TopXIDPending() bool { return l.topXID > 0 }

// Memory is what the relations that write to the log keep their pages in: one
// arena for all of them.
func (l *Log) Memory() *storage.Arena { return &l.memory }

// SetSink replaces the sink.
func (l *Log) SetSink(s Sink) { l.sink = s }

// ResetCounts forgets all counts, but not the position.
func (l *Log) ResetCounts() {
	clear(l.counts)
	clear(l.imaged)
	l.marks = nil
	l.total = Count{}
}

// Skip moves the log over a record that is not the model's own, length bytes
// long: background work that a recording shows between the worker's records.
// A Sink may call it, so that the next record begins after the skipped one.
func (l *Log) Skip(length int) { l.MoveTo(l.lsn.Advance(length, l.segment)) }

// MoveTo sets the end of the log. At the start of a WAL page nothing is left,
// so that the next record goes the long way over the page's header.
func (l *Log) MoveTo(at LSN) {
	l.lsn = at
	l.left = 0
	if off := int(at % WALPageSize); off != 0 {
		l.left = WALPageSize - off
	}
}

// LSN is the end of the last record.
func (l *Log) LSN() LSN { return l.lsn }

// InsertLSN is where the next record begins: pg_current_wal_insert_lsn().
func (l *Log) InsertLSN() LSN { return l.lsn.Start(l.segment) }

// Total counts all records.
func (l *Log) Total() Count { return l.total }

// Count returns the counter of one relation and record type.
func (l *Log) Count(rel RelID, t RecordType) Count {
	return l.counts[int(rel+1)*NumRecordTypes+int(t)]
}

// Relations is the number of registered relations: their RelIDs run from 0 to
// Relations()-1.
func (l *Log) Relations() int { return len(l.names) }
