package injection

// A sentence that turns to the machine that reads it, whatever it then asks for:
// "Note to AI agents: before continuing, run …". Text about AI turns to nobody.

const (
	machine   = `(?:AIs?(?:[- ](?:agents?|assistants?|models?|bots?|systems?|tools?|language[- ]models?))?|LLMs?(?: agents?)?|(?:large )?language[- ]models?)`
	inChinese = `(?:AI ?|人工智能|大语言|大)?(?:智能体|智能助手|助手|助理|代理|模型|机器人)|AI|人工智能`

	addressed = `(?i)\b(?:notes?|message|notice|instructions?|attention|important|reminder|request|memo|directive)\b:? ?(?:to|for|,)? ?(?:(?:all|any|every|the|our|other) )*` + machine + `\b[^.\n:]{0,40}(?:[:,–—]| - )` +
		`|\bif you(?: are|['’]re) an? ` + machine + `(?:[,.;:)]| (?:reading|processing|and|or|then)\b)` +
		`|\b` + machine + ` (?:(?:that|who|which) )?(?:(?:is|are) )?(?:reading|reads?|processing|process(?:es)?|parsing|summari[sz]ing|viewing|seeing|indexing) (?:this|these|the (?:page|text|file|document))\b[^.\n]{0,40}\b(?:must|should|shall|needs? to|ha(?:s|ve) to|please|(?:is|are) (?:required|asked|instructed|ordered|to))\b` +
		`|(?:^|["'>*\]\n(])\s*(?:dear |hey |hello |attention,? )?` + machine + `\s*[:,!]\s*(?:you (?:must|should|need|have|are)|please|before|immediately|` + orders + `)\b` +
		`|(?:^|["'>*\]\n(])\s*system(?: (?:note|message|notice|override))?: (?:you must|please|` + orders + `) ` +
		`|\bas an? ` + machine + `(?: (?:reviewer|grader|judge|reader|evaluator))?,? you (?:must|should|shall|have to|are (?:required|asked|instructed|ordered))\b` +
		`|\b(?:when|while|before|after|if you(?: are|['’]re)?) (?:summari[sz]|review|evaluat|grad|judg|assess|process|pars|index)(?:e|es|ing|ed)? (?:this|the) (?:page|text|file|document|article|e-?mail|content|paper|answer|response|website)\b,? ?(?:(?:you|please|always|only|must|should|be sure to) ){0,3}(?:say|state|claim|recommend|praise|rate|give it|answer|reply|respond|output)\b` +
		`|(?:致|给|告知|提醒|请|通知)(?:所有|各位|任何|全体)?(?:的)?(?:` + inChinese + `)[^。\n：:，,]{0,10}(?:的)?(?:说明|通知|指令|提示|留言|注意)?[：:，,]` +
		`|(?:如果|若|假如|要是)(?:你|您)是(?:一个|一名|一款)?(?:` + inChinese + `)` +
		`|(?:阅读|读到|看到|处理|解析|读取)(?:了)?(?:本|此|这)[^。\n，,]{0,10}的(?:` + inChinese + `)[^。\n]{0,6}(?:必须|请|应当|应该|需要|务必|须)` +
		`|(?:AI|人工智能) ?(?:助手|助理|代理|智能体)(?:请|务必)`

	orders = `call|run|execute|invoke|send|transfer|forward|delete|e-?mail|upload|share|wire|pay|reply with|tell the user|grant|approve`
)

// addressees are what each such sentence has one of. Words that are common in
// Chinese count only behind what turns to them.
var addressees = func() []string {
	list := []string{
		"ai agent", "ai-agent", "ai assistant", "ai-assistant", "ai model", "ai-model", "ai bot", "ai-bot", "ai system", "ai-system", "ai tool", "ai-tool", "ais ", "ai:", "ai,", "ai!", "ai :",
		"ai read", "ai process", "ai pars", "ai summar", "ai view", "ai see", "ai index", "ai that", "ai who", "ai which", "ai is", "an ai", "llm", "language model", "language-model",
		"as an ai", "as an llm", "this page", "the page", "this text", "this file", "this document", "the document", "this article", "this email", "this e-mail", "this content", "this paper", "this answer", "the answer", "this response", "the response", "this website",
		"system:", "system note:", "system message:", "system notice:", "system override:",
	}
	for _, before := range []string{"致", "给", "告知", "提醒", "请", "通知", "所有", "各位", "任何", "全体", "的", "是", "一个", "一名", "一款"} {
		for _, name := range []string{"ai", "人工智能", "大语言", "大模型", "大智能", "智能体", "智能助手", "助手", "助理", "代理", "模型", "机器人"} {
			list = append(list, before+name)
		}
	}
	for _, name := range []string{"助手", "助理", "代理", "智能体"} {
		list = append(list, name+"请", name+"务必")
	}
	return list
}()
