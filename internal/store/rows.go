package store

import "time"

// Batch is rows to insert together. Everything in it becomes visible table by
// table: outcomes last, because they decide which findings are shown.
type Batch struct {
	Traces       []TraceRow
	Steps        []StepRow
	Findings     []FindingRow
	Outcomes     []OutcomeRow
	Rules        []RuleRow
	Observations []ObservationRow
	Links        []LinkRow
	Labels       []LabelRow
	Sentinels    []SentinelRow
	Runs         []RunRow
	Journal      []JournalRow
}

// Len is the number of rows of all tables.
func (b *Batch) Len() int {
	return len(b.Traces) + len(b.Steps) + len(b.Findings) + len(b.Outcomes) +
		len(b.Rules) + len(b.Observations) + len(b.Links) + len(b.Labels) + len(b.Sentinels) + len(b.Runs) + len(b.Journal)
}

// Add appends the rows of o.
func (b *Batch) Add(o Batch) {
	b.Traces = append(b.Traces, o.Traces...)
	b.Steps = append(b.Steps, o.Steps...)
	b.Findings = append(b.Findings, o.Findings...)
	b.Outcomes = append(b.Outcomes, o.Outcomes...)
	b.Rules = append(b.Rules, o.Rules...)
	b.Observations = append(b.Observations, o.Observations...)
	b.Links = append(b.Links, o.Links...)
	b.Labels = append(b.Labels, o.Labels...)
	b.Sentinels = append(b.Sentinels, o.Sentinels...)
	b.Runs = append(b.Runs, o.Runs...)
	b.Journal = append(b.Journal, o.Journal...)
}

// Contents calls visit with the address of every text in the batch that the
// agent, its user or its tools wrote.
func (b *Batch) Contents(visit func(*string)) {
	traces.contents(b.Traces, visit)
	steps.contents(b.Steps, visit)
	findings.contents(b.Findings, visit)
	observations.contents(b.Observations, visit)
	links.contents(b.Links, visit)
	labels.contents(b.Labels, visit)
	sentinels.contents(b.Sentinels, visit)
	runs.contents(b.Runs, visit)
	journal.contents(b.Journal, visit)
	for i := range b.Steps {
		for k, v := range b.Steps[i].Attributes {
			visit(&v)
			b.Steps[i].Attributes[k] = v
		}
	}
}

// TraceRow is one row of table traces: one trace as of its newest revision.
//
// What each field means is in the column list (columns_traces.go), from which
// the DDL and docs/storage.md come; so it is for all rows.
type TraceRow struct {
	TraceID           string
	Revision          uint32
	RowVersion        uint64
	Digest            string
	SessionID         string
	UserID            string
	Service           string
	ServiceVersion    string
	Agent             string
	AgentVersion      string
	Version           string
	Question          string
	Answer            string
	AnswerStep        string
	TraceStart        time.Time
	TraceEnd          time.Time
	ReleaseReason     string
	Complete          bool
	MissingParents    uint32
	Steps             uint32
	LLMSteps          uint32
	ToolSteps         uint32
	FailedSteps       uint32
	InputTokens       uint64
	OutputTokens      uint64
	ReasoningTokens   uint64
	CacheReadTokens   uint64
	CacheWriteTokens  uint64
	Cost              float64
	Currency          string
	Losses            uint32
	Unjoined          uint32
	NormaliserVersion string
	EvidenceVersion   string
	GradedAt          time.Time
	Cut               []string
}

// StepRow is one row of table steps: one span, or one call without a span.
type StepRow struct {
	TraceID          string
	StepID           string
	SpanID           string
	ParentID         string
	CausedBy         string
	Revision         uint32
	RowVersion       uint64
	Kind             string
	KindSource       string
	Dialect          string
	Name             string
	Instrumentation  string
	Service          string
	ServiceVersion   string
	Agent            string
	AgentVersion     string
	Version          string
	SessionID        string
	UserID           string
	Turn             uint32
	StepStart        time.Time
	StepEnd          time.Time
	Failed           bool
	ErrorType        string
	Error            string
	Provider         string
	RequestModel     string
	Model            string
	FinishReasons    []string
	Tool             string
	ToolCallID       string
	Input            string
	Output           string
	Reasoning        string
	Documents        uint32
	Retrieved        string
	Offered          string
	InputTokens      uint64
	OutputTokens     uint64
	ReasoningTokens  uint64
	CacheReadTokens  uint64
	CacheWriteTokens uint64
	UsageScope       string
	Cost             float64
	Currency         string
	Capture          string
	Synthetic        bool
	DuplicateOf      string
	Losses           []string
	Attributes       map[string]string
	Cut              []string
}

// FindingRow is one row of table findings: one rule or rubric on one subject.
type FindingRow struct {
	TraceID           string
	Subject           string
	Revision          uint32
	RowVersion        uint64
	Digest            string
	SessionID         string
	Service           string
	Version           string
	Agent             string
	Rule              string
	RuleHash          string
	JudgeHash         string
	NormaliserVersion string
	Scope             string
	SpanID            string
	StepID            string
	Outcome           string
	Severity          string
	Defect            string
	Score             *float64
	Reason            string
	Message           string
	Witness           []string
	Agreement         *float64
	Judges            []string
	JudgeModels       []string
	JudgeOutcomes     []string
	JudgeCalls        []uint32
	JudgeTokens       []uint64
	JudgeCosts        []float64
	JudgeCurrencies   []string
	TraceStart        time.Time
	GradedAt          time.Time
	Cut               []string
}

// OutcomeRow is one row of table outcomes: how often one rule came to each
// outcome on one trace revision. These are the denominators.
type OutcomeRow struct {
	TraceID           string
	Revision          uint32
	RowVersion        uint64
	Digest            string
	SessionID         string
	Service           string
	Version           string
	Agent             string
	Rule              string
	RuleHash          string
	JudgeHash         string
	NormaliserVersion string
	Pass              uint32
	Fail              uint32
	NotApplicable     uint32
	Error             uint32
	Skipped           uint32
	TraceStart        time.Time
	GradedAt          time.Time
	Cut               []string
}

// RuleRow is one row of table rules: the text behind a hash.
type RuleRow struct {
	Kind       string
	Rule       string
	Hash       string
	RowVersion uint64
	Title      string
	Scope      string
	Severity   string
	Defect     string
	Source     string
	Text       string
	RecordedAt time.Time
	Cut        []string
}

// ObservationRow is one row of table observations: one piece of text or data
// that a tool or retriever returned and the model could see.
type ObservationRow struct {
	TraceID         string
	ObservationID   string
	StepID          string
	SpanID          string
	Field           string
	Offset          uint32
	Length          uint32
	Revision        uint32
	RowVersion      uint64
	EvidenceVersion string
	Service         string
	Version         string
	Agent           string
	Tool            string
	Failed          bool
	Source          string
	URL             string
	Title           string
	DocumentID      string
	PublishedAt     string
	Published       *time.Time
	Authority       string
	TrapID          string
	Stale           string
	EchoOf          string
	Conflicts       []string
	Repeats         []string
	Content         string
	TraceStart      time.Time
	Cut             []string
}

// LinkRow is one row of table links: one value of an answer or of a tool
// argument, and one observation that it rests on; or none.
type LinkRow struct {
	TraceID           string
	StepID            string
	SpanID            string
	Field             string
	Offset            uint32
	Length            uint32
	Value             string
	ValueKind         string
	Canonical         string
	Unit              string
	State             string
	Method            string
	Operands          []string
	ObservationID     string
	ObservationStepID string
	ObservationSpanID string
	ObservationField  string
	ObservationOffset uint32
	ObservationLength uint32
	Revision          uint32
	RowVersion        uint64
	EvidenceVersion   string
	SessionID         string
	Service           string
	Version           string
	Agent             string
	TraceStart        time.Time
	Cut               []string
}

// SentinelRow is one row of table sentinels: what a judge said of a labelled
// item at one time.
type SentinelRow struct {
	Rule       string
	RuleHash   string
	JudgeHash  string
	Item       string
	Run        string
	RowVersion uint64
	Model      string
	Outcome    string
	Reason     string
	Label      string
	JudgedAt   time.Time
	Cut        []string
}

// LabelRow is one row of table labels: what one person says of one finding.
type LabelRow struct {
	TraceID    string
	Subject    string
	Rule       string
	RuleHash   string
	Reader     string
	RowVersion uint64
	Outcome    string
	Blind      bool
	Note       string
	LabelledAt time.Time
	Cut        []string
}
