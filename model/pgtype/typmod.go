package pgtype

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const maxAttrSize = 10 * 1024 * 1024 // MaxAttrSize (REL_18_1, src/include/access/htup_details.h)

// bytesPerCharacter is the longest character of the encoding, UTF8.
const bytesPerCharacter = 4

// MaximumSize is the longest value of a type with a modifier, in bytes with the long
// header; -1 if there is no limit (type_maximum_size).
func MaximumSize(t *Type, typmod int32) int {
	if typmod < 0 {
		return -1
	}
	switch t.Kind {
	case KindBpchar, KindVarchar:
		return int(typmod-varHeader)*bytesPerCharacter + varHeader
	case KindNumeric:
		// The first digit to the base 10,000 may hold a single decimal digit.
		precision := int(typmod-varHeader) >> 16 & 0xFFFF
		digits := (precision + 2*(numericDecimals-1)) / numericDecimals
		return varHeader + numericHeader + 2*digits
	case KindBit, KindVarbit:
		return int(typmod+7)/8 + 8
	}
	return -1
}

// What a numeric's digits to the base 10,000 are worth, and what comes before them:
// sign with scale, and weight.
const (
	numericDecimals = 4
	numericHeader   = 4
)

// TypmodIn is the type's typmod input function: args are what stands in the
// parentheses of a type's name. Without any, a type has no modifier (-1),
// except that character and bit mean one character and one bit. An interval's
// args are its fields ("day to second"), its precision, or both.
func TypmodIn(t *Type, args []string) (int32, error) {
	if t.Kind == KindArray {
		return TypmodIn(t.Elem, args)
	}
	if t.Kind == KindInterval {
		return intervalTypmodIn(args)
	}
	if len(args) == 0 {
		switch {
		case !t.single:
			return -1, nil
		case t.Kind == KindBpchar:
			return varHeader + 1, nil
		}
		return 1, nil
	}
	nums := make([]int32, len(args))
	for i, a := range args {
		n, err := strconv.ParseInt(strings.TrimSpace(a), 10, 32)
		if err != nil {
			return 0, badSyntax("integer", []byte(a))
		}
		nums[i] = int32(n)
	}
	if t.Kind == KindNumeric {
		return numericTypmodIn(nums)
	}
	length := func(name string, limit int32) (int32, error) {
		switch n := nums[0]; {
		case len(nums) != 1:
			return 0, errors.New("invalid type modifier")
		case n < 1:
			return 0, fmt.Errorf("length for type %s must be at least 1", name)
		case n > limit:
			return 0, fmt.Errorf("length for type %s cannot exceed %d", name, limit)
		default:
			return n, nil
		}
	}
	precision := func(name, suffix string) (int32, error) {
		switch n := nums[0]; {
		case len(nums) != 1:
			return 0, errors.New("invalid type modifier")
		case n < 0:
			return 0, fmt.Errorf("%s(%d)%s precision must not be negative", name, n, suffix)
		default:
			return min(n, 6), nil // PostgreSQL warns and goes on
		}
	}
	switch t.Kind {
	case KindVarchar:
		n, err := length("varchar", maxAttrSize)
		return n + varHeader, err
	case KindBpchar:
		n, err := length("char", maxAttrSize)
		return n + varHeader, err
	case KindBit:
		return length("bit", maxAttrSize*8)
	case KindVarbit:
		return length("varbit", maxAttrSize*8)
	case KindTimestamp:
		return precision("TIMESTAMP", "")
	case KindTimestampTZ:
		return precision("TIMESTAMP", " WITH TIME ZONE")
	case KindTime:
		return precision("TIME", "")
	case KindTimeTZ:
		return precision("TIME", " WITH TIME ZONE")
	case KindFloat8:
		// float(n) is the grammar's: it chooses between the two types.
		if len(nums) == 1 && nums[0] >= 1 && nums[0] <= 53 {
			return -1, nil
		}
	case KindOpaque:
		return nums[0], nil
	}
	return 0, fmt.Errorf("type modifier is not allowed for type \"%s\"", t.Name)
}

// intervalFields are the field lists that the grammar allows.
var intervalFields = map[string]int32{
	"year": fieldYear, "month": fieldMonth, "day": fieldDay, "hour": fieldHour, "minute": fieldMinute, "second": fieldSecond,
	"year to month": fieldYear | fieldMonth, "day to hour": fieldDay | fieldHour,
	"day to minute": fieldDay | fieldHour | fieldMinute, "day to second": fieldDay | fieldHour | fieldMinute | fieldSecond,
	"hour to minute": fieldHour | fieldMinute, "hour to second": fieldHour | fieldMinute | fieldSecond,
	"minute to second": fieldMinute | fieldSecond,
}

func intervalTypmodIn(args []string) (int32, error) {
	fields, precision := int32(fieldsAll), int32(precisionFull)
	for _, a := range args {
		a = strings.ToLower(strings.Join(strings.Fields(a), " "))
		if i := strings.IndexByte(a, '('); i >= 0 && strings.HasSuffix(a, ")") {
			n, err := strconv.Atoi(strings.TrimSpace(a[i+1 : len(a)-1]))
			if err != nil {
				return 0, errors.New("invalid INTERVAL type modifier")
			}
			precision = int32(n)
			a = strings.TrimSpace(a[:i])
		}
		if f, ok := intervalFields[a]; ok {
			fields = f
			continue
		}
		n, err := strconv.Atoi(a)
		if err != nil {
			return 0, errors.New("invalid INTERVAL type modifier")
		}
		precision = int32(n)
	}
	if fields == fieldsAll && precision == precisionFull {
		return -1, nil
	}
	if precision < 0 {
		return 0, fmt.Errorf("INTERVAL(%d) precision must not be negative", precision)
	}
	if precision != precisionFull {
		precision = min(precision, 6)
	}
	return fields<<16 | precision, nil
}
