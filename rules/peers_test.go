package rules_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// The verdicts of other tools on testdata/peers/traces.json were made by
// running them: the scripts beside it say how.

// asPydantic is pydantic-evals' SpanQuery keys, by the queries of
// spanquery.py: does any span match?
var asPydantic = map[string]string{
	"name_equals":          `any(steps(), .name == "chat gpt-5")`,
	"name_contains":        `any(steps(), .name contains "search")`,
	"name_matches_regex":   `any(steps(), .name matches "^execute_tool [a-c]")`,
	"has_attributes":       `any(steps(), .attributes["tenant"] == "acme")`,
	"has_attribute_keys":   `any(steps(), .attributes["tenant"] != nil)`,
	"min_duration":         `any(steps(), .name contains "execute_tool" and .duration >= duration("2s"))`,
	"max_duration":         `any(steps(), .name contains "execute_tool" and .duration <= duration("300ms"))`,
	"not_":                 `any(steps(), .name contains "execute_tool" and not (.name contains "search"))`,
	"and_":                 `any(steps(), .name contains "execute_tool" and .name contains "calc")`,
	"or_":                  `any(steps(), .name contains "open_page" or .name contains "GET")`,
	"min_child_count":      `any(steps(), len(children(#)) >= 3)`,
	"max_child_count":      `any(steps(), .name contains "invoke_agent" and len(children(#)) <= 2)`,
	"some_child_has":       `any(steps(), any(children(#), .name contains "calculator"))`,
	"all_children_have":    `any(steps(), .name contains "invoke_agent" and all(children(#), .name contains "tool"))`,
	"no_child_has":         `any(steps(), .name contains "invoke_agent" and none(children(#), .name contains "calculator"))`,
	"min_descendant_count": `any(steps(), descendantCount(#) >= 4)`,
	"max_descendant_count": `any(steps(), .name contains "invoke_agent" and descendantCount(#) <= 2)`,
	"some_descendant_has":  `any(steps(), .name contains "calculator" and under(#, "agent", "invoke_agent*") != nil)`,
	"no_descendant_has":    `len(agents()) > 0 and none(steps(), .name contains "open_page" and under(#, "agent") != nil)`,
	"min_depth":            `any(steps(), .depth >= 2)`,
	"max_depth":            `any(steps(), .name contains "tool" and .depth <= 1)`,
	"some_ancestor_has":    `any(steps(), .name contains "calculator" and under(#, "tool", "*search*") != nil)`,
	"no_ancestor_has":      `any(steps(), .name contains "calculator" and under(#, "tool", "*search*") == nil)`,
}

// asAgentevals writes a match mode of LangChain's agentevals against the
// reference trajectory of agentevals.mjs.
func asAgentevals(mode, args string) string {
	search, calculator := `.tool.name == "search_web"`, `.tool.name == "calculator"`
	switch args {
	case "exact":
		search += ` and .tool.arguments == {"query": "X200"}`
		calculator += ` and .tool.arguments == {"expression": "2*3"}`
	case "superset":
		search += ` and .tool.arguments.query == "X200"`
		calculator += ` and .tool.arguments.expression == "2*3"`
	case "subset":
		search += ` and all(keys(.tool.arguments), # == "query") and (.tool.arguments.query ?? "X200") == "X200"`
		calculator += ` and all(keys(.tool.arguments), # == "expression") and (.tool.arguments.expression ?? "2*3") == "2*3"`
	}
	template := map[string]string{
		"strict":    `map(tools(), S) == [true, false] and map(tools(), C) == [false, true]`,
		"unordered": `len(tools()) == 2 and count(tools(), S) == 1 and count(tools(), C) == 1`,
		"subset":    `all(tools(), S or C) and count(tools(), S) <= 1 and count(tools(), C) <= 1`,
		"superset":  `any(tools(), S) and any(tools(), C)`,
	}[mode]
	return strings.NewReplacer("S", search, "C", calculator).Replace(template)
}

// asPromptfoo is promptfoo's trace and trajectory assertions, by the names in
// promptfoo.mjs. What has no subject passes there: so it is written here.
var asPromptfoo = map[string]string{
	"span-count":          `len(named("*search*")) >= 1 and len(named("*search*")) <= 3`,
	"span-count none":     `len(named("*search*")) == 0`,
	"span-duration":       `all(named("*search*"), .seconds <= 2)`,
	"span-duration p50":   `percentile(map(named("execute_tool *"), .seconds), 50) <= 0.3`,
	"error-spans count":   `all(steps(), .ok)`,
	"error-spans share":   `count(steps(), not .ok) / len(steps()) <= 0.1`,
	"error-spans pattern": `all(named("*calculator*"), .ok)`,
	"tool-used":           `len(tools("search_web")) > 0`,
	"tool-used both":      `len(tools("search_web")) > 0 and len(tools("calculator")) > 0`,
	"tool-used pattern":   `len(tools("*c*")) >= 2 and len(tools("*c*")) <= 4`,
	"tool-not-used":       `len(tools("calculator")) == 0`,
	"args partial":        `any(tools("search_web"), .tool.arguments.query == "X200")`,
	"args exact":          `any(tools("calculator"), .tool.arguments == {"expression": "2*3"})`,
	"sequence in order":   `firstAfter(first(tools("search_web")), tools("calculator")) != nil`,
	"sequence exact":      `map(tools(), .tool.name) == ["search_web", "calculator"]`,
	"step-count":          `len(tools()) >= 1 and len(tools()) <= 2`,
}

// peerTraces reads the common traces.
func peerTraces(t *testing.T) map[string]*trace.Trace {
	t.Helper()
	data, err := os.ReadFile("testdata/peers/traces.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw []struct {
		Name  string
		Spans []struct {
			ID, Parent int
			Name       string
			Start, End int
			Error      bool
			Attributes map[string]any
			Args       map[string]any
		}
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	traces := map[string]*trace.Trace{}
	for _, r := range raw {
		tr := &trace.Trace{ID: r.Name}
		for _, s := range r.Spans {
			one := &trace.Step{ID: fmt.Sprint(s.ID), SpanID: fmt.Sprint(s.ID), Name: s.Name, Attributes: s.Attributes,
				Start: begin.Add(time.Duration(s.Start) * time.Millisecond), End: begin.Add(time.Duration(s.End) * time.Millisecond)}
			if s.Parent > 0 {
				one.ParentID = fmt.Sprint(s.Parent)
			}
			one.Status.Failed = s.Error
			switch {
			case strings.HasPrefix(s.Name, "invoke_agent "):
				one.Kind = trace.KindAgent
			case strings.HasPrefix(s.Name, "chat "):
				one.Kind = trace.KindLLM
			case strings.HasPrefix(s.Name, "execute_tool "):
				one.Kind = trace.KindTool
				one.Tool = &trace.Tool{Name: strings.TrimPrefix(s.Name, "execute_tool "), Arguments: trace.DataValue(s.Args)}
			}
			tr.Steps = append(tr.Steps, one)
		}
		traces[r.Name] = tr
	}
	return traces
}

func TestPeersAgree(t *testing.T) {
	verdicts := func(file string) map[string]map[string]bool {
		data, err := os.ReadFile("testdata/peers/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]map[string]bool
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	compared := map[string]bool{}
	check := func(peer, key, condition string, want map[string]map[string]bool) {
		for name, tr := range peerTraces(t) {
			verdict, ok := want[name][key]
			if !ok {
				t.Errorf("%s has no verdict on %s of %q", peer, key, name)
				continue
			}
			compared[peer+" "+key] = true
			f := holds(t, condition, tr)
			if (f.Outcome == trace.OutcomePass) != verdict || f.Outcome == trace.OutcomeError {
				t.Errorf("%s %s on %q: %v (%s), the peer says %v\n%s", peer, key, name, f.Outcome, f.Message, verdict, condition)
			}
		}
	}
	pydantic := verdicts("pydantic_evals.json")
	for key, condition := range asPydantic {
		check("pydantic-evals", key, condition, pydantic)
	}
	agentevals := verdicts("agentevals.json")
	for _, mode := range []string{"strict", "unordered", "subset", "superset"} {
		for _, args := range []string{"exact", "ignore", "subset", "superset"} {
			check("agentevals", mode+"/"+args, asAgentevals(mode, args), agentevals)
		}
	}
	promptfoo := verdicts("promptfoo.json")
	for key, condition := range asPromptfoo {
		check("promptfoo", key, condition, promptfoo)
	}
	if len(compared) < 15 {
		t.Errorf("%d assertions of peers were compared, want at least 15", len(compared))
	}
}
