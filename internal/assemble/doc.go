// Package assemble puts traces together: steps and fragments go in, in any
// order and any number of times, and a [trace.Trace] comes out that does not
// depend on how they arrived.
//
// It has four parts:
//
//	Trace      the pure trace stage: (steps, fragments) -> trace
//	Sessions   traces of one conversation, and one trace over all of them
//	Buffer     live: holds spans until a trace is ready, within bounds
//	Partition  offline: groups more than fits into memory, exactly
//
// The trace stage is a row of passes over the steps, each in its own file:
//
//	collect    one step for each span id, ids for steps without one
//	join       content of log records onto the spans that they belong to
//	doubt      guesses about steps of traces that have nothing of an agent
//	tree       parents, without cycles; an order that arrival cannot change
//	duplicate  one thing recorded several times becomes one step
//	replies    what frameworks say about a model call in or around its reply
//	continue   the input of calls that were recorded, or sent, with what is new only
//	follow     which model call goes on with which conversation
//	converse   what each model call adds to its conversation: calls, results
//	cause      which model call asked for which tool call
//	synthesise tool steps for calls that have no span
//	finish     inheritance, turns, usage, question, answer, completeness
//	digest     the identity of the content
//
// Steps that are handed in are never changed: the stage works on copies, so
// that the same steps can be assembled again when late ones arrive.
package assemble
