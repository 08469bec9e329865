package evidence

// contradicted reports whether an observation says otherwise of what the value
// is said of.
func (k *linker) contradicted(l *Link, text string) bool {
	atoms := Scan(text)
	at := -1
	for i := range atoms {
		if atoms[i].Offset == l.Atom.Offset && atoms[i].Length == l.Atom.Length && atoms[i].Kind == l.Atom.Kind {
			at = i
		}
	}
	if at < 0 {
		return false
	}
	f := frameOf(text, atoms, at, "", "")
	near := make(words, 0, 24)
	from, to := sentence(text, l.Atom.Offset, l.Atom.Offset+l.Atom.Length)
	near.add(text[from:to])
	own, rate := perOf(text, l.Atom.Offset, l.Atom.Offset+l.Atom.Length)
	c := conflictFinder{x: k.index, frames: map[int32]*frame{}}
	k.index.related(near, nil, func(i int32) bool {
		p := &k.index.posts[i]
		if int(k.index.obs[p.obs].step) >= k.limit || !kindsCompare(f.atom.Kind, Kinds[p.kind]) {
			return true
		}
		bare := false
		if f.atom.Numeric() && !sameDimension(f.atom.Unit, unitNames[p.unit]) {
			if bare = p.unit == 0 && k.index.keySays(p, &f.atom) == fits; !bare {
				return true
			}
		}
		if rate && k.index.perOf(p) != own { // $0.35 per GB, and a price of $15
			return true
		}
		g := c.frame(i)
		if bare { // {"price": 80}, and $85
			other := *g
			other.atom.Kind, other.atom.Unit = f.atom.Kind, f.atom.Unit
			g = &other
		}
		if !mayDiffer(&f.atom, &g.atom) {
			return true
		}
		if _, ok := f.against(g); ok {
			l.State = Contradicted
			n := len(l.Observations)
			k.source(l, p)
			if len(l.Observations) > n {
				l.Operands = append(l.Operands, k.index.text(p))
			}
		}
		return len(l.Observations) < 8
	})
	if l.State != Contradicted && f.atom.Numeric() && !rate {
		k.recordSays(l, &f, near)
	}
	return l.State == Contradicted
}

// recordSays finds the record that is about what the value's sentence is about,
// and states another number for what the value is of: {"name": "Mug",
// "price_cents": 1299}, and "the mug costs $15.99".
func (k *linker) recordSays(l *Link, f *frame, near words) {
	x := k.index
	best := 0
	var found []*posting
	k.index.related(near, nil, func(i int32) bool {
		p := &x.posts[i]
		o := &x.obs[p.obs]
		pc := &o.pieces[p.piece]
		if o.step >= k.limit || pc.key == "" || int(p.length) != len(pc.text) || !Kinds[p.kind].numeric() {
			return true
		}
		own := measures[l.Atom.Unit].dim
		if l.Atom.Kind == KindMoney {
			own = dimMoney
		}
		if own == dimNone || !saysDimension(lower(spaced(pc.in)+" "+spaced(pc.key)), own) || x.keySays(p, &l.Atom) != fits {
			g := frame{}
			g.loose(spaced(pc.key))
			general := g.attr == 0 && len(g.rest) == 0 && p.unit != 0 // {"amount": 1299, "currency": "USD"}
			if g.attr&f.attr == 0 && !general || !sameDimension(l.Atom.Unit, unitNames[p.unit]) && p.unit != 0 {
				return true
			}
		}
		about := near.shared(o.identity())
		switch {
		case about == 0 || about < best:
		case about > best:
			best, found = about, append(found[:0], p)
		default:
			found = append(found, p)
		}
		return true
	})
	if len(found) == 0 || len(found) > 2 { // a list of such things: any may be meant
		return
	}
	for _, p := range found {
		l.State = Contradicted
		n := len(l.Observations)
		if k.source(l, p); len(l.Observations) > n {
			l.Operands = append(l.Operands, x.text(p))
		}
	}
}

// identity is the words that say which thing a record is of: its texts, and the
// arguments of the call that returned it.
func (o *Observation) identity() words {
	w := make(words, 0, 16)
	w.add(o.asked)
	w.add(spaced(o.Tool))
	w.add(spaced(o.of))
	for i := range o.pieces {
		if p := &o.pieces[i]; len(p.text) < 60 && !isNumber(p.text) {
			w.add(p.text)
		}
	}
	return w
}
