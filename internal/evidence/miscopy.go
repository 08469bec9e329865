package evidence

// miscopied finds a value of the same unit, on the same subject, of which two
// neighbouring digits have changed places: 421 days, where 412 days are stated.
func (k *linker) miscopied(l *Link, near words) {
	a := &l.Atom
	clock := a.Kind == KindDate && len(a.Value) == 5 && a.Value[2] == ':'
	if !clock && (!a.Numeric() || a.Unit == "" && a.noun == "" && significant(a) < 4 || significant(a) < 2) {
		return
	}
	for i := 0; i+1 < len(a.Value); i++ {
		j := i + 1
		if a.Value[j] == '.' {
			j++
		}
		if j >= len(a.Value) || !isDigit(a.Value[i]) || !isDigit(a.Value[j]) || a.Value[i] == a.Value[j] {
			continue
		}
		swapped := []byte(a.Value)
		swapped[i], swapped[j] = swapped[j], swapped[i]
		k.index.find(hashOf(string(swapped)), func(p *posting) bool {
			if k.later(p.obs) || !k.copies(a, p, near) {
				return true
			}
			if ctx := k.index.context(p); near.shared(ctx)+k.question.shared(ctx) == 0 {
				return true
			}
			l.State = Contradicted
			k.source(l, p)
			l.Operands = append(l.Operands, k.index.text(p))
			return false
		})
		if l.State == Contradicted {
			return
		}
	}
}

// copies reports a posting that a value may be a wrong copy of: of its unit, or
// without one in a record that the value's sentence names.
func (k *linker) copies(a *Atom, p *posting, near words) bool {
	o := &k.index.obs[p.obs]
	if a.Kind == KindDate {
		return Kinds[p.kind] == KindDate && p.how != converted && near.shared(o.own()) > 0
	}
	if p.how != asWritten {
		return false
	}
	switch f := k.fitPosting(a, p); {
	case f >= 3, a.Unit == "" && p.noun != 0 && otherScript(nounKey(a.noun), p.noun):
		return true
	case f == 2:
		pc := &o.pieces[p.piece]
		return p.unit == 0 && pc.key != "" && significant(a) >= 3 && k.index.keySays(p, a) != differs && (near.names(spaced(pc.key)) || near.names(spaced(pc.in)) || near.shared(o.own()) > 0)
	}
	return false
}
