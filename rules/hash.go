package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// canonical writes an expression so that formatting, quotes and the spelling
// of operators make no difference.
func canonical(n ast.Node) string {
	ast.Walk(&n, spelling{})
	return n.String()
}

type spelling struct{}

// Visit implements ast.Visitor.
func (spelling) Visit(n *ast.Node) {
	switch x := (*n).(type) {
	case *ast.BinaryNode:
		switch x.Operator {
		case "&&":
			x.Operator = "and"
		case "||":
			x.Operator = "or"
		case "**":
			x.Operator = "^"
		}
	case *ast.UnaryNode:
		if x.Operator == "!" {
			x.Operator = "not"
		}
	}
}

// identity is the text behind a rule's hash: what decides its outcome and its
// score, with the values of its parameters, the definitions that it uses, and
// the versions of what answers its functions. Titles, messages, severities and
// witnesses are not part of it: they do not change a verdict.
func (c *compiled) identity() string {
	var b strings.Builder
	fmt.Fprintf(&b, "library: %s\n", LibraryVersion)
	fmt.Fprintf(&b, "scope: %s\n", c.Scope)
	evidence := false
	lets := map[string]string{}
	for _, part := range []struct {
		key string
		x   *expression
	}{{"where", c.where}, {"when", c.when}, {"assert", c.assert}, {"score", c.score}} {
		if part.x == nil {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", part.key, part.x.canonical)
		evidence = evidence || part.x.evidence
		collectLets(part.x, lets)
	}
	names := make([]string, 0, len(lets))
	for name := range lets {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&b, "let %s: %s\n", name, lets[name])
	}
	if evidence {
		fmt.Fprintf(&b, "evidence: %s\n", evidenceVersion)
	}
	return b.String()
}

// collectLets gathers the definitions that an expression rests on.
func collectLets(x *expression, into map[string]string) {
	for _, l := range x.lets {
		if _, done := into[l.name]; !done {
			into[l.name] = l.canonical
			collectLets(l.expression, into)
		}
	}
}

// hashOf shortens an identity to 32 hex digits.
func hashOf(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return hex.EncodeToString(sum[:16])
}
