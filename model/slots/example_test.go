package slots_test

import (
	"fmt"

	"applysim/model/slots"
)

func Example() {
	s := slots.DefaultSettings()
	if err := s.Set("max_slot_wal_keep_size", "2GB"); err != nil {
		fmt.Println(err)
	}
	const segment = 16 << 20
	v := slots.NewServer(s, segment)
	slot := &slots.Slot{Name: "cdc", Restart: segment, Confirmed: segment}
	v.Slots = append(v.Slots, slot)
	v.Written = segment + 1500<<20 // nobody has read for a while
	status, safe := v.Status(slot)
	fmt.Println(status, v.Retained(slot)>>20, *safe>>20)
	// Output:
	// extended 1500 564
}
