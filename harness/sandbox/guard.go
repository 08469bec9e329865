package sandbox

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Starlark counts steps and not bytes, and one step can ask for any number of
// bytes ("x" * 10**9, list(range(10**9)), s += s in a loop). So every operation
// that can make a value larger than its program is rewritten to a guard, which
// charges the size of the result before it is made:
//
//	x + y, x * y, x % y, x | y, x << y   ->  $binary("+", x, y)
//	x[a:b:c]                             ->  $slice(x, a, b, c)
//	f(args)                              ->  $call(f, args)
//	*x, **x in the arguments of a call   ->  *$unpack(x), **$unpack(x)
//	x[y], {y: z}                         ->  x[$key(y)], {$key(y): z}
//
// The names begin with "$", which no program can write. What a guard has to go
// through to know a size it charges as well, so that the time of a program is
// bounded by its steps and bytes alone, on every machine the same.

// maxDepth bounds the call stack, of which each call takes two frames: the
// interpreter recurses on the stack of Go.
const maxDepth = 800

// budget is the bytes that a program may still allocate.
type budget struct{ left int }

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

func (b *budget) guards() map[string]builtin {
	return map[string]builtin{"$binary": b.binary, "$slice": b.slice, "$call": b.call, "$unpack": b.unpack, "$key": b.key}
}

func (b *budget) charge(n int) error {
	if b.left -= n; b.left < 0 || n < 0 {
		b.left = -1
		return ErrLimit
	}
	return nil
}

var guarded = map[syntax.Token]bool{
	syntax.PLUS: true, syntax.STAR: true, syntax.PERCENT: true, syntax.PIPE: true, syntax.LTLT: true,
	syntax.MINUS: true, syntax.SLASH: true, syntax.SLASHSLASH: true, syntax.AMP: true, syntax.CIRCUMFLEX: true, syntax.GTGT: true,
	syntax.IN: true, syntax.NOT_IN: true, syntax.EQL: true, syntax.NEQ: true,
	syntax.LT: true, syntax.LE: true, syntax.GT: true, syntax.GE: true,
}

// maxBits bounds a whole number: multiplication takes longer than its result
// is large.
const maxBits = 100_000

var assigned = map[syntax.Token]syntax.Token{
	syntax.PLUS_EQ: syntax.PLUS, syntax.STAR_EQ: syntax.STAR, syntax.PERCENT_EQ: syntax.PERCENT,
	syntax.PIPE_EQ: syntax.PIPE, syntax.LTLT_EQ: syntax.LTLT,
	syntax.MINUS_EQ: syntax.MINUS, syntax.SLASH_EQ: syntax.SLASH, syntax.SLASHSLASH_EQ: syntax.SLASHSLASH,
	syntax.AMP_EQ: syntax.AMP, syntax.CIRCUMFLEX_EQ: syntax.CIRCUMFLEX, syntax.GTGT_EQ: syntax.GTGT,
}

func (b *budget) binary(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	op, x, y := tokens[string(args[0].(starlark.String))], args[1], args[2]
	if err := b.charge(b.operation(op, x, y)); err != nil {
		return nil, err
	}
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		holds, err := starlark.Compare(op, x, y)
		return starlark.Bool(holds), err
	case syntax.NOT_IN:
		v, err := starlark.Binary(syntax.IN, x, y)
		if err != nil {
			return nil, err
		}
		return !v.Truth(), nil
	}
	return starlark.Binary(op, x, y)
}

// operation bounds what x op y makes and goes through. Numbers that fit a machine
// word are free: the step itself counts them.
func (b *budget) operation(op syntax.Token, x, y starlark.Value) int {
	if scalar(x) && scalar(y) {
		return 0
	}
	switch op {
	case syntax.STAR:
		return b.product(x, y)
	case syntax.IN, syntax.NOT_IN:
		return b.search(x, y)
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		// Nothing is allocated, but each step may compare all there is.
		return b.reading(x, y)
	case syntax.SLASHSLASH, syntax.PERCENT:
		if text, ok := x.(starlark.String); ok {
			return len(text) + (1+strings.Count(string(text), "%("))*b.size(y)
		}
		// Division takes longer than its operands are large.
		return 64 * (b.size(x) + b.size(y))
	}
	return b.size(x) + b.size(y)
}

// scalar reports a value of constant size.
func scalar(v starlark.Value) bool {
	switch v := v.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Float:
		return true
	case starlark.Int:
		_, small := v.Int64()
		return small
	}
	return false
}

// key charges the hashing of a key, which goes through all of it.
func (b *budget) key(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return args[0], b.charge(b.hashing(args[0]))
}

func (b *budget) hashing(v starlark.Value) int {
	if scalar(v) {
		return 0
	}
	return b.reading(v)
}

// reading is the work of going through values once, which is quicker than to
// make as much. What is beyond the budget stays beyond it.
func (b *budget) reading(values ...starlark.Value) int {
	n := 16
	for _, v := range values {
		n += b.size(v)
	}
	if n > b.left {
		return n
	}
	return n / 16
}

// tokens finds a guarded operation by how it is written.
var tokens = func() map[string]syntax.Token {
	m := map[string]syntax.Token{}
	for t := range guarded {
		m[t.String()] = t
	}
	return m
}()

// search is the work of looking for x in y.
func (b *budget) search(x, y starlark.Value) int {
	switch y.(type) {
	case starlark.Mapping, *starlark.Set:
		return b.hashing(x)
	case *starlark.List, starlark.Tuple:
		// Each element may be compared with all of x.
		return b.reading(x, y)
	}
	return shallow(y)/16 + 1
}

// product is the size of x * y: repetition where one is a number.
func (b *budget) product(x, y starlark.Value) int {
	times, isInt := x.(starlark.Int)
	other := y
	if n, both := y.(starlark.Int); isInt && both {
		if times.BigInt().BitLen()+n.BigInt().BitLen() > maxBits {
			return MaxBytes + 1
		}
		return b.size(x) + b.size(y)
	}
	if !isInt {
		if times, isInt = y.(starlark.Int); !isInt {
			return 16
		}
		other = x
	}
	n, ok := times.Int64()
	if !ok || n > MaxBytes {
		return MaxBytes + 1
	}
	return int(max(n, 1)) * b.size(other)
}

func (b *budget) slice(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if err := b.charge(shallow(args[0])); err != nil {
		return nil, err
	}
	v, err := starlark.EvalExprOptions(&syntax.FileOptions{}, thread, sliceExpr, starlark.StringDict{
		"x": args[0], "lo": args[1], "hi": args[2], "step": args[3],
	})
	return v, err
}

func (b *budget) call(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if thread.CallStackDepth() > maxDepth {
		return nil, fmt.Errorf("more than %d calls deep: %w", maxDepth/2, ErrLimit)
	}
	f, args := args[0], args[1:]
	if bi, ok := f.(*starlark.Builtin); ok && bi.Name() != "len" && bi.Name() != "range" && bi.Name() != "type" {
		if err := b.charge(b.cost(bi, args, kwargs)); err != nil {
			return nil, err
		}
		kwargs = b.ordering(bi, args, kwargs)
	}
	return starlark.Call(thread, f, args, kwargs)
}

func (b *budget) unpack(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return args[0], b.charge(shallow(args[0]))
}

// ordering makes a key function charge what its results cost to compare, which
// the arguments of sorted, min and max do not show.
func (b *budget) ordering(f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) []starlark.Tuple {
	if f.Receiver() != nil || len(args) == 0 {
		return kwargs
	}
	kwargs = slices.Clone(kwargs)
	for i, kv := range kwargs {
		if kv[0] != starlark.String("key") || kv[1] == starlark.None {
			continue
		}
		times := bits.Len(uint(shallow(args[0])))
		charged := func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			v, err := starlark.Call(thread, kv[1], args, nil)
			if err != nil {
				return nil, err
			}
			return v, b.charge(times * b.hashing(v))
		}
		kwargs[i] = starlark.Tuple{kv[0], starlark.NewBuiltin("key", charged)}
	}
	return kwargs
}

// element lists the methods of lists, dictionaries and sets that touch one
// element, whatever the size of the whole.
var element = map[string]bool{
	"append": true, "add": true, "discard": true, "get": true, "setdefault": true, "popitem": true,
}

// cost bounds what a builtin can allocate and goes through.
func (b *budget) cost(f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) int {
	const least = 64
	if _, list := f.Receiver().(*starlark.List); list && f.Name() == "append" {
		return least // what is appended is neither read nor hashed
	}
	given := 0
	for _, a := range args {
		given += b.size(a)
	}
	for _, kv := range kwargs {
		given += b.size(kv[1])
	}
	switch recv := f.Receiver().(type) {
	case nil:
		if f.Name() == "int" && len(args) > 0 && shallow(args[0]) > maxBits/3 {
			return MaxBytes + 1
		}
		return least + given
	case starlark.String:
		return least + given + b.text(f.Name(), recv, args, given)
	case *starlark.List, *starlark.Dict, *starlark.Set:
		switch {
		case element[f.Name()]:
			return least + given
		case f.Name() == "insert", f.Name() == "pop":
			// The elements behind move up.
			return least + given + shallow(recv)/256
		case f.Name() == "index", f.Name() == "remove":
			return least + given + b.reading(recv)
		case f.Name() == "extend", f.Name() == "update":
			return least + given
		}
		return least + given + shallow(recv)
	}
	return least + given + b.size(f.Receiver())
}

// text is the work of a method of a string.
func (b *budget) text(method string, s starlark.String, args starlark.Tuple, given int) int {
	n := len(s)
	switch method {
	case "split", "rsplit", "elems", "codepoints", "splitlines":
		return 17 * n // the pieces share the text, and have headers
	case "replace":
		if len(args) > 1 {
			return n + (1+n)*(1+shallow(args[1]))
		}
	case "join":
		if len(args) > 0 {
			return n + shallow(args[0])*(1+n)
		}
	case "format":
		return n + strings.Count(string(s), "{")*given
	}
	return n
}

// shallow is the bytes of a value without what it refers to.
func shallow(v starlark.Value) int {
	switch v := v.(type) {
	case starlark.String:
		return len(v)
	case starlark.Bytes:
		return len(v)
	case starlark.Int:
		if _, small := v.Int64(); small {
			return 16
		}
		return 16 + v.BigInt().BitLen()/8
	case starlark.Sequence:
		return 16 + 16*v.Len()
	}
	return 16
}

// size is the bytes of a value if it were written out, up to the budget: a
// value that is held many times over counts as often as it is held.
func (b *budget) size(v starlark.Value) int {
	left := b.left + 1
	b.walk(v, &left, 0)
	return b.left + 1 - left
}

func (b *budget) walk(v starlark.Value, left *int, depth int) {
	if *left < 0 || depth > 100 {
		*left = -1 // what is deeper is not measured, and so counts as too large
		return
	}
	*left -= max(shallow(v), 1)
	switch v := v.(type) {
	case *starlark.List:
		for i := 0; i < v.Len() && *left >= 0; i++ {
			b.walk(v.Index(i), left, depth+1)
		}
	case starlark.Tuple:
		for i := 0; i < len(v) && *left >= 0; i++ {
			b.walk(v[i], left, depth+1)
		}
	case *starlark.Dict:
		for _, kv := range v.Items() {
			b.walk(kv, left, depth+1)
		}
	case *starlark.Set:
		*left -= 16 * v.Len()
	}
}

// sliceExpr is x[lo:hi:step], parsed once.
var sliceExpr = func() syntax.Expr {
	e, err := (&syntax.FileOptions{}).ParseExpr("slice", "x[lo:hi:step]", 0)
	if err != nil {
		panic(fmt.Sprintf("sandbox: %v", err))
	}
	return e
}()
