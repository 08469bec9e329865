// Package rules is the language in which users say what an agent should have
// done. A rule file goes through three steps, each of which can be called alone:
//
//	Parse    bytes    -> *File     syntax, unknown keys, positions
//	Compile  []*File  -> *Set      names, types, budgets, cost, identity
//	Eval     *trace   -> findings  no input or output, no clock, no randomness
//
// Every error of Parse and Compile carries the place in the rule file that
// caused it, and all of them are reported at once ([Errors]).
//
// Where things are:
//
//	file.go, parse.go       the file format, read strictly, with positions
//	shape.go, fields.go     what an expression can read of a step and a trace
//	library.go, lib_*.go    the functions, one registry for checker, docs and tests
//	check.go, resolve.go    expressions: types, names and closed vocabularies
//	guard.go                the cost of loops
//	compile.go, hash.go     rules to programs, and their identity
//	index.go, ledger.go     one trace and its evidence, indexed on demand
//	eval.go, witness.go     outcomes, and the spans that prove them
//
// Expressions are expr-lang. Fields of steps and names of the trace are not
// read by reflection: after type checking each access is replaced by a call of
// its getter, so that content is decoded only when a rule looks at it and
// content that was not captured is noticed.
package rules
