package agent

import (
	"context"
	"fmt"

	"github.com/tracegrade/tracegrade/harness/script"
)

// Scripted is an agent that plays one of the characters of [script.Names]. It
// knows the case. The first four calibrate.
type Scripted struct {
	Style string
	// Phrase writes an answer; nil writes it plainly. Tests rephrase.
	Phrase script.Phrase
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
	phrase := a.Phrase
	if phrase == nil {
		phrase = script.Plain
	}
	p, err := script.Of(a.Style, t.Case, t.Arm, phrase)
	if err != nil {
		return "", err
	}
	for i, turn := range p.Turns {
		id := fmt.Sprintf("call_%d", i+1)
		s.chat(message{Role: "assistant", FinishReason: "tool_call", Parts: []part{
			{Type: "text", Content: turn.Words}, {Type: "tool_call", ID: id, Name: turn.Tool, Arguments: turn.Args},
		}}, 100, 20)
		if _, err := s.tool(id, turn.Tool, turn.Args, func(ctx context.Context) (string, error) { return t.callTool(ctx, turn.Tool, turn.Args) }); err != nil {
			return "", err
		}
	}
	s.chat(message{Role: "assistant", FinishReason: "stop", Parts: []part{{Type: "text", Content: p.Answer}}}, 100, 20)
	return p.Answer, nil
}
