package expr

// Nodes is the number of nodes of the tree that a server makes of an expression, after
// literals have become constants of their types: 0 if it cannot be read. What it
// costs to copy, plan and prepare an expression for each row grows with it.
func Nodes(sql string) int {
	a, err := parse(sql)
	if err != nil {
		return 0
	}
	return a.nodes()
}

func (a *ast) nodes() int {
	if a == nil {
		return 0
	}
	switch a.kind {
	case astCast:
		// A literal with a type is one constant.
		if n := a.args[0]; n.kind <= astBool {
			return 1
		}
	case astIn:
		// x = ANY (array of constants), or a list of comparisons.
		if !literals(a.args[1:]) {
			return 1 + (len(a.args)-1)*(1+a.args[0].nodes()) + sum(a.args[1:])
		}
		return 2 + a.args[0].nodes()
	case astBetween:
		// Two comparisons and what joins them.
		return 3 + 2*a.args[0].nodes() + sum(a.args[1:])
	case astCollate:
		return a.args[0].nodes() + 1
	}
	return 1 + sum(a.args)
}

func sum(list []*ast) int {
	n := 0
	for _, a := range list {
		n += a.nodes()
	}
	return n
}

func literals(list []*ast) bool {
	for _, a := range list {
		if a.nodes() != 1 || a.kind == astColumn {
			return false
		}
	}
	return true
}
