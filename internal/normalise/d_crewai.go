package normalise

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// crewAI is CrewAI through OpenInference.
var crewAI = crewAIVia()

func crewAIVia() dialect {
	d := via(openInference, "crewai", []string{"openinference.instrumentation.crewai"}, Framework{
		Title:   "CrewAI",
		Reads:   "crews, agents, tasks, tools through OpenInference, the task without the demands around it; the same through OpenLLMetry and OpenLIT",
		Lacks:   "model calls: they come from the instrumentation of the model's client (OpenAI, LiteLLM); a crew's tokens are sums",
		Content: contentOfOpenInference,
		Session: sessionOfOpenInference,
	})
	d.read = func(b *bag, s *trace.Step) {
		readOpenInference(b, s)
		if s.Kind == trace.KindWorkflow || s.Kind == trace.KindAgent {
			b.crewOutput(s)
		}
	}
	return d
}

// crewOutput reads what a crew or a task gave: an object with the answer as it
// was said, around the conversation that led to it.
func (b *bag) crewOutput(s *trace.Step) {
	a, ok := b.attr(kOutputValue)
	if !ok || a.val.Type() != pcommon.ValueTypeStr || !strings.HasPrefix(a.val.Str(), "{") {
		return
	}
	whole := a.val.Str()
	said, _ := value.Decode(value.Member(whole, "raw")).(string)
	if said == "" {
		return
	}
	s.RawOutput = b.raw(a.key, whole)
	if value.Member(whole, "messages") == "" {
		s.Output = trace.LazyMessages(func() []trace.Message { return message.List(said, message.Output) })
	}
}
