// Package funnel follows claims through a trace: what an agent that met a planted
// falsehood did with it. A trace, its ledger and claims go in; passages (exposed,
// adopted, doubted, verified, recovered, …), what the answer rests on, and findings
// come out. It sees the spans and the claim, never what the harness knows of what
// it served.
//
//	funnel.go     the events of one claim, each with its step and quotation: [Follow]
//	captured.go   what was not captured is not measured
//	footing.go    what the answer's values and citations rest on: [Foot]; reference.go: what [1] points at
//	finding.go    passages as findings
//	planted.go    files that say which trace met which claims
package funnel
