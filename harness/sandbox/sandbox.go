// Package sandbox runs small programs of strangers: Starlark, a dialect of
// Python, without files, network, clock or randomness, within a number of steps
// and of bytes. The same program always prints the same.
package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Limits of one program.
const (
	MaxSource = 64 << 10 // bytes of program text
	MaxSteps  = 5_000_000
	MaxBytes  = 32 << 20 // made or gone through over the whole run, never given back
	MaxOutput = 64 << 10 // bytes printed; the rest is cut, and said to be
	maxError  = 4 << 10  // bytes of an error's text
)

// patience is far beyond what steps and bytes allow. It ends a program that found
// a way around both, and no other.
const patience = 2 * time.Minute

// ErrLimit means that a program ran into a limit.
var ErrLimit = errors.New("limit reached")

// Run runs a program and returns what it printed. A last line that is an
// expression is printed too, as a notebook does. Errors are the program's, with
// their place.
func Run(source string) (string, error) {
	if len(source) > MaxSource {
		return "", fmt.Errorf("program of %d bytes, want at most %d: %w", len(source), MaxSource, ErrLimit)
	}
	opts := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
	file, err := opts.Parse("program", source, 0)
	if err != nil {
		return "", err
	}
	printLast(file)
	guardFile(file)
	b := &budget{left: MaxBytes}
	out := &output{}
	thread := &starlark.Thread{Name: "program", Print: func(_ *starlark.Thread, msg string) { out.line(msg) }}
	thread.SetMaxExecutionSteps(MaxSteps)
	env := starlark.StringDict{"math": math.Module, "sum": starlark.NewBuiltin("sum", b.sum)}
	for name, f := range b.guards() {
		env[name] = starlark.NewBuiltin(strings.TrimPrefix(name, "$"), f)
	}
	program, err := starlark.FileProgram(file, env.Has)
	if err != nil {
		return "", err
	}
	defer time.AfterFunc(patience, func() { thread.Cancel("time") }).Stop()
	_, err = program.Init(thread, env)
	switch {
	case err != nil && strings.Contains(err.Error(), "too many steps"):
		err = fmt.Errorf("more than %d steps: %w", MaxSteps, ErrLimit)
	case b.left < 0:
		err = fmt.Errorf("more than %d bytes: %w", MaxBytes, ErrLimit)
	case err != nil && len(err.Error()) > maxError:
		err = fmt.Errorf("%s [error cut at %d bytes]", strings.ToValidUTF8(err.Error()[:maxError], ""), maxError)
	}
	return out.String(), err
}

// printLast turns a trailing expression that is no call of print into one.
func printLast(file *syntax.File) {
	if len(file.Stmts) == 0 {
		return
	}
	last, ok := file.Stmts[len(file.Stmts)-1].(*syntax.ExprStmt)
	if !ok {
		return
	}
	if call, ok := last.X.(*syntax.CallExpr); ok {
		if id, ok := call.Fn.(*syntax.Ident); ok && id.Name == "print" {
			return
		}
	}
	start, _ := last.X.Span()
	last.X = &syntax.CallExpr{Fn: &syntax.Ident{NamePos: start, Name: "print"}, Lparen: start, Args: []syntax.Expr{last.X}, Rparen: start}
}

// output is what was printed, up to the limit.
type output struct {
	strings.Builder
	cut bool
}

func (o *output) line(s string) {
	switch {
	case o.cut:
	case o.Len()+len(s)+1 > MaxOutput:
		o.cut = true
		o.WriteString(fmt.Sprintf("[output cut at %d bytes]\n", MaxOutput))
	default:
		o.WriteString(s + "\n")
	}
}

// sum is Python's, which Starlark lacks.
func (b *budget) sum(_ *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Iterable
	var total starlark.Value = starlark.MakeInt(0)
	if err := starlark.UnpackArgs(f.Name(), args, kwargs, "iterable", &list, "start?", &total); err != nil {
		return nil, err
	}
	it := list.Iterate()
	defer it.Done()
	var x starlark.Value
	for it.Next(&x) {
		if err := b.charge(b.operation(syntax.PLUS, total, x)); err != nil {
			return nil, err
		}
		var err error
		if total, err = starlark.Binary(syntax.PLUS, total, x); err != nil {
			return nil, err
		}
	}
	return total, nil
}
