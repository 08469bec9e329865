package payload_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/payload"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

func TestUnwrap(t *testing.T) {
	tests := []struct {
		name, text string
		want       any
		callID     string
		failed     bool
		message    string
	}{
		{"plain text", "AMZN: $240.98", "AMZN: $240.98", "", false, ""},
		{"a result that is called result stays", `{"result":912.4866}`, map[string]any{"result": 912.4866}, "", false, ""},
		{"LangChain, serialised", `{"output":{"lc":1,"type":"constructor","id":["x","ToolMessage"],"kwargs":{"status":"success","content":"{\"rate\":0.9}","name":"f","tool_call_id":"c1"}}}`,
			map[string]any{"rate": 0.9}, "c1", false, ""},
		{"LangChain, failed", `{"output":{"lc":1,"type":"constructor","id":["x"],"kwargs":{"status":"error","content":"Error: boom\n Please fix your mistakes.","tool_call_id":"c1"}}}`,
			"Error: boom\n Please fix your mistakes.", "c1", true, "Error: boom\n Please fix your mistakes."},
		{"a tool message", `{"content":"4C","tool_call_id":"c","status":"success"}`, "4C", "c", false, ""},
		{"LangChain in Python, as text", `{"output":"content='{\"a\": 1}' name='f' tool_call_id='c9'","kwargs":{}}`, map[string]any{"a": int64(1)}, "c9", false, ""},
		{"LangChain in Python, failed", `content="Error: it's down" name='f' tool_call_id='c9' status='error'`, "Error: it's down", "c9", true, "Error: it's down"},
		{"OpenLLMetry", `{"output":"4C","kwargs":{"tags":[]}}`, "4C", "", false, ""},
		{"MCP", `{"content":[{"type":"text","text":"{\"a\":1}"}]}`, map[string]any{"a": int64(1)}, "", false, ""},
		{"MCP, several texts", `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":false}`, "a\nb", "", false, ""},
		{"MCP, structured", `{"content":[{"type":"text","text":"4"}],"structuredContent":{"result":4},"isError":false}`, map[string]any{"result": int64(4)}, "", false, ""},
		{"MCP of 2026", `{"content":[{"type":"text","text":"4"}],"structuredContent":{"result":4},"isError":false,"resultType":"complete"}`, map[string]any{"result": int64(4)}, "", false, ""},
		{"MCP, as Python names it", `{"content":[{"type":"text","text":"4"}],"structured_content":{"result":4},"is_error":false,"_meta":null}`, map[string]any{"result": int64(4)}, "", false, ""},
		{"MCP, failed", `{"content":[{"type":"text","text":"upstream timeout"}],"isError":true}`, "upstream timeout", "", true, "upstream timeout"},
		{"one block of MCP", `{"type":"text","text":"4"}`, "4", "", false, ""},
		{"Strands", `[{"json":{"$value":[1,2]}}]`, []any{int64(1), int64(2)}, "", false, ""},
		{"Strands, text", `[{"text":"Error: boom"}]`, "Error: boom", "", true, "Error: boom"},
		{"Bedrock", `[{"toolResult":{"toolUseId":"t1","status":"error","content":[{"text":"no"}]}}]`, "no", "t1", true, "no"},
		{"AI SDK", `{"type":"error-text","value":"boom"}`, "boom", "", true, "boom"},
		{"LangChain in Python, as a dictionary", `{"type":"tool","data":{"content":"{\"a\": 1}","type":"tool","name":"f","tool_call_id":"c3","status":"success"}}`, map[string]any{"a": int64(1)}, "c3", false, ""},
		{"LlamaIndex, what a tool gave", `{"blocks":[{"text":"9"}],"tool_name":"f","raw_input":{"kwargs":{}},"raw_output":{"price":9},"is_error":false}`, map[string]any{"price": int64(9)}, "", false, ""},
		{"Gemini's FunctionResponse", `{"id":"adk-1","name":"f","response":{"status":"error","error":"boom"}}`, map[string]any{"status": "error", "error": "boom"}, "adk-1", true, "boom"},
		{"LlamaIndex, what a call gave", `{"tool_name":"f","tool_kwargs":{},"tool_id":"c4","tool_output":{"content":"boom","tool_name":"f","raw_input":{},"raw_output":"boom","is_error":true}}`, "boom", "c4", true, "boom"},
		{"several in each other", `{"output":{"lc":1,"kwargs":{"tool_call_id":"c","content":"{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\": 1}\"}]}"}}}`, map[string]any{"a": int64(1)}, "c", false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := payload.Unwrap(trace.RawValue(tt.text, value.Decode))
			if diff := cmp.Diff(tt.want, r.Value.Data()); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			if r.CallID != tt.callID || r.Failed != tt.failed || r.Message != tt.message {
				t.Errorf("call %q, failed %v, message %q, want %q, %v, %q", r.CallID, r.Failed, r.Message, tt.callID, tt.failed, tt.message)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	tests := []struct {
		text, message string
		failed        bool
	}{
		{`{"isError":true,"content":"x"}`, "x", true},
		{`{"is_error":"true","message":"m"}`, "m", true},
		{`{"status":"error","error":{"message":"m"}}`, "m", true},
		{`{"error":"boom"}`, "boom", true},
		{`{"success":false,"detail":"d"}`, "d", true},
		{`Error: upstream timeout`, "Error: upstream timeout", true},
		{"Traceback (most recent call last):\n  File", "Traceback (most recent call last):\n  File", true},
		{`{"error":null,"rate":1}`, "", false},
		{`{"error":"","rate":1}`, "", false},
		{`{"error":"some rows were skipped","results":[1]}`, "", false},
		{`{"status":"ok"}`, "", false},
		{`{"errors":0}`, "", false},
		{`Errors are rare in this log.`, "", false},
		{`The word Error: is in here`, "", false},
		{`[{"error":"x"}]`, "", false},
		{`{"ok":false,"message":"timeout after 5s"}`, "timeout after 5s", true},
		{`{"statusCode":404,"body":"Not Found"}`, "Not Found", true},
		{`{"code":500,"msg":"internal"}`, "internal", true},
		{`{"code":200,"msg":"fine"}`, "", false},
		{`{"errors":[{"message":"Field x not found"}],"data":null}`, "Field x not found", true},
		{`{"errors":[{"message":"one row was skipped"}],"data":{"n":1}}`, "", false},
		{`{"errors":[],"data":null}`, "", false},
		{`{"result":null,"error":"quota exceeded"}`, "quota exceeded", true},
		{`{"status":"error","order":"A1","message":"card declined"}`, "card declined", true},
		{`{"status":"failed","order":"A1","kind":"payment"}`, "", false},
		{`{"status":"error","ticket":7,"title":"no login"}`, "", false},
		{`{"code":404,"city":"Detroit"}`, "", false},
		{`{"price":450,"code":"A"}`, "", false},
		{`HTTP 503 Service Unavailable`, "HTTP 503 Service Unavailable", true},
		{`HTTP/1.1 404 Not Found`, "HTTP/1.1 404 Not Found", true},
		{`HTTP Error 429: Too Many Requests`, "HTTP Error 429: Too Many Requests", true},
		{`HTTP 200 OK`, "", false},
		{`HTTP 5000 requests a day`, "", false},
		{`HTTPS is the default.`, "", false},
		{`错误：库存服务超时`, "错误：库存服务超时", true},

		{`{"url":"https://x","status_code":503,"body":"Service Unavailable"}`, "Service Unavailable", true},
		{`{"status":"fail","data":{"title":"a title is required"}}`, `{"data":{"title":"a title is required"},"status":"fail"}`, true},
		{`{"error":"rate limited","results":[]}`, "rate limited", true},
		{`{"success":"false","message":"no stock"}`, "no stock", true},
		{`{"success":"no","reason":"no stock"}`, "no stock", true},
		{`{"result":{"error":"order not found"}}`, "order not found", true},
		{`{"data":{"status":"error","message":"no stock"}}`, "no stock", true},
		{`{"type":"error","message":"overloaded"}`, "overloaded", true},
		{`{"code":-1,"msg":"库存不足"}`, "库存不足", true},
		{`{"errcode":40001,"errmsg":"invalid credential"}`, "invalid credential", true},
		{`{"status":"失败","message":"余额不足"}`, "余额不足", true},
		{"\nTraceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'", "\nTraceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'", true},
		{`ValueError: invalid literal for int() with base 10: 'x'`, `ValueError: invalid literal for int() with base 10: 'x'`, true},
		{`openai.RateLimitError: quota exceeded`, `openai.RateLimitError: quota exceeded`, true},
		{`Failed to fetch https://x: connection refused`, `Failed to fetch https://x: connection refused`, true},
		{`❌ Error: disk full`, `❌ Error: disk full`, true},
		{`[ERROR] disk full`, `[ERROR] disk full`, true},
		{`<tool_use_error>The file was not read.</tool_use_error>`, `<tool_use_error>The file was not read.</tool_use_error>`, true},
		{`请求失败：连接被拒绝`, `请求失败：连接被拒绝`, true},
		{`连接数据库超时，请稍后再试`, `连接数据库超时，请稍后再试`, true},
		{`工具执行出错: 表不存在`, `工具执行出错: 表不存在`, true},

		{`{"errors":[]}`, "", false},
		{`{"error":null}`, "", false},
		{`{"error":{}}`, "", false},
		{`{"error":0,"message":"ok"}`, "", false},
		{`{"error":"none","rate":1}`, "", false},
		{`{"errcode":0,"errmsg":"ok"}`, "", false},
		{`{"code":0,"msg":"success"}`, "", false},
		{`{"code":-4,"celsius":true}`, "", false},
		{`{"status":"error_rate_low"}`, "", false},
		{`{"error_rate":0.2,"status":"ok"}`, "", false},
		{`{"url":"https://x","status":404}`, "", false},
		{`{"result":{"error":"x"},"n":1}`, "", false},
		{`{"type":"error","file":"a.log","line":7}`, "", false},
		{`{"jobs":[{"status":"failed"}]}`, "", false},
		{`{"lines":["ERROR: connection refused"]}`, "", false},
		{"ERROR: connection refused\nINFO: retried\nERROR: gave up", "", false},
		{"[ERROR] connection refused\n[WARN] slow", "", false},
		{`2026-11-30 ERROR connection refused`, "", false},
		{`The log shows 3 errors: Error: timeout`, "", false},
		{"TypeError: what it means\n\nIt is raised when\nan operation\nis applied\nto a value of another type.", "", false},
		{`Error handling in Go`, "", false},
		{`错误日志共 3 条`, "", false},
		{`失败率：2%`, "", false},
		{`上次失败：2026-11-01`, "", false},
		{`支付失败：3 笔`, "", false},
	}
	for _, tt := range tests {
		message, failed := payload.Failure(value.Decode(tt.text))
		if message != tt.message || failed != tt.failed {
			t.Errorf("Failure(%s) = %q, %v, want %q, %v", tt.text, message, failed, tt.message, tt.failed)
		}
	}
}

func score(f float64) *float64 { return &f }

func TestDocuments(t *testing.T) {
	type doc = trace.Document
	tests := []struct {
		name, text string
		want       []doc
	}{
		{"a list", `[{"id":"d1","title":"T","url":"https://x","published":"2026-01-14","content":"C"}]`,
			[]doc{{ID: "d1", Title: "T", URL: "https://x", PublishedAt: "2026-01-14", Content: "C", Field: "0"}}},
		{"Tavily", `{"query":"q","results":[{"title":"T","url":"https://x","content":"C","score":0.9,"published_date":"2024"}]}`,
			[]doc{{Title: "T", URL: "https://x", PublishedAt: "2024", Content: "C", Score: score(0.9), Field: "results.0"}}},
		{"Serper", `{"organic":[{"title":"T","link":"https://x","snippet":"S","date":"May 1","position":1}]}`,
			[]doc{{Title: "T", URL: "https://x", PublishedAt: "May 1", Content: "S", Metadata: map[string]any{"position": int64(1)}, Field: "organic.0"}}},
		{"LangChain", `{"documents":[{"page_content":"C","metadata":{"source":"https://x","title":"T","date":"2024-05-01"}}],"count":1}`,
			[]doc{{Title: "T", URL: "https://x", PublishedAt: "2024-05-01", Content: "C", Source: "https://x", Metadata: map[string]any{"source": "https://x", "title": "T", "date": "2024-05-01"}, Field: "documents.0"}}},
		{"metadata as a Python repr", `[{"content":"C","metadata":"{'url': 'https://x', 'n': None}"}]`,
			[]doc{{URL: "https://x", Content: "C", Metadata: map[string]any{"url": "https://x", "n": nil}, Field: "0"}}},
		{"MCP with JSON in text", `{"content":[{"type":"text","text":"[{\"title\":\"T\",\"url\":\"https://x\",\"content\":\"C\"}]"}]}`,
			[]doc{{Title: "T", URL: "https://x", Content: "C", Field: "content.0.text.0"}}},
		{"Anthropic web search", `[{"type":"web_search_result","url":"https://x","title":"T","page_age":"2 days","encrypted_content":"zzz"}]`,
			[]doc{{Title: "T", URL: "https://x", PublishedAt: "2 days", Metadata: map[string]any{"type": "web_search_result", "encrypted_content": "zzz"}, Field: "0"}}},
		{"LlamaIndex nodes", `[{"node":{"id_":"n1","text":"C","metadata":{"file_name":"f.md"}},"score":0.5}]`,
			[]doc{{ID: "n1", Title: "f.md", Content: "C", Score: score(0.5), Metadata: map[string]any{"file_name": "f.md"}, Field: "0"}}},
		{"one page", `{"url":"https://x","title":"T","content":"C"}`, []doc{{Title: "T", URL: "https://x", Content: "C"}}},
		{"Markdown links", "## Search Results\n\n[Tokelau](https://en.wikipedia.org/wiki/T)\nAn island group.\n\n[Tokyo](https://en.wikipedia.org/wiki/Tokyo)\nA city.\nOf 14 million.",
			[]doc{{Title: "Tokelau", URL: "https://en.wikipedia.org/wiki/T", Content: "An island group."}, {Title: "Tokyo", URL: "https://en.wikipedia.org/wiki/Tokyo", Content: "A city.\nOf 14 million."}}},
		{"numbered Markdown", "1. [A](https://a): first\n2. **[B](https://b)** - second", []doc{{Title: "A", URL: "https://a", Content: "first"}, {Title: "B", URL: "https://b", Content: "second"}}},
		{"labelled blocks", "Title: A\nURL: https://a\nPublished: 2024\nContent: one\ntwo\n\nTitle: B\nURL: https://b\nContent: three",
			[]doc{{Title: "A", URL: "https://a", PublishedAt: "2024", Content: "one\ntwo"}, {Title: "B", URL: "https://b", Content: "three"}}},
		{"JSON without quotes", "[\n  {\n    id: doc-101,\n    title: T: a review,\n    url: https://x,\n    content: One, two.\n  }\n]",
			[]doc{{ID: "doc-101", Title: "T: a review", URL: "https://x", Content: "One, two.", Field: "0"}}},

		{"JSON, a line for each", `{"title":"A","url":"https://a","content":"one"}` + "\n" + `{"title":"B","url":"https://b","content":"two"}`,
			[]doc{{Title: "A", URL: "https://a", Content: "one", Field: "0"}, {Title: "B", URL: "https://b", Content: "two", Field: "1"}}},
		{"hits of Elasticsearch", `{"hits":{"hits":[{"_id":"7","_score":2.5,"_source":{"title":"A","url":"https://a","body":"one"}}]}}`,
			[]doc{{ID: "7", Title: "A", URL: "https://a", Content: "one", Score: score(2.5), Field: "hits.hits.0"}}},
		{"points of Qdrant", `[{"id":"7","score":0.5,"payload":{"page_content":"one","metadata":{"source":"https://a"}}}]`,
			[]doc{{ID: "7", URL: "https://a", Content: "one", Source: "https://a", Score: score(0.5), Metadata: map[string]any{"source": "https://a"}, Field: "0"}}},
		{"Bing", `{"webPages":{"value":[{"name":"A","url":"https://a","snippet":"one","datePublished":"2024-05-01"}]}}`,
			[]doc{{Title: "A", URL: "https://a", PublishedAt: "2024-05-01", Content: "one", Field: "webPages.value.0"}}},
		{"headings over labels, and the text below", "Found 2.\n\n1. **A**\n   URL: https://a\n   Published: 1 May 2024\n   one\n\n2. **B**\n   URL: https://b\n   two",
			[]doc{{Title: "A", URL: "https://a", PublishedAt: "1 May 2024", Content: "one"}, {Title: "B", URL: "https://b", Content: "two"}}},
		{"a date below a Markdown link", "### [A](https://a)\n*2024-05-01* · a.example\n\none", []doc{{Title: "A", URL: "https://a", PublishedAt: "2024-05-01", Content: "*2024-05-01* · a.example\n\none"}}},
		{"tags", `<documents><document index="1"><source>https://a</source><title>A &amp; B</title><document_content>one</document_content></document><doc url="https://b" title="B">two</doc></documents>`,
			[]doc{{Title: "A & B", URL: "https://a", Source: "https://a", Content: "one"}, {Title: "B", URL: "https://b", Content: "two"}}},
		{"a feed", `<rss><channel><item><title>A</title><link>https://a</link><pubDate>Wed, 01 May 2024 00:00:00 GMT</pubDate><description><![CDATA[one]]></description></item></channel></rss>`,
			[]doc{{Title: "A", URL: "https://a", PublishedAt: "Wed, 01 May 2024 00:00:00 GMT", Content: "one"}}},
		{"labels on a line", "[snippet: one, and more, title: A, link: https://a], [snippet: two, title: B, link: https://b]",
			[]doc{{Title: "A", URL: "https://a", Content: "one, and more"}, {Title: "B", URL: "https://b", Content: "two"}}},
		{"a list in JSON within a text", "Links: [{\"title\":\"A\",\"url\":\"https://a\"}]\n\nThe text says more.", []doc{{Title: "A", URL: "https://a"}}},
		{"labels in Chinese", "1. 标题：甲\n   链接：https://a\n   日期：2024年5月1日\n   摘要：一。", []doc{{Title: "甲", URL: "https://a", PublishedAt: "2024年5月1日", Content: "一。"}}},
		{"a table", "| # | Title | URL | Date | Score |\n|---|:--|---|---|---|\n| 1 | A | https://a | 2024-05-01 | 0.5 |\n| 2 | [B](https://b) | | | |",
			[]doc{{Title: "A", URL: "https://a", PublishedAt: "2024-05-01", Score: score(0.5)}, {Title: "B", URL: "https://b"}}},
		{"a source with its address and day", "Source: A (https://a), 1 May 2024\none\n\nSource: B (https://b)\ntwo", []doc{{Title: "A", URL: "https://a", Source: "A", PublishedAt: "1 May 2024", Content: "one"}, {Title: "B", URL: "https://b", Source: "B", Content: "two"}}},

		{"people are none", `{"employees":[{"id":4,"name":"Ann","url":"https://a","salary":10}]}`, nil},
		{"a page of HTML is none", `<html><body><p>Title: x</p></body></html>`, nil},
		{"a table of figures is none", "| Year | Price |\n|---|---|\n| 2024 | 5 |", nil},
		{"a log in JSON, a line for each, is none", `{"level":"info","msg":"a"}` + "\n" + `{"level":"info","msg":"b"}`, nil},
		{"an exchange rate is none", `{"base":"USD","quote":"EUR","rate":0.9134,"as_of":"2026-11-30"}`, nil},
		{"a calculation is none", `{"result":912.4866}`, nil},
		{"a list of numbers is none", `[1,2,3]`, nil},
		{"messages are none", `[{"role":"user","content":"x","id":"1"}]`, nil},
		{"prose is none", "Title case is used here: see below.\nNothing else.", nil},
		{"a date is none", `{"date":"2026-11-30"}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, payload.Documents(value.Decode(tt.text))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestListed(t *testing.T) {
	got := payload.Listed(value.Decode(`["text only",{"id":"d1","score":0.4}]`))
	want := []trace.Document{{Content: "text only", Field: "documents"}, {ID: "d1", Score: score(0.4), Field: "documents"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzPayload(f *testing.F) {
	for _, s := range []string{`{"content":[{"type":"text","text":"x"}]}`, `[{"json":{"$value":1}}]`, "[a](b://c)\nTitle: x\nURL: y", `{"documents":[["x"]]}`, `"\"x\""`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := payload.Unwrap(trace.RawValue(s, value.Decode))
		payload.Documents(r.Value.Data())
		payload.Listed(value.Decode(s))
	})
}
