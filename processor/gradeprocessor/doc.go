// Package gradeprocessor puts agent traces together, grades them and writes
// the findings onto their spans.
//
//	config.go     what a user sets
//	factory.go    one grader for the traces and the logs pipeline of one id
//	grader.go     spans and log records -> assemble.Buffer
//	release.go    a ready trace -> grade -> wire -> outbox
//	stage.go      where traces wait for judges, within bounds
//	rules.go      the rules and rubrics in force, loaded again when they change
//	outbox.go     graded traces -> requests of a decent size -> the next consumer
//	telemetry.go  the processor's own metrics
//
// Everything that decides a grade is in other packages; this one only wires
// them to a collector.
package gradeprocessor
