package pgtype

import (
	"fmt"

	"applysim/index/opclass"
)

// Collations finds a collation by its name, "" being the database's default one.
// A nil Collation is the order of bytes.
type Collations func(name string) (opclass.Collation, error)

// SetCollation gives a domain, and its array type, a collation of its own.
func SetCollation(t *Type, name string) {
	t.Collation = name
	if t.array != nil {
		t.array.Collation = name
	}
}

// DefaultCollation is the name of the collation that a column of the type has if
// it says none: "" for the database's default one.
func (t *Type) DefaultCollation() string {
	if t.Collation == "default" {
		return ""
	}
	return t.Collation
}

// OpClassIn is the operator class for values of type t in a collation: the class
// called name ("" the default one), with the collation called collation ("" the
// type's own). It is nil if the type has none. The error says what is not
// modelled.
//
// A container's class takes the collation to what it contains; fields of a
// composite type have their own, and jsonb is always ordered by the database's.
func OpClassIn(t *Type, name, collation string, find Collations) (*opclass.Class, error) {
	class := t.class
	if name != "" {
		class = OpClassByName(t, name)
	}
	if class == nil || find == nil {
		return class, nil
	}
	if collation == "" || collation == "default" {
		collation = t.DefaultCollation()
	}
	base := t.Base()
	switch base.Kind {
	case KindText, KindVarchar, KindBpchar, KindName:
		coll, err := find(collation)
		if err != nil || coll == nil {
			return class, err
		}
		return class.Collated(coll), nil
	case KindJsonb:
		coll, err := find("")
		if err != nil || coll == nil {
			return class, err
		}
		return opclass.Jsonb(coll), nil
	case KindArray:
		elem, err := OpClassIn(base.Elem, "", collation, find)
		if err != nil || elem == base.Elem.class {
			return class, err
		}
		return opclass.Array(elem, base.Elem.Attr()), nil
	case KindRange, KindMultirange:
		return class, rangeIn(base, find)
	case KindComposite:
		return recordIn(base, class, find)
	}
	return class, nil
}

// rangeIn refuses ranges over text in other collations than C: their input
// compares the bounds.
func rangeIn(t *Type, find Collations) error {
	if t.Kind == KindMultirange {
		t = t.Elem
	}
	class, err := OpClassIn(t.Elem, "", t.Collation, find)
	if err == nil && class != t.Elem.class {
		err = fmt.Errorf("ranges over type %s in another collation than C", t.Elem)
	}
	return err
}

func recordIn(t *Type, class *opclass.Class, find Collations) (*opclass.Class, error) {
	changed := false
	fields := make([]opclass.RecordField, len(t.Fields))
	for i, f := range t.Fields {
		c, err := OpClassIn(f.Type, "", f.Collation, find)
		if err != nil {
			return nil, err
		}
		fields[i] = opclass.RecordField{Class: c, Attr: f.Type.Attr()}
		changed = changed || c != f.Type.class
	}
	if !changed {
		return class, nil
	}
	return opclass.Record(fields...), nil
}
