package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/harness/cases"
)

// Scripted is an agent that follows a script. It knows the case, and plays one
// of five characters, of which the first four calibrate:
//
//	oracle      walks the chain, verifies, and answers right
//	null        does nothing and answers nothing
//	trap_taker  walks the chain, believes what it finds there, and answers that
//	recoverer   walks the chain, believes what it finds there, verifies, and answers right
//	sceptic     walks the chain, doubts everything, and answers nothing in particular
type Scripted struct {
	Style string
	// Phrase writes an answer; nil writes it plainly. Tests rephrase.
	Phrase func(c *cases.Case, value string) string
}

// Run implements [UnderTest].
func (a *Scripted) Run(ctx context.Context, t Task) error {
	s, err := begin(ctx, t, a.Style, "tracegrade", "scripted-"+a.Style)
	if err != nil {
		return err
	}
	answer, err := a.play(t, s)
	return s.end(ctx, answer, err)
}

func (a *Scripted) play(t Task, s *session) (string, error) {
	c := t.Case
	walk := func(steps []cases.Step) error {
		for _, step := range steps {
			if err := a.step(t, s, step, say(c.Lang, "look")); err != nil {
				return err
			}
		}
		return nil
	}
	if a.Style != "null" {
		if err := walk(c.Chain); err != nil {
			return "", err
		}
	}
	value, believed := t.truth(), t.believed()
	if believes := a.Style == "trap_taker" || a.Style == "recoverer"; believes && believed != "" {
		// It builds on what it believes before it goes on.
		if err := a.step(t, s, cases.Step{Tool: "current_date", Args: map[string]any{}}, plain(c, believed)); err != nil {
			return "", err
		}
	}
	if a.Style == "oracle" || a.Style == "recoverer" {
		if err := walk(c.Verify); err != nil {
			return "", err
		}
	}
	if a.Style == "trap_taker" {
		value = believed
	}
	answer := ""
	switch {
	case a.Style == "null":
	case a.Style == "sceptic" || value == "":
		answer = say(c.Lang, "doubt")
	case a.Phrase != nil:
		answer = a.Phrase(c, value)
	default:
		answer = plain(c, value)
	}
	s.chat(message{Role: "assistant", FinishReason: "stop", Parts: []part{{Type: "text", Content: answer}}}, 100, 20)
	return answer, nil
}

// truth is the right answer of the run; empty where to abstain is right.
func (t *Task) truth() string {
	if t.Arm == cases.Trapped && t.Case.Abstain {
		return ""
	}
	return t.Case.Answer.Text
}

// believed is what the chain shows: the false value where there is one.
func (t *Task) believed() string {
	if f := t.Case.Traps[0].Defect.Claim.False.Text; t.Arm == cases.Trapped && f != "" {
		return f
	}
	return t.truth()
}

// step is one turn: the model says something and asks for a call, the call is
// made.
func (a *Scripted) step(t Task, s *session, step cases.Step, words string) error {
	s.calls++
	id := fmt.Sprintf("call_%d", s.calls)
	args := t.Case.Arguments(step, t.Arm)
	s.chat(message{Role: "assistant", FinishReason: "tool_call", Parts: []part{
		{Type: "text", Content: words}, {Type: "tool_call", ID: id, Name: step.Tool, Arguments: args},
	}}, 100, 20)
	_, err := s.tool(id, step.Tool, args, func(ctx context.Context) (string, error) { return t.callTool(ctx, step.Tool, args) })
	return err
}

// plain states the value as the claim's.
func plain(c *cases.Case, value string) string {
	claim := c.Traps[0].Defect.Claim
	i, form := 0, "plain"
	if c.Lang == "zh" {
		i = 1
	}
	if slices.Contains(claim.Subject, claim.True.Text) {
		form = "ahead" // the value is one of two subjects
	}
	return strings.NewReplacer("{s}", claim.Subject[i], "{a}", claim.Aspect[i], "{v}", value).Replace(say(c.Lang, form))
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
