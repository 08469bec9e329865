package redact

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// One pass finds what looking for each text finds, at the ends of a text too.
func TestNeedles(t *testing.T) {
	texts := []string{"@", "sk-", "sk_", "PRIVATE KEY", "+", "://", "s", "é"}
	var n needles
	for i, x := range texts {
		if got := n.add([]string{x}, false); got != 1<<i {
			t.Fatalf("set of %q is %b", x, got)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	parts := append(slices.Clone(texts), "", "s", "sk", "k-", "PRIVATE", " KEY", ":", "//", "\xc3", "x")
	for range 2000 {
		s := ""
		for range r.IntN(5) {
			s += parts[r.IntN(len(parts))]
		}
		want := uint64(0)
		for i, x := range texts {
			if strings.Contains(s, x) {
				want |= 1 << i
			}
		}
		if got := n.in(s); got != want {
			t.Errorf("in(%q) = %b, want %b", s, got, want)
		}
	}
	if got, before := n.add(texts[:2], false), len(n.texts); got != 0b11 || before != len(texts) {
		t.Errorf("the first two texts again: set %b, of %d texts", got, before)
	}
	var many []string
	for i := range 64 {
		many = append(many, fmt.Sprint("x", i))
	}
	if got := n.add(many, false); got != 0 || len(n.texts) != len(texts) {
		t.Errorf("more than there is room for: set %b of %d texts, want none", got, len(n.texts))
	}
}

// A text that is folded is found in any case, and a text that is not in its own.
func TestNeedlesInAnyCase(t *testing.T) {
	var n needles
	exact, folded := n.add([]string{"sk-"}, false), n.add([]string{"assw", "密"}, true)
	for s, want := range map[string]uint64{
		"sk-": exact, "SK-": 0, "Password": 2, "PASSWORD": 2, "aSsW": 2, "passed": 0, "密码 PASSW": folded, "ASS": 0,
	} {
		if got := n.in(s); got != want {
			t.Errorf("in(%q) = %b, want %b", s, got, want)
		}
	}
}

// Every noun of a password is looked for, in the cases that texts write it in.
func TestEveryNounHasANeedle(t *testing.T) {
	p := policy(t, DefaultConfig())
	for _, noun := range []string{"password", "passcode", "passphrase", "pwd", "API key", "access key", "secret key", "api token", "access token", "secret token", "密码", "密碼", "口令", "密钥", "密鑰", "令牌"} {
		for _, s := range []string{noun, strings.ToUpper(noun), strings.ToTitle(string([]rune(noun)[:1])) + string([]rune(noun)[1:])} {
			if saidNoun().FindString(s) != s || p.said&p.needles.in(s) == 0 {
				t.Errorf("%q: noun %q, needles %b", s, saidNoun().FindString(s), p.said&p.needles.in(s))
			}
		}
	}
}

// A pattern whose needles have no room is always looked for.
func TestNoRoomForNeedles(t *testing.T) {
	p, err := New(Config{Mode: On, Builtin: []string{"secrets", "personal"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range p.patterns {
		if (q.wanted == 0) != (len(q.needles) == 0) {
			t.Errorf("%s: set of %q is %b", q.name, q.needles, q.wanted)
		}
	}
	for i := range p.patterns {
		p.patterns[i].wanted = 0
	}
	if got := p.Text("mail anna@example.org").Text; got != "mail [redacted:email]" {
		t.Errorf("without needles: %q", got)
	}
}
