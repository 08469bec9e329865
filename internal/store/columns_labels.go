package store

import "time"

// labels is the column list of table labels.
var labels = table[LabelRow]{
	name: "labels",
	doc:  "One row per person and finding: what a reader says, to measure rubrics and rules with.",
	key:  []string{"rule", "trace_id", "subject", "reader"},
	cut:  func(r *LabelRow) *[]string { return &r.Cut },
	columns: []column[LabelRow]{
		col("trace_id", typeText, "trace id, 32 lower-case hex digits", func(r *LabelRow) *string { return &r.TraceID }),
		text("subject", typeText, limitName, "step id or trace id, as in findings", func(r *LabelRow) *string { return &r.Subject }),
		text("rule", typeText, limitName, "id of the rule or rubric", func(r *LabelRow) *string { return &r.Rule }),
		col("rule_hash", typeWord, "identity of its meaning when the label was given; empty where it is not known", func(r *LabelRow) *string { return &r.RuleHash }),
		text("reader", typeText, limitName, "who says it", func(r *LabelRow) *string { return &r.Reader }),
		col("row_version", typeTokens, "the newest row wins: time of the label", func(r *LabelRow) *uint64 { return &r.RowVersion }),
		col("outcome", typeWord, "pass, fail, not_applicable or cannot_tell", func(r *LabelRow) *string { return &r.Outcome }),
		col("blind", typeBool, "given without knowing any verdict", func(r *LabelRow) *bool { return &r.Blind }),
		content("note", limitMessage, "what the reader adds", func(r *LabelRow) *string { return &r.Note }),
		timeCol("labelled_at", "when the label was given", func(r *LabelRow) *time.Time { return &r.LabelledAt }),
		cutCol(func(r *LabelRow) *[]string { return &r.Cut }),
	},
}
