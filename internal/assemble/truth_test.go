package assemble_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var update = flag.Bool("update", false, "rewrite testdata/truth_exceptions.txt with what is nowhere in the bytes of a run, and fail")

// truth is what happened in a run, written down by the script that played the
// model and the tools.
type truth struct {
	Session   string   `json:"session_id"`
	User      string   `json:"user_id"`
	Questions []string `json:"questions"`
	Model     struct {
		Requested []string `json:"requested"`
		Responded []string `json:"responded"`
		API       []string `json:"api"`
	} `json:"model"`
	Steps     []truthStep                  `json:"steps"`
	Answer    string                       `json:"final_answer"`
	Usage     truthUsage                   `json:"usage"`
	Documents map[string]map[string]string `json:"documents"`
}

type truthStep struct {
	Kind      string         `json:"kind"`
	Name      string         `json:"name"`
	Text      string         `json:"text"`
	Reasoning string         `json:"reasoning"`
	Calls     []truthCall    `json:"tool_calls"`
	Args      map[string]any `json:"args"`
	Result    string         `json:"result_excerpt"`
	Error     string         `json:"error"`
	Documents []string       `json:"documents"`
	Usage     truthUsage     `json:"usage"`
	turn      int
}

type truthCall struct {
	Name string         `json:"name"`
	Args map[string]any `json:"args"`
}

type truthUsage struct {
	Input     int64 `json:"input_tokens"`
	Output    int64 `json:"output_tokens"`
	Reasoning int64 `json:"reasoning_tokens"`
	Cached    int64 `json:"cached_tokens"`
}

// mismatch is one place where what was read is not what happened.
type mismatch struct {
	path      string
	want, got string
	recorded  bool // the wanted value is in the run's bytes
}

// TestTruth compares every recorded run with what truly happened. Where a value
// is missing, testdata/truth_exceptions.txt says so, and the value is nowhere in
// the bytes of the run, in any encoding.
func TestTruth(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(tracesDir, "*", "*.truth.json"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d truth files, %v; want more than 100", len(files), err)
	}
	excepted := exceptions(t)
	honest := make(map[string][]string)
	for _, file := range files {
		run := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), tracesDir+"/"), ".truth.json")
		t.Run(run, func(t *testing.T) {
			for _, m := range compare(t, file, run) {
				if !m.recorded {
					honest[run] = append(honest[run], m.path)
				}
				switch {
				case m.recorded:
					t.Errorf("%s: got %s, want %s, which is in the run's bytes", m.path, m.got, m.want)
				case !excepted[run][m.path]:
					t.Errorf("%s: got %s, want %s, and testdata/truth_exceptions.txt does not except it", m.path, m.got, m.want)
				}
				delete(excepted[run], m.path)
			}
			for path := range excepted[run] {
				t.Errorf("%s is excepted, and right", path)
			}
		})
	}
	if *update {
		writeExceptions(t, honest)
	}
}

const exceptionsFile = "testdata/truth_exceptions.txt"

// exceptions reads lines "run: path path …".
func exceptions(t *testing.T) map[string]map[string]bool {
	list := make(map[string]map[string]bool)
	f, err := os.Open(exceptionsFile)
	if err != nil {
		t.Error(err)
		return list
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		run, paths, ok := strings.Cut(s.Text(), ": ")
		if !ok || strings.HasPrefix(run, "#") {
			continue
		}
		list[run] = make(map[string]bool)
		for _, p := range strings.Fields(paths) {
			list[run][p] = true
		}
	}
	return list
}

func writeExceptions(t *testing.T, honest map[string][]string) {
	var b strings.Builder
	b.WriteString("# What happened in a run and is nowhere in its bytes, in any encoding.\n" +
		"# The test fails for a line that is not needed, or not true.\n")
	for _, run := range slices.Sorted(maps.Keys(honest)) {
		fmt.Fprintf(&b, "%s: %s\n", run, strings.Join(honest[run], " "))
	}
	if err := os.WriteFile(exceptionsFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Errorf("%s is rewritten; look at it and run again without -update", exceptionsFile)
}

// comparison collects the mismatches of one run.
type comparison struct {
	t    *testing.T
	hay  *haystack
	list []mismatch
}

func compare(t *testing.T, file, run string) []mismatch {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want truth
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	turn := 0
	for i := range want.Steps {
		if want.Steps[i].Kind == "user" {
			turn++
		}
		want.Steps[i].turn = turn
	}
	if slices.Contains(want.Model.API, "gemini") { // its counts leave thoughts out
		for i := range want.Steps {
			want.Steps[i].Usage.Output += want.Steps[i].Usage.Reasoning
		}
		want.Usage.Output += want.Usage.Reasoning
	}
	c := &comparison{t: t, hay: newHaystack(t, run+".*otlp.jsonl")}
	traces := record(t, run+".*otlp.jsonl").assemble()
	c.traces(&want, traces)
	session := assemble.Session{Traces: traces}
	if sessions := assemble.Sessions(traces); len(sessions) == 1 {
		session = sessions[0]
	} else {
		c.add("sessions", fmt.Sprint(len(sessions)), "1", c.hay.text(want.Session) || c.hay.text(want.Answer))
	}
	c.run(&want, session.Trace())
	return c.list
}

func (c *comparison) add(path, got, want string, recorded bool) {
	if got != want {
		c.list = append(c.list, mismatch{path, fmt.Sprintf("%.300q", want), fmt.Sprintf("%.300q", got), recorded})
	}
}

func (c *comparison) text(path, got, want string) {
	c.add(path, strings.TrimSpace(got), strings.TrimSpace(want), c.hay.text(want))
}

func (c *comparison) json(path string, got *trace.Value, want any) {
	have := "nothing"
	if got.Captured() {
		have = trace.EncodeJSON(got.Data())
	}
	c.add(path, have, trace.EncodeJSON(want), c.hay.json(want))
}

func (c *comparison) tokens(path, class string, got, want int64) {
	c.add(path+"."+class, fmt.Sprint(got), fmt.Sprint(want), c.hay.tokens[fmt.Sprint(class, " ", want)])
}

// traces checks what each trace must say by itself.
func (c *comparison) traces(want *truth, traces []*trace.Trace) {
	for i, t := range traces {
		if q := strings.TrimSpace(t.Question); !slices.Contains(want.Questions, q) {
			c.text(fmt.Sprintf("traces[%d].question", i), q, want.Questions[min(i, len(want.Questions)-1)])
		}
		for _, s := range t.Steps {
			for _, l := range s.Losses {
				if !slices.Contains(trace.LossReasons, l.Reason) {
					c.add("losses", l.Reason, "a reason of the closed list", true)
				}
			}
		}
	}
}

// run checks a run as a whole.
func (c *comparison) run(want *truth, got *trace.Trace) {
	c.text("session", got.Session, want.Session)
	c.text("user", got.User, want.User)
	c.text("question", got.Question, want.Questions[len(want.Questions)-1]) // the one that the answer is to
	c.text("answer", got.Answer, want.Answer)
	c.usage("usage", got.Usage, want.Usage)
	if got.Release.MissingParents != 0 {
		c.add("missing_parents", fmt.Sprint(got.Release.MissingParents), "0", true)
	}
	c.steps(want, got)
}

func (c *comparison) usage(path string, got trace.Usage, want truthUsage) {
	c.tokens(path, "input", got.Input, want.Input)
	c.tokens(path, "output", got.Output, want.Output)
	c.tokens(path, "reasoning", got.Reasoning, want.Reasoning)
	c.tokens(path, "cached", got.CacheRead, want.Cached)
}

// steps aligns model and tool steps in order and compares each pair.
func (c *comparison) steps(want *truth, got *trace.Trace) {
	var wanted []*truthStep
	index := make(map[*truthStep]int)
	for i := range want.Steps {
		if s := &want.Steps[i]; s.Kind == "model" || s.Kind == "tool" {
			index[s] = i
			wanted = append(wanted, s)
		}
	}
	found := done(got)
	arrangeParallel(wanted, found)
	pairs, extra := align(wanted, found)
	for _, s := range extra {
		c.add("extra", fmt.Sprintf("%s %s", s.Kind, s.Label()), "no such step", true)
	}
	for _, w := range wanted {
		path := fmt.Sprintf("steps[%d]", index[w])
		s := pairs[w]
		if s == nil {
			s = &trace.Step{}
		} else {
			c.add(path+".turn", fmt.Sprint(s.Turn), fmt.Sprint(w.turn), c.hay.text(want.Questions[w.turn-1]))
		}
		if w.Kind == "model" {
			c.model(path, w, s)
		} else {
			c.tool(path, w, s, want)
		}
	}
}

// done lists what was done, without structure and repetitions. A retriever
// within a tool is how the tool works.
func done(t *trace.Trace) []*trace.Step {
	tools := make(map[string]bool)
	for _, s := range t.Steps {
		if s.Kind == trace.KindTool {
			tools[s.SpanID] = true
		}
	}
	var list []*trace.Step
	for _, s := range t.Steps {
		if s.DuplicateOf == "" && (s.Kind == trace.KindLLM || isCall(s) && !(s.Kind == trace.KindRetriever && tools[s.ParentID])) {
			list = append(list, s)
		}
	}
	return list
}

func isCall(s *trace.Step) bool {
	return s.Kind == trace.KindTool || s.Kind == trace.KindRetriever || s.Kind == trace.KindMemory
}

// arrangeParallel puts tool steps between the same model steps into the order
// of the truth: what happened in parallel has none.
func arrangeParallel(want []*truthStep, got []*trace.Step) {
	wanted := runsOf(want, func(s *truthStep) bool { return s.Kind == "tool" })
	found := runsOf(got, isCall)
	for i := range min(len(wanted), len(found)) {
		rest := slices.Clone(found[i])
		var arranged []*trace.Step
		for _, w := range wanted[i] {
			best, score := -1, -1
			for j, s := range rest {
				if n := resemblance(w, s); n > score {
					best, score = j, n
				}
			}
			if best >= 0 {
				arranged = append(arranged, rest[best])
				rest = slices.Delete(rest, best, best+1)
			}
		}
		copy(found[i], append(arranged, rest...))
	}
}

// runsOf cuts a list into its runs of tool steps, empty ones included, one
// before each model step and one at the end.
func runsOf[T any](list []T, tool func(T) bool) [][]T {
	var runs [][]T
	from := 0
	for i := range list {
		if !tool(list[i]) {
			runs = append(runs, list[from:i])
			from = i + 1
		}
	}
	return append(runs, list[from:])
}

func resemblance(w *truthStep, s *trace.Step) int {
	n := 0
	if s.Tool == nil {
		return n
	}
	if s.Tool.Name == w.Name {
		n += 4
	}
	if trace.EncodeJSON(s.Tool.Arguments.Data()) == trace.EncodeJSON(orEmpty(w.Args)) {
		n += 2
	}
	if holds(s.Tool.Result.Data(), value.Decode(w.Result)) {
		n++
	}
	return n
}

// holds reports whether a result is the wanted one, which a framework may have
// put under a key of its own, or the truth may have cut.
func holds(have, want any) bool {
	if m, ok := have.(map[string]any); ok && len(m) == 1 {
		for _, inner := range m {
			if _, alsoMap := want.(map[string]any); !alsoMap && holds(inner, want) {
				return true
			}
		}
	}
	return strings.HasPrefix(trace.EncodeJSON(have), strings.TrimSuffix(trace.EncodeJSON(want), `"`))
}

// align pairs the two lists in order, so that as many names as possible agree.
func align(want []*truthStep, got []*trace.Step) (pairs map[*truthStep]*trace.Step, extra []*trace.Step) {
	score := func(w *truthStep, s *trace.Step) int {
		switch {
		case (w.Kind == "model") != (s.Kind == trace.KindLLM):
			return 0
		case w.Kind == "tool" && s.Label() == w.Name, w.Kind == "model":
			return 3
		}
		return 2
	}
	best := make([][]int, len(want)+1)
	for i := range best {
		best[i] = make([]int, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if s := score(want[i], got[j]); s > 0 {
				best[i][j] = max(best[i][j], s+best[i+1][j+1])
			}
		}
	}
	pairs = make(map[*truthStep]*trace.Step)
	i, j := 0, 0
	for i < len(want) && j < len(got) {
		s := score(want[i], got[j])
		switch {
		case s > 0 && best[i][j] == s+best[i+1][j+1]:
			pairs[want[i]] = got[j]
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			extra = append(extra, got[j])
			j++
		}
	}
	return pairs, append(extra, got[j:]...)
}

func (c *comparison) model(path string, w *truthStep, s *trace.Step) {
	c.text(path+".model", cmp.Or(s.Model.Response, s.Model.Request), w.Name)
	var text, reasoning []string
	var calls []truthCall
	for _, m := range s.Output.List() {
		for i := range m.Parts {
			switch p := &m.Parts[i]; p.Type {
			case trace.PartText:
				text = append(text, p.Text)
			case trace.PartReasoning:
				reasoning = append(reasoning, p.Text)
			case trace.PartToolCall:
				args, _ := p.Value.Data().(map[string]any)
				calls = append(calls, truthCall{p.Name, args})
			default:
			}
		}
	}
	c.text(path+".text", strings.Join(text, "\n"), w.Text)
	c.text(path+".reasoning", strings.Join(reasoning, "\n"), w.Reasoning)
	for i, call := range w.Calls {
		at := slices.IndexFunc(calls, func(have truthCall) bool {
			return have.Name == call.Name && trace.EncodeJSON(orEmpty(have.Args)) == trace.EncodeJSON(orEmpty(call.Args))
		})
		if at >= 0 {
			calls = slices.Delete(calls, at, at+1)
			continue
		}
		c.add(fmt.Sprintf("%s.calls[%d]", path, i), fmt.Sprint(calls), fmt.Sprint(call), c.asked(call.Args))
	}
	if len(calls) > len(w.Calls) {
		c.add(path+".calls", fmt.Sprint(calls), "no more calls", true)
	}
	c.usage(path+".usage", s.Usage, w.Usage)
}

// asked reports whether the arguments of a call are in the bytes. That there
// were none cannot be told from bytes.
func (c *comparison) asked(args map[string]any) bool { return len(args) > 0 && c.hay.json(args) }

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func (c *comparison) tool(path string, w *truthStep, s *trace.Step, want *truth) {
	tool := s.Tool
	if tool == nil {
		tool = &trace.Tool{}
	}
	c.text(path+".name", tool.Name, w.Name)
	args := "nothing"
	if tool.Arguments.Captured() {
		args = trace.EncodeJSON(tool.Arguments.Data())
	}
	c.add(path+".arguments", args, trace.EncodeJSON(orEmpty(w.Args)), c.asked(w.Args))
	if w.Error != "" {
		c.add(path+".failed", fmt.Sprint(s.Status.Failed), "true", c.hay.text(w.Error))
		if !strings.Contains(tool.Error, w.Error) {
			c.text(path+".error", tool.Error, w.Error)
		}
		return
	}
	c.add(path+".failed", fmt.Sprint(s.Status.Failed), "false", true)
	result := value.Decode(w.Result)
	if !tool.Result.Captured() || !holds(tool.Result.Data(), result) {
		c.json(path+".result", &tool.Result, result)
	}
	for i, id := range w.Documents {
		c.document(fmt.Sprintf("%s.documents[%d]", path, i), s, i, want.Documents[id])
	}
	if len(s.Documents) > len(w.Documents) {
		c.add(path+".documents", fmt.Sprint(len(s.Documents)), fmt.Sprint(len(w.Documents)), true)
	}
}

func (c *comparison) document(path string, s *trace.Step, i int, want map[string]string) {
	var d trace.Document
	if i < len(s.Documents) {
		d = s.Documents[i]
	}
	c.text(path+".id", d.ID, want["id"])
	c.text(path+".title", d.Title, want["title"])
	c.text(path+".url", d.URL, want["url"])
	c.text(path+".published", d.PublishedAt, want["published"])
	c.text(path+".content", d.Content, want["content"])
}
