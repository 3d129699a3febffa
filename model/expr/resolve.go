package expr

// After src/backend/parser/parse_oper.c and parse_func.c (REL_18_1): which
// operator or function a name and its arguments' types mean.

import (
	"slices"

	"applysim/model/pgtype"
)

// operator finds what "left op right" means; left is nil for a prefix
// operator.
func findOperator(name string, args []*pgtype.Type) (s *signature, ambiguous bool) {
	var candidates []*signature
	for _, s := range catalog().operators[name] {
		if len(s.args) == len(args) {
			candidates = append(candidates, s)
		}
	}
	exact := func(args []*pgtype.Type) *signature {
		for _, s := range candidates {
			if exactMatch(s.args, args) {
				return s
			}
		}
		return nil
	}
	try := slices.Clone(args)
	if len(try) == 2 {
		// A literal of unknown type is first taken to be of the other side's type.
		unknown := true
		switch {
		case try[0].OID == oidUnknown && try[1].OID != oidUnknown:
			try[0] = try[1]
		case try[1].OID == oidUnknown && try[0].OID != oidUnknown:
			try[1] = try[0]
		default:
			unknown = false
		}
		if s := exact(try); s != nil {
			return s, false
		}
		if base := try[0].Base(); unknown && base != try[0] {
			if s := exact([]*pgtype.Type{base, base}); s != nil {
				return s, false
			}
		}
	} else if s := exact(args); s != nil {
		return s, false
	}
	return selectCandidate(matching(candidates, args), args)
}

func exactMatch(declared []uint32, args []*pgtype.Type) bool {
	for i, t := range args {
		if t.OID == 0 || t.OID != declared[i] {
			return false
		}
	}
	return true
}

// matching keeps the candidates that the arguments can be coerced to.
func matching(candidates []*signature, args []*pgtype.Type) []*signature {
	var out []*signature
	for _, s := range candidates {
		ok := true
		for i, t := range args {
			ok = ok && canCoerce(t, s.args[i], implicit)
		}
		if ok {
			_, ok = bindTypes(s.args, args)
		}
		if ok {
			out = append(out, s)
		}
	}
	return out
}

// selectCandidate is func_select_candidate.
func selectCandidate(candidates []*signature, args []*pgtype.Type) (*signature, bool) {
	if len(candidates) <= 1 {
		if len(candidates) == 1 {
			return candidates[0], false
		}
		return nil, false
	}
	base := make([]*pgtype.Type, len(args))
	unknowns := 0
	for i, t := range args {
		base[i] = t.Base()
		if t.OID == oidUnknown {
			unknowns++
		}
	}
	best := func(count func(t *pgtype.Type, declared uint32) bool) {
		most := 0
		var kept []*signature
		for _, s := range candidates {
			n := 0
			for i, t := range base {
				if t.OID != oidUnknown && count(t, s.args[i]) {
					n++
				}
			}
			if n > most || len(kept) == 0 {
				most, kept = n, kept[:0]
			}
			if n == most {
				kept = append(kept, s)
			}
		}
		candidates = kept
	}
	isExact := func(t *pgtype.Type, declared uint32) bool { return t.OID != 0 && t.OID == declared }
	if best(isExact); len(candidates) == 1 {
		return candidates[0], false
	}
	best(func(t *pgtype.Type, declared uint32) bool {
		return isExact(t, declared) || catalog().category[declared] == category(t) && catalog().preferred[declared]
	})
	if len(candidates) == 1 {
		return candidates[0], false
	}
	if unknowns == 0 {
		return nil, true
	}
	if s := byCategory(&candidates, args); s != nil {
		return s, false
	}
	if unknowns < len(args) {
		// If all known arguments are of one type, the unknown ones are taken to
		// be of it as well.
		var known *pgtype.Type
		for _, t := range base {
			if t.OID == oidUnknown {
				continue
			}
			if known != nil && !sameType(known, t) {
				return nil, true
			}
			known = t
		}
		all := make([]*pgtype.Type, len(args))
		for i := range all {
			all[i] = known
		}
		if m := matching(candidates, all); len(m) == 1 {
			return m[0], false
		}
	}
	return nil, true
}

// byCategory decides by the type categories that the candidates accept where
// a literal of unknown type stands: string wins, else all must agree.
func byCategory(candidates *[]*signature, args []*pgtype.Type) *signature {
	cat := catalog()
	slot := make([]byte, len(args))
	slotPreferred := make([]bool, len(args))
	categoryOf := func(o uint32) (byte, bool) {
		if c := cat.category[o]; c != 0 {
			return c, cat.preferred[o]
		}
		if t := pgtype.ByOID(o); t != nil {
			return category(t), false
		}
		return 'P', false
	}
	for i, t := range args {
		if t.OID != oidUnknown {
			continue
		}
		conflict := false
		for _, s := range *candidates {
			c, p := categoryOf(s.args[i])
			switch {
			case slot[i] == 0:
				slot[i], slotPreferred[i] = c, p
			case slot[i] == c:
				slotPreferred[i] = slotPreferred[i] || p
			case c == 'S':
				slot[i], slotPreferred[i] = c, p
			case slot[i] != 'S':
				conflict = true
			}
		}
		if conflict && slot[i] != 'S' {
			return nil
		}
	}
	var kept []*signature
	for _, s := range *candidates {
		ok := true
		for i := range args {
			if slot[i] == 0 {
				continue
			}
			c, p := categoryOf(s.args[i])
			if c != slot[i] || slotPreferred[i] && !p {
				ok = false
			}
		}
		if ok {
			kept = append(kept, s)
		}
	}
	if len(kept) > 0 {
		*candidates = kept
	}
	if len(*candidates) == 1 {
		return (*candidates)[0]
	}
	return nil
}

// findFunction finds what a call means: the signature and its argument types
// with VARIADIC written out and defaults left out.
func findFunction(name string, args []*pgtype.Type, variadic bool) (s *signature, ambiguous bool) {
	var candidates []*signature
	var exact *signature
	for _, f := range catalog().functions[name] {
		e := f
		switch n := len(f.args); {
		case n == len(args) && (!f.variadic || variadic):
		case n > len(args) && n-f.defaults <= len(args) && !f.variadic:
			c := *f
			c.args = f.args[:len(args)]
			e = &c
		case f.variadic && !variadic && len(args) >= n:
			// The last parameter is repeated, as its element type.
			c := *f
			elem := f.args[n-1]
			switch {
			case elem == oidAny:
			case elem == oidAnyArray:
				elem = oidAnyElement
			case elem == oidCompatibleArray:
				elem = oidCompatible
			default:
				elem = pgtype.ByOID(elem).Elem.OID
			}
			c.args = slices.Clone(f.args[:n-1])
			for len(c.args) < len(args) {
				c.args = append(c.args, elem)
			}
			c.collect, c.fixed = elem != oidAny, n-1
			e = &c
		default:
			continue
		}
		if exactMatch(e.args, args) && (exact == nil || exact.variadic) {
			exact = e
		}
		candidates = append(candidates, e)
	}
	if exact != nil {
		return exact, false
	}
	return selectCandidate(matching(candidates, args), args)
}

// bindings are the actual types that polymorphic parameters stand for.
type bindings struct {
	elem, array, rng, multi *pgtype.Type // anyelement and its family
	common                  *pgtype.Type // anycompatible
	commonRange             *pgtype.Type
}

// bindTypes checks that the arguments suit the polymorphic parameters
// together. ok is also true where too little is known to tell.
func bindTypes(declared []uint32, args []*pgtype.Type) (b bindings, ok bool) {
	var compatible []*pgtype.Type
	var nonArray, enum, compatibleNonArray bool
	set := func(slot **pgtype.Type, t *pgtype.Type) bool {
		if *slot == nil {
			*slot = t
			return true
		}
		return sameType(*slot, t)
	}
	for i, t := range args {
		if i >= len(declared) || !isPolymorphic(declared[i]) {
			continue
		}
		nonArray = nonArray || declared[i] == oidAnyNonArray
		enum = enum || declared[i] == oidAnyEnum
		compatibleNonArray = compatibleNonArray || declared[i] == oidCompatibleNonArray
		if t.OID == oidUnknown {
			continue
		}
		base := t.Base()
		good := true
		switch declared[i] {
		case oidAnyElement, oidAnyNonArray, oidAnyEnum:
			good = set(&b.elem, t)
		case oidAnyArray:
			good = base.Kind == pgtype.KindArray && set(&b.array, base)
		case oidAnyRange:
			good = base.Kind == pgtype.KindRange && set(&b.rng, base)
		case oidAnyMultirange:
			good = base.Kind == pgtype.KindMultirange && set(&b.multi, base)
		case oidCompatible, oidCompatibleNonArray:
			compatible = append(compatible, t)
		case oidCompatibleArray:
			if good = base.Kind == pgtype.KindArray; good {
				compatible = append(compatible, base.Elem)
			}
		case oidCompatibleRange:
			if good = base.Kind == pgtype.KindRange && set(&b.commonRange, base); good {
				compatible = append(compatible, base.Elem)
			}
		case oidCompatibleMultirange:
			if good = base.Kind == pgtype.KindMultirange; good {
				compatible = append(compatible, base.Elem.Elem)
			}
		}
		if !good {
			return b, false
		}
	}
	if b.array != nil && !set(&b.elem, b.array.Elem) {
		return b, false
	}
	if b.multi != nil && !set(&b.rng, b.multi.Elem) {
		return b, false
	}
	if b.rng != nil && !set(&b.elem, b.rng.Elem) {
		return b, false
	}
	if nonArray && b.elem != nil && b.elem.Base().Kind == pgtype.KindArray ||
		enum && b.elem != nil && b.elem.Base().Kind != pgtype.KindEnum {
		return b, false
	}
	if len(compatible) > 0 {
		if b.common = commonType(compatible); b.common == nil {
			return b, false
		}
		for _, t := range compatible {
			if !canCoerceType(t, b.common, implicit) {
				return b, false
			}
		}
		if compatibleNonArray && b.common.Base().Kind == pgtype.KindArray {
			return b, false
		}
	}
	return b, true
}

// actual gives the type that a declared one stands for, nil if it cannot be
// told.
func (b *bindings) actual(declared uint32) *pgtype.Type {
	switch declared {
	case oidAnyElement, oidAnyNonArray, oidAnyEnum:
		return b.elem
	case oidAnyArray:
		if b.array == nil && b.elem != nil {
			return pgtype.ArrayOf(b.elem)
		}
		return b.array
	case oidAnyRange:
		return b.rng
	case oidAnyMultirange:
		return b.multi
	case oidCompatible, oidCompatibleNonArray:
		return b.common
	case oidCompatibleArray:
		if b.common != nil {
			return pgtype.ArrayOf(b.common)
		}
		return nil
	case oidCompatibleRange:
		return b.commonRange
	}
	return pgtype.ByOID(declared)
}

// commonType is select_common_type: the type that CASE, COALESCE, ARRAY and
// their like give; nil if the types are of different categories.
func commonType(types []*pgtype.Type) *pgtype.Type {
	all := types[0].OID != oidUnknown
	for _, t := range types[1:] {
		all = all && sameType(t, types[0])
	}
	if all {
		return types[0]
	}
	p := types[0].Base()
	for _, t := range types[1:] {
		t = t.Base()
		if t.OID == oidUnknown || sameType(t, p) {
			continue
		}
		switch {
		case p.OID == oidUnknown:
			p = t
		case category(p) != category(t):
			return nil
		case !preferred(p) && canCoerceType(p, t, implicit) && !canCoerceType(t, p, implicit):
			p = t
		}
	}
	if p.OID == oidUnknown {
		return typeText
	}
	return p
}
