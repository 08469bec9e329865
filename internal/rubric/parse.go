package rubric

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/yamldoc"
	"github.com/tracegrade/tracegrade/rules"
)

var (
	idPattern       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+([-_.][a-z0-9]+)*$`) })
	optionPattern   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{M}\p{N}_]{0,39}$`) })
	questionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`) })
)

// IsFile reports whether a YAML file holds rubrics: its first key is rubrics.
func IsFile(data []byte) bool {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("---")) {
			return bytes.HasPrefix(line, []byte("rubrics:"))
		}
	}
	return false
}

// Parse reads one rubric file. name is used in error messages. The error is a
// [rules.Errors] with every mistake that was found.
func Parse(name string, data []byte) (*File, error) {
	p := &parser{file: &File{Name: name}}
	p.parse(data)
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	return p.file, nil
}

type parser struct {
	file   *File
	errs   rules.Errors
	rubric string
}

func (p *parser) fail(n *yaml.Node, key, format string, args ...any) {
	p.errs = append(p.errs, &rules.RuleError{Pos: p.pos(n), Rule: p.rubric, Key: key, Err: fmt.Errorf(format, args...)})
}

func (p *parser) pos(n *yaml.Node) rules.Pos {
	return rules.Pos{File: p.file.Name, Line: n.Line, Col: n.Column}
}

func (p *parser) text(n *yaml.Node) rules.Text { return rules.Text{Pos: p.pos(n), Text: n.Value} }

func (p *parser) parse(data []byte) {
	start := &yaml.Node{}
	if len(data) > FileBytesMax {
		p.fail(start, "", "the file has %d bytes: want at most %d", len(data), FileBytesMax)
		return
	}
	doc, err := yamldoc.Parse(data)
	if bad, ok := errors.AsType[*yamldoc.Error](err); ok {
		p.fail(&yaml.Node{Line: bad.Line, Column: bad.Col}, "", "%s", bad.Msg)
		return
	}
	if doc == nil {
		p.fail(start, "", "the file is empty: want rubrics:")
		return
	}
	ids := map[string]bool{}
	p.mapping(doc, "rubric file", []string{"rubrics"}, func(_ string, list *yaml.Node) {
		p.list(list, "rubrics", FileRubricsMax, func(n *yaml.Node) {
			r := p.one(n)
			if ids[r.ID] && r.ID != "" {
				p.fail(n, "id", "the id is given twice in this file")
			}
			ids[r.ID] = true
			p.file.Rubrics = append(p.file.Rubrics, r)
		})
	})
	if len(p.errs) == 0 && len(p.file.Rubrics) == 0 {
		p.fail(doc, "", "the file has no rubrics")
	}
}

// mapping calls each for the entries of a mapping; unknown and repeated keys
// are mistakes. known nil allows all keys.
func (p *parser) mapping(n *yaml.Node, what string, known []string, each func(key string, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.fail(n, "", "%s: want a mapping", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode:
			p.fail(k, "", "%s: a key must be a word", what)
		case v.Kind == yaml.AliasNode:
			p.fail(v, k.Value, "aliases are not followed")
		case seen[k.Value]:
			p.fail(k, "", "%s: key %q is given twice", what, k.Value)
		case known != nil && !contains(known, k.Value):
			p.fail(k, "", "%s: unknown key %q: want %s", what, k.Value, strings.Join(known, ", "))
		default:
			seen[k.Value] = true
			each(k.Value, v)
		}
	}
}

func (p *parser) list(n *yaml.Node, key string, most int, each func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		p.fail(n, key, "want a list")
		return
	}
	if len(n.Content) > most {
		p.fail(n, key, "%d entries: want at most %d", len(n.Content), most)
		return
	}
	for _, e := range n.Content {
		if e.Kind == yaml.AliasNode {
			p.fail(e, key, "aliases are not followed")
			continue
		}
		each(e)
	}
}

// words reads one word or a list of them.
func (p *parser) words(n *yaml.Node, key string, most int) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	var out []string
	p.list(n, key, most, func(e *yaml.Node) {
		if e.Kind != yaml.ScalarNode || e.Value == "" {
			p.fail(e, key, "want a word")
			return
		}
		out = append(out, e.Value)
	})
	return out
}

func (p *parser) scalar(n *yaml.Node, key string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || strings.TrimSpace(n.Value) == "" {
		p.fail(n, key, "want text")
		return ""
	}
	if len(n.Value) > PromptTextMax {
		p.fail(n, key, "%d bytes: want at most %d", len(n.Value), PromptTextMax)
		return ""
	}
	return n.Value
}

func (p *parser) number(n *yaml.Node, key string, least, most float64) float64 {
	f, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || math.IsNaN(f) || f < least || f > most {
		p.fail(n, key, "%q: want a number from %v to %v", n.Value, least, most)
		return least
	}
	return f
}

func (p *parser) whole(n *yaml.Node, key string, least, most int) int {
	f := p.number(n, key, float64(least), float64(most))
	if f != math.Trunc(f) {
		p.fail(n, key, "%q: want a whole number", n.Value)
	}
	return int(f)
}

func (p *parser) yes(n *yaml.Node, key string) bool {
	switch n.Value {
	case "true":
		return true
	case "false":
		return false
	}
	p.fail(n, key, "%q: want true or false", n.Value)
	return false
}

func (p *parser) choice(n *yaml.Node, key string, list ...string) string {
	if !contains(list, n.Value) {
		p.fail(n, key, "%q: want %s", n.Value, strings.Join(list, ", "))
	}
	return n.Value
}

// one reads one rubric.
func (p *parser) one(n *yaml.Node) Rubric {
	r := Rubric{
		Pos: p.pos(n), Scope: trace.ScopeTrace, Type: TypeJudge, Judges: []string{"main"}, Samples: 1, Vote: "majority", Sample: 1, Subjects: SubjectsDefault,
	}
	p.rubric = ""
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "id" {
			p.rubric = n.Content[i+1].Value
		}
	}
	defer func() { p.rubric = "" }()
	p.mapping(n, "rubric", keyNames(RubricKeys), func(key string, v *yaml.Node) { p.key(&r, key, v) })
	if n.Kind == yaml.MappingNode {
		p.complete(&r, n)
	}
	return r
}

func (p *parser) key(r *Rubric, key string, v *yaml.Node) {
	var err error
	switch key {
	case "id":
		if r.ID = v.Value; !idPattern().MatchString(r.ID) {
			p.fail(v, key, "%q: want lower-case letters, digits and - _ . between them", r.ID)
		}
	case "title":
		r.Title = p.scalar(v, key)
	case "description":
		r.Description = p.scalar(v, key)
	case "limit":
		r.Limit = p.scalar(v, key)
	case "message":
		r.Message = p.scalar(v, key)
	case "instructions":
		r.Instructions = p.scalar(v, key)
	case "severity":
		r.Severity, err = trace.ParseSeverity(v.Value)
	case "defect":
		r.Defect = p.choice(v, key, trace.Defects...)
	case "type":
		r.Type = p.choice(v, key, TypeJudge, TypeDeterministic, TypeClassifier)
	case "scope":
		r.Scope, err = trace.ParseScope(v.Value)
	case "let":
		p.mapping(v, key, nil, func(name string, e *yaml.Node) {
			if name == selectName {
				p.fail(e, key, "%s is the name of what select selects: want another", name)
			}
			p.scalar(e, key)
			r.Let = append(r.Let, rules.Named{Name: rules.Text{Pos: p.pos(e), Text: name}, Expr: p.text(e)})
		})
	case "where":
		r.Where = p.text(v)
	case "when":
		r.When = p.text(v)
	case "select":
		r.Select = p.text(v)
	case "decided_by":
		r.DecidedBy = p.words(v, key, 50)
	case "judges":
		r.Judges = p.words(v, key, 9)
	case "samples":
		r.Samples = p.whole(v, key, 1, SamplesMax)
	case "both_orders":
		r.BothOrders = p.yes(v, key)
	case "vote":
		r.Vote = p.choice(v, key, "majority", "unanimous")
	case "sample":
		r.Sample = p.number(v, key, 0, 1)
	case "subjects":
		r.Subjects = p.whole(v, key, 1, SubjectsMax)
	case "budget":
		r.Budget = p.scalar(v, key)
	case "min_kappa":
		if r.MinKappa = p.number(v, key, -1, 1); r.MinKappa <= 0 {
			p.fail(v, key, "%q: want more than 0, which is chance", v.Value)
		}
	case "experimental":
		r.Experimental = p.yes(v, key)
	case "material":
		r.Material = p.material(v)
	case "questions":
		p.list(v, key, QuestionsMax, func(e *yaml.Node) { r.Questions = append(r.Questions, p.question(e)) })
	case "pass":
		r.Pass = p.conditions(v, key)
	case "not_applicable":
		r.NotApply = p.conditions(v, key)
	case "score":
		r.Score = v.Value
	case "check":
		r.Check = p.check(v)
	case "classify":
		r.Classify = p.classify(v)
	default:
		panic("rubric: key " + key + " is in the list of keys and is not read")
	}
	if err != nil {
		p.fail(v, key, "%w", err)
	}
}

// material reads a list of selections: a name, or {turns: 4}.
func (p *parser) material(n *yaml.Node) []Selection {
	var out []Selection
	p.list(n, "material", 32, func(e *yaml.Node) {
		s := Selection{Name: e.Value}
		if e.Kind == yaml.MappingNode {
			p.mapping(e, "material", []string{"turns"}, func(key string, v *yaml.Node) {
				s = Selection{Name: key, N: p.whole(v, "material", 1, 1000)}
			})
		} else if s.Name == "turns" {
			s.N = 4
		}
		if !contains(SelectionNames(), s.Name) {
			p.fail(e, "material", "%q: want %s", s.Name, strings.Join(SelectionNames(), ", "))
		}
		out = append(out, s)
	})
	return out
}

func (p *parser) question(n *yaml.Node) Question {
	q := Question{Kind: KindYesNo, Max: 1}
	quote := false
	p.mapping(n, "question", keyNames(QuestionKeys), func(key string, v *yaml.Node) {
		switch key {
		case "id":
			if q.ID = v.Value; !questionPattern().MatchString(q.ID) {
				p.fail(v, "questions", "id %q: want a lower-case letter, then letters, digits and _, at most 40", q.ID)
			}
		case "ask":
			q.Ask = strings.TrimSpace(p.scalar(v, "questions"))
		case "kind":
			q.Kind = p.choice(v, "questions", KindYesNo, KindOneOf, KindNumber)
		case "options":
			p.mapping(v, "options", nil, func(name string, means *yaml.Node) {
				if !optionPattern().MatchString(name) || name == CannotTell {
					p.fail(means, "questions", "option %q: want one word of any language, in lower case, letters, digits and _, other than %s", name, CannotTell)
				}
				q.Options = append(q.Options, Option{Name: name, Means: p.scalar(means, "questions")})
			})
		case "min":
			q.Min = p.number(v, "questions", -1e9, 1e9)
		case "max":
			q.Max = p.number(v, "questions", -1e9, 1e9)
		case "quote":
			quote = true
			q.Quote = p.words(v, "questions", OptionsMax)
		}
	})
	if !quote {
		q.Quote = []string{"any"}
		if q.Kind == KindYesNo {
			q.Quote = []string{"yes"}
		}
	}
	p.completeQuestion(q, n)
	return q
}

// conditions reads {question: verdict, question: [verdicts], question: {min, max}}.
func (p *parser) conditions(n *yaml.Node, key string) []Condition {
	var out []Condition
	p.mapping(n, key, nil, func(id string, v *yaml.Node) {
		c := Condition{Question: id}
		if v.Kind == yaml.MappingNode {
			p.mapping(v, key, []string{"min", "max"}, func(end string, v *yaml.Node) {
				f := p.number(v, key, -1e9, 1e9)
				if end == "min" {
					c.Min = &f
				} else {
					c.Max = &f
				}
			})
		} else {
			c.Verdicts = p.words(v, key, OptionsMax)
		}
		out = append(out, c)
	})
	return out
}
