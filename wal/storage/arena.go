package storage

import "unsafe"

// The sizes of an Arena's chunks, in bytes. The first one is small, so that a
// small database costs little; each further one is eight times as large. Memory
// of a large chunk costs nothing before it is written to.
const (
	firstArenaChunk = 64 << 10
	lastArenaChunk  = 16 << 20
	// Chunks that come from another arena are smaller.
	firstPartChunk = 8 << 10
	lastPartChunk  = 256 << 10
	wordSize       = 8
)

// Arena hands out memory for pages, cut from large chunks one piece after the
// other; small pieces from what was left of larger ones. What many relations take turns to fill lies close together then: the
// part of a chunk that nobody has filled yet, and the places where a chunk begins
// or ends in the middle of a huge page, are there only once. The zero value is ready.
type Arena struct {
	rest  []uint64
	scrap []uint64 // was given back
	chunk int      // size of the newest chunk, bytes
	from  *Arena   // where chunks come from; nil for memory of its own
}

// Part returns an arena whose chunks come from a. What is given from it, by one who alone
// has it, lies together: so it can be made shorter, see Shorten.
func (a *Arena) Part() Arena { return Arena{from: a} }

// Give returns an empty slice with room for n elements. T must not contain
// pointers, for the garbage collector looks for none there.
func Give[T any](a *Arena, n int) []T {
	if n == 0 {
		return nil
	}
	var zero T
	words := (n*int(unsafe.Sizeof(zero)) + wordSize - 1) / wordSize
	from := &a.rest
	switch {
	case words <= len(a.scrap):
		from = &a.scrap
	case words > len(a.rest):
		a.grow(words * wordSize)
	}
	p := (*T)(unsafe.Pointer(unsafe.SliceData(*from)))
	*from = (*from)[words:]
	return unsafe.Slice(p, n)[:0]
}

// Shorten returns a slice that was given with room for only n elements, at least those
// that it has. What this leaves can be given anew if nothing was given after the slice.
func Shorten[T any](a *Arena, s []T, n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	words, all := (n*size+wordSize-1)/wordSize, (cap(s)*size+wordSize-1)/wordSize
	p := (*uint64)(unsafe.Pointer(unsafe.SliceData(s)))
	if words < all && len(a.rest) > 0 && unsafe.Add(unsafe.Pointer(p), all*wordSize) == unsafe.Pointer(unsafe.SliceData(a.rest)) {
		a.rest = unsafe.Slice(p, all+len(a.rest))[words:]
		return s[:len(s):n]
	}
	return s
}

// Return gives the room behind the elements of a slice back, which was given and to which
// nobody will append. Only one piece that was given back is kept, the largest.
func Return[T any](a *Arena, s []T) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	used, all := (len(s)*size+wordSize-1)/wordSize, cap(s)*size/wordSize
	if all-used <= len(a.scrap) {
		return
	}
	a.scrap = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(s))), all)[used:]
}

// Block is a piece of memory that can be cut anew time and again. Its first word, which is
// this one, says how many words it has.
type Block uint64

// Block returns a piece of so many bytes.
func (a *Arena) Block(size int) *Block {
	words := Give[Block](a, size/wordSize)[:size/wordSize]
	words[0] = Block(len(words))
	return &words[0]
}

// Size is how many bytes the block has, and Room how many of them can be given out.
func (b *Block) Size() int { return int(*b) * wordSize }

// Room is Size without what the block needs itself.
func (b *Block) Room() int { return b.Size() - wordSize }

// Cut returns an arena that gives out the memory of the block, whoever had it before.
func (b *Block) Cut() Arena {
	return Arena{rest: unsafe.Slice((*uint64)(unsafe.Pointer(b)), int(*b))[1:]}
}

// Rest is how many bytes of the newest chunk are left: a piece that may be of any size
// wastes nothing if it takes them all.
func (a *Arena) Rest() int { return len(a.rest) * wordSize }

// grow begins a new chunk, of at least so many bytes.
func (a *Arena) grow(least int) {
	if a.from != nil {
		a.chunk = min(max(2*a.chunk, firstPartChunk), lastPartChunk)
		old := a.rest[:0]
		a.rest = Give[uint64](a.from, max(a.chunk, least)/wordSize)
		a.rest = a.rest[:cap(a.rest)]
		Return(a.from, old)
		return
	}
	a.chunk = min(max(8*a.chunk, firstArenaChunk), lastArenaChunk)
	a.rest = Large[uint64](max(a.chunk, least) / wordSize)
	a.rest = a.rest[:cap(a.rest)]
}
