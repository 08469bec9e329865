package rubric

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/trace"
)

//go:embed cues.yaml
var cuesYAML []byte

// cueList is words by what they mark.
type cueList struct {
	doubt, certainty []string // lower case
}

// cuesMax bounds a list of cues in a rubric file.
const cuesMax = 500

// cues reads a list of cues.
func (p *parser) cues(n *yaml.Node) []string {
	list := p.words(n, "check", cuesMax)
	for i, c := range list {
		list[i] = strings.ToLower(c)
	}
	return list
}

// cueList is the embedded list, with what the check has instead.
func (c *Check) cueList() *cueList {
	l := *defaultCues()
	if c.Doubt != nil {
		l.doubt = c.Doubt
	}
	if c.Certainty != nil {
		l.certainty = c.Certainty
	}
	return &l
}

// defaultCues reads the embedded list.
var defaultCues = sync.OnceValue(func() *cueList {
	var raw struct{ Doubt, Certainty map[string][]string }
	if err := yaml.Unmarshal(cuesYAML, &raw); err != nil {
		panic("rubric: the embedded list of cues cannot be read: " + err.Error())
	}
	l := &cueList{}
	for _, lang := range []string{"en", "zh"} {
		l.doubt = append(l.doubt, raw.Doubt[lang]...)
		l.certainty = append(l.certainty, raw.Certainty[lang]...)
	}
	return l
})

// grade settles an item with a figure: the share of the texts that have a cue of
// doubt. It is a pass whatever the figure: see cues.yaml.
func (l *cueList) grade(it *item, of string, texts []looked) {
	if len(texts) == 0 {
		it.settle(trace.OutcomeNotApplicable, ReasonNoContent, of+" was not captured, or does not occur")
		return
	}
	doubt, certain := 0, 0
	for _, x := range texts {
		text := strings.ToLower(x.text)
		if hasCue(text, l.doubt) {
			doubt++
		}
		if hasCue(text, l.certainty) {
			certain++
		}
	}
	share := float64(doubt) / float64(len(texts))
	it.finding.Score = &share
	it.settle(trace.OutcomePass, ReasonHolds, fmt.Sprintf("%s: of %d texts %d have a cue of doubt, %d one of certainty: a figure, not a verdict", of, len(texts), doubt, certain))
}

// hasCue reports whether a cue stands in the text as a word of its own.
func hasCue(text string, cues []string) bool {
	for _, c := range cues {
		for from := 0; ; {
			i := strings.Index(text[from:], c)
			if i < 0 {
				break
			}
			i += from
			if isWhole(text, i, i+len(c)) {
				return true
			}
			from = i + len(c)
		}
	}
	return false
}

// isWhole reports whether text[i:j] is not part of a longer word. Scripts
// without spaces have no such thing.
func isWhole(text string, i, j int) bool {
	first, _ := utf8.DecodeRuneInString(text[i:])
	if unicode.Is(unicode.Han, first) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[j:])
	return !unicode.IsLetter(before) && !unicode.IsLetter(after)
}
