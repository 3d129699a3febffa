package partition

// Source: REL_18_1, src/backend/partitioning/partbounds.c (HASH_PARTITION_SEED),
// src/include/common/hashfn.h (hash_combine64).
const (
	hashSeed    = 0x7A5B22367996DCFD
	hashCombine = 0x49a0f4dd15e5a8e3
)

// rowHash combines the hashes of the key's columns; one that is NULL adds nothing
// (compute_partition_hash_value).
func (r *Router) rowHash() uint64 {
	h := uint64(0)
	for i := range r.keys {
		if r.values[i].Null {
			continue
		}
		x := r.keys[i].class.Hash(&r.values[i], hashSeed)
		h ^= x + hashCombine + h<<54 + h>>7
	}
	return h
}
