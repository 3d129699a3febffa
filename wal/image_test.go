package wal

import (
	"math/rand/v2"
	"testing"

	"applysim/wal/storage"
)

// fakePage is a page with the given hole; its contents are bytes that do or do not
// compress.
type fakePage struct {
	lower, upper int
	random       bool
}

func (p fakePage) Hole() (lower, upper int) { return p.lower, p.upper }

func (p fakePage) Bytes(dst *[storage.PageSize]byte) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range dst {
		dst[i] = 'x'
		if p.random || i < p.lower {
			dst[i] = byte(r.Uint32())
		}
		if i >= p.lower && i < p.upper {
			dst[i] = 0xEE // what is in the hole is of no interest
		}
	}
}

func TestImageLength(t *testing.T) {
	for _, c := range []struct {
		name           string
		page           fakePage
		length, header int
	}{
		{"a hole", fakePage{lower: 100, upper: 8000}, 8192 - 7900, 5},
		{"no hole left", fakePage{lower: 4000, upper: 4000}, 8192, 5},
		{"no standard layout", fakePage{}, 8192, 5},
		{"a new page", fakePage{lower: 24, upper: 8192}, 24, 5},
		{"nonsense", fakePage{lower: 10, upper: 8000}, 8192, 5},
		{"nonsense", fakePage{lower: 100, upper: 9000}, 8192, 5},
	} {
		l := NewLog(Options{Start: 0x1000, Images: ImageOptions{FullPageWrites: true}})
		l.SetRedo(0x1000)
		got := l.ImageOf(0x1000, c.page)
		if got.Length != c.length || got.Header != c.header {
			t.Errorf("%s %+v: %+v, expected %d and %d", c.name, c.page, got, c.length, c.header)
		}
		if got := l.ImageOf(0x1001, c.page); got != (Image{}) {
			t.Errorf("%s: %+v for a page that was logged since", c.name, got)
		}
		l = NewLog(Options{Start: 0x1000})
		l.SetRedo(0x1000)
		if got := l.ImageOf(0x1000, c.page); got != (Image{}) {
			t.Errorf("%s: %+v with full_page_writes off", c.name, got)
		}
	}
}

// An image is compressed only if that saves more than the header that it needs
// when there is a hole.
func TestImageCompression(t *testing.T) {
	for _, m := range []Compression{PGLZ, LZ4, ZSTD} {
		l := NewLog(Options{Images: ImageOptions{FullPageWrites: true, Compression: m}})
		hole := l.ImageOf(0, fakePage{lower: 100, upper: 6000})
		if hole.Header != 7 || hole.Length >= 1000 || hole.Length < 100 {
			t.Errorf("method %d, with a hole: %+v", m, hole)
		}
		whole := l.ImageOf(0, fakePage{})
		if whole.Header != 5 || whole.Length >= 1000 {
			t.Errorf("method %d, without a hole: %+v", m, whole)
		}
		if got, want := l.ImageOf(0, fakePage{lower: 100, upper: 6000, random: true}), (Image{Length: 8192 - 5900, Header: 5}); got != want {
			t.Errorf("method %d, bytes that do not compress: %+v, expected %+v", m, got, want)
		}
		if !l.Compresses() {
			t.Errorf("method %d does not compress", m)
		}
	}
}

// Hints are logged only where checksums or wal_log_hints ask for it, and only for
// pages that were not logged since the checkpoint.
func TestHint(t *testing.T) {
	page := fakePage{lower: 100, upper: 8000}
	var records []Record
	o := Options{Start: 0x2000028, Origin: true, Images: ImageOptions{FullPageWrites: true}, Sink: func(r *Record) { records = append(records, *r) }}
	l := NewLog(o)
	rel := l.Register("t")
	l.SetRedo(0x2000028)
	if got := l.Hint(rel, 0, 3, 0x1000, page); got != 0x1000 || len(records) > 0 {
		t.Errorf("without checksums: LSN %v, records %v", got, records)
	}
	o.Images.Hints = true
	l = NewLog(o)
	rel = l.Register("t")
	l.SetRedo(0x2000028)
	if got := l.Hint(rel, 0, 3, 0x2000029, page); got != 0x2000029 || len(records) > 0 {
		t.Errorf("for a page that was logged since: LSN %v, records %v", got, records)
	}
	got := l.Hint(rel, 1, 3, 0x1000, page)
	// 24 + 20, the image's header of 5, the image; no main data.
	if len(records) != 1 || records[0].Length != 44+5+292 || records[0].FPI != 292 || records[0].Fork != 1 || records[0].Block != 3 ||
		records[0].Type.String() != "XLOG/FPI_FOR_HINT" || got != l.LSN() {
		t.Errorf("records %+v, LSN %v of %v", records, got, l.LSN())
	}
	// With full_page_writes off it is written all the same, without image: rule 39.
	o.Images.FullPageWrites = false
	records = nil
	l = NewLog(o)
	rel = l.Register("t")
	l.SetRedo(0x2000028)
	l.Hint(rel, 0, 3, 0x1000, page)
	if len(records) != 1 || records[0].Length != 44 || records[0].FPI != 0 {
		t.Errorf("full_page_writes off: records %+v", records)
	}
}

// Images count apart, and once a checkpoint has begun every page needs one again.
func TestImagesAndCheckpoints(t *testing.T) {
	var lengths []int
	l := NewLog(Options{Start: 0x2000028, Origin: true, Images: ImageOptions{FullPageWrites: true}, Sink: func(r *Record) { lengths = append(lengths, r.Length) }})
	rel := l.Register("t")
	page := fakePage{lower: 100, upper: 8000}
	lsn := l.InsertImages(HeapLock, rel, 0, 0, 0, l.ImageOf(0x1000, page))
	if l.NeedsImage(lsn) {
		t.Error("a page that was just logged needs an image")
	}
	l.Checkpoint(1, false)
	if !l.NeedsImage(lsn) {
		t.Error("a page needs no image after a checkpoint")
	}
	want := []int{54, 30, 54, 114}
	for i, n := range want {
		if lengths[i] != n {
			t.Errorf("records of %v bytes, expected %v: rule 41", lengths, want)
			break
		}
	}
	var two Image
	two.Add(l.ImageOf(lsn, page))
	two.Add(l.ImageOf(lsn, fakePage{}))
	l.InsertImages(HeapUpdate, rel, 0, ExtraBlockRef, 0, two)
	fixed := Parts{MainData: 14, BlockRefs: 2, Origin: true}.Length()
	if got := lengths[4]; got != fixed+5+292+5+8192 {
		t.Errorf("record of %d bytes, expected %d", got, fixed+5+292+5+8192)
	}
	if c := l.Count(rel, HeapUpdate); c.FPIBytes != 292+8192 || c.Bytes != int64(lengths[4]) {
		t.Errorf("counts %+v", c)
	}
	if l.Total().FPIBytes != 292+8192 {
		t.Errorf("total %+v", l.Total())
	}
}
