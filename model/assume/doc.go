// Package assume says what stands for expressions that cannot be computed: predicates and
// expressions of indexes, generated columns and defaults.
//
//	what the model knows        computed (package expr)
//	what it does not know       a Choice: a share of rows for a predicate, a width for a value,
//	                            both of which the user may set (Setting)
//
// Figures that depend on a Choice are assumed, not exact. Reading order: setting.go,
// expression.go.
package assume
