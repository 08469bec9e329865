package sandbox

import (
	"fmt"

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
//
// The names begin with "$", which no program can write.

// maxDepth bounds the call stack, of which each call takes two frames: the
// interpreter recurses on the stack of Go.
const maxDepth = 800

// budget is the bytes that a program may still allocate.
type budget struct{ left int }

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

func (b *budget) guards() map[string]builtin {
	return map[string]builtin{"$binary": b.binary, "$slice": b.slice, "$call": b.call, "$unpack": b.unpack}
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
	syntax.IN: true, syntax.NOT_IN: true, syntax.EQL: true, syntax.NEQ: true,
	syntax.LT: true, syntax.LE: true, syntax.GT: true, syntax.GE: true,
}

// maxBits bounds a whole number: multiplication takes longer than its result
// is large.
const maxBits = 100_000

var assigned = map[syntax.Token]syntax.Token{
	syntax.PLUS_EQ: syntax.PLUS, syntax.STAR_EQ: syntax.STAR, syntax.PERCENT_EQ: syntax.PERCENT,
	syntax.PIPE_EQ: syntax.PIPE, syntax.LTLT_EQ: syntax.LTLT,
}

func (b *budget) binary(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	op, x, y := tokens[string(args[0].(starlark.String))], args[1], args[2]
	size := b.size(x) + b.size(y)
	switch op {
	case syntax.STAR:
		size = b.product(x, y)
	case syntax.IN, syntax.NOT_IN:
		size = b.search(y)
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		// Nothing is allocated, but each step may compare all there is.
		size /= 16
	}
	if err := b.charge(size); err != nil {
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

// tokens finds a guarded operation by how it is written.
var tokens = func() map[string]syntax.Token {
	m := map[string]syntax.Token{}
	for t := range guarded {
		m[t.String()] = t
	}
	return m
}()

// search is the work of looking for something in y.
func (b *budget) search(y starlark.Value) int {
	if _, keyed := y.(starlark.Mapping); keyed {
		return 1
	}
	if _, set := y.(*starlark.Set); set {
		return 1
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
	}
	return starlark.Call(thread, f, args, kwargs)
}

func (b *budget) unpack(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return args[0], b.charge(shallow(args[0]))
}

// cost bounds what a builtin can allocate.
func (b *budget) cost(f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) int {
	total := 64
	if f.Receiver() != nil {
		total += b.size(f.Receiver())
		// The pieces of split and elems share the text, and have headers.
		if f.Name() == "split" || f.Name() == "rsplit" || f.Name() == "elems" || f.Name() == "codepoints" || f.Name() == "splitlines" {
			total *= 17
		}
	}
	for _, a := range args {
		total += b.size(a)
	}
	for _, kv := range kwargs {
		total += b.size(kv[1])
	}
	switch f.Name() {
	case "replace":
		if len(args) > 1 {
			total += (1 + shallow(f.Receiver())) * (1 + shallow(args[1]))
		}
	case "join":
		if len(args) > 0 {
			total += shallow(args[0]) * (1 + shallow(f.Receiver()))
		}
	case "int":
		if len(args) > 0 && shallow(args[0]) > maxBits/3 {
			return MaxBytes + 1
		}
	case "append", "insert", "add":
		total = 64 // the list grows by one, whatever its size
	}
	return total
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
// value that holds itself many times over counts as often as it is held.
func (b *budget) size(v starlark.Value) int {
	left := b.left + 1
	b.walk(v, &left, 0)
	return b.left + 1 - left
}

func (b *budget) walk(v starlark.Value, left *int, depth int) {
	if *left < 0 || depth > 100 {
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
