package schema

import (
	"fmt"
	"strconv"

	"applysim/model/pgtype"
)

func typmodIn(t *pgtype.Type, args []string) (int32, error) {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return 0, fmt.Errorf("not a number")
	}
	return int32(n), nil
}
