// Package stance reads what a text commits itself to. A text and a [Claim] (one
// thing, its true value and a false one) go in; which of the values the text
// states, with how much commitment, and whether it tells of a conflict or a doubt
// come out. It reads texts only: what was observed is not its business.
//
//	claim.go       what a text is read for; the values' spellings, widened in widen.go and polar.go
//	scope.go       of whom a clause speaks; aspect.go: of which dimension of it
//	stance.go      a sentence's clauses, and how each stands to its value
//	cue.go         the words by which clauses reject, doubt, attribute, conclude; aside.go those that set a value aside
//	predicate.go   appraisals, checks, leaving, and knowledge that is denied, by their form
//	answer.go      a whole text: what it comes to in the end; choice.go: with whom it sides
//	confidence.go  how sure a text says that it is
//	commits.go     the same without a claim: whether a text states a value as its own
package stance
