// Package ruletest runs the tests that users write for their rules. Beside
// x.yaml lies x_test.yaml:
//
//	rules: x.yaml
//	tests:
//	  - name: says refunded after the tool failed
//	    steps:
//	      - user: Refund my order 17.
//	      - tool: {name: refund, args: {order: 17}, error: card declined}
//	      - answer: Your refund is done.
//	    expect:
//	      refund-is-real: {outcome: fail, witness: [refund]}
//
// Every failure and error must be expected, absence is expected by writing
// pass or not_applicable, and a rule must be seen in every outcome that it can
// have. No model is called and no clock is read: time in a test begins at
// 2024-01-01 and each step takes a second.
//
// A test of several traces is one session. Rubrics are tested with the replies
// of their judges stated in the test.
//
// notation.go is the compact form of a trace and build.go makes the trace of it,
// file.go reads test files and tested.go the rules and rubrics that they name,
// subject.go makes what a test is about, judge.go what judges say of it, run.go
// compares, mutate.go changes rules to see whether the tests notice, report.go
// writes text, JSON and JUnit.
package ruletest
