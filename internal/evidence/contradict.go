package evidence

import "slices"

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
	if l.State != Contradicted && !rate {
		k.recordSays(l, &f, near)
	}
	return l.State == Contradicted
}

// recordSays finds the record that is about what the value's sentence is about,
// and states another number or date for what the value is of: {"name": "Mug",
// "price_cents": 1299}, and "the mug costs $15.99".
func (k *linker) recordSays(l *Link, f *frame, near words) {
	const most = 16 // records that are looked at
	x := k.index
	var records []int32
	add := func(obs int32) bool {
		if x.obs[obs].step < k.limit && !slices.Contains(records, obs) {
			records = append(records, obs)
		}
		return len(records) < most
	}
	x.related(near, nil, func(i int32) bool { return add(x.posts[i].obs) })
	for i := len(x.obs) - 1; i >= 0 && len(records) < most; i-- {
		if x.alone(i) && !x.obs[i].Error {
			add(int32(i))
		}
	}
	best := 0
	var found []*posting
	for _, obs := range records {
		about := near.shared(x.obs[obs].identity())
		if about == 0 || about < best {
			continue
		}
		for at := x.firstOf(obs); at < len(x.posts) && x.posts[at].obs == obs; at++ {
			if p := &x.posts[at]; k.statesAttribute(p, l, f) {
				if about > best {
					best, found = about, found[:0]
				}
				found = append(found, p)
				if p.how == converted {
					break // all of one unix time say the same
				}
			}
		}
	}
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

// statesAttribute reports a number or a date that is all of a record's member,
// whose key names what the value is said to be: its attribute or its dimension.
func (k *linker) statesAttribute(p *posting, l *Link, f *frame) bool {
	x := k.index
	pc := &x.obs[p.obs].pieces[p.piece]
	if pc.key == "" || int(p.length) != len(pc.text) || p.how == coarsened {
		return false
	}
	var g frame
	g.loose(spaced(pc.key))
	if l.Atom.Kind == KindDate {
		return Kinds[p.kind] == KindDate && g.attr&f.attr != 0 && len(l.Atom.Value) == len("2024-06-03")
	}
	if !Kinds[p.kind].numeric() || p.how != asWritten {
		return false
	}
	own := measures[l.Atom.Unit].dim
	if l.Atom.Kind == KindMoney {
		own = dimMoney
	}
	if own != dimNone && own != dimMoney && saysDimension(lower(spaced(pc.in)+" "+spaced(pc.key)), own) && x.keySays(p, &l.Atom) == fits {
		return true
	}
	general := g.attr == 0 && len(g.rest) == 0 && p.unit != 0 // {"amount": 1299, "currency": "USD"}
	return (g.attr&f.attr != 0 || general) && (sameDimension(l.Atom.Unit, unitNames[p.unit]) || p.unit == 0)
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
