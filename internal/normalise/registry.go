package normalise

// Framework is what a dialect knows of a producer, for docs/frameworks.md and
// for advice on missing content.
type Framework struct {
	Title   string   // as people know it
	Reads   string   // what is read
	Lacks   string   // what the framework does not emit
	Content string   // how to switch content on
	Other   []string // further names under which users know it
}
