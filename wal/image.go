package wal

// Full-page images, after xloginsert.c (XLogRecordAssemble) and bufmgr.c
// (MarkBufferDirtyHint).

import (
	"applysim/wal/lz4"
	"applysim/wal/pglz"
	"applysim/wal/storage"
	"applysim/wal/zstd"
)

// Sizes of an image's headers. Source: REL_18_1,
// src/include/access/xlogrecord.h (XLogRecordBlockImageHeader,
// XLogRecordBlockCompressHeader).
const (
	imageHeader         = 5
	imageCompressHeader = 2
)

// Compression is wal_compression.
type Compression uint8

// The methods of wal_compression.
const (
	NoCompression Compression = iota
	PGLZ
	LZ4
	ZSTD
)

// ImageOptions say when images are written and how.
type ImageOptions struct {
	FullPageWrites bool // full_page_writes
	Hints          bool // changes of hint bits are logged: data checksums or wal_log_hints
	Checksums      bool // data checksums
	Compression    Compression
}

// Page is a page that a record may carry the image of.
type Page interface {
	// Hole is the part of the page between its line pointers and its items, which
	// an image leaves out: pd_lower and pd_upper. A page without standard layout
	// has none: both are equal.
	Hole() (lower, upper int)
	// Bytes writes the page's contents.
	Bytes(dst *[storage.PageSize]byte)
}

// Image is what images add to a record, in bytes.
type Image struct {
	Length int // the images themselves: fpi_length
	Header int // their headers
}

// Add adds the image of one more page.
func (i *Image) Add(j Image) {
	i.Length += j.Length
	i.Header += j.Header
}

// imageWork is the work space for compressing images.
type imageWork struct {
	page [storage.PageSize]byte
	pglz pglz.Compressor
	lz4  lz4.Compressor
	zstd zstd.Compressor
}

// NeedsImage says whether a record that changes a page with the given LSN must
// carry the page's image: the page has not been logged since the last
// checkpoint began.
func (l *Log) NeedsImage(page LSN) bool { return page <= l.redo && l.images.FullPageWrites }

// ImageOf returns what the image of a page adds to a record, if the record needs
// one. at is the page's LSN before the record.
func (l *Log) ImageOf(at LSN, p Page) Image {
	if !l.NeedsImage(at) {
		return Image{}
	}
	return l.image(p)
}

// image returns what the image of a page takes.
func (l *Log) image(p Page) Image {
	lower, upper := p.Hole()
	if lower < storage.PageHeaderSize || upper <= lower || upper > storage.PageSize {
		lower, upper = 0, 0
	}
	size := storage.PageSize - (upper - lower)
	image := Image{Length: size, Header: imageHeader}
	if l.images.Compression != NoCompression {
		p.Bytes(&l.work.page)
		b := &l.work.page
		copy(b[lower:], b[upper:])
		header := 0
		if upper > lower {
			header = imageCompressHeader
		}
		if n, ok := l.compress(b[:size], header); ok {
			image.Length = n
			image.Header += header
		}
	}
	return image
}

// Hint writes what a change of hint bits on a clean page requires: nothing, or
// the page's image. It returns the page's new LSN. at is its LSN so far; fork
// and block say where it is.
func (l *Log) Hint(rel RelID, fork uint8, block storage.BlockNumber, at LSN, p Page) LSN {
	if !l.images.Hints || at > l.redo {
		return at
	}
	image := l.ImageOf(at, p)
	l.imageOnly(fork, block, image)
	return l.insert(XLOGFPIForHint, rel, fork, block, image.Length+image.Header, image.Length)
}

// NewPage writes a page that was built aside as a whole, whatever the settings say
// of images (log_newpage).
func (l *Log) NewPage(rel RelID, block storage.BlockNumber, p Page) LSN {
	image := l.image(p)
	l.imageOnly(0, block, image)
	return l.insert(XLOGFPI, rel, 0, block, image.Length+image.Header, image.Length)
}

// imageOnly is the detail of a record that consists of a page's image.
func (l *Log) imageOnly(fork uint8, block storage.BlockNumber, image Image) {
	if l.detail != nil {
		l.detail.First(BlockRef{Fork: fork, Block: block, Role: "the page", Image: image}, false)
	}
}

// HintsLogged says whether changes of hint bits are logged.
func (l *Log) HintsLogged() bool { return l.images.Hints }

// InsertFork is InsertImages for a record whose first block is on another fork
// and that carries nothing but images.
func (l *Log) InsertFork(t RecordType, rel RelID, fork uint8, block storage.BlockNumber, image Image) LSN {
	return l.insert(t, rel, fork, block, image.Length+image.Header, image.Length)
}

// Checkpoint begins and ends a checkpoint here: pages that are changed from now
// on need images again. running is the number of running transactions. The
// records of the checkpoint itself are written unless quiet.
func (l *Log) Checkpoint(running int, quiet bool) {
	l.redo = l.InsertLSN()
	l.marks = append(l.marks, Mark{Redo: l.redo, Total: l.total, Imaged: l.TotalImaged()})
	if quiet {
		return
	}
	if !l.noRedo {
		l.InsertPlain(XLOGCheckpointRedo, 0)
	}
	l.InsertPlain(StandbyRunningXacts, sizeOfRunningXact*running)
	l.InsertPlain(XLOGCheckpointOnline, 0)
}

// sizeOfRunningXact is what RUNNING_XACTS has for each running transaction.
const sizeOfRunningXact = 4

// SetRedo sets the redo pointer: that of a checkpoint before the run.
func (l *Log) SetRedo(at LSN) { l.redo = at }

// Redo is the redo pointer of the last checkpoint.
func (l *Log) Redo() LSN { return l.redo }

// compress compresses an image with wal_compression's method. It returns false
// if that would not save more than its header takes.
func (l *Log) compress(b []byte, header int) (int, bool) {
	n := 0
	switch l.images.Compression {
	case PGLZ:
		c, ok := l.work.pglz.Compress(b)
		if !ok {
			return 0, false
		}
		n = len(c)
	case LZ4:
		n = len(l.work.lz4.Compress(b))
	case ZSTD:
		n = len(l.work.zstd.Compress(b))
	default:
		return 0, false
	}
	return n, n+header < len(b)
}
