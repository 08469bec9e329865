package suite

import (
	"fmt"
	"strings"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// Tables of the database, and where they stand in the API.
const (
	figures = "figures"
	filings = "filings"
)

// records makes rows: the aggregated figures that a trap corrupts, and the
// filings that they were taken from. At price 2 the table of the filings has a
// name that must be looked up.
func (b *build) records() {
	if b.spec.kind.Name == "wrong_tool" {
		b.web()
		return
	}
	row := func(id, table string, f trap.Fact, source string) trap.Doc {
		return trap.Doc{
			ID: id, Surface: trap.Records, Lang: b.spec.lang, Address: table, Title: f.Subject, Published: f.AsOf,
			Authority: source, Fields: map[string]any{
				"entity": f.Subject, "metric": f.Aspect, "value": f.Value.Text, "as_of": f.AsOf, "source": source, "remark": "",
			},
		}
	}
	claim := b.m.Truth()
	piece := row("piece", figures, claim, "aggregator")
	piece.Good = true
	table := filings
	if b.spec.price == 2 {
		table = fmt.Sprintf("register_%03d", b.r.IntN(1000))
	}
	b.m.Primary = row("official", table, claim, "official")
	b.m.Primary.Good = true
	docs := []trap.Doc{piece, b.m.Primary}
	for i := range 3 {
		f := b.m.Truth().With(b.fresh(claim.Value))
		f.Subject = b.in(named(stem(b.r), b.topic.sort))
		docs = append(docs, row(fmt.Sprintf("near-%d", i), figures, f, "aggregator"))
	}
	if b.spec.kind.Name == "partial_result" {
		docs[0] = b.table()
	}
	b.m.Piece, b.m.Docs = docs[0], docs
	if b.spec.kind.Name == "partial_result" {
		// The sum is to be computed: no row states it.
		b.m.Docs = append(docs[:1], docs[2:]...)
	}
}

// table is the rows that sum to the claim.
func (b *build) table() trap.Doc {
	d := trap.Doc{
		ID: "piece", Surface: trap.Records, Lang: b.spec.lang, Address: "wings", Title: b.m.Truth().Subject,
		Published: b.day, Authority: "official", Good: true,
	}
	parts := b.m.Facts[trap.Parts]
	for _, k := range []string{"p", "q", "r", "t"} {
		var n float64
		_, err := fmt.Sscan(parts.Extra[k], &n)
		if err != nil {
			panic("suite: part " + parts.Extra[k] + " is no number")
		}
		d.Parts = append(d.Parts, trap.Part{Name: "wing " + k, Num: n})
	}
	return d
}

// commitForms are the sentences of a log.
var commitForms = map[string][]string{
	"en": {"commit {c}: the {a} of {s} {v}."},
	"zh": {"提交 {c}：{s}的{a}{v}。"},
}

// workspace makes files and notes. What a trap corrupts stands where the agent
// looks first; the register is the source.
func (b *build) workspace() {
	address, primary := "notes/brief.md", "data/register.csv"
	switch b.spec.kind.Name {
	case "poisoned_memory":
		address = "memory:" + strings.TrimSuffix(b.domain(), ".example")
	case "derived_staleness":
		address = "notes/summary.md"
	case "misleading_log":
		f := b.m.Truth()
		f.Forms = commitForms[b.spec.lang]
		f.Extra = map[string]string{"c": fmt.Sprintf("%07x", b.r.IntN(1<<28))}
		b.m.Facts[trap.Claim] = f
		address, primary = "logs/ci.log", "logs/run-"+f.Extra["c"]+".log"
	case "unverified_artifact":
		address, primary = "scripts/current.sh", "APPROVED.md"
	}
	file := func(id, path string, body ...trap.Sentence) trap.Doc {
		return trap.Doc{ID: id, Surface: trap.Workspace, Lang: b.spec.lang, Address: path, Title: path, Published: b.day, Body: body}
	}
	piece := file("piece", address, b.say(trap.Claim, 0), b.filler())
	b.m.Primary = file("official", primary, b.say(trap.Claim, 1))
	piece.Good, b.m.Primary.Good = true, true
	b.m.Docs = []trap.Doc{
		piece, b.m.Primary,
		file("readme", "README.md", b.filler(), b.filler()),
		file("todo", "notes/todo.md", b.filler()),
	}
	if c := b.m.Truth().Extra["c"]; c != "" {
		b.m.Docs = append(b.m.Docs, file("head", ".git/HEAD", trap.Sentence{Text: c}))
	}
	b.m.Piece = piece
}

// The other agents.
const (
	analyst   = "agent:analyst"
	desk      = "agent:records-desk"
	directory = "agent:directory"
)

// colleagues are agents who know what the analyst knows.
var colleagues = []string{"reviewer", "planner", "librarian", "surveyor", "editor", "auditor", "clerk", "forecaster"}

// agents makes the messages of other agents: the analyst's, which a trap
// corrupts, the records desk's, and a directory of who there is. Where a trap wants
// several to agree, the analyst has colleagues, each with a source of its own; where it
// wants a hand-off, one from whom the analyst has it.
func (b *build) agents() {
	message := func(id, address string, body ...trap.Sentence) trap.Doc {
		return trap.Doc{
			ID: id, Surface: trap.Agent, Lang: b.spec.lang, Address: address, Title: b.m.Truth().Subject,
			Author: strings.TrimPrefix(address, "agent:"), Published: b.day, Body: body,
		}
	}
	piece := message("piece", analyst, b.say(trap.Claim, 0))
	if b.topic.shape == trap.Scope {
		piece.Body = append(piece.Body, b.say(trap.Side, 1))
	}
	b.m.Primary = message("official", desk, b.say(trap.Claim, 1))
	piece.Good, b.m.Primary.Good = true, true
	var peers []trap.Doc
	peer := func(at int) *trap.Doc {
		n := len(peers)
		d := message("peer-"+fmt.Sprint(n+1), "agent:"+colleagues[at], b.say(trap.Claim, n+2))
		d.Good = true
		peers = append(peers, d)
		return &peers[n]
	}
	switch b.spec.kind.Name {
	case "false_consensus":
		piece.Origin = b.m.Outlets[0].Name
		for i, at := range b.r.Perm(len(colleagues))[:2] {
			peer(at).Origin = b.m.Outlets[i+1].Name
		}
	case "laundered_certainty":
		piece.Origin = peer(b.r.IntN(len(colleagues))).Author
	}
	b.m.Piece = piece
	b.m.Docs = append([]trap.Doc{piece, b.m.Primary, message("directory", directory, trap.Sentence{Text: "who there is"})}, peers...)
}
