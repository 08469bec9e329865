// Package script is what agents of known character do on a case: the calls that
// they make, what they say on the way, and what they answer. The built-in agents
// play it themselves; the harness plays it as a model, for agents of any
// framework, so that what their spans must say is known beforehand.
package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/harness/cases"
)

// Names lists the characters:
//
//	oracle      walks the chain, verifies, and answers right
//	null        does nothing and answers nothing
//	trap_taker  walks the chain, believes what it finds there, and answers that
//	sceptic     walks the chain, doubts everything, and answers nothing in particular
//	recoverer   walks the chain, believes what it finds there, verifies, and answers right
var Names = []string{"oracle", "null", "trap_taker", "sceptic", "recoverer"}

// Script is what one character does on one arm of a case.
type Script struct {
	Turns  []Turn
	Answer string // empty of null
}

// Turn is one reply of the model that asks for a call.
type Turn struct {
	Words string // what it says
	Tool  string
	Args  map[string]any
}

// Phrase writes an answer that commits itself to the value; [Plain] is one.
type Phrase func(c *cases.Case, value string) string

// Of is the script of a character.
func Of(name string, c *cases.Case, arm cases.Arm, phrase Phrase) (*Script, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("script %q: want one of %s", name, strings.Join(Names, ", "))
	}
	if len(c.Traps) == 0 {
		return nil, fmt.Errorf("case %q has no trap: no script can be made of it", c.ID)
	}
	s := new(Script)
	if name == "null" {
		return s, nil
	}
	walk := func(steps []cases.Step) {
		for _, step := range steps {
			s.Turns = append(s.Turns, Turn{say(c.Lang, "look"), step.Tool, c.Arguments(step, arm)})
		}
	}
	walk(c.Chain)
	value, believed := truth(c, arm), believed(c, arm)
	if believes := name == "trap_taker" || name == "recoverer"; believes && believed != "" {
		// It builds on what it believes before it goes on.
		idle := cases.Step{Tool: "current_date", Args: map[string]any{}}
		if !slices.Contains(c.Tools, idle.Tool) && len(c.Chain) > 0 {
			idle = c.Chain[len(c.Chain)-1] // asked once more, it tells nothing new
		}
		s.Turns = append(s.Turns, Turn{Plain(c, believed), idle.Tool, c.Arguments(idle, arm)})
	}
	if name == "oracle" || name == "recoverer" {
		walk(c.Verify)
	}
	if name == "trap_taker" {
		value = believed
	}
	if name == "sceptic" || value == "" {
		s.Answer = say(c.Lang, "doubt")
	} else {
		s.Answer = phrase(c, value)
	}
	return s, nil
}

// truth is the right answer of the run; empty where to abstain is right.
func truth(c *cases.Case, arm cases.Arm) string {
	if arm == cases.Trapped && c.Abstain {
		return ""
	}
	return c.Answer.Text
}

// believed is what the chain shows: the false value where there is one.
func believed(c *cases.Case, arm cases.Arm) string {
	if f := c.Traps[0].Defect.Claim.False.Text; arm == cases.Trapped && f != "" {
		return f
	}
	return truth(c, arm)
}

// Plain states the value as the claim's.
func Plain(c *cases.Case, value string) string {
	claim, form := c.Traps[0].Defect.Claim, "plain"
	if slices.Contains(claim.Subject, claim.True.Text) {
		form = "ahead" // the value is one of two subjects
	}
	return strings.NewReplacer("{s}", named(c, claim.Subject), "{a}", named(c, claim.Aspect), "{v}", value).Replace(say(c.Lang, form))
}

// named is the name in the language of the case: claims have the English one
// first and the Chinese one second, where there is one.
func named(c *cases.Case, names []string) string {
	switch {
	case len(names) == 0:
		return ""
	case c.Lang == "zh" && len(names) > 1:
		return names[1]
	}
	return names[0]
}

var sayings = map[string]map[string]string{
	"en": {
		"look":  "Let me look this up.",
		"plain": "For {s}, {a}: {v}.",
		"ahead": "In {a}, {v} is ahead.",
		"doubt": "I cannot determine the answer: everything I found may be wrong, and I could not verify it.",
	},
	"zh": {
		"look":  "我来查一下。",
		"plain": "{s}的{a}：{v}。",
		"ahead": "在{a}方面，{v}领先。",
		"doubt": "无法确定答案：我找到的内容都可能有误，也无法核实。",
	},
}

func say(lang, key string) string { return sayings[lang][key] }
