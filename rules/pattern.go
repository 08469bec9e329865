package rules

import (
	"math"
	"regexp"
	"regexp/syntax"
	"sync"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// maxPattern bounds regular expressions by the instructions that they come to,
// before anything is compiled: ten bytes can ask for a thousand repetitions, and
// an expression may hold many of these.
const maxPattern = 10_000

// compilePattern compiles a regular expression that is not too large.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if instructions(tree) > maxPattern {
		return nil, errText("the pattern comes to more than %d instructions: use smaller repetitions", maxPattern)
	}
	return regexp.Compile(pattern)
}

// instructions is about how many instructions a pattern compiles to. What is
// repeated is compiled as often as it may occur.
func instructions(r *syntax.Regexp) int {
	n := 1
	switch r.Op {
	case syntax.OpLiteral:
		n = len(r.Rune)
	case syntax.OpCharClass:
		n = 1 + len(r.Rune)/8
	}
	for _, sub := range r.Sub {
		n = sum(n, instructions(sub))
	}
	if r.Op == syntax.OpRepeat {
		times := r.Max
		if times < 0 {
			times = r.Min + 1
		}
		n = product(n, max(times, 1))
	}
	return n
}

// sum is a plus b, and no more than an int holds.
func sum(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// pattern checks the pattern of matches before expr compiles it.
func (r *resolver) pattern(x *ast.BinaryNode) {
	if x.Operator != "matches" {
		return
	}
	if s, ok := x.Right.(*ast.StringNode); ok {
		if _, err := compilePattern(s.Value); err != nil {
			r.fail(s, "%s", err)
		}
	}
}

// madePatterns are the patterns that expressions made themselves, out of parts
// or out of a trace.
var madePatterns struct {
	sync.Mutex
	byText map[string]*regexp.Regexp
}

// maxMadePatterns bounds how many are kept.
const maxMadePatterns = 1000

// matches is the operator, for a pattern that is no constant.
func matches(text, pattern any) (any, error) {
	if runtime.IsNil(text) || runtime.IsNil(pattern) {
		return false, nil
	}
	re, err := madePattern(pattern.(string))
	if err != nil {
		return nil, err
	}
	return re.MatchString(text.(string)), nil
}

func madePattern(pattern string) (*regexp.Regexp, error) {
	m := &madePatterns
	m.Lock()
	defer m.Unlock()
	if re := m.byText[pattern]; re != nil {
		return re, nil
	}
	re, err := compilePattern(pattern)
	if err != nil {
		return nil, errText("matches: %s", err)
	}
	if m.byText == nil || len(m.byText) >= maxMadePatterns {
		m.byText = map[string]*regexp.Regexp{}
	}
	m.byText[pattern] = re
	return re, nil
}
