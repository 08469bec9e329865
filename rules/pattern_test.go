package rules

import (
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestNeeded(t *testing.T) {
	for pattern, want := range map[string][]string{
		`timeout`:                       {"timeout"},
		`(?i)Could ?n[o'’]t`:            {"could"},
		`unable|failed to|无法`:           {"unable", "failed to", "无法"},
		`\b(i|we) (\w+ )?can ?not\b`:    {"can"},
		`(?i)task`:                      {"ta"},   // s and k have forms beyond ASCII
		`(?i)größe`:                     {"gr"},   // so has ö, another case
		`(?i)无法`:                        {"无法"},   // which have no case
		`(abc)+d`:                       {"abc"},  // all of a row is there
		`(abc)?de`:                      {"de"},   // and what may lack is not
		`(abcd){2,}`:                    {"abcd"}, //
		`(abcd){0,2}`:                   nil,
		`\d+`:                           nil,
		`timeout|\d+`:                   nil, // one of the ways needs nothing
		`a|bc`:                          nil, // one letter is in every text
		strings.Repeat("ab|", 40) + `x`: nil,
	} {
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := needed(tree); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}

// What is looked for first never hides a match.
func TestNeededHidesNoMatch(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, pattern := range []string{
		`(?i)\b(i|we|it) (\w+ )?(could ?n[o'’]t|can ?not)\b|(was|were|is) ?n[o'’]t able|unable|failed to|无法|未能`,
		`(?i)context.{0,10}(length|window|limit)|(prompt|request) (is )?too (long|large)|maximum .{0,20}tokens`,
		`(?i)task|skip|ſkin`, `[Tt]ask(ed)?`, `(Größe){2}`, `(?i:größe)x`, `(?s)a.b|cd+e*`,
	} {
		m, err := compilePattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		tree, _ := syntax.Parse(pattern, syntax.Perl)
		for range 2000 {
			text := string(matching(rng, tree, []rune("so ")))
			if m.re.MatchString(text) && !m.match(text) {
				t.Fatalf("seed %d: %s occurs in %q and is not found", seed, pattern, text)
			}
		}
	}
}

// matching adds a text that a pattern is made to match, in any case where it
// takes any.
func matching(rng *rand.Rand, r *syntax.Regexp, text []rune) []rune {
	switch r.Op {
	case syntax.OpLiteral:
		for _, c := range r.Rune {
			for range rng.IntN(4) {
				if r.Flags&syntax.FoldCase != 0 {
					c = unicode.SimpleFold(c)
				}
			}
			text = append(text, c)
		}
	case syntax.OpCharClass:
		text = append(text, r.Rune[2*rng.IntN(len(r.Rune)/2)])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		text = append(text, 'x')
	case syntax.OpAlternate:
		return matching(rng, r.Sub[rng.IntN(len(r.Sub))], text)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range r.Sub {
			text = matching(rng, sub, text)
		}
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		least := max(r.Min, 0)
		if r.Op == syntax.OpPlus {
			least = 1
		}
		most := least + 1
		if r.Op == syntax.OpQuest {
			most = 1
		}
		for range least + rng.IntN(most-least+1) {
			text = matching(rng, r.Sub[0], text)
		}
	}
	return text
}
