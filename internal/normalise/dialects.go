package normalise

// dialects are all producers that are known, in the order in which they are
// asked what a span is: explicit marks of a kind first, then names, then the
// conventions, and evidence last.
var dialects = []dialect{
	openInference,
	semconv,
	mcp,
	general,
}
