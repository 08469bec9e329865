package rules

var evidenceFunctions = []Function{}

type evidenceIndex struct{}

const evidenceVersion = "0"
