package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

//go:embed peers/peers.mjs
var peersScript []byte

// peerSpans is how many spans the peers are given at most: they are slow.
const peerSpans = 10_000

// check is one question, in a peer's words and as a rule's assertion.
type check struct {
	theirs any
	ours   string
}

// promptfooChecks are twenty assertions of promptfoo on traces.
func promptfooChecks() []check {
	assert := func(kind string, value any, ours string) check {
		return check{map[string]any{"type": kind, "value": value}, ours}
	}
	type m = map[string]any
	list := []check{
		assert("trace-span-count", m{"pattern": "*chat*", "min": 1}, `len(named("*chat*")) >= 1`),
		assert("trace-span-count", m{"pattern": "*", "min": 1, "max": 50}, `len(named("*")) >= 1 and len(named("*")) <= 50`),
		assert("trace-span-duration", m{"pattern": "*", "max": 60_000}, `all(steps(), .seconds <= 60)`),
		assert("trace-span-duration", m{"pattern": "*", "max": 5_000, "percentile": 95}, `percentile(map(steps(), .seconds), 95) <= 5`),
		assert("trace-error-spans", m{"max_count": 0}, `all(steps(), .ok)`),
		assert("trace-error-spans", m{"max_percentage": 20}, `count(steps(), not .ok) / len(steps()) <= 0.2`),
		assert("trajectory:step-count", m{"type": "tool", "max": 5}, `len(steps("tool")) <= 5`),
		assert("trajectory:step-count", m{"type": "tool", "min": 1}, `len(steps("tool")) >= 1`),
	}
	for _, tool := range []string{"search_web", "get_page", "calculator", "get_current_date"} {
		list = append(list,
			assert("trajectory:tool-used", tool, fmt.Sprintf("len(tools(%q)) > 0", tool)),
			assert("not-trajectory:tool-used", tool, fmt.Sprintf("len(tools(%q)) == 0", tool)))
	}
	for _, tools := range [][2]string{{"search_web", "calculator"}, {"get_current_date", "search_web"}} {
		list = append(list,
			assert("trajectory:tool-sequence", m{"steps": tools, "mode": "in_order"}, fmt.Sprintf("firstAfter(first(tools(%q)), tools(%q)) != nil", tools[0], tools[1])),
			assert("trajectory:tool-sequence", m{"steps": tools, "mode": "exact"}, fmt.Sprintf("map(tools(), .tool.name) == [%q, %q]", tools[0], tools[1])))
	}
	return list
}

// agentevalsChecks are twenty match modes of agentevals against a reference.
func agentevalsChecks() []check {
	type call struct{ tool, key, value string }
	var list []check
	add := func(mode, args string, reference ...call) {
		var calls [][2]any
		var is []string
		for _, c := range reference {
			calls = append(calls, [2]any{c.tool, map[string]string{c.key: c.value}})
			arguments := ""
			switch args {
			case "exact":
				arguments = fmt.Sprintf(" and .tool.arguments == {%q: %q}", c.key, c.value)
			case "superset":
				arguments = fmt.Sprintf(" and .tool.arguments.%s == %q", c.key, c.value)
			case "subset":
				arguments = fmt.Sprintf(" and all(keys(.tool.arguments), # == %q) and (.tool.arguments.%s ?? %q) == %q", c.key, c.key, c.value, c.value)
			}
			is = append(is, fmt.Sprintf("(.tool.name == %q%s)", c.tool, arguments))
		}
		var ours string
		switch mode {
		case "strict":
			ours = fmt.Sprintf("len(tools()) == %d", len(is))
			for i, one := range is {
				ours += fmt.Sprintf(" and any(tools()[%d:%d], %s)", i, i+1, one)
			}
		case "unordered":
			ours = fmt.Sprintf("len(tools()) == %d", len(is))
			for _, one := range is {
				ours += fmt.Sprintf(" and count(tools(), %s) == 1", one)
			}
		case "subset":
			ours = fmt.Sprintf("all(tools(), %s)", strings.Join(is, " or "))
			for _, one := range is {
				ours += fmt.Sprintf(" and count(tools(), %s) <= 1", one)
			}
		case "superset":
			for i, one := range is {
				if i > 0 {
					ours += " and "
				}
				ours += fmt.Sprintf("any(tools(), %s)", one)
			}
		}
		list = append(list, check{map[string]any{"mode": mode, "args": args, "reference": calls}, ours})
	}
	search, convert := call{"search_web", "query", "Zephyr Tab S price"}, call{"calculator", "expression", "999 * 0.9134"}
	for _, mode := range []string{"strict", "unordered", "subset", "superset"} {
		for _, args := range []string{"exact", "ignore", "subset", "superset"} {
			add(mode, args, search, convert)
		}
		add(mode, "ignore", call{"get_current_date", "x", "y"})
	}
	return list
}

// ruleSet is the checks as rules.
func ruleSet(checks []check) (*rules.Set, error) {
	var b bytes.Buffer
	b.WriteString("rules:\n")
	for i, c := range checks {
		fmt.Fprintf(&b, "  - id: check-%d\n    severity: low\n    scope: trace\n    assert: |\n      %s\n", i, c.ours)
	}
	f, err := rules.Parse("checks.yaml", b.Bytes())
	if err != nil {
		return nil, err
	}
	return rules.Compile(f)
}

// cost is what twenty checks took, in processor time.
type cost struct {
	Peer    string
	Passes  int
	Unread  int     // of ours: not applicable, where arguments were not recorded
	Grading float64 // seconds, traces at hand
	Whole   float64 // from the text of the file
}

// peers compares the CPU time of twenty checks with that of the same checks in
// promptfoo and in agentevals, on the same traces.
func (b *bench) peers(ctx context.Context) error {
	if b.peerModules == "" {
		fmt.Fprintln(b.out, "not run: -peers names a folder with promptfoo@0.121.20 and agentevals@0.0.7 in its node_modules")
		return nil
	}
	file := filepath.Join(b.work, "peers.otlp.jsonl")
	if err := b.writeFile(file, min(b.spans, peerSpans)); err != nil {
		return err
	}
	traces, _, err := offline.Traces(ctx, []string{file}, offline.Options{})
	if err != nil {
		return err
	}
	spans := 0
	for _, t := range traces {
		spans += len(t.Steps)
	}
	checks := map[string][]check{"promptfoo": promptfooChecks(), "agentevals": agentevalsChecks()}
	theirs, err := b.runPeers(ctx, traces, checks)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%d traces, %d spans, %d checks each; start-up left out on both sides\n\n", len(traces), spans, len(checks["promptfoo"]))
	b.head("spans per CPU-second", "the peer", "tracegrade", "times", "verdicts that pass", "not applicable here")
	for _, t := range theirs {
		set, err := ruleSet(checks[t.Peer])
		if err != nil {
			return err
		}
		o, err := ourCost(ctx, set, file)
		if err != nil {
			return err
		}
		rate := func(seconds float64) string { return fmt.Sprintf("%.0f", float64(spans)/seconds) }
		passes := fmt.Sprintf("%d there, %d here", t.Passes, o.Passes)
		b.row(t.Peer+", grading alone", rate(t.Grading), rate(o.Grading), fmt.Sprintf("%.0f", t.Grading/o.Grading), passes, o.Unread)
		b.row(t.Peer+", from the file", rate(t.Whole), rate(o.Whole), fmt.Sprintf("%.1f", t.Whole/o.Whole), "", "")
	}
	return nil
}

// ourCost reads and grades the file, and grades its traces again and again for
// a second.
func ourCost(ctx context.Context, set *rules.Set, file string) (cost, error) {
	var c cost
	before := ownCPU()
	_, err := offline.Each(ctx, []string{file}, offline.Options{}, func(i offline.Item) cost {
		return verdicts(set, i.Trace)
	}, func(one cost) error { c.Passes, c.Unread = c.Passes+one.Passes, c.Unread+one.Unread; return nil })
	c.Whole = (ownCPU() - before).Seconds()
	if err != nil {
		return c, err
	}
	traces, _, err := offline.Traces(ctx, []string{file}, offline.Options{})
	if err != nil {
		return c, err
	}
	for _, t := range traces {
		verdicts(set, t) // decodes what the checks look at, as parsing does for the peers
	}
	rounds := 0
	before = ownCPU()
	for ; ownCPU()-before < time.Second; rounds++ {
		for _, t := range traces {
			verdicts(set, t)
		}
	}
	c.Grading = (ownCPU() - before).Seconds() / float64(rounds)
	return c, nil
}

// verdicts counts what the checks say of a trace.
func verdicts(set *rules.Set, t *trace.Trace) (c cost) {
	_, counts := set.Eval(t)
	for i := range counts {
		c.Passes += counts[i].Pass
		c.Unread += counts[i].NotApplicable
	}
	return c
}

// runPeers writes the traces in the form that the peers take, and runs them.
func (b *bench) runPeers(ctx context.Context, traces []*trace.Trace, checks map[string][]check) ([]cost, error) {
	script, file, list := filepath.Join(b.work, "peers.mjs"), filepath.Join(b.work, "peers.jsonl"), filepath.Join(b.work, "checks.json")
	theirs := map[string][]any{}
	for peer, all := range checks {
		for _, c := range all {
			theirs[peer] = append(theirs[peer], c.theirs)
		}
	}
	data, err := json.Marshal(theirs)
	if err != nil {
		return nil, err
	}
	err = errors.Join(os.WriteFile(script, peersScript, 0o600), os.WriteFile(list, data, 0o600), writePeerTraces(file, traces))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "node", script, b.peerModules, file, list)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the peers: %w", err)
	}
	var costs []cost
	for line := range bytes.Lines(out) {
		var c cost
		if json.Unmarshal(line, &c) == nil && c.Peer != "" {
			costs = append(costs, c)
		}
	}
	if len(costs) != len(checks) {
		return nil, fmt.Errorf("the peers printed %q", out)
	}
	return costs, nil
}

// writePeerTraces writes what the peers look at, and no more: names, times,
// status, and of tools their names and arguments.
func writePeerTraces(path string, traces []*trace.Trace) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	e := json.NewEncoder(w)
	for _, t := range traces {
		var spans []any
		for _, s := range t.Steps {
			if s.DuplicateOf != "" {
				continue
			}
			attributes := map[string]string{}
			if s.Kind == trace.KindTool && s.Tool != nil {
				attributes["gen_ai.operation.name"], attributes["gen_ai.tool.name"] = "execute_tool", s.Tool.Name
				if s.Tool.Arguments.Captured() {
					attributes["gen_ai.tool.call.arguments"] = trace.EncodeJSON(s.Tool.Arguments.Data())
				}
			}
			code := 1
			if s.Status.Failed {
				code = 2
			}
			spans = append(spans, map[string]any{
				"spanId": s.ID, "parentSpanId": s.ParentID, "name": s.Name, "statusCode": code, "attributes": attributes,
				"startTime": float64(s.Start.UnixNano()) / 1e6, "endTime": float64(s.End.UnixNano()) / 1e6,
			})
		}
		if err := e.Encode(map[string]any{"trace_id": t.ID, "spans": spans}); err != nil {
			return err
		}
	}
	return errors.Join(w.Flush(), f.Close())
}
