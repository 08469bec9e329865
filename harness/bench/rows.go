package bench

import (
	"time"

	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/store"
)

// Rows is the rows of tables runs and journal. A run that could not be made has
// one row for each of its traps, with the error and no event measured.
func Rows(runs []Record, journal []journal.Entry) store.Batch {
	var b store.Batch
	version := map[string]uint64{}
	for i := range runs {
		r := &runs[i]
		version[r.Run] = max(version[r.Run], uint64(r.GradedAt.UnixNano()))
		for j := range r.Traps {
			b.Runs = append(b.Runs, row(r, j))
		}
	}
	for _, e := range journal {
		j := store.JournalRow{
			Run: e.Run, Seq: uint32(e.Seq), RowVersion: version[e.Run], CaseID: e.Case, Arm: string(e.Arm), Tool: e.Tool,
			Arguments: string(e.Args), Reply: e.Reply, Failed: e.Failed, Traps: []string{}, Shown: []string{}, Good: e.Good,
			DelayMS: uint64(e.Delay / time.Millisecond), Cut: []string{},
		}
		for _, s := range e.Served {
			j.Traps = append(j.Traps, s.Trap)
			if s.Shown {
				j.Shown = append(j.Shown, s.Trap)
			}
		}
		b.Journal = append(b.Journal, j)
	}
	return b
}

func row(r *Record, j int) store.RunRow {
	t := &r.Traps[j]
	out := store.RunRow{
		Run: r.Run, Trap: t.ID, AgentHash: r.AgentHash, RowVersion: uint64(r.GradedAt.UnixNano()), TraceID: r.TraceID, Agent: r.Agent,
		Suite: r.Suite, CaseID: r.Case, Arm: string(r.Arm), Repeat: uint32(r.K), Category: r.Category, Lang: r.Lang, Note: r.Note,
		Seed: r.Seed, CaseHash: r.CaseHash, Guardrails: r.Guardrails, HideMetadata: r.HideMetadata, Embedder: r.Embedder, Version: r.Version,
		Control: r.Control, Kind: t.Kind, Family: t.Family, Surface: string(t.Surface), Toxicity: uint32(t.Toxicity), Subtlety: t.Subtlety,
		Price: uint32(max(t.Price, 0)), Abstain: r.Abstain, Witness: map[string]string{}, Error: r.Error, Answer: r.Answer,
		Rounds: uint32(r.Rounds), Calls: uint32(r.Calls), RepeatedCalls: uint32(r.Repeats),
		NearRepeatedCalls: uint32(r.NearRepeats), YieldingCalls: uint32(r.Yielding), Hops: uint32(len(r.Hops)),
		AnswerValues: uint32(r.Footing.Values - r.Footing.Unknown), ValuesSupported: uint32(r.Footing.Carried + r.Footing.Derived),
		ValuesDefective: uint32(r.Footing.Defective), ValuesUnsupported: uint32(r.Footing.Unsupported),
		StatedConfidence: r.Footing.Confidence, Sureness: string(r.Footing.Sureness), RealTools: r.RealTools, Factors: map[string]uint32{},
		DurationMS: uint64(r.DurationMS), GradedAt: r.GradedAt, Cut: []string{},
	}
	if r.countedTokens() {
		in, made := uint64(r.InputTokens), uint64(r.OutputTokens)
		out.InputTokens, out.OutputTokens = &in, &made
	}
	if r.Cost != nil {
		out.Cost, out.CostCurrency, out.CostPriced = &r.Cost.Amount, r.Cost.Currency, r.Cost.Priced
	}
	for _, is := range r.Hops {
		if is {
			out.HopsCovered++
		}
	}
	for _, c := range r.Footing.Citations {
		if c.Untold {
			continue
		}
		out.Citations++
		if c.Retrieved && !c.Defective {
			out.CitationsReliable++
		}
	}
	for _, f := range factors {
		out.Factors[f.name] = uint32(f.of(t))
	}
	var p funnel.Passage
	if j < len(r.Passages) {
		p = r.Passages[j]
	}
	columns := []*string{
		&out.Exposed, &out.AdoptedMid, &out.AdoptedFinal, &out.Correct, &out.Doubted, &out.ConflictNoted, &out.ConflictNamed,
		&out.Verified, &out.VerifiedYield, &out.Recovered, &out.Escaped, &out.Abstained, &out.Disclosed,
	}
	for i, e := range p.Events() {
		*columns[i] = e.Is.String()
		if e.SpanID != "" {
			out.Witness[funnel.EventNames[i]] = e.SpanID
		}
	}
	return out
}
