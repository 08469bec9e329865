package rules

import (
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// maxPattern bounds regular expressions by the instructions that they come to,
// before anything is compiled: ten bytes can ask for a thousand repetitions, and
// an expression may hold many of these.
const maxPattern = 10_000

// matcher is a regular expression, and what a text needs to match it: most texts
// lack that, and are told so in one quick pass.
type matcher struct {
	re     *regexp.Regexp
	needed []string // in lower case; every match has one of them. None: not known
	begin  [256]bool
}

// compilePattern compiles a regular expression that is not too large.
func compilePattern(pattern string) (*matcher, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if instructions(tree) > maxPattern {
		return nil, errText("the pattern comes to more than %d instructions: use smaller repetitions", maxPattern)
	}
	m := &matcher{needed: needed(tree)}
	for _, n := range m.needed {
		m.begin[n[0]], m.begin[lang.Upper(n[0])] = true, true
	}
	m.re, err = regexp.Compile(pattern)
	return m, err
}

// match reports whether the pattern occurs in a text.
func (m *matcher) match(text string) bool {
	return (m.needed == nil || m.mayMatch(text)) && m.re.MatchString(text)
}

func (m *matcher) mayMatch(text string) bool {
	for i := 0; i < len(text); i++ {
		if m.begin[text[i]] && slices.ContainsFunc(m.needed, func(n string) bool { return lang.HasPrefixFold(text[i:], n) }) {
			return true
		}
	}
	return false
}

// Bounds of what is looked for in a text before a pattern is: one letter is in
// every text, and more texts than these are slower than the pattern.
const (
	neededMin = 2 // bytes
	neededMax = 32
)

// needed is texts, in lower case, of which every match of a pattern has one; nil
// where there is no such list.
func needed(r *syntax.Regexp) (texts []string) {
	switch r.Op {
	case syntax.OpLiteral:
		if text := certain(r); len(text) >= neededMin {
			return []string{text}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(r.Sub[0])
	case syntax.OpRepeat:
		if r.Min > 0 {
			return needed(r.Sub[0])
		}
	case syntax.OpConcat: // all of it is there: the part whose texts are longest says most
		for _, sub := range r.Sub {
			if t := needed(sub); shortest(t) > shortest(texts) {
				texts = t
			}
		}
	case syntax.OpAlternate:
		for _, sub := range r.Sub {
			t := needed(sub)
			if t == nil || len(texts)+len(t) > neededMax {
				return nil
			}
			texts = append(texts, t...)
		}
	}
	return texts
}

// shortest is the length of the shortest text, and 0 of none.
func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

// certain is the longest part of a literal of which the case of ASCII letters is
// the only thing that a match may have otherwise: k and s have forms beyond ASCII.
func certain(r *syntax.Regexp) string {
	best, run := "", []byte(nil)
	for _, c := range r.Rune {
		if c == utf8.RuneError || r.Flags&syntax.FoldCase != 0 && !foldsWithinASCII(c) {
			run = run[:0]
			continue
		}
		if run = utf8.AppendRune(run, asciiLower(c)); len(run) > len(best) {
			best = string(run)
		}
	}
	return best
}

func asciiLower(c rune) rune {
	if 'A' <= c && c <= 'Z' {
		return c - 'A' + 'a'
	}
	return c
}

// foldsWithinASCII reports whether a character has no other case but that of an
// ASCII letter.
func foldsWithinASCII(c rune) bool {
	for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
		if c >= utf8.RuneSelf || f >= utf8.RuneSelf {
			return false
		}
	}
	return true
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
	byText map[string]*matcher
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
	return re.match(text.(string)), nil
}

func madePattern(pattern string) (*matcher, error) {
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
		m.byText = map[string]*matcher{}
	}
	m.byText[pattern] = re
	return re, nil
}
