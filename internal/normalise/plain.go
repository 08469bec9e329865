package normalise

import (
	"cmp"
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/value"
)

// A key of nobody's convention is read by its end: orion.span.input,
// agent.tool.params and Tool.Arguments mean what input, params and arguments
// mean. What stands before is the producer's name and nouns that say whose it is.

// plainNouns are the words that say whose a plain key is, before a dot or around
// an object: tool.input, agent: {input, output}, span.data: {"type": "tool", …}.
var plainNouns = map[string]bool{
	"agent": true, "tool": true, "function": true, "llm": true, "model": true, "generation": true, "step": true, "span": true,
	"usage": true, "data": true, "attributes": true, "payload": true, "call": true, "request": true, "response": true, "body": true,
	"prompt_tokens_details": true, "completion_tokens_details": true, "input_tokens_details": true, "output_tokens_details": true,
}

// foreign are the first words of keys of other fields, which end in the same
// words: db.query, url.query, http.request.body, code.function.name; and words
// that make whatever follows something else: error.message, metadata.question.
var foreign = wordSet("android browser client cloud code container cpu db deployment device disk dns elasticsearch enduser error event exception faas " +
	"feature_flag file gcp geo graphql heroku host http hw ios jvm k8s linux log messaging net network nodejs oci opentracing os otel peer process profile " +
	"rpc server service signalr source system telemetry test thread tls url user_agent v8js vcs webengine zos " +
	"baggage config env header headers label labels metadata options schema settings tag tags tracegrade")

// formats are words at the end of a key that say how its value is written.
var formatWords = wordSet("b64 base64 body content data json payload raw str string text value")

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// plainTable is the keys that [homeMade] reads, by name, and which of them hold
// words or data of the agent.
var plainTable = sync.OnceValue(func() (t struct {
	ids      map[string]keyID
	content  map[keyID]bool
	messages map[keyID]bool // of a model's, among the content
	outcome  map[keyID]bool // of a call: that of an order is what the call was about
}) {
	t.ids, t.content, t.messages, t.outcome = map[string]keyID{}, map[keyID]bool{}, map[keyID]bool{}, map[keyID]bool{}
	for f, list := range homeMade.own {
		for _, name := range list {
			id := keyIDs[name]
			t.ids[name] = id
			switch f {
			case payloadIn, payloadOut, arguments, result, documents:
				t.content[id] = true
			case success, exit, answered:
				t.outcome[id] = true
			}
			if f == payloadIn || f == payloadOut {
				t.messages[id] = !slices.Contains(homeMade.own[arguments], name) && !slices.Contains(homeMade.own[result], name)
			}
		}
	}
	for _, id := range slices.Concat(plainTypes, plainCalls) {
		t.ids[keyNames[id]] = id
	}
	for _, id := range plainCalls {
		t.messages[id] = true
	}
	return t
})

// meaning is which key of [homeMade] a name means.
type meaning struct {
	id   keyID // 0 is none
	sure bool  // only nouns stand before it
}

// means is the [meaning] of a key. Those met are kept: a service writes the same
// few on all its spans.
func (b *bag) means(path string) meaning {
	m, known := b.meanings[path]
	if !known {
		if b.meanings == nil || len(b.meanings) >= meaningsMax {
			b.meanings = map[string]meaning{}
		}
		m = plainKey(path)
		b.meanings[path] = m
	}
	return m
}

// meansHere is what a key means on this span: where it means nothing, what it does
// without the name of the producer, which the scope has, before it: honeyhive_config
// of the scope honeyhive.
func (b *bag) meansHere(name string) meaning {
	m := b.means(name)
	if m.id == 0 {
		if rest := b.withoutProducer(name); rest != name {
			m = b.means(rest)
		}
	}
	return m
}

// withoutProducer cuts the name of the producer, the first word of the scope, and
// what joins it to the rest off a key.
func (b *bag) withoutProducer(name string) string {
	word := b.scope
	if i := strings.IndexFunc(word, func(r rune) bool { return r == '.' || r == '-' || r == '_' || r == '/' || r == '@' }); i >= 0 {
		word = word[:i]
	}
	if rest, ok := strings.CutPrefix(name, word); ok && word != "" && len(rest) > 1 && (rest[0] == '_' || rest[0] == '.') {
		return rest[1:]
	}
	return name
}

// meaningsMax bounds the keys whose meaning a bag keeps.
const meaningsMax = 2048

func plainKey(path string) meaning {
	table, sure := plainTable(), true
	if path == "type" || path == "kind" {
		return meaning{plainTypes[0], sure}
	}
	parts := strings.FieldsFunc(snake(path), func(r rune) bool { return r == '.' || r == '/' || r == ':' || r == ' ' })
	for i, part := range parts {
		if part[0] >= utf8.RuneSelf {
			parts[i] = cmp.Or(chineseKeys()[part], part)
		}
	}
	if slices.ContainsFunc(parts, isIndex) {
		return meaning{} // a part of something; see plainIndexed
	}
	for i, part := range parts {
		rest := strings.Join(parts[i:], "_")
		if id := table.ids[rest]; id != 0 && (i == 0 || plainNouns[parts[i-1]] || !table.outcome[id]) {
			return meaning{id, sure}
		}
		for {
			cut := strings.LastIndexByte(rest, '_')
			if cut < 0 || !formatWords[rest[cut+1:]] {
				break
			}
			rest = rest[:cut]
			if id := table.ids[rest]; table.content[id] {
				return meaning{id, sure}
			}
		}
		if foreign[part] {
			break
		}
		sure = sure && plainNouns[part]
	}
	return meaning{}
}

// chineseKeys are plain keys in Chinese.
var chineseKeys = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"模型": "model", "模型名": "model", "模型名称": "model", "提示": "prompt", "提示词": "prompt", "问题": "question", "用户输入": "user_input", "用户问题": "question", "消息": "messages",
		"回复": "reply", "回答": "answer", "答案": "answer", "工具": "tool", "工具名": "tool_name", "工具名称": "tool_name", "函数名": "function_name", "参数": "arguments", "结果": "result",
		"输入": "input", "输出": "output", "请求": "request", "响应": "response", "查询": "query", "文档": "documents", "会话": "session", "会话id": "session_id", "用户": "user", "用户id": "user_id",
		"智能体": "agent", "智能体名称": "agent_name", "错误": "error", "状态": "status", "类型": "span_type", "输入词元": "input_tokens", "输出词元": "output_tokens", "输入token": "input_tokens", "输出token": "output_tokens",
		"输入_token": "input_tokens", "输出_token": "output_tokens",
	}
})

// isIndex reports whether a part of a key is an index or has one.
func isIndex(part string) bool {
	return value.IsIndex(part) || strings.IndexByte(part, '[') >= 0
}

// snake writes toolName as tool_name.
func snake(name string) string {
	if strings.IndexFunc(name, isUpper) < 0 {
		return name
	}
	var b strings.Builder
	for i, r := range name {
		if isUpper(r) {
			if i > 0 && !isUpper(rune(name[i-1])) && strings.IndexByte("._/: ", name[i-1]) < 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isUpper(r rune) bool { return 'A' <= r && r <= 'Z' }

// understandPlain gives the attributes of a span that no producer marked the
// names of [homeMade] where they mean these: first those that say so in so many
// words, then those below a name of the producer's own, in objects, in keys with
// indexes and in events. Spans that carry a call are left alone; of those of the
// conventions only keys that nobody knows are looked at.
func (b *bag) understandPlain() {
	if b.anyThere(carriers) {
		return
	}
	conventional := semconv.is(b)
	b.plainFlattened(conventional)
	for _, sure := range [...]bool{true, false} {
		for i := range len(b.attrs) {
			a := &b.attrs[i]
			if conventional && a.id != 0 || a.used {
				continue
			}
			if m := b.meansHere(plainName(a)); m.id != 0 && m.sure == sure {
				b.mean(i, m.id)
			}
		}
	}
	if conventional {
		return
	}
	for i := range len(b.attrs) {
		b.lookInside(i)
	}
	b.plainIndexed()
	b.plainEvents()
}

// osThread is the convention for the operating system's thread, which is a
// number. A text is a conversation's.
const osThread = "thread.id"

// mean gives an attribute the name that it means, unless another has it. Another
// dialect's key stays one.
func (b *bag) mean(i int, id keyID) {
	switch a := &b.attrs[i]; {
	case b.at[id] != 0:
	case a.key == osThread && a.val.Type() == pcommon.ValueTypeInt:
	case a.id != 0:
		if b.addMeant(a.key, id, a.val) {
			b.attrs[i].used = true
		}
	default:
		a.id, a.val = id, unpacked(a.key, id, a.val)
		b.stands(id, uint16(i+1))
	}
}

// addMeant adds what was found in a place that is no attribute of its own.
func (b *bag) addMeant(key string, id keyID, v pcommon.Value) bool {
	if b.at[id] != 0 || len(b.attrs) >= attributesMax {
		return false
	}
	b.attrs = append(b.attrs, attr{key: key, id: id, val: unpacked(key, id, v)})
	b.stands(id, uint16(len(b.attrs)))
	return true
}

// unpacked is a value as others write it: the text of one whose key says that it
// is base64, and messages with small letters where .NET wrote their members with
// capitals.
func unpacked(key string, id keyID, v pcommon.Value) pcommon.Value {
	if v.Type() != pcommon.ValueTypeStr {
		return v
	}
	text := v.Str()
	if strings.HasSuffix(key, "64") {
		if plain, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(plain) {
			text = string(plain)
		}
	}
	if head := strings.TrimLeft(text, "[{ \n"); len(head) > 2 && len(head) < len(text) && head[0] == '"' && isUpper(rune(head[1])) && plainTable().messages[id] {
		if out := pcommon.NewValueEmpty(); out.FromRaw(smallMembers(value.Decode(text))) == nil {
			return out
		}
	}
	if len(text) == len(v.Str()) {
		return v
	}
	return pcommon.NewValueStr(text)
}

// smallMembers writes the names of members in small letters, but not those
// within the arguments and results of tools, which are the user's.
func smallMembers(data any) any {
	switch data := data.(type) {
	case []any:
		for i := range data {
			data[i] = smallMembers(data[i])
		}
	case map[string]any:
		out := make(map[string]any, len(data))
		for k, v := range data {
			k = snake(k)
			if m := plainKey(k); m.id == 0 || !slices.Contains(plainArgs, m.id) && !slices.Contains(plainResults, m.id) && m.id != kPlainResult {
				v = smallMembers(v)
			}
			out[k] = v
		}
		return out
	}
	return data
}

var kPlainResult = key("result")

// lookInside adds what an object holds that is named after what it describes. An
// object that means something as a whole does so beside its members.
func (b *bag) lookInside(i int) {
	a := &b.attrs[i]
	name := snake(plainName(a))
	if last := name[strings.LastIndexByte(name, '.')+1:]; !plainNouns[last] {
		return
	}
	m, ok := objectOf(a.val)
	if !ok {
		return
	}
	id := a.id
	if !b.addPlain(name, m, 0) {
		return
	}
	if a = &b.attrs[i]; !plainTable().content[id] {
		if id != 0 && b.at[id] == uint16(i+1) {
			b.at[id] = 0 // it is what it holds, not a name
		}
		a.id, a.used = 0, true
	}
}

// plainName is the key of an attribute as it is understood: the body of a request
// to a model, and of its reply, are a model's, and of any other the web's.
func plainName(a *attr) string {
	name, web := strings.CutPrefix(a.key, "http.")
	if !web || !strings.HasSuffix(name, ".body") || a.val.Type() != pcommon.ValueTypeStr || value.Member(a.val.Str(), "model") == "" {
		return a.key
	}
	for _, member := range [...]string{"messages", "input", "contents", "choices", "content", "output", "candidates"} {
		if value.Member(a.val.Str(), member) != "" {
			return name
		}
	}
	return a.key
}

// plainDepth is how deep objects are looked into.
const plainDepth = 4

// addPlain adds the members of an object that mean something, and reports
// whether there is one.
func (b *bag) addPlain(path string, m pcommon.Map, depth int) bool {
	found := false
	names := make([]string, 0, m.Len())
	for k := range m.All() {
		names = append(names, k)
	}
	slices.Sort(names)
	below := func(k string) string {
		if k == "type" || k == "kind" {
			return keyNames[plainTypes[0]]
		}
		return path + "." + snake(k)
	}
	for _, k := range names { // what is nearer comes first
		if id := b.means(below(k)).id; id != 0 {
			v, _ := m.Get(k)
			found = b.addMeant(path+"."+k, id, v) || found
		}
	}
	for _, k := range names {
		v, _ := m.Get(k)
		if inner, ok := objectOf(v); ok && plainNouns[snake(k)] && depth < plainDepth {
			found = b.addPlain(below(k), inner, depth+1) || found
		}
	}
	return found
}

// objectOf is the object that a value is, or that its text says.
func objectOf(v pcommon.Value) (pcommon.Map, bool) {
	if v.Type() == pcommon.ValueTypeMap {
		return v.Map(), true
	}
	if v.Type() != pcommon.ValueTypeStr || !strings.HasPrefix(v.Str(), "{") {
		return pcommon.Map{}, false
	}
	raw, ok := value.Decode(v.Str()).(map[string]any)
	m := pcommon.NewMap()
	if !ok || m.FromRaw(raw) != nil {
		return pcommon.Map{}, false
	}
	return m, true
}

// plainIndexed adds what stands in keys with indexes: messages.0.role, and
// messages[0].role.
func (b *bag) plainIndexed() {
	var order []keyID
	pairs, prefixes := map[keyID][]value.Pair{}, map[keyID]string{}
	for i := range b.attrs {
		a := &b.attrs[i]
		prefix, path, ok := splitIndex(a.key)
		if !ok || a.id != 0 || a.used {
			continue
		}
		id := b.means(prefix).id
		if !plainTable().content[id] || b.at[id] != 0 {
			continue
		}
		if pairs[id] == nil {
			order, prefixes[id] = append(order, id), prefix
		}
		if prefixes[id] == prefix {
			a.used = true
			pairs[id] = append(pairs[id], value.Pair{Path: path, Data: rawValue(a.val, 0)})
		}
	}
	for _, id := range order {
		data, unused := value.Expand(pairs[id])
		b.outOfRange(prefixes[id], unused)
		if v := pcommon.NewValueEmpty(); data != nil && v.FromRaw(data) == nil {
			b.addMeant(prefixes[id], id, v)
		}
	}
}

// plainContainers are the words for what a step was given or gave as an object,
// whose members some producers write as attributes of their own.
var plainContainers = wordSet("args arguments params parameters inputs outputs tool_args tool_arguments tool_input tool_output")

// plainFlattened adds the objects whose members stand in keys of their own, where one
// of them is nobody's word: tool.args.city and tool.args.days are the arguments
// {city, days}. On a span of the conventions only keys that nobody knows are looked at.
func (b *bag) plainFlattened(conventional bool) {
	type object struct {
		prefix  string
		pairs   []value.Pair
		strange bool // a member is nobody's word
	}
	var found []*object
	for i := range b.attrs {
		a := &b.attrs[i]
		if a.used || conventional && a.id != 0 {
			continue
		}
		prefix, path, ok := b.splitContainer(a.key)
		if !ok {
			continue
		}
		at := slices.IndexFunc(found, func(o *object) bool { return o.prefix == prefix })
		if at < 0 {
			at, found = len(found), append(found, &object{prefix: prefix})
		}
		o := found[at]
		o.pairs = append(o.pairs, value.Pair{Path: path, Data: rawValue(a.val, 0)})
		o.strange = o.strange || a.id == 0 && b.means(path).id == 0
	}
	for _, o := range found {
		id := b.meansHere(o.prefix).id
		if id == 0 || !o.strange {
			continue
		}
		data, unused := value.Expand(o.pairs)
		b.outOfRange(o.prefix, unused)
		if v := pcommon.NewValueEmpty(); data == nil || v.FromRaw(data) != nil || !b.addMeant(o.prefix, id, v) {
			continue
		}
		for i := range b.attrs {
			if a := &b.attrs[i]; a.id == 0 && strings.HasPrefix(a.key, o.prefix+".") {
				a.used = true
			}
		}
	}
}

// splitContainer splits a key after the first of its parts that is a container:
// a.args.b.c is a.args and b.c.
func (b *bag) splitContainer(key string) (prefix, path string, ok bool) {
	for from := 0; ; {
		dot := strings.IndexByte(key[from:], '.')
		if dot < 0 {
			return "", "", false
		}
		dot += from
		if part := key[from:dot]; plainContainers[snake(part)] || from == 0 && plainContainers[b.withoutProducer(part)] {
			path = key[dot+1:]
			return key[:dot], path, path != "" && !value.IsIndex(path[:1])
		}
		from = dot + 1
	}
}

// splitIndex splits a key before its first index: a[0].b and a.0.b are a and
// 0.b.
func splitIndex(key string) (prefix, path string, ok bool) {
	key = strings.NewReplacer("[", ".", "]", "").Replace(key)
	for i := 1; i+1 < len(key); i++ {
		if key[i] == '.' && key[i+1] >= '0' && key[i+1] <= '9' {
			return key[:i], key[i+1:], true
		}
	}
	return "", "", false
}

// plainEventsMax is how many events of a span are looked into.
const plainEventsMax = 100

// plainEvents adds what the attributes of events mean, whose name stands before
// theirs.
func (b *bag) plainEvents() {
	for i := range b.events[:min(len(b.events), plainEventsMax)] {
		e := &b.events[i]
		if strings.HasPrefix(e.name, "gen_ai.") || e.name == "exception" {
			continue
		}
		for _, k := range slices.Sorted(maps.Keys(e.attrs)) {
			id := b.means(e.name + "." + k).id
			if v := pcommon.NewValueEmpty(); id != 0 && v.FromRaw(e.attrs[k]) == nil {
				e.used = b.addMeant(e.name+"/"+k, id, v) || e.used
			}
		}
	}
}
