package trace

// Tally is what a trace adds up to. Steps that repeat another are left out.
type Tally struct {
	Steps  int
	LLM    int // of these, model calls
	Tools  int // of these, tool calls
	Failed int // of these, steps that ended in an error
	// Losses counts pieces of content that could not be read, over all steps.
	Losses int
	// Cost is what producers stated, over leaves; amounts in another currency
	// than the first are left out.
	Cost Cost
}

// Tally adds up the steps.
func (t *Trace) Tally() Tally {
	var n Tally
	for _, s := range t.Steps {
		n.Losses += len(s.Losses)
		if s.DuplicateOf != "" {
			continue
		}
		n.Steps++
		switch s.Kind {
		case KindLLM:
			n.LLM++
		case KindTool:
			n.Tools++
		default:
		}
		if s.Status.Failed {
			n.Failed++
		}
		// The cost of an aggregate is that of the steps below it.
		if s.Usage.Scope != UsageAggregate && s.Cost.Amount != 0 && (n.Cost.Currency == "" || n.Cost.Currency == s.Cost.Currency) {
			n.Cost.Amount += s.Cost.Amount
			n.Cost.Currency = s.Cost.Currency
		}
	}
	return n
}
