// Package admit reads whether a text tells its reader that a call failed. The
// text and the failed call (its tool, what it was given, what it said) go in; it
// is told where a clause says what the error says, in its words or in others of
// one meaning, denies what the call was to find or do, or says of the attempt
// itself that it did not work.
//
//	admit.go    a text as clauses, and what of them is about a call
//	meaning.go  what errors mean: codes, English and Chinese words for one and the same
//	claim.go    whether a text says that what a person refused is done
//	attempt.go  sentences about an attempt that did not work, in several languages
package admit
