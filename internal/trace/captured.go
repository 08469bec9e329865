package trace

// Unrecorded reports whether the producer kept a step's content back, so that
// what it lacks says nothing.
func (s *Step) Unrecorded() bool { return s.Capture == CaptureOff || s.Capture == CaptureRedacted }

// Spoke reports whether all is known that a model said in a step: its output was
// recorded, or the call failed and gave none.
func (s *Step) Spoke() bool {
	return !s.Unrecorded() && (s.Output.Captured() || s.Status.Failed)
}

// ContentCaptured reports whether any step recorded what went in or came out: if
// none did, no empty text says anything of the agent.
func (t *Trace) ContentCaptured() bool {
	for _, s := range t.Steps {
		if (s.Output.Captured() || s.Input.Captured() || s.RawOutput.Captured()) && !s.Unrecorded() {
			return true
		}
	}
	return false
}

// AnswerCaptured reports whether an empty Answer says that none was given. It
// does not where the output of the last model call was not recorded, whatever
// was of its input, nor where no step but those of tools recorded an output. A
// call that failed gave none.
func (t *Trace) AnswerCaptured() bool {
	if t.Answer != "" {
		return true
	}
	if !t.ContentCaptured() {
		return false
	}
	speaks := false
	for i := len(t.Steps) - 1; i >= 0; i-- {
		s := t.Steps[i]
		switch {
		case s.DuplicateOf != "" || s.Kind == KindTool || s.Kind == KindRetriever:
		case s.Kind == KindLLM:
			return s.Spoke()
		default:
			speaks = speaks || s.Output.Captured() || s.RawOutput.Captured() || s.Status.Failed
		}
	}
	return speaks
}
