package storage

import "unsafe"

// The sizes of an Arena's chunks, in bytes. The first one is small, so that a
// small database costs little; each further one is eight times as large. Memory
// of a large chunk costs nothing before it is written to.
const (
	firstArenaChunk = 64 << 10
	lastArenaChunk  = 16 << 20
	wordSize        = 8
)

// Arena hands out memory for pages, cut from large chunks one piece after the
// other. What many relations take turns to fill lies close together then: the
// part of a chunk that nobody has filled yet, and the places where a chunk begins
// or ends in the middle of a huge page, are there only once. Nothing is given
// back. The zero value is ready.
type Arena struct {
	rest  []uint64
	chunk int // size of the newest chunk, bytes
}

// Give returns an empty slice with room for n elements. T must not contain
// pointers, for the garbage collector looks for none there.
func Give[T any](a *Arena, n int) []T {
	if n == 0 {
		return nil
	}
	var zero T
	words := (n*int(unsafe.Sizeof(zero)) + wordSize - 1) / wordSize
	if len(a.rest) < words {
		a.grow(words * wordSize)
	}
	p := (*T)(unsafe.Pointer(unsafe.SliceData(a.rest)))
	a.rest = a.rest[words:]
	return unsafe.Slice(p, n)[:0]
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
	a.chunk = min(max(8*a.chunk, firstArenaChunk), lastArenaChunk)
	a.rest = Large[uint64](max(a.chunk, least) / wordSize)
	a.rest = a.rest[:cap(a.rest)]
}
