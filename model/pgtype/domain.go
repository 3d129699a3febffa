package pgtype

import "applysim/heap/datum"

// DomainCheck is a CHECK constraint of a domain.
type DomainCheck struct {
	Name, Expr string // Expr calls the value VALUE
}

// Constrain sets what Input and Receive check of each value of a domain, also of NULL
// in an array or a composite type. This package knows no expressions: whoever can
// evaluate NotNull and Checks says whether a value satisfies them.
func (t *Type) Constrain(check func(v *datum.Value) error) { t.check = check }

// Constrained reports whether a domain, or one below it, has constraints.
func (t *Type) Constrained() bool {
	for ; t.Kind == KindDomain; t = t.Elem {
		if t.NotNull || len(t.Checks) > 0 {
			return true
		}
	}
	return false
}

// inputDomain is domain_in: a value of the type below all domains, which is then
// checked against the constraints of this one and of those below it.
func (t *Type) inputDomain(text, scratch []byte) (datum.Value, []byte, error) {
	base, typmod := t.stored()
	v, scratch, err := base.Input(text, typmod, scratch)
	if err == nil && t.check != nil {
		err = t.check(&v)
	}
	return v, scratch, err
}

// receiveDomain is domain_recv.
func (t *Type) receiveDomain(r *reader, scratch []byte) (datum.Value, []byte, error) {
	base, typmod := t.stored()
	v, scratch, err := base.receive(r, typmod, scratch)
	if err == nil && t.check != nil {
		err = t.check(&v)
	}
	return v, scratch, err
}

// stored is the type below all domains with its modifier (getBaseTypeAndTypmod).
func (t *Type) stored() (base *Type, typmod int32) {
	typmod = -1
	for t.Kind == KindDomain && t.Elem != nil {
		t, typmod = t.Elem, t.Typmod
	}
	return t, typmod
}

// inputNull is what the input function says of a NULL within a value: only a domain
// may refuse it.
func (t *Type) inputNull() error {
	if t.check == nil {
		return nil
	}
	return t.check(&datum.Value{Null: true})
}
