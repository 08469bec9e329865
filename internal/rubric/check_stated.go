package rubric

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A value that a text mentions is no value of its own where the words around it
// make it the end of a range, or say that nobody states it.
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

// states reports whether a text mentions a value anywhere as more than the end of a
// range, and not only to say that nobody states it.
func states(text, value string) bool {
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
		if !boundBefore().MatchString(head) && !boundAfter().MatchString(text[to:min(len(text), to+statedBytes)]) && !unsaid().MatchString(head) {
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
