package rules

// MachineOnly makes expr's machine run every expression of a set, and returns
// how many it would not have run otherwise.
func MachineOnly(s *Set) (direct int) {
	drop := func(x *expression) {
		if x != nil && x.direct != nil {
			direct++
			x.direct = nil
		}
	}
	for _, l := range s.slots {
		drop(l.expression)
	}
	for _, c := range s.rules {
		for _, x := range []*expression{c.where, c.when, c.assert, c.score, c.witness} {
			drop(x)
		}
		for _, m := range c.message {
			drop(m.expr)
		}
	}
	return direct
}
