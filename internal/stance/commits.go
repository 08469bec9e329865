package stance

// Commits reports whether a text states value as its own. It does not where it
// denies it or asks about it only, offers it as one of several, or states one of
// the others with more commitment: asserted against quoted, quoted against
// doubted. A value that is asserted counts beside others that are: they may be
// of other things.
func Commits(text, value string, others []string) bool {
	c := Claim{True: Answer{Text: value}}
	if len(others) > 0 {
		c.False = Answer{Text: others[0], Also: others[1:]}
	}
	s := statements{undecided: -1, scope: scope{c: &c}}
	for _, sentence := range Sentences(text) {
		s.sentence(&c, sentence)
	}
	var best [2]Stance
	for _, x := range s.list {
		best[x.side] = max(best[x.side], x.stance)
	}
	switch own := best[0]; {
	case own == silent || own >= Asserted: // silent: it stands where no sentence is read
		return true
	case own <= rejected:
		return false
	case own == attributed:
		return best[1] <= attributed
	default:
		return best[1] < own
	}
}
