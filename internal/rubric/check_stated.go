package rubric

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A value that a text mentions is no value of its own where the words around it
// make it the end of a range, say that nobody states it, or suppose it.
var (
	boundBefore = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:\b(?:(?:more|less|fewer|greater|higher|lower|larger|smaller|bigger|longer|shorter|older|younger|later|earlier|other) than|over|under|above|below|beyond|exceed(?:s|ed|ing)?|at (?:least|most)|up to|a (?:minimum|maximum) of|not (?:before|after)|before|after|until)|[<>≤≥]=?|` +
			`超过|超出|多于|大于|高于|少于|小于|低于|不到|不足|至少|至多|最多|最少|早于|晚于)\s*(?:the )?[$€£¥]?$`)
	})
	boundAfter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:\+|\s*(?:\pL+ )?(?:(?:or|and) (?:more|less|fewer|higher|lower|above|below|over|under|up|later|earlier)|at (?:the )?(?:most|least|earliest|latest))\b|[个個人年天次]?(?:以上|以下|以内|之前|之后|以前|以后|多))`)
	})
	unsaid = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:\b(?:(?:no|none of the|neither(?: of the)?) (?:\pL+ ){0,2}|nobody |no one )(?:says?|said|states?|stated|claims?|claimed|gives?|gave|shows?|showed|supports?|supported|mentions?|mentioned|confirms?|confirmed|reports?|reported)\b|` +
			`\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to|failed to) (?:confirm|verify|establish|support|corroborate)\b|\banything but\b|` +
			`没有[^，。；：]{0,8}(?:说|提到|显示|表明|证实|支持)|无法(?:确认|证实|核实)|不可能)[^,;:.，。；：]*$`)
	})
)

// supposed matches what makes a value that of a case that is thought of, and not the one
// that is: a condition that it stands in ("if it were …", "suppose that …", 假如…), or what
// follows from one that is not so ("had it been finished, it would have been …").
var supposed = sync.OnceValue(func() *regexp.Regexp {
	const (
		clause = `[^,;:.!?，。；：！？]*`
		that   = ` (?:that )?(?:\pL+ ){1,4}(?:is|was|were|be|of|measures?|had|had been) (?:\pL+ )?`
		unreal = `\b(?:would|could|might|should)\b` + clause
	)
	return regexp.MustCompile(`(?i)(?:\b(?:if|whether|though|supposing|imagining|assuming)` + that +
		`|(?:^|[;:.!?]\s+|\b(?:let us|let's|just|please|now) )(?:suppose|imagine|assume|say)\b` + clause + `|\bwish(?:es)?\b` + clause + `|\bhypothetically,? ` + clause +
		`|(?:^|[,;:.!?]\s+)(?:were|had) (?:it|they|he|she|this|that|the (?:\pL+ ){1,3}been)\b` + clause + `(?:,` + clause + unreal + `)?` +
		`|\bif\b` + clause + `\b(?:were|had)\b` + clause + `,` + clause + unreal +
		`|\b(?:could|might|should|ought to) have been\b` + clause +
		`|(?:如果|假如|假设|假設|倘若|要是|若是|本应|本應|本该|原本应|原本会|原本會|本来会|本来會)` + clause + `)$`)
})

// unrealised matches a value that was not to be, where a text states another one as well.
var unrealised = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bwould have been\b[^,;:.!?]*$`)
})

// states reports whether a text mentions a value anywhere as more than the end of a
// range, and not only to say that nobody states it, or to suppose it. beside says that
// the text states other values.
func states(text, value string, beside bool) bool {
	mentioned := false
	for at := 0; ; {
		k := strings.Index(text[at:], value)
		if k < 0 {
			return !mentioned // it is written in another way than it is named
		}
		from, to := at+k, at+k+len(value)
		at = to
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		next, _ := utf8.DecodeRuneInString(text[to:])
		if unicode.IsDigit(before) || unicode.IsDigit(next) {
			continue // a part of another number
		}
		mentioned = true
		head := strings.ReplaceAll(text[max(0, from-statedBytes):from], "’", "'")
		if !boundBefore().MatchString(head) && !boundAfter().MatchString(text[to:min(len(text), to+statedBytes)]) && !unsaid().MatchString(head) &&
			!supposed().MatchString(head) && !(beside && unrealised().MatchString(head)) {
			return true
		}
	}
}

// statedBytes is how far around a value words are looked at.
const statedBytes = 120

// soleNumeral is the number that a text is of nothing but its word: words that a
// sentence has for other reasons (one, 两) are numbers only there.
func soleNumeral(text string) (float64, bool) {
	v, ok := soleNumerals[strings.ToLower(strings.Trim(text, " \t\r\n.!。！*\"'"))]
	return v, ok
}

var soleNumerals = func() map[string]float64 {
	m := map[string]float64{"hundred": 100, "a hundred": 100, "两": 2, "〇": 0}
	for i, word := range strings.Fields("zero one two three four five six seven eight nine ten") {
		m[word] = float64(i)
	}
	for i, word := range strings.Fields("零 一 二 三 四 五 六 七 八 九 十") {
		m[word] = float64(i)
	}
	return m
}()
