package expr

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"applysim/heap/datum"
)

// Functions of chance. Their values are the caller's (Scratch.Random): as long as
// real ones and as evenly spread, but not the same.
var _ = register(map[string]impl{
	"drandom": func(s *Scratch, _ []datum.Value) (datum.Value, error) {
		r, err := s.random()
		return datum.Value{Bits: math.Float64bits(float64(r>>11) / (1 << 53))}, err
	},
	"int4random": randomBetween,
	"int8random": randomBetween,
	"gen_random_uuid": func(s *Scratch, _ []datum.Value) (datum.Value, error) {
		return s.uuid(4)
	},
	"uuidv7": func(s *Scratch, _ []datum.Value) (datum.Value, error) {
		return s.uuid(7)
	},
})

func (s *Scratch) random() (uint64, error) {
	if s.Random == nil {
		return 0, &UnsupportedError{What: "chance, which the caller does not give"}
	}
	return s.Random(), nil
}

func randomBetween(s *Scratch, args []datum.Value) (datum.Value, error) {
	low, high := int64(args[0].Bits), int64(args[1].Bits)
	if low > high {
		return null, fmt.Errorf("lower bound must be less than or equal to upper bound")
	}
	r, err := s.random()
	if n := uint64(high) - uint64(low) + 1; n != 0 {
		r, _ = bits.Mul64(r, n)
	}
	return datum.Value{Bits: uint64(low) + r}, err
}

// unixEpoch is 1970-01-01 as a timestamp, in microseconds.
const unixEpoch = -10957 * usecsPerDay

// uuid makes a UUID of version 4, or of version 7 with the transaction's time. Those
// of one millisecond ascend, as the server's do (generate_uuidv7).
func (s *Scratch) uuid(version byte) (datum.Value, error) {
	r, err := s.random()
	if err != nil {
		return null, err
	}
	var u [16]byte
	binary.BigEndian.PutUint64(u[:], r)
	r, _ = s.random()
	binary.BigEndian.PutUint64(u[8:], r)
	if version == 7 {
		v, err := now(s, nil)
		if err != nil {
			return null, err
		}
		const part = 1000 // of a millisecond
		at := max((int64(v.Bits)-unixEpoch)*part, s.lastUUID+1)
		s.lastUUID = at
		ms, rest := at/(1000*part), at%(1000*part)
		binary.BigEndian.PutUint64(u[:], uint64(ms)<<16|uint64(rest*4096/(1000*part)))
	}
	u[6] = u[6]&0x0f | version<<4
	u[8] = u[8]&0x3f | 0x80
	return s.bytes(u[:]), nil
}
