package normalise_test

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// say writes messages for comparison at a glance, one a line:
//
//	role !finish: text (reasoning) [call id args] <result id value>
func say(m *trace.Messages) string {
	var b strings.Builder
	for i, m := range m.List() {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(string(m.Role))
		if m.FinishReason != "" {
			b.WriteString(" !" + m.FinishReason)
		}
		b.WriteByte(':')
		for _, p := range m.Parts {
			switch p.Type {
			case trace.PartText:
				b.WriteString(" " + p.Text)
			case trace.PartReasoning:
				b.WriteString(" (" + p.Text + ")")
			case trace.PartToolCall:
				fmt.Fprintf(&b, " [%s %s %s]", p.Name, p.ID, trace.EncodeJSON(p.Value.Data()))
			case trace.PartToolResult:
				mark := ""
				if p.IsError {
					mark = "!"
				}
				fmt.Fprintf(&b, " <%s%s %s>", mark, p.ID, trace.EncodeJSON(p.Value.Data()))
			default:
				fmt.Fprintf(&b, " {%s}", p.Type)
			}
		}
	}
	return b.String()
}

// sayStep writes a step for comparison: what it is, then what is set of it.
func sayStep(s *trace.Step) []string {
	out := []string{fmt.Sprintf("%s %q by %s, %s", s.Kind, s.Name, s.KindSource, s.Dialect)}
	add := func(label, text string) {
		if text != "" {
			out = append(out, label+" "+text)
		}
	}
	add("agent", strings.TrimSpace(s.Agent.ID+" "+s.Agent.Name))
	add("session", s.Session)
	add("user", s.User)
	if s.Model.Request+s.Model.Response != "" {
		add("model", fmt.Sprintf("%s %s %s %v", s.Model.Provider, s.Model.Request, s.Model.Response, s.Model.FinishReasons))
	}
	if u := s.Usage; u.Scope != trace.UsageNone {
		add("usage", fmt.Sprintf("%v %d+%d reasoning %d cache %d/%d", u.Scope, u.Input, u.Output, u.Reasoning, u.CacheRead, u.CacheWrite))
	}
	var names []string
	for _, d := range s.Tools() {
		names = append(names, d.Name)
	}
	add("offered", strings.Join(names, " "))
	add("in", say(&s.Input))
	add("out", say(&s.Output))
	add("rawin", s.RawInput.Text())
	add("rawout", s.RawOutput.Text())
	if t := s.Tool; t != nil {
		add("tool", strings.TrimSpace(t.Name+" "+t.CallID))
		if t.Arguments.Captured() {
			add("args", trace.EncodeJSON(t.Arguments.Data()))
		}
		if t.Result.Captured() {
			add("result", trace.EncodeJSON(t.Result.Data()))
		}
		add("error", t.Error)
	}
	for _, d := range s.Documents {
		add("doc", strings.TrimSpace(fmt.Sprintf("%s %s %s %s", d.ID, d.Title, d.URL, d.PublishedAt)))
	}
	if s.Status.Failed {
		add("failed", strings.TrimSpace(s.Status.Source+" "+s.Status.ErrorType))
	}
	if s.Capture != trace.CaptureFull {
		add("capture", s.Capture.String())
	}
	for _, l := range s.Losses {
		add("loss", l.Reason+" "+l.Key)
	}
	return out
}

// has reports whether a step has all of these lines.
func lacks(s *trace.Step, want ...string) []string {
	have := map[string]bool{}
	for _, line := range sayStep(s) {
		have[line] = true
	}
	var out []string
	for _, w := range want {
		if !have[w] {
			out = append(out, w)
		}
	}
	return out
}

// built is a span under construction.
type built struct {
	scope string
	span  ptrace.Span
}

// aSpan begins a span with attributes in pairs.
func aSpan(name string, pairs ...any) built {
	b := built{span: ptrace.NewSpan()}
	b.span.SetName(name)
	put(b.span.Attributes(), pairs)
	return b
}

func put(m pcommon.Map, pairs []any) {
	for i := 0; i+1 < len(pairs); i += 2 {
		v := m.PutEmpty(pairs[i].(string))
		if err := v.FromRaw(pairs[i+1]); err != nil {
			panic(err)
		}
	}
}

func (b built) event(name string, pairs ...any) built {
	e := b.span.Events().AppendEmpty()
	e.SetName(name)
	put(e.Attributes(), pairs)
	return b
}

func (b built) in(scope string) built { b.scope = scope; return b }

func (b built) failed(message string) built {
	b.span.Status().SetCode(ptrace.StatusCodeError)
	b.span.Status().SetMessage(message)
	return b
}

func (b built) read() *trace.Step {
	scope := pcommon.NewInstrumentationScope()
	scope.SetName(b.scope)
	return normalise.New(normalise.Options{}).Span(pcommon.NewResource(), scope, b.span)
}

// fixture reads one span of another project's file.
func fixture(t *testing.T, file, name string) *trace.Step {
	t.Helper()
	for _, s := range steps(t, fixtures(t)+"/"+file) {
		if s.Name == name || name == "" {
			return s
		}
	}
	t.Fatalf("%s: no span %q", file, name)
	return nil
}

// fragments reads the log records of a file.
func fragments(t *testing.T, file string) []*trace.Fragment {
	t.Helper()
	_, logs := readFile(t, file)
	r := normalise.New(normalise.Options{})
	var out []*trace.Fragment
	for _, ld := range logs {
		out = append(out, read(r, ld)...)
	}
	return out
}

func read(r *normalise.Reader, ld plog.Logs) (out []*trace.Fragment) {
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				if f := r.Log(rl.Resource(), sl.Scope(), lr); f != nil {
					out = append(out, f)
				}
			}
		}
	}
	return out
}
