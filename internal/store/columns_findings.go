package store

import "time"

// findings is the column list of table findings.
var findings = table[FindingRow]{
	name: "findings",
	doc:  "One row per rule or rubric and subject: fail, error and skipped findings, and every finding of a rubric. Read it through the view findings_current.",
	key:  []string{"trace_id", "rule", "rule_hash", "judge_hash", "normaliser_version", "subject"},
	cut:  func(r *FindingRow) *[]string { return &r.Cut },
	columns: []column[FindingRow]{
		col("trace_id", typeText, "trace id, 32 lower-case hex digits", func(r *FindingRow) *string { return &r.TraceID }),
		text("subject", typeText, limitName, "step id, trace id or session id, as scope says; TRACE/TRAP where a run met a second trap", func(r *FindingRow) *string { return &r.Subject }),
		col("revision", typeCount, "number of distinct spans and log records read", func(r *FindingRow) *uint32 { return &r.Revision }),
		col("row_version", typeTokens, "the newest row wins: revision, then time of grading", func(r *FindingRow) *uint64 { return &r.RowVersion }),
		col("digest", typeText, "identity of the trace's content", func(r *FindingRow) *string { return &r.Digest }),
		text("session_id", typeText, limitName, "conversation", func(r *FindingRow) *string { return &r.SessionID }),
		text("service", typeWord, limitName, "service.name", func(r *FindingRow) *string { return &r.Service }),
		text("version", typeWord, limitName, "version of the agent, else of the service", func(r *FindingRow) *string { return &r.Version }),
		text("agent", typeWord, limitName, "name of the agent that answered", func(r *FindingRow) *string { return &r.Agent }),
		text("rule", typeWord, limitName, "id of the rule or rubric", func(r *FindingRow) *string { return &r.Rule }),
		col("rule_hash", typeWord, "identity of its meaning; its text is in table rules", func(r *FindingRow) *string { return &r.RuleHash }),
		col("judge_hash", typeWord, "identity of the judge; rubrics only", func(r *FindingRow) *string { return &r.JudgeHash }),
		col("normaliser_version", typeWord, "version of the span reader", func(r *FindingRow) *string { return &r.NormaliserVersion }),
		col("scope", typeWord, "span, trace or session", func(r *FindingRow) *string { return &r.Scope }),
		col("span_id", typeText, "span of the subject; empty for wider scopes", func(r *FindingRow) *string { return &r.SpanID }),
		col("step_id", typeText, "step of the subject; empty for wider scopes", func(r *FindingRow) *string { return &r.StepID }),
		col("outcome", typeWord, "pass, fail, not_applicable, error, skipped", func(r *FindingRow) *string { return &r.Outcome }),
		col("severity", typeWord, "low, medium, high, critical", func(r *FindingRow) *string { return &r.Severity }),
		col("defect", typeWord, "family of evidence-grounding defects; empty for other rules", func(r *FindingRow) *string { return &r.Defect }),
		col("score", typeScore, "0..1; NULL where the rule states none", func(r *FindingRow) **float64 { return &r.Score }),
		text("reason", typeWord, limitName, "a code, for programs", func(r *FindingRow) *string { return &r.Reason }),
		content("message", limitMessage, "a sentence, for people", func(r *FindingRow) *string { return &r.Message }),
		list("witness", typeIDs, "spans (or steps without a span) that prove the outcome", func(r *FindingRow) *[]string { return &r.Witness }),
		timeCol("trace_start", "start of the trace", func(r *FindingRow) *time.Time { return &r.TraceStart }),
		timeCol("graded_at", "time of grading", func(r *FindingRow) *time.Time { return &r.GradedAt }),
		cutCol(func(r *FindingRow) *[]string { return &r.Cut }),
	},
}

// outcomes is the column list of table outcomes.
var outcomes = table[OutcomeRow]{
	name: "outcomes",
	doc:  "One row per trace revision and rule: how many subjects came to each outcome. The denominators.",
	key:  []string{"trace_id", "rule", "rule_hash", "judge_hash", "normaliser_version"},
	cut:  func(r *OutcomeRow) *[]string { return &r.Cut },
	columns: []column[OutcomeRow]{
		col("trace_id", typeText, "trace id, 32 lower-case hex digits", func(r *OutcomeRow) *string { return &r.TraceID }),
		col("revision", typeCount, "number of distinct spans and log records read", func(r *OutcomeRow) *uint32 { return &r.Revision }),
		col("row_version", typeTokens, "the newest row wins: revision, then time of grading", func(r *OutcomeRow) *uint64 { return &r.RowVersion }),
		col("digest", typeText, "identity of the trace's content", func(r *OutcomeRow) *string { return &r.Digest }),
		text("session_id", typeText, limitName, "conversation", func(r *OutcomeRow) *string { return &r.SessionID }),
		text("service", typeWord, limitName, "service.name", func(r *OutcomeRow) *string { return &r.Service }),
		text("version", typeWord, limitName, "version of the agent, else of the service", func(r *OutcomeRow) *string { return &r.Version }),
		text("agent", typeWord, limitName, "name of the agent that answered", func(r *OutcomeRow) *string { return &r.Agent }),
		text("rule", typeWord, limitName, "id of the rule or rubric", func(r *OutcomeRow) *string { return &r.Rule }),
		col("rule_hash", typeWord, "identity of its meaning; its text is in table rules", func(r *OutcomeRow) *string { return &r.RuleHash }),
		col("judge_hash", typeWord, "identity of the judge; rubrics only", func(r *OutcomeRow) *string { return &r.JudgeHash }),
		col("normaliser_version", typeWord, "version of the span reader", func(r *OutcomeRow) *string { return &r.NormaliserVersion }),
		col("pass", typeCount, "subjects on which the rule held", func(r *OutcomeRow) *uint32 { return &r.Pass }),
		col("fail", typeCount, "subjects on which it did not", func(r *OutcomeRow) *uint32 { return &r.Fail }),
		col("not_applicable", typeCount, "1 where the trace has no subject for the rule", func(r *OutcomeRow) *uint32 { return &r.NotApplicable }),
		col("error", typeCount, "subjects that could not be evaluated", func(r *OutcomeRow) *uint32 { return &r.Error }),
		col("skipped", typeCount, "subjects not evaluated on purpose", func(r *OutcomeRow) *uint32 { return &r.Skipped }),
		timeCol("trace_start", "start of the trace", func(r *OutcomeRow) *time.Time { return &r.TraceStart }),
		timeCol("graded_at", "time of grading", func(r *OutcomeRow) *time.Time { return &r.GradedAt }),
		cutCol(func(r *OutcomeRow) *[]string { return &r.Cut }),
	},
}

// rules is the column list of table rules.
var rules = table[RuleRow]{
	name: "rules",
	doc:  "The text behind every hash, so that last quarter's grades can be explained.",
	key:  []string{"kind", "rule", "hash"},
	cut:  func(r *RuleRow) *[]string { return &r.Cut },
	columns: []column[RuleRow]{
		col("kind", typeWord, "rule, rubric or judge", func(r *RuleRow) *string { return &r.Kind }),
		text("rule", typeText, limitName, "id of the rule or rubric", func(r *RuleRow) *string { return &r.Rule }),
		col("hash", typeText, "rule_hash or judge_hash of findings", func(r *RuleRow) *string { return &r.Hash }),
		col("row_version", typeTokens, "the newest row wins: time of recording", func(r *RuleRow) *uint64 { return &r.RowVersion }),
		text("title", typeText, limitMessage, "what the rule demands, for people", func(r *RuleRow) *string { return &r.Title }),
		col("scope", typeWord, "span, trace or session", func(r *RuleRow) *string { return &r.Scope }),
		col("severity", typeWord, "low, medium, high, critical", func(r *RuleRow) *string { return &r.Severity }),
		col("defect", typeWord, "family of evidence-grounding defects; empty for other rules", func(r *RuleRow) *string { return &r.Defect }),
		text("source", typeText, limitName, "file or pack that it came from", func(r *RuleRow) *string { return &r.Source }),
		text("text", typeText, limitRule, "the rule as written", func(r *RuleRow) *string { return &r.Text }),
		timeCol("recorded_at", "when this text was last used", func(r *RuleRow) *time.Time { return &r.RecordedAt }),
		cutCol(func(r *RuleRow) *[]string { return &r.Cut }),
	},
}
