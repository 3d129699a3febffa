package storage

import "encoding/binary"

// What pg_checksum_page goes by. Source: REL_18_1, src/include/storage/checksum_impl.h,
// N_SUMS, FNV_PRIME, checksumBaseOffsets.
const (
	checksumSums  = 32
	checksumPrime = 16777619
)

var checksumStart = [checksumSums]uint32{
	0x5B1F36E9, 0xB8525960, 0x02AB50AA, 0x1DE66D2A, 0x79FF467A, 0x9BB9F8A3, 0x217E7CD2, 0x83E13D2C,
	0xF8D4474F, 0xE39EB970, 0x42C6AE16, 0x993216FA, 0x7B093B5D, 0x98DAFF3C, 0xF718902A, 0x0B1C9CDB,
	0xE58F764B, 0x187636BC, 0x5D7B3BB1, 0xE73DE7DE, 0x92BEC979, 0xCCA6C0B2, 0x304A0979, 0x85AA43D4,
	0x783125BB, 0x6CA8EAA2, 0xE407EAC6, 0x4B5CFC3E, 0x9FBF8C76, 0x15CA20BE, 0xF2CA9FD3, 0x959BD756,
}

// Checksum is the checksum of a page whose own field for it is zero (pg_checksum_page).
func Checksum(page *[PageSize]byte, block BlockNumber) uint16 {
	sums := checksumStart
	mix := func(sum *uint32, value uint32) {
		x := *sum ^ value
		*sum = x*checksumPrime ^ x>>17
	}
	for at := 0; at < PageSize; at += 4 * checksumSums {
		for i := range sums {
			mix(&sums[i], binary.LittleEndian.Uint32(page[at+4*i:]))
		}
	}
	whole := uint32(block)
	for i := range sums {
		mix(&sums[i], 0)
		mix(&sums[i], 0)
		whole ^= sums[i]
	}
	return uint16(whole%65535 + 1)
}

// PutChecksum writes a page's checksum into its header.
func PutChecksum(dst *[PageSize]byte, sum uint16) { binary.LittleEndian.PutUint16(dst[8:], sum) }
