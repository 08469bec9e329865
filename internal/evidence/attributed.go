package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// misattributed decides a name of the answer that an observation bears, where that
// observation says, once and in the same word, that another one did what the answer says
// it did: "designed by", of a text, and translator, of a record.
func (k *linker) misattributed(l *Link, text string) {
	const reach = 40
	before := strings.TrimRight(text[max(0, l.Atom.Offset-reach):l.Atom.Offset], " *_\"“")
	deed, ok := strings.CutSuffix(before, " by")
	if deed = lang.LowerASCII(deed[strings.LastIndexAny(deed, " *_(")+1:]); !ok || len(deed) < 5 || k.acted == nil || l.Given || len(l.Observations) != 1 {
		return
	}
	x := k.index
	obs := int32(l.Observations[0])
	var rival *posting
	for i := x.firstOf(obs); i < len(x.posts) && x.posts[i].obs == obs; i++ {
		p := &x.posts[i]
		if atom.Kinds[p.kind] != atom.Name || !x.does(p, deed) {
			continue
		}
		if v := x.text(p); rival != nil && v != x.text(rival) || lang.ContainsFold(v, l.Atom.Value) || lang.ContainsFold(l.Atom.Value, v) {
			return
		}
		rival = p
	}
	if rival != nil {
		k.deny(l, rival)
	}
}

// does reports a name that a text or a record says a deed of.
func (x *index) does(p *posting, deed string) bool {
	const reach, stem = 40, 5
	pc := &x.obs[p.obs].pieces[p.piece]
	before := strings.TrimRight(pc.text[max(0, int(p.off)-reach):p.off], " *_\"“")
	if own, ok := strings.CutSuffix(before, " by"); ok {
		return strings.HasSuffix(lang.LowerASCII(own), deed)
	}
	if int(p.length) != len(pc.text) || pc.key == "" {
		return false
	}
	bits := attributesOf(deed)
	for w := range strings.FieldsSeq(lang.LowerASCII(spaced(pc.key))) {
		if len(w) >= stem && w[:stem] == deed[:stem] || bits&attributesOf(w) != 0 {
			return true
		}
	}
	return false
}
