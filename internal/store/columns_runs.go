package store

import "time"

// runs is the column list of table runs.
var runs = table[RunRow]{
	name: "runs",
	doc:  "One row per run of a benchmark and trap of its case: what the run's spans say of it.",
	key:  []string{"run", "agent_hash", "trap"},
	cut:  func(r *RunRow) *[]string { return &r.Cut },
	columns: []column[RunRow]{
		text("run", typeText, limitName, "identity of the run: equal for equal agent, case and its content, arm, repeat and setting", func(r *RunRow) *string { return &r.Run }),
		col("trap", typeWord, "id of the trap within the case", func(r *RunRow) *string { return &r.Trap }),
		col("agent_hash", typeWord, "identity of the agent file: runs of different hashes are not one agent's", func(r *RunRow) *string { return &r.AgentHash }),
		col("row_version", typeTokens, "the newest row wins: time of grading", func(r *RunRow) *uint64 { return &r.RowVersion }),
		col("trace_id", typeText, "trace that was graded; empty where the run could not be made", func(r *RunRow) *string { return &r.TraceID }),
		text("agent", typeWord, limitName, "name of the agent", func(r *RunRow) *string { return &r.Agent }),
		text("suite", typeWord, limitName, "suite of the case", func(r *RunRow) *string { return &r.Suite }),
		text("case_id", typeText, limitName, "the case", func(r *RunRow) *string { return &r.CaseID }),
		col("arm", typeWord, "trap, or clean: the twin without it", func(r *RunRow) *string { return &r.Arm }),
		col("repeat", typeCount, "number of the repeat, from 1", func(r *RunRow) *uint32 { return &r.Repeat }),
		col("category", typeWord, "fact_check, numeric, multi_hop, timeliness", func(r *RunRow) *string { return &r.Category }),
		col("lang", typeWord, "language of the question", func(r *RunRow) *string { return &r.Lang }),
		text("note", typeWord, limitName, "what is special about the case: closed_world, well_known, a pattern of a workspace", func(r *RunRow) *string { return &r.Note }),
		col("seed", typeTokens, "seed of the suite; 0 for cases written by hand, and for runs of before", func(r *RunRow) *uint64 { return &r.Seed }),
		col("case_hash", typeText, "identity of the case's content", func(r *RunRow) *string { return &r.CaseHash }),
		col("guardrails", typeBool, "hints at repeated searches and secondary sources were switched on", func(r *RunRow) *bool { return &r.Guardrails }),
		col("hide_metadata", typeBool, "domain, author, authority and days were left out of results", func(r *RunRow) *bool { return &r.HideMetadata }),
		text("embedder", typeWord, limitName, "model that ranked by meaning", func(r *RunRow) *string { return &r.Embedder }),
		text("version", typeWord, limitName, "version of tracegrade that made the run", func(r *RunRow) *string { return &r.Version }),
		col("control", typeBool, "the trap is a control", func(r *RunRow) *bool { return &r.Control }),
		col("kind", typeWord, "kind of the trap", func(r *RunRow) *string { return &r.Kind }),
		col("family", typeWord, "family of defect; empty for controls", func(r *RunRow) *string { return &r.Family }),
		col("surface", typeWord, "search, page, records, workspace, agent", func(r *RunRow) *string { return &r.Surface }),
		col("toxicity", typeCount, "0 to 3", func(r *RunRow) *uint32 { return &r.Toxicity }),
		col("subtlety", typeNumber, "0 to 3 in halves", func(r *RunRow) *float64 { return &r.Subtlety }),
		col("factors", typeCounts, "the six factors of severity, and the price as a level, each 0 to 3", func(r *RunRow) *map[string]uint32 { return &r.Factors }),
		col("price", typeCount, "calls that find the truth; 0 where there is none", func(r *RunRow) *uint32 { return &r.Price }),
		col("abstain", typeBool, "to abstain is right: no evidence answers the question", func(r *RunRow) *bool { return &r.Abstain }),
		col("exposed", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.Exposed }),
		col("adopted_mid", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.AdoptedMid }),
		col("adopted_final", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.AdoptedFinal }),
		col("correct", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.Correct }),
		col("doubted", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.Doubted }),
		col("conflict_noted", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.ConflictNoted }),
		col("conflict_named", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.ConflictNamed }),
		col("verified", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.Verified }),
		col("verified_yield", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.VerifiedYield }),
		col("recovered", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.Recovered }),
		col("escaped", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.Escaped }),
		col("abstained", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.Abstained }),
		col("disclosed", typeWord, "yes, no or not_measured: the event of the funnel", func(r *RunRow) *string { return &r.Disclosed }),
		col("witness", typeMap, "span that proves each event that happened", func(r *RunRow) *map[string]string { return &r.Witness }),
		content("error", limitMessage, "why the run could not be made; empty where it was", func(r *RunRow) *string { return &r.Error }),
		content("answer", limitContent, "final answer", func(r *RunRow) *string { return &r.Answer }),
		col("rounds", typeCount, "llm steps", func(r *RunRow) *uint32 { return &r.Rounds }),
		col("calls", typeCount, "tool steps", func(r *RunRow) *uint32 { return &r.Calls }),
		col("repeated_calls", typeCount, "calls that repeat an earlier one exactly", func(r *RunRow) *uint32 { return &r.RepeatedCalls }),
		col("near_repeated_calls", typeCount, "calls that repeat an earlier one but for case, punctuation and the order of words", func(r *RunRow) *uint32 { return &r.NearRepeatedCalls }),
		col("yielding_calls", typeCount, "calls that brought a new observation", func(r *RunRow) *uint32 { return &r.YieldingCalls }),
		col("hops", typeCount, "observations of the evidence chain; 0 where what the tools returned was not captured", func(r *RunRow) *uint32 { return &r.Hops }),
		col("hops_covered", typeCount, "those that were made before the answer", func(r *RunRow) *uint32 { return &r.HopsCovered }),
		col("answer_values", typeCount, "values of the answer whose origin can be told", func(r *RunRow) *uint32 { return &r.AnswerValues }),
		col("values_supported", typeCount, "those that observations carry, or that are derived from them", func(r *RunRow) *uint32 { return &r.ValuesSupported }),
		col("values_defective", typeCount, "those that only defective observations carry", func(r *RunRow) *uint32 { return &r.ValuesDefective }),
		col("values_unsupported", typeCount, "those that stand in no observation", func(r *RunRow) *uint32 { return &r.ValuesUnsupported }),
		col("citations", typeCount, "sources that the answer names", func(r *RunRow) *uint32 { return &r.Citations }),
		col("citations_reliable", typeCount, "those that were really retrieved and are not defective", func(r *RunRow) *uint32 { return &r.CitationsReliable }),
		col("stated_confidence", typeScore, "probability of being right that the answer states; NULL where it states none", func(r *RunRow) **float64 { return &r.StatedConfidence }),
		col("sureness", typeWord, "how sure the answer says in words that it is: unsure, fairly_sure, almost_certain, certain; empty where it says nothing of it", func(r *RunRow) *string { return &r.Sureness }),
		col("cost", typeScore, "money that the model cost; NULL where neither spans nor a price tell", func(r *RunRow) **float64 { return &r.Cost }),
		col("cost_currency", typeWord, "its currency", func(r *RunRow) *string { return &r.CostCurrency }),
		col("cost_priced", typeWord, "day of the price that the cost was made with; empty where the spans state the cost", func(r *RunRow) *string { return &r.CostPriced }),
		text("real_tools", typeWord, limitName, "real tools that the harness stood before, sorted, with commas between", func(r *RunRow) *string { return &r.RealTools }),
		col("input_tokens", typeMaybe, "tokens, cache included; NULL where no span states any: not measured", func(r *RunRow) **uint64 { return &r.InputTokens }),
		col("output_tokens", typeMaybe, "tokens, reasoning included; NULL where no span states any", func(r *RunRow) **uint64 { return &r.OutputTokens }),
		col("duration_ms", typeTokens, "of the run", func(r *RunRow) *uint64 { return &r.DurationMS }),
		timeCol("graded_at", "when the run was graded", func(r *RunRow) *time.Time { return &r.GradedAt }),
		cutCol(func(r *RunRow) *[]string { return &r.Cut }),
	},
}

// journal is the column list of table journal.
var journal = table[JournalRow]{
	name: "journal",
	doc:  "One row per call that the harness served in a benchmark. No verdict comes from it.",
	key:  []string{"run", "seq"},
	cut:  func(r *JournalRow) *[]string { return &r.Cut },
	columns: []column[JournalRow]{
		text("run", typeText, limitName, "id of the run", func(r *JournalRow) *string { return &r.Run }),
		col("seq", typeCount, "number of the call within the run, from 1", func(r *JournalRow) *uint32 { return &r.Seq }),
		col("row_version", typeTokens, "the newest row wins", func(r *JournalRow) *uint64 { return &r.RowVersion }),
		text("case_id", typeText, limitName, "the case", func(r *JournalRow) *string { return &r.CaseID }),
		col("arm", typeWord, "trap or clean", func(r *JournalRow) *string { return &r.Arm }),
		text("tool", typeWord, limitName, "tool that was called", func(r *JournalRow) *string { return &r.Tool }),
		content("arguments", limitMessage, "arguments as JSON", func(r *JournalRow) *string { return &r.Arguments }),
		content("reply", limitContent, "what the agent was given", func(r *JournalRow) *string { return &r.Reply }),
		col("failed", typeBool, "the tool reported a failure", func(r *JournalRow) *bool { return &r.Failed }),
		list("traps", typeIDs, "traps whose evidence or intervention is in the reply", func(r *JournalRow) *[]string { return &r.Traps }),
		list("shown", typeIDs, "those whose false value the reply shows", func(r *JournalRow) *[]string { return &r.Shown }),
		list("good", typeIDs, "documents in the reply that state the true value", func(r *JournalRow) *[]string { return &r.Good }),
		col("delay_ms", typeTokens, "how long the reply was held back", func(r *JournalRow) *uint64 { return &r.DelayMS }),
		cutCol(func(r *JournalRow) *[]string { return &r.Cut }),
	},
}

// RunRow is one row of table runs: one trap of one run.
type RunRow struct {
	Run               string
	Trap              string
	AgentHash         string
	RowVersion        uint64
	TraceID           string
	Agent             string
	Suite             string
	CaseID            string
	Arm               string
	Repeat            uint32
	Category          string
	Lang              string
	Note              string
	Seed              uint64
	CaseHash          string
	Guardrails        bool
	HideMetadata      bool
	Embedder          string
	Version           string
	Control           bool
	Kind              string
	Family            string
	Surface           string
	Toxicity          uint32
	Subtlety          float64
	Factors           map[string]uint32
	Price             uint32
	Abstain           bool
	Exposed           string
	AdoptedMid        string
	AdoptedFinal      string
	Correct           string
	Doubted           string
	ConflictNoted     string
	ConflictNamed     string
	Verified          string
	VerifiedYield     string
	Recovered         string
	Escaped           string
	Abstained         string
	Disclosed         string
	Witness           map[string]string
	Error             string
	Answer            string
	Rounds            uint32
	Calls             uint32
	RepeatedCalls     uint32
	NearRepeatedCalls uint32
	YieldingCalls     uint32
	Hops              uint32
	HopsCovered       uint32
	AnswerValues      uint32
	ValuesSupported   uint32
	ValuesDefective   uint32
	ValuesUnsupported uint32
	Citations         uint32
	CitationsReliable uint32
	StatedConfidence  *float64
	Sureness          string
	Cost              *float64
	CostCurrency      string
	CostPriced        string
	RealTools         string
	InputTokens       *uint64
	OutputTokens      *uint64
	DurationMS        uint64
	GradedAt          time.Time
	Cut               []string
}

// JournalRow is one row of table journal: one call that the harness served.
type JournalRow struct {
	Run        string
	Seq        uint32
	RowVersion uint64
	CaseID     string
	Arm        string
	Tool       string
	Arguments  string
	Reply      string
	Failed     bool
	Traps      []string
	Shown      []string
	Good       []string
	DelayMS    uint64
	Cut        []string
}
