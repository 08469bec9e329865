package store

import "time"

// sentinels is the column list of table sentinels.
var sentinels = table[SentinelRow]{
	name: "sentinels",
	doc:  "One row per time that a judge was asked about a labelled item, so that its drift is seen. These items are no traces of an agent, and in no other table.",
	key:  []string{"rule", "rule_hash", "judge_hash", "item", "run"},
	cut:  func(r *SentinelRow) *[]string { return &r.Cut },
	columns: []column[SentinelRow]{
		text("rule", typeText, limitName, "id of the rubric", func(r *SentinelRow) *string { return &r.Rule }),
		col("rule_hash", typeWord, "identity of its meaning", func(r *SentinelRow) *string { return &r.RuleHash }),
		col("judge_hash", typeWord, "identity of the judge: what drifts under one hash is the server's doing", func(r *SentinelRow) *string { return &r.JudgeHash }),
		text("item", typeText, limitName, "id of the item", func(r *SentinelRow) *string { return &r.Item }),
		col("run", typeText, "when the run began, as 2026-11-30T08:00:00.000000Z: all items of one run have one", func(r *SentinelRow) *string { return &r.Run }),
		col("row_version", typeTokens, "the newest row wins: time of the verdict", func(r *SentinelRow) *uint64 { return &r.RowVersion }),
		text("model", typeWord, limitName, "model that answered, as the server names it, with its fingerprint", func(r *SentinelRow) *string { return &r.Model }),
		col("outcome", typeWord, "pass, fail, not_applicable, error or skipped", func(r *SentinelRow) *string { return &r.Outcome }),
		text("reason", typeWord, limitName, "a code, for programs", func(r *SentinelRow) *string { return &r.Reason }),
		col("label", typeWord, "what all readers of the item found; empty where they differ", func(r *SentinelRow) *string { return &r.Label }),
		timeCol("judged_at", "when the verdict was given", func(r *SentinelRow) *time.Time { return &r.JudgedAt }),
		cutCol(func(r *SentinelRow) *[]string { return &r.Cut }),
	},
}
