// Package store keeps grades in ClickHouse and answers questions about them.
//
//	rows.go            one row type per table
//	from.go, spans.go, evidence.go   what a graded trace becomes: from the grade itself, from spans, from its ledger
//	restore.go, load.go   stored rows -> the trace that they were made of (ToTrace, Load)
//	columns*.go        the one column list per table: DDL, insert and docs come from it
//	schema.go          schema/*.sql, rendered and applied in order (Migrate)
//	insert.go          rows -> ClickHouse, idempotent (Insert)
//	query.go           queries/*.sql and SQL text -> rows (Queries, Query)
//	engine/            the embedded ClickHouse, run and watched as a process
//	storetest/         a database for a test
package store
