package report

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// maxSARIF is how many results a SARIF log holds; code-scanning services
// refuse larger ones. What is left out is counted in the log.
const maxSARIF = 5000

// sarifHandler writes SARIF 2.1.0. The location of a result is the rule that
// failed; the trace and its spans are logical locations, since a trace is no
// file of the repository.
type sarifHandler struct {
	w       io.Writer
	start   Start
	rules   map[string]Rule
	results []sarifResult
	omitted int
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	Level               string            `json:"level"`
	Kind                string            `json:"kind,omitempty"`
	Message             sarifMessage      `json:"message"`
	Locations           []sarifLocation   `json:"locations"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	Properties          map[string]any    `json:"properties"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact map[string]string `json:"artifactLocation"`
	Region   map[string]int    `json:"region,omitempty"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

func newSARIF(w io.Writer) Handler { return &sarifHandler{w: w, results: []sarifResult{}} }

func (h *sarifHandler) Start(s Start) error { h.start, h.rules = s, s.byID(); return nil }

func (h *sarifHandler) Trace(g *trace.Grade) error {
	h.add("trace", g.Trace.ID, g.Findings)
	return nil
}

func (h *sarifHandler) Session(s *Session) error {
	kind, id := s.subject()
	h.add(kind, id, s.Findings)
	return nil
}

func (h *sarifHandler) add(kind, id string, list []trace.Finding) {
	for _, f := range listed(h.start.All, list) {
		if len(h.results) == maxSARIF {
			h.omitted++
			continue
		}
		text := f.Message
		if text == "" {
			text = f.Reason
		}
		r := sarifResult{
			RuleID: f.Rule, Level: sarifLevel(&f), Kind: sarifKind(f.Outcome), Message: sarifMessage{fmt.Sprintf("%s %s: %s", kind, id, text)},
			PartialFingerprints: map[string]string{"subject/v1": f.Rule + "/" + f.SubjectID},
			Properties:          map[string]any{"outcome": f.Outcome.String(), kind + "_id": id, "witness": append([]string{}, f.Witness...)},
		}
		if why := h.rules[f.Rule].withheld(&f); why != "" {
			r.Level = "note"
			r.Properties["does_not_gate"] = why
		}
		location := sarifLocation{Physical: h.physical(f.Rule)}
		for _, w := range f.Witness {
			location.Logical = append(location.Logical, sarifLogical{Name: w, Kind: "span"})
		}
		r.Locations = []sarifLocation{location}
		h.results = append(h.results, r)
	}
}

var sourcePlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*?):(\d+)(?::\d+)?$`) })

func (h *sarifHandler) physical(rule string) *sarifPhysical {
	r, ok := h.rules[rule]
	if !ok {
		return nil
	}
	p := &sarifPhysical{Artifact: map[string]string{"uri": r.Source}}
	if m := sourcePlace().FindStringSubmatch(r.Source); m != nil {
		line, _ := strconv.Atoi(m[2])
		p.Artifact["uri"], p.Region = m[1], map[string]int{"startLine": line}
	}
	return p
}

func sarifLevel(f *trace.Finding) string {
	if f.Outcome != trace.OutcomeFail {
		return "none"
	}
	switch f.Severity {
	case trace.SeverityHigh, trace.SeverityCritical:
		return "error"
	case trace.SeverityMedium:
		return "warning"
	case trace.SeverityLow, trace.SeverityUnset:
	}
	return "note"
}

func sarifKind(o trace.Outcome) string {
	switch o {
	case trace.OutcomePass:
		return "pass"
	case trace.OutcomeNotApplicable:
		return "notApplicable"
	case trace.OutcomeError, trace.OutcomeSkipped:
		return "open"
	case trace.OutcomeFail, trace.OutcomeUnset:
	}
	return "fail"
}

func (h *sarifHandler) End(s *Summary) error {
	type rule struct {
		ID         string         `json:"id"`
		Short      sarifMessage   `json:"shortDescription"`
		Properties map[string]any `json:"properties"`
	}
	rules := []rule{}
	for _, r := range h.start.Rules {
		title := r.Title
		if title == "" {
			title = r.ID
		}
		properties := map[string]any{"severity": r.Severity.String(), "rule_hash": r.Hash}
		if r.Withheld != "" {
			properties["does_not_gate"] = r.Withheld
		}
		if r.Limit != "" {
			properties["limit"] = r.Limit
		}
		rules = append(rules, rule{r.ID, sarifMessage{title}, properties})
	}
	run := map[string]any{
		"tool": map[string]any{"driver": map[string]any{
			"name": "tracegrade", "version": h.start.Version, "rules": rules,
		}},
		"invocations": []any{map[string]any{
			"executionSuccessful": len(s.lacking()) == 0, "toolExecutionNotifications": sarifNotifications(s),
		}},
		"results":    h.results,
		"properties": map[string]any{"omitted_results": h.omitted},
	}
	b, err := marshal(map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []any{run},
	})
	if err != nil {
		return err
	}
	_, err = h.w.Write(append(b, '\n'))
	return err
}

// sarifNotifications says what the report is not about.
func sarifNotifications(s *Summary) []any {
	list := []any{}
	for _, l := range s.lacking() {
		list = append(list, map[string]any{"level": "error", "message": sarifMessage{Line(l.String(), 500)}})
	}
	return list
}
