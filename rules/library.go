package rules

import (
	"reflect"
	"strings"
	"sync"
)

// LibraryVersion is part of the identity of every rule: it changes with the first
// change after a release by which a function or a field means something else.
const LibraryVersion = "4"

// Argument kinds. A step may be nil everywhere; every function says what it
// returns then.
const (
	argStep     = "step"
	argSteps    = "steps"
	argString   = "string"
	argNumber   = "number"
	argDuration = "duration" // or a number of nanoseconds
	argNumbers  = "numbers"
	argInt      = "int"
	argAny      = "any"
	argPattern  = "pattern" // constant text with * and ?
	argKind     = "kind"    // constant name of a kind
	argAtom     = "atom"    // constant name of a kind of atom
)

// Arg is one argument of a function.
type Arg struct {
	Name     string
	Kind     string
	Optional bool
	Variadic bool // the last one only: any number, also none
	// check says what is wrong with an argument that is written in the rule itself,
	// so that the rule is refused instead of erring on every trace. nil: nothing can be.
	check func(constant any) error
}

// Function is one function of the language.
type Function struct {
	Name    string
	Args    []Arg
	Result  reflect.Type
	Group   string
	Doc     string
	Example string   // an expression of type bool, run by the tests
	Values  []string // closed vocabulary of the result, where there is one; it may be empty, too
	// Many marks a result that grows with the trace; a loop over it is a loop
	// over the trace.
	Many bool
	// Linear marks a call whose own cost grows with the trace, so that it must
	// not stand in a loop over the trace. All others are looked up in an index.
	Linear bool
	// OfArgs says that Many and Linear hold only where an argument is a list
	// that grows with the trace.
	OfArgs bool
	// Instead names what to use where a loop inside a loop is refused.
	Instead  string
	Content  bool // reads what producers record only when told to
	Evidence bool // answers through package evidence, whose version it depends on
	call     func(w *run, args []any) (any, error)
}

// Signature writes the function as the documentation does.
func (f *Function) Signature() string {
	parts := make([]string, len(f.Args))
	for i, a := range f.Args {
		parts[i] = a.Name
		switch {
		case a.Variadic:
			parts[i] += "..."
		case a.Optional:
			parts[i] += "?"
		}
	}
	return f.Name + "(" + strings.Join(parts, ", ") + ")"
}

// ResultName is the type of the result as the documentation writes it.
func (f *Function) ResultName() string { return typeName(f.Result) }

func (f *Function) arity() (least, most int) {
	for _, a := range f.Args {
		switch {
		case a.Variadic:
			return least, 1 << 10
		case !a.Optional:
			least++
		}
		most++
	}
	return least, most
}

var (
	boolType   = reflect.TypeFor[bool]()
	intType    = reflect.TypeFor[int]()
	floatType  = reflect.TypeFor[float64]()
	stringType = reflect.TypeFor[string]()
	textsType  = reflect.TypeFor[[]string]()
	listType   = reflect.TypeFor[[]any]()
)

// library is all functions and fields by name, made once.
type libraryIndex struct {
	functions map[string]*Function
	fields    map[string]*Field // by owner.name; names of their own by name
	words     []string          // all names that may stand alone, for suggestions
}

// library lists every function and field. It is built on first use, since the
// program has verbs that need no rules.
var library = sync.OnceValue(func() *libraryIndex {
	l := &libraryIndex{functions: map[string]*Function{}, fields: map[string]*Field{}}
	for _, group := range functionGroups {
		for i := range group.functions {
			f := &group.functions[i]
			f.Group = group.name
			if l.functions[f.Name] != nil {
				panic("rules: function " + f.Name + " is declared twice")
			}
			l.functions[f.Name] = f
			l.words = append(l.words, f.Name)
		}
	}
	for _, group := range fieldGroups {
		for i := range group.fields {
			f := &group.fields[i]
			f.Owner = group.owner
			key := f.Name
			if group.owner != "" {
				key = group.owner + "." + f.Name
				t, ok := shapeField(group.shape, f.Name)
				if !ok {
					panic("rules: no type for field " + key)
				}
				f.Type = typeName(t)
			} else {
				l.words = append(l.words, f.Name)
			}
			l.fields[key] = f
		}
	}
	return l
})

var fieldGroups = []struct {
	owner  string
	shape  reflect.Type
	fields []Field
}{
	{"", nil, nameFields},
	{"step", stepType, stepFields},
	{"tool", toolType, toolFields},
	{"call", callType, callFields},
	{"document", documentType, documentFields},
	{"usage", usageType, usageFields},
	{"trace", traceType, traceFields},
	{"turn", turnType, turnFields},
	{"observation", observationType, observationFields},
	{"value", valueType, linkedFields},
	{"conflict", conflictType, conflictFields},
	{"stale", staleType, staleFields},
	{"echo", echoType, echoFields},
}

var functionGroups = []struct {
	name      string
	functions []Function
}{
	{"selection", selectionFunctions},
	{"ancestry", ancestryFunctions},
	{"order", orderFunctions},
	{"causality", causalityFunctions},
	{"turns", turnFunctions},
	{"repetition", append(repetitionFunctions, roundFunctions...)},
	{"admission", admissionFunctions},
	{"intent", intentFunctions},
	{"values", valueFunctions},
	{"schema", schemaFunctions},
	{"evidence", evidenceFunctions},
	{"traps", trapFunctions},
	{"safety", safetyFunctions},
}

// Functions lists every function of the language, by group.
func Functions() []Function {
	library()
	var list []Function
	for _, g := range functionGroups {
		list = append(list, g.functions...)
	}
	return list
}

// Fields lists everything that an expression can read, names of their own
// first.
func Fields() []Field {
	library()
	var list []Field
	for _, g := range fieldGroups {
		list = append(list, g.fields...)
	}
	return list
}
