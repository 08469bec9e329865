package rubric

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Asker sends requests to one judge; package pool's Pool is one.
type Asker interface {
	Ask(ctx context.Context, t pool.Task) (judge.Reply, error)
}

// Judge is one judge that rubrics may ask by its name.
type Judge struct {
	Config judge.Config
	Asker  Asker
	Pool   *pool.Pool // that Asker asks in the end; nil: there is none, and no budget
}

// Options are what a Grader works with.
type Options struct {
	Judges    []Judge        // may be empty: rubrics for judges are skipped then
	Redaction *redact.Policy // nil: off
	// Reference gives the reference answer of a trace, where there is one.
	Reference func(*trace.Trace) (string, bool)
}

// Grader grades traces with rubrics. It is safe for concurrent use.
type Grader struct {
	set     *Set
	options Options
	judges  map[string]Judge
	hashes  map[string]string    // judge hash by rubric
	members map[[2]string]string // hash of one judge by rubric and role
	frames  map[string]frame     // of prompts, by rubric
	opened  opened
	vary    Variation
	only    map[string]bool // rubrics to grade with; nil: all
}

// Variation changes how judges are asked, to measure them: see package card.
type Variation struct {
	Sample   int  // number of the sample: another one is asked again
	Reversed bool // lists of the material in reverse; what has none, or is asked in both orders anyway, is skipped
	// Undelimited writes the material without sections, nonce and warning, as a
	// naive prompt would: what an attack does then is what sections are for.
	Undelimited bool
}

// Vary returns a Grader that asks the same judges in another way. Only the
// first one is to be closed.
func (g *Grader) Vary(v Variation) *Grader {
	c := *g
	c.vary = v
	return &c
}

// Only returns a Grader that asks the same judges with some of the rubrics. Only
// the first one is to be closed.
func (g *Grader) Only(ids ...string) *Grader {
	c := *g
	c.only = map[string]bool{}
	for _, id := range ids {
		c.only[id] = true
	}
	return &c
}

// wants reports whether a rubric is graded with.
func (g *Grader) wants(id string) bool { return g.only == nil || g.only[id] }

// JudgeHash is the identity of the judges of a rubric; empty where no model
// judges it.
func (g *Grader) JudgeHash(rubric string) string { return g.hashes[rubric] }

// New checks that the judges can do what the rubrics ask.
func New(s *Set, o Options) (*Grader, error) {
	g := &Grader{set: s, options: o, judges: map[string]Judge{}, hashes: map[string]string{}, members: map[[2]string]string{}, frames: map[string]frame{}}
	var errs []error
	for _, j := range o.Judges {
		j.Config = j.Config.WithDefaults()
		if err := j.Config.Validate(); err != nil {
			errs = append(errs, err)
		}
		if _, twice := g.judges[j.Config.Name]; twice {
			errs = append(errs, fmt.Errorf("judge %q is configured twice", j.Config.Name))
		}
		g.judges[j.Config.Name] = j
	}
	for _, r := range s.rubrics {
		for _, role := range r.Judges {
			if _, ok := g.judges[role]; r.Type == TypeJudge && !ok && len(g.judges) > 0 {
				errs = append(errs, fmt.Errorf("rubric %q asks judge %q, and there is none of this name", r.ID, role))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, r := range s.rubrics {
		g.hashes[r.ID] = g.judgeHash(r)
		if r.Type != TypeJudge {
			continue
		}
		g.frames[r.ID] = newFrame(r)
		for _, role := range r.Judges {
			g.members[[2]string{r.ID, role}] = g.memberHash(r, g.judges[role].Config)
		}
	}
	return g, nil
}

// Trace grades one trace: the findings of every rubric, and their counts in
// the order of the set. ruled are the findings of the rules, which may leave
// nothing to ask. When ctx ends, what has no reply yet is skipped as late.
func (g *Grader) Trace(ctx context.Context, t *trace.Trace, ruled []trace.Finding) ([]trace.Finding, []trace.RuleCount) {
	return g.judged(ctx, g.items(t, ruled, nil, nil))
}

// judged asks about the items that are not decided, and counts all.
func (g *Grader) judged(ctx context.Context, items []item) ([]trace.Finding, []trace.RuleCount) {
	var asking sync.WaitGroup
	for i := range items {
		if it := &items[i]; it.members != nil {
			asking.Go(func() { it.finding = g.ask(ctx, it) })
		}
	}
	asking.Wait()
	var counts []trace.RuleCount
	place := map[string]int{}
	for _, r := range g.set.rubrics {
		if g.wants(r.ID) {
			place[r.ID] = len(counts)
			counts = append(counts, trace.RuleCount{Rule: r.ID, RuleHash: r.Hash, JudgeHash: g.hashes[r.ID]})
		}
	}
	findings := make([]trace.Finding, len(items))
	for i := range items {
		findings[i] = items[i].finding
		counts[place[findings[i].Rule]].Add(findings[i].Outcome)
	}
	return findings, counts
}

// item is one rubric on one subject: decided already, or with members of a
// panel that are still to be asked.
type item struct {
	rubric   *Rubric
	subject  subject
	finding  trace.Finding
	members  []member
	coverage Coverage
}

// member is one judgement to ask for.
type member struct {
	judge  Judge
	hash   string
	sample int
	prompt Prompt
}

// items decides what can be decided without a judge, and writes the prompts
// for the rest. It runs on one goroutine, because content is decoded on first use.
//
// known is the trace's ledger where it was made before. refuse, where it is not
// nil, names the reason why no judge is to be asked for
// a rubric now; empty where they are.
func (g *Grader) items(t *trace.Trace, ruled []trace.Finding, known *evidence.Ledger, refuse func(*Rubric) string) []item {
	found, _, known := g.set.guards.EvalEvidence(t, known)
	subjects, settled := g.set.subjects(t, nil, found)
	return g.itemsOf(t, subjects, settled, ruled, known, refuse)
}

// itemsOf is items for guards that were evaluated.
func (g *Grader) itemsOf(t *trace.Trace, subjects map[string][]subject, settled map[string][]trace.Finding, ruled []trace.Finding, known *evidence.Ledger, refuse func(*Rubric) string) []item {
	ledger := sync.OnceValue(func() *evidence.Ledger {
		if known != nil {
			return known
		}
		return evidence.Build(t)
	})
	decided := map[string]bool{}
	for _, f := range ruled {
		if f.Outcome == trace.OutcomePass || f.Outcome == trace.OutcomeFail {
			decided[f.Rule] = true
		}
	}
	var items []item
	for _, r := range g.set.rubrics {
		if !g.wants(r.ID) {
			continue
		}
		for _, f := range settled[r.ID] {
			f.RuleHash, f.JudgeHash = r.Hash, g.hashes[r.ID]
			f.Severity, f.Defect = r.Severity, r.Defect
			items = append(items, item{rubric: r, finding: f})
		}
		for i, s := range subjects[r.ID] {
			it := item{rubric: r, subject: s, finding: g.start(r, t, s)}
			switch by := decidedBy(r, decided); {
			case by != "":
				it.settle(trace.OutcomeNotApplicable, ReasonDecided, "rule "+by+" answered it")
			case i >= r.Subjects:
				it.settle(trace.OutcomeSkipped, ReasonSubjects, fmt.Sprintf("the trace has more than %d subjects", r.Subjects))
			case !sampled(t.ID, r.Sample):
				it.settle(trace.OutcomeSkipped, ReasonSampledOut, fmt.Sprintf("the rubric grades %g of all traces", r.Sample))
			case r.Type == TypeDeterministic:
				g.compute(&it, t)
			case r.Type == TypeClassifier:
				g.classify(&it, t)
			case len(g.judges) == 0:
				it.settle(trace.OutcomeSkipped, ReasonNoJudge, "no judge is configured")
			default:
				if refuse != nil {
					if reason := refuse(r); reason != "" {
						it.settle(trace.OutcomeSkipped, reason, "not asked: "+reason)
						break
					}
				}
				g.prepare(&it, t, ledger)
			}
			items = append(items, it)
		}
	}
	return items
}

func decidedBy(r *Rubric, decided map[string]bool) string {
	for _, id := range r.DecidedBy {
		if decided[id] {
			return id
		}
	}
	return ""
}

// sampled picks a share of traces by their id, the same ones for every rubric
// and every time.
func sampled(traceID string, share float64) bool {
	h := fnv.New64a()
	h.Write([]byte("tracegrade sample "))
	h.Write([]byte(traceID))
	x := h.Sum64()
	// Mixed once more (murmur3's finaliser): FNV leaves the high bits of ids
	// that differ in their last digit alike.
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	x ^= x >> 33
	return float64(x>>11)/(1<<53) < share
}

// start is a finding with everything but its outcome.
func (g *Grader) start(r *Rubric, t *trace.Trace, s subject) trace.Finding {
	f := trace.Finding{Rule: r.ID, RuleHash: r.Hash, JudgeHash: g.hashes[r.ID], Scope: r.Scope, SubjectID: t.ID, Severity: r.Severity, Defect: r.Defect}
	if s.step != nil {
		f.SubjectID, f.SpanID, f.StepID = s.step.ID, s.step.SpanID, s.step.ID
	}
	return f
}

func (it *item) settle(o trace.Outcome, reason, message string) {
	it.finding.Outcome, it.finding.Reason, it.finding.Message = o, reason, message
}

// prepare writes the prompts of an item, or settles it where it cannot be asked.
func (g *Grader) prepare(it *item, t *trace.Trace, ledger func() *evidence.Ledger) {
	r := it.rubric
	m := newMaterial(r, t, it.subject, ledger, g.options)
	switch {
	case m.withheld != "":
		it.settle(trace.OutcomeSkipped, ReasonRedaction, "redaction could not check the material: "+m.withheld)
		return
	case m.missing == "reference":
		it.settle(trace.OutcomeNotApplicable, ReasonNotReference, "there is no reference answer for this trace")
		return
	case m.missing != "":
		it.settle(trace.OutcomeNotApplicable, ReasonNoContent, m.missing+" was not captured, or does not occur")
		return
	}
	if g.vary.Reversed && (r.BothOrders || listed(m.sections) < 2) {
		it.settle(trace.OutcomeSkipped, ReasonOneOrder, "there is no other order to ask in")
		return
	}
	shape := g.frames[r.ID]
	for _, role := range r.Judges {
		j := g.judges[role]
		// A tenth is kept for tokenizers that count differently.
		room := (j.Config.Window-j.Config.MaxOutput)*9/10 - shape.tokens
		sections, coverage, need := pack(m.sections, room)
		if need > room {
			it.members = nil
			it.settle(trace.OutcomeError, ReasonContext, fmt.Sprintf("what a judge must see has %d tokens, and judge %q has room for %d", need, role, max(0, room)))
			return
		}
		if it.coverage.Whole() { // of a panel, that of a member who did not see all
			it.coverage = coverage
		}
		if g.vary.Reversed {
			sections = reversed(sections)
		}
		orders := []Prompt{newPrompt(shape, sections)}
		if g.vary.Undelimited {
			orders[0].undelimit(r)
		}
		if r.BothOrders && listed(sections) > 1 {
			orders = append(orders, newPrompt(shape, reversed(sections)))
		}
		for _, p := range orders {
			for sample := range r.Samples {
				it.members = append(it.members, member{judge: j, hash: g.members[[2]string{r.ID, role}], sample: sample + g.vary.Sample*SamplesMax, prompt: p})
			}
		}
	}
}

// Source is the text behind a hash that stands in findings: what table rules
// keeps, so that an old finding can be explained.
type Source struct {
	Kind   string // rubric or judge
	Rubric string // id
	Hash   string // rule_hash or judge_hash
	Text   string
}

// Sources lists the texts behind all hashes of the set.
func (g *Grader) Sources() []Source {
	var list []Source
	for _, r := range g.set.rubrics {
		list = append(list, Source{Kind: "rubric", Rubric: r.ID, Hash: r.Hash, Text: r.Source})
		if text := g.judgeSource(r); text != "" {
			list = append(list, Source{Kind: "judge", Rubric: r.ID, Hash: hashOf(text), Text: text})
		}
	}
	return list
}

// judgeSource is what judges a rubric: every judge of its panel with the
// prompt, the schema, the packing and the redaction. Empty where no model does.
func (g *Grader) judgeSource(r *Rubric) string {
	switch {
	case r.Type == TypeClassifier:
		return encode(struct{ Model string }{classifierModel()})
	case r.Type != TypeJudge || len(g.judges) == 0:
		return ""
	}
	members := make([]string, len(r.Judges))
	for i, role := range r.Judges {
		members[i] = g.memberSource(r, g.judges[role].Config)
	}
	return encode(struct {
		Members    []string
		Samples    int
		BothOrders bool
		Vote       string
	}{members, r.Samples, r.BothOrders, r.Vote})
}

// ModelsOf lists the models that judge, by the text behind a judge_hash, as they
// are asked for. It is empty where the text is none.
func ModelsOf(judgeText string) []string {
	var source struct {
		Model   string // of a classifier
		Members []string
	}
	if json.Unmarshal([]byte(judgeText), &source) != nil {
		return nil
	}
	if source.Model != "" {
		return []string{source.Model}
	}
	var models []string
	for _, m := range source.Members {
		var member struct{ Judge string }
		var identity struct{ Model string }
		if json.Unmarshal([]byte(m), &member) == nil && json.Unmarshal([]byte(member.Judge), &identity) == nil && identity.Model != "" && !contains(models, identity.Model) {
			models = append(models, identity.Model)
		}
	}
	return models
}

func (g *Grader) judgeHash(r *Rubric) string {
	if text := g.judgeSource(r); text != "" {
		return hashOf(text)
	}
	return ""
}

func (g *Grader) memberHash(r *Rubric, c judge.Config) string { return hashOf(g.memberSource(r, c)) }

// memberSource is what one judge of a panel is.
func (g *Grader) memberSource(r *Rubric, c judge.Config) string {
	schema := replySchema(r.Questions)
	return encode(struct {
		Judge, System, Schema    string
		Prompt, Packing          int
		Window                   int
		SectionMax, OutlineLines int
		Redaction, Evidence      string
	}{c.Identity(), systemText(r, "NONCE"), encode(schema), promptVersion, packVersion, c.Window, sectionBytesMax, outlineLinesMax, g.options.Redaction.Hash(), evidence.Version})
}
