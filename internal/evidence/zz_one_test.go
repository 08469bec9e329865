package evidence

import (
	"os"
	"testing"
)

func TestOne(t *testing.T) {
	f := os.Getenv("ONE")
	if f == "" {
		t.Skip()
	}
	for _, r := range lines[run](t, f) {
		if r.ID != os.Getenv("ID") {
			continue
		}
		l := Build(r.built())
		t.Log(r.Answer)
		for _, c := range l.index.columns() {
			p := &l.index.posts[c.posts[0]]
			t.Log("column", l.index.obs[p.obs].pieces[p.piece].key, len(c.posts), unitNames[p.unit])
		}
		for i, o := range l.Observations {
			t.Log("obs", i, o.Text)
		}
		for _, k := range l.Links {
			t.Log(k.Atom.Text, k.Atom.Kind, k.Atom.Unit, k.State, k.How, k.Operands)
		}
	}
}
