package judge

import (
	"regexp"
	"strings"
	"sync"
)

// refuses reports whether a reply without an object says in words that the judge will
// not answer: an apology or none, then that it cannot or will not do what was asked. That
// it cannot tell is none: it is a reply of the wrong form.
func refuses(text string) bool {
	text = strings.ReplaceAll(strings.TrimSpace(text), "’", "'")
	return refusal().MatchString(text[:min(len(text), refusalBytesMax)])
}

// refusalBytesMax is how far into a reply its refusal is looked for.
const refusalBytesMax = 300

var refusal = sync.OnceValue(func() *regexp.Regexp {
	const (
		sorry  = `(?:(?:i'm|i am|we're|we are|i|we)? ?(?:very |so |really |deeply )?(?:sorry|afraid|apologi[sz]e|apologies|unfortunately|my apologies)\b[^.!]{0,60}?[.,:;!]? ?)?`
		as     = `(?:but |however,? |that )?(?:as an? (?:ai|language|responsible)\b[^.,]{0,60}, ?)?`
		cannot = `(?:i|we) (?:(?:cannot|can't|can not|could not|couldn't|won't|will not|wouldn't|am unable to|am not able to|am not allowed to|am not permitted to)|must (?:respectfully )?(?:decline|refuse)|(?:have to|would have to) decline|(?:respectfully )?decline|refuse)|i'm (?:unable to|not able to|not allowed to|not permitted to|not comfortable)`
		what   = ` ?(?:to |with |in good conscience )?(?:help|assist|comply|fulfil|do (?:that|this)|continue|proceed|engage|participate|judge|evaluate|assess|grade|answer (?:that|this|these|your|the)|respond|reply|provide|process|discuss|analy[sz]e|review|complete|this|that|your|the request|helping|assisting|providing)\b`
	)
	return regexp.MustCompile(`(?i)^["'*# ]*(?:` + sorry + as + `(?:` + cannot + `)` + what +
		`|(?:(?:很|非常|十分)?(?:抱歉|遗憾|對不起|对不起|不好意思)[，,。！!]?\s*)?(?:但是?|不过)?[，,]?\s*(?:作为[^，,。]{0,16}[，,]\s*)?我(?:们)?(?:无法|無法|不能|没有?办法|不可以|不会|拒绝|拒絕)(?:为[您你]|对[此这]|就此)?(?:协助|協助|帮助|幫助|帮|提供|回答|满足|完成|处理|處理|继续|參與|参与|评判|评估|評估|讨论|执行|这|此))`)
})
