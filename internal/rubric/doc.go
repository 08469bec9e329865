// Package rubric answers with a judge model what no assertion can decide, and
// says how far the answer can be trusted.
//
// A rubric file goes through the same steps as a rule file; then the judges
// are asked:
//
//	Parse     bytes      -> *File      syntax, unknown keys, positions
//	Compile   []*File    -> *Set       guards (package rules), questions, identity
//	New       *Set       -> *Grader    judges, budgets, redaction
//	Trace     a trace    -> findings   material, prompt, panel, mapping
//
// Where things are:
//
//	file.go, parse.go     the file format
//	complete.go           what a rubric lacks, and what does not fit together
//	compile.go            guards and hashes
//	material.go           what a judge may see of a trace, as sections
//	steptext.go           a step as text, with which words are ours
//	pack.go               which sections fit the window, and what was left out
//	prompt.go             delimiters, instructions, the schema of the reply
//	reply.go              a reply read strictly; quotes looked up in the material
//	outcome.go, panel.go  answers to an outcome, several judges to one
//	grade.go, ask.go      a trace graded
//	live.go               the same in two halves, for a caller that must not wait
//	check.go, cue.go      graders that need no model
//	classified.go         graders by a small model of our own, in classify/
//	estimate.go           what a run would cost
//	judge/, pool/, card/  one call; many calls; how good a judge is
//	reference.go          answers that are known to be right, from a file (records/)
//
// Whatever a judge does wrong is an outcome of its own and never a fail of the
// agent.
package rubric
