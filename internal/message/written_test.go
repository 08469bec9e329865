package message_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Frameworks whose model has no messages of its own write an exchange into one
// text. Each is read as what it says, and a text that only resembles one stays.
func TestWritten(t *testing.T) {
	in, out := message.Input, message.Output
	tests := []struct {
		name string
		side message.Side
		text string
		want []string
	}{
		{"DSPy, a question", in, `[{"role":"user","content":"[[ ## question ## ]]\nHow much?\n\nRespond with the corresponding output fields, starting with [[ ## answer ## ]]."}]`,
			[]string{"system: Respond with the corresponding output fields, starting with [[ ## answer ## ]].", `user "question": How much?`}},
		{"DSPy, what was done so far", in, `[{"role":"user","content":"[[ ## question ## ]]\nHow much?\n\n[[ ## trajectory ## ]]\n[[ ## thought_0 ## ]]\nI look.\n\n[[ ## tool_name_0 ## ]]\nfind\n\n[[ ## tool_args_0 ## ]]\n{\"q\": \"pad\"}\n\n[[ ## observation_0 ## ]]\n[1] «{'id': 7}»\n[2] «none»"}]`,
			[]string{`user "question": How much?`, `assistant: (I look.) [find  {"q":"pad"}]`, `tool: < find [{"id":7},"none"]>`}},
		{"DSPy, a reply with a call", out, `[{"role":"assistant","content":"[[ ## next_thought ## ]]\nI look.\n\n[[ ## next_tool_name ## ]]\nfind\n\n[[ ## next_tool_args ## ]]\n{\"q\": \"pad\"}\n\n[[ ## completed ## ]]"}]`,
			[]string{`assistant: (I look.) [find  {"q":"pad"}]`}},
		{"DSPy, a sole answer", out, `[{"role":"assistant","content":"[[ ## reasoning ## ]]\nSeen.\n\n[[ ## answer ## ]]\nA line\nand one more\n\n[[ ## completed ## ]]"}]`, []string{"assistant: (Seen.) A line\nand one more"}},
		{"DSPy, several answers", out, `[{"role":"assistant","content":"[[ ## price ## ]]\n9\n\n[[ ## source ## ]]\nshop"}]`, []string{"assistant: price: 9\n source: shop\n"}},
		{"a marker within a text", in, `[{"role":"user","content":"What does [[ ## x ## ]] mean?"}]`, []string{"user: What does [[ ## x ## ]] mean?"}},
		{"a marker without an end", in, `[{"role":"user","content":"[[ ## x"}]`, []string{`user: [[ ## x`}},
		{"ReAct, a call", out, `[{"role":"assistant","content":"Thought: I look.\nAction: find\nAction Input: {\"q\": \"pad\"}"}]`, []string{`assistant: (I look.) [find  {"q":"pad"}]`}},
		{"ReAct, with what the tool returned", in, `[{"role":"assistant","content":"Thought: I look.\nAction: find\nAction Input: {\"q\": \"pad\"}\nObservation: {\"price\": 9}"}]`,
			[]string{`assistant: (I look.) [find  {"q":"pad"}]`, `tool: < find {"price":9}>`}},
		{"ReAct, the answer", out, `[{"role":"assistant","content":"Thought: I know it.\nFinal Answer: It costs 9."}]`, []string{"assistant: (I know it.) It costs 9."}},
		{"a thought that leads nowhere", out, `[{"role":"assistant","content":"Thought: I wonder."}]`, []string{"assistant: Thought: I wonder."}},
		{"ReAct by a user", in, `[{"role":"user","content":"Thought: x\nFinal Answer: y"}]`, []string{"user: Thought: x\nFinal Answer: y"}},
		{"smolagents, calls and results in words", in, `[{"role":"tool-call","content":"Calling tools:\n[{'id': 'c1', 'type': 'function', 'function': {'name': 'find', 'arguments': {'q': 'pad'}}}]"},
			{"role":"tool-response","content":"Observation:\n[{'price': 9}]"},{"role":"tool-response","content":"Error:\nno such tool"}]`,
			[]string{`assistant: [find c1 {"q":"pad"}]`, `tool: <  [{"price":9}]>`, `tool: <!  "Error:\nno such tool">`}},
		{"results get the ids of as many calls", in, `[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]},
			{"role":"tool","content":"1"},{"role":"tool","content":"2"}]`, []string{`assistant: [f a {}] [g b {}]`, `tool: <a  "1">`, `tool: <b  "2">`}},
		{"calls of one tool, joined", out, `[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"q\": 1}{\"q\": 2}"}}]}]`, []string{`assistant: [f a {"q":1}] [f  {"q":2}]`}},
		{"tags, a call after a thought", out, `[{"role":"assistant","content":"<think>I look.</think>\nOne moment.\n<tool_call>\n{\"name\": \"find\", \"arguments\": {\"q\": \"pad\"}}\n</tool_call>"}]`,
			[]string{`assistant: (I look.) One moment. [find  {"q":"pad"}]`}},
		{"tags, two calls and their results", in, `[{"role":"assistant","content":"<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call><tool_call>{\"name\":\"g\",\"arguments\":{\"a\":1}}</tool_call>"},
			{"role":"tool","content":"<tool_response>{\"name\":\"f\",\"content\":{\"price\":9}}</tool_response>\n<tool_response>19 degrees</tool_response>"}]`,
			[]string{`assistant: [f  {}] [g  {"a":1}]`, `tool: < f {"price":9}> <  "19 degrees">`}},
		{"tags, a result as the user's", in, `[{"role":"user","content":"<tool_response>\n{\"price\": 9}\n</tool_response>"}]`, []string{`tool: <  {"price":9}>`}},
		{"tags that a user writes about", in, `[{"role":"user","content":"What is <tool_response>x</tool_response>?"}]`, []string{`user: What is <tool_response>x</tool_response>?`}},
		{"tags around what is no call", out, `[{"role":"assistant","content":"Write <tool_call>your call</tool_call>."}]`, []string{`assistant: Write <tool_call>your call</tool_call>.`}},
		{"a tag without its end", out, `[{"role":"assistant","content":"<tool_call>{\"name\":\"f\""}]`, []string{`assistant: <tool_call>{"name":"f"`}},
		{"CrewAI, a task", in, `[{"role":"user","content":"\nCurrent Task: How much?\n\nThis is the expected criteria for your final answer: One line.\nyou MUST return it."}]`,
			[]string{"system: This is the expected criteria for your final answer: One line.\nyou MUST return it.", "user: How much?"}},
		{"a user's current task", in, `[{"role":"user","content":"Current Task: write a poem"}]`, []string{"user: Current Task: write a poem"}},
		{"LlamaIndex, the blocks of a tool", in, `[{"role":"tool","additional_kwargs":{"tool_call_id":"c1"},"blocks":[{"block_type":"text","text":"19 degrees"}]}]`, []string{`tool: <c1  "19 degrees">`}},
		{"Cohere's plan beside a call", out, `{"message":{"role":"assistant","tool_plan":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{}"}}]}}`, []string{"assistant: I look. [find c1 {}]"}},
		{"LlamaIndex, blocks", out, `{"response":{"role":"assistant","blocks":[{"block_type":"text","text":"I look."},{"block_type":"tool_call","tool_call_id":"c1","tool_name":"find","tool_kwargs":"{\"q\": \"pad\"}"}]}}`,
			[]string{`assistant: I look. [find c1 {"q":"pad"}]`}},
		{"LlamaIndex, as Python prints a message", out, `ChatMessage(role=<MessageRole.ASSISTANT: 'assistant'>, additional_kwargs={}, blocks=[TextBlock(block_type='text', text='I look.'), ToolCallBlock(block_type='tool_call', tool_call_id='c1', tool_name='find', tool_kwargs={'q': 'pad'})])`,
			[]string{`assistant: I look. [find c1 {"q":"pad"}]`}},
		{"LlamaIndex, as Python prints a reply", out, `ChatResponse(message=ChatMessage(role=<MessageRole.ASSISTANT: 'assistant'>, additional_kwargs={}, blocks=[TextBlock(block_type='text', text='It costs 9.')]), raw=None, delta=None, logprobs=None, additional_kwargs={})`,
			[]string{"assistant: It costs 9."}},
		{"LlamaIndex, as Python prints a list", in, `[ChatMessage(role=<MessageRole.USER: 'user'>, additional_kwargs={}, blocks=[TextBlock(block_type='text', text='How much?')]), ChatMessage(role=<MessageRole.TOOL: 'tool'>, additional_kwargs={'tool_call_id': 'c1'}, blocks=[TextBlock(block_type='text', text='9')])]`,
			[]string{"user: How much?", `tool: <c1  "9">`}},
		{"LlamaIndex, printed messages in JSON", in, `{"messages": ["ChatMessage(role=<MessageRole.USER: 'user'>, additional_kwargs={}, blocks=[TextBlock(block_type='text', text='How much?')])"]}`, []string{"user: How much?"}},
		{"LangChain, as Python prints a list", in, `[SystemMessage(content='Be brief.'), HumanMessage(content='How much?', additional_kwargs={}, response_metadata={}), AIMessage(content='', additional_kwargs={}, tool_calls=[{'name': 'find', 'args': {'q': 'pad'}, 'id': 'c1', 'type': 'tool_call'}]), ToolMessage(content='9', tool_call_id='c1')]`,
			[]string{"system: Be brief.", "user: How much?", `assistant: [find c1 {"q":"pad"}]`, `tool: <c1  "9">`}},
		{"LangChain, as Python prints a message", out, `AIMessage(content='It costs 9.', additional_kwargs={}, response_metadata={'model_name': 'm'}, id='run-1')`, []string{"assistant: It costs 9."}},
		{"words about a message", out, `AIMessage(s) are what a model says`, []string{"assistant: AIMessage(s) are what a model says"}},
		{"Haystack, a result", in, `[{"role":"tool","content":[{"tool_call_result":{"result":"9","origin":{"tool_name":"find","arguments":{},"id":"c1"},"error":false}}]},
			{"role":"tool","content":[{"tool_call_result":{"result":"boom","origin":{"tool_name":"find","arguments":{},"id":"c2"},"error":true}}]}]`, []string{`tool: <c1 find "9">`, `tool: <!c2 find "boom">`}},
		{"LangGraph, a command", out, `{"outputs":[{"graph":null,"update":{"messages":[{"role":"assistant","content":"A"}]},"resume":null}]}`, []string{"assistant: A"}},
		{"messages of a component by its name", in, `{"my_agent":{"messages":[{"role":"user","content":"Q"}]}}`, []string{"user: Q"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, say(message.Text(tt.text, tt.side, nil))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var h trace.History
			if diff := cmp.Diff(tt.want, say(message.Text(tt.text, tt.side, &h))); diff != "" {
				t.Errorf("with a history (-want +got):\n%s", diff)
			}
		})
	}
}

// Messages that Python printed are read by the classes of their parts.
func TestPrintedMessages(t *testing.T) {
	text := `{"messages": ["ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text='Q')], _name=None, _meta={})",` +
		` "ChatMessage(_role=<ChatRole.ASSISTANT: 'assistant'>, _content=[ToolCall(tool_name='toll', arguments={'tunnel': 'Orla'}, id='c1', extra=None)], _name=None, _meta={'model': 'm', 'usage': {'completion_tokens': 2, 'prompt_tokens': 7}})",` +
		` "ChatMessage(_role=<ChatRole.TOOL: 'tool'>, _content=[ToolCallResult(result='locked', origin=ToolCall(tool_name='toll', arguments={'tunnel': 'Orla'}, id='c1', extra=None), error=True)], _name=None, _meta={})"]}`
	if !message.Looks(text) {
		t.Error("it does not look like messages")
	}
	list := message.Text(text, message.Output, nil)
	want := []string{"user: Q", `assistant: [toll c1 {"tunnel":"Orla"}]`, `tool: <!c1 toll "locked">`}
	if diff := cmp.Diff(want, say(list)); diff != "" {
		t.Fatal(diff)
	}
	if r := list[1].Reply; r == nil || r.Model != "m" || r.Usage.Input != 7 || r.Usage.Output != 2 {
		t.Errorf("reply %+v, want model m with 7 and 2 tokens", r)
	}
}

// Tools that a system prompt offers between tags are definitions, whatever their
// form; a prompt that only speaks of them offers none.
func TestOfferedBetweenTags(t *testing.T) {
	for content, want := range map[string]int{
		`Use <tools>[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"type\":\"object\"}}},{\"name\":\"g\",\"parameters\":{\"type\":\"object\"}}]</tools>.`:      2,
		`<tools>\n{\"type\":\"function\",\"function\":{\"name\":\"f\",\"description\":\"d\"}}\n{\"type\":\"function\",\"function\":{\"name\":\"g\",\"description\":\"d\"}}\n</tools>`: 2,
		`Signatures stand within \u003ctools\u003e{\"name\":\"f\",\"parameters\":{\"type\":\"object\"}}\u003c/tools\u003e`:                                                            1,
		`Signatures stand within <tools></tools>.`: 0,
	} {
		got := message.Offered(`[{"role":"system","content":"` + content + `"},{"role":"user","content":"Q"}]`)
		if len(got) != want {
			t.Errorf("%s: offered %v, want %d tools", content, got, want)
		}
	}
}
