package store

import "time"

// MonthEndRow is one row of table month_ends: a trace that may have rows in more
// than one month.
type MonthEndRow struct {
	TraceID    string
	RowVersion uint64
}

// monthEnds is the column list of table month_ends. It has no text that could be
// cut.
var monthEnds = table[MonthEndRow]{
	name: "month_ends",
	doc:  "One row per trace at the end of a month: of these the views look for a newer row in other months, too. Written by tracegrade for itself.",
	key:  []string{"trace_id"},
	columns: []column[MonthEndRow]{
		col("trace_id", typeText, "trace id, 32 lower-case hex digits", func(r *MonthEndRow) *string { return &r.TraceID }),
		col("row_version", typeTokens, "as in traces", func(r *MonthEndRow) *uint64 { return &r.RowVersion }),
	},
}

// aroundMonthEnd is how near to the end of a month a trace counts as lying
// there: what a collector that was killed in the middle of a trace makes of its
// two halves is within it.
const aroundMonthEnd = time.Hour

// atMonthEnd picks the traces whose older or newer rows may be in another
// month's partition, where rows of one key do not collapse. A revision that moves
// the start of a trace knows nothing of the row that it replaces; but it holds
// the step with which the trace began before, so that it lies across the end of
// the month itself. A trace without times lies at the end of 1969.
// Migration 0012 has the same condition in SQL.
func atMonthEnd(rows []TraceRow) []MonthEndRow {
	var list []MonthEndRow
	for i := range rows {
		r := &rows[i]
		end := r.TraceEnd
		if end.Before(r.TraceStart) {
			end = r.TraceStart
		}
		from, to := r.TraceStart.Add(-aroundMonthEnd).UTC(), end.Add(aroundMonthEnd).UTC()
		if from.Month() != to.Month() || from.Year() != to.Year() {
			list = append(list, MonthEndRow{TraceID: r.TraceID, RowVersion: r.RowVersion})
		}
	}
	return list
}
