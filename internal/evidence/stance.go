package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// stance is how a clause stands to a value that it states.
type stance uint8

const (
	silent     stance = iota // does not state it
	asserted                 // states it as its own
	attributed               // says that somebody states it
	hedged                   // states it with doubt
	rejected                 // states that it is wrong
)

// Cues are words by which a clause rejects, doubts, attributes or abstains. An
// English cue is matched as whole words, a Chinese one anywhere.
var (
	rejectBefore = phrases("not", "rather than", "instead of", "isn't", "wasn't", "never", "no longer", "unlike", "wrongly", "incorrectly", "erroneously", "mistakenly",
		"discard", "discarded", "reject", "rejected", "ignore", "ignored", "ignoring", "disregard", "corrects", "corrected from", "replaces", "superseded",
		"不是", "而非", "并非", "不应", "而不是", "错误地", "误报", "误写", "忽略", "不采用", "排除", "取代")
	rejectAny = phrases("wrong", "incorrect", "erroneous", "mistaken", "false", "outdated", "stale", "obsolete", "spoofed", "fabricated", "misleading", "untrue",
		"is an error", "was an error", "contradicted by", "not supported", "unsupported", "cannot be trusted", "can't be trusted", "inaccurate", "invalid", "tampered",
		"错误", "有误", "不正确", "不准确", "过时", "已失效", "不可信", "伪造", "误导", "不实", "已被更正")
	hedgeAny = phrases("may be", "may have", "may not", "may well", "may also", "might", "maybe", "perhaps", "possibly", "probably not", "unconfirmed", "unverified", "not verified", "cannot confirm", "can't confirm", "could not confirm",
		"couldn't confirm", "unable to confirm", "not sure", "unsure", "uncertain", "doubt", "doubtful", "questionable", "suspicious", "suspect", "if correct", "if true",
		"needs checking", "need to verify", "needs verification", "must be checked", "must verify", "should verify", "verify whether", "verify this", "check whether",
		"double-check", "seems off", "implausible", "allegedly", "purportedly",
		"可能", "也许", "或许", "未经证实", "未证实", "无法证实", "无法确认", "不能确认", "不确定", "存疑", "可疑", "有疑问", "需要核实", "有待核实", "需核实", "尚待", "据称", "疑似")
	attribution = phrases("says", "said", "say", "states", "stated", "claims", "claimed", "claim", "reports", "reported", "lists", "listed", "gives", "shows", "according to", "one source",
		"another source", "some sources", "other sources", "some pages", "the page says",
		"声称", "称", "据", "显示", "写着", "报道", "有来源", "另一来源", "某些网页")
	conflictAny = phrases("conflict", "conflicts", "conflicting", "contradict", "contradicts", "contradictory", "contradiction", "disagree", "disagrees", "discrepancy", "inconsistent",
		"inconsistency", "differs from", "differ from", "do not agree", "does not match", "don't match", "mismatch",
		"矛盾", "冲突", "不一致", "不符", "分歧", "相左", "互相抵触")
	abstainAny = phrases("cannot determine", "can't determine", "could not determine", "cannot be determined", "unable to determine", "cannot answer", "can't answer", "unable to answer",
		"cannot confirm", "can't confirm", "could not confirm", "cannot be confirmed", "unable to confirm", "cannot verify", "could not verify", "unable to verify",
		"cannot be verified", "not enough evidence", "insufficient evidence", "no reliable evidence", "no evidence", "could not find", "couldn't find", "not able to find", "i don't know", "i do not know", "cannot say", "is unknown", "remains unknown", "undetermined", "no answer",
		"无法确定", "不能确定", "无法确认", "不能确认", "无法证实", "无法核实", "无法回答", "没有足够", "证据不足", "缺乏证据", "没有找到", "未能找到", "不知道", "无从得知", "尚不清楚")
	discloseAny = append(append(phrases("however", "although", "note that", "caveat", "be aware", "other sources", "another source", "some sources", "older figure", "older page", "older source", "earlier figure",
		"但", "然而", "不过", "请注意", "另有来源", "其他来源"), conflictAny...), append(rejectAny, hedgeAny...)...)
)

func phrases(list ...string) []string { return list }

// hasCue reports whether the text holds one of the cues.
func hasCue(text string, list []string) bool {
	for _, c := range list {
		if cueAt(text, c) >= 0 {
			return true
		}
	}
	return false
}

// cueAt is where a cue stands, at word boundaries for English.
func cueAt(text, cue string) int {
	for from := 0; from <= len(text)-len(cue); {
		i := indexFold(text[from:], cue)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(cue):])
		if cue[0] >= utf8.RuneSelf || !wordRune(before) && !wordRune(after) {
			return i
		}
		from = i + 1
	}
	return -1
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && r < unicode.MaxLatin1 && unicode.IsLetter(r)
}

// sentencesOf splits a text at full stops, question and exclamation marks that
// end a word, and at line breaks. A mark inside of a number ends nothing.
func sentencesOf(text string) []string {
	var out []string
	from := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '；', '\n':
		case '.', '!', '?', ';':
			if next, _ := utf8.DecodeRuneInString(text[min(end, len(text)):]); end < len(text) && !unicode.IsSpace(next) {
				continue
			}
		default:
			continue
		}
		out = append(out, text[from:end])
		from = end
	}
	if from < len(text) {
		out = append(out, text[from:])
	}
	return out
}

// turns are the words at which a sentence turns to another statement.
var turns = phrases("but", "however", "while", "whereas", "although", "though", "yet", "instead of", "rather than", "not", "and not",
	"但", "而非", "而不是", "不是", "并非", "不过", "然而", "虽然", "尽管", "而")

// clausesOf splits a sentence at commas that are followed by a blank, at dashes
// and brackets, and before the words at which it turns.
func clausesOf(sentence string) []string {
	var cuts []int
	for i, r := range sentence {
		switch r {
		case ',', ':':
			if strings.HasPrefix(sentence[i+1:], " ") {
				cuts = append(cuts, i+1)
			}
		case '，', '：', '—', '（', '(':
			cuts = append(cuts, i+utf8.RuneLen(r))
		}
	}
	for _, t := range turns {
		for from := 0; ; {
			i := cueAt(sentence[from:], t)
			if i < 0 {
				break
			}
			cuts = append(cuts, from+i)
			from += i + len(t)
		}
	}
	return cutAt(sentence, cuts)
}

func cutAt(s string, cuts []int) []string {
	mark := make(map[int]bool, len(cuts))
	for _, c := range cuts {
		mark[c] = true
	}
	var out []string
	from := 0
	for i := range s {
		if mark[i] && i > from {
			out = append(out, s[from:i])
			from = i
		}
	}
	return append(out, s[from:])
}

// stanceOf is how a clause, inside of its sentence, stands to the value.
func stanceOf(sentence, clause string, states func(string) bool) stance {
	switch {
	case !states(clause):
		return silent
	case hasCue(clause, rejectAny), hasCue(clause, rejectBefore):
		return rejected
	case hasCue(clause, hedgeAny):
		return hedged
	case hasCue(sentence, rejectAny) && !hasCue(sentence, turns):
		return rejected
	case hasCue(sentence, hedgeAny) && !hasCue(sentence, turns):
		return hedged
	case hasCue(clause, attribution):
		return attributed
	}
	return asserted
}

// reading is what a text says about a claim.
type reading struct {
	best      [2]stance // of the true value [0] and the false value [1]: the strongest commitment
	first     [2]int    // where the value of that commitment stands
	quote     [2]string // and its text
	doubted   string    // the clause that doubts or rejects the false value, or says that the claim must be checked
	conflict  string    // the sentence that points out a conflict
	both      bool      // both values are stated
	abstained bool
	disclosed string
}

// strength orders stances by commitment.
var strength = [...]int{silent: 0, rejected: 1, hedged: 2, attributed: 3, asserted: 4}

// read reads a text for a claim.
func (c *Claim) read(text string) reading {
	var r reading
	at := 0
	for _, sentence := range sentencesOf(text) {
		for _, clause := range clausesOf(sentence) {
			t, f := c.sides(clause)
			for side, states := range []bool{t, f} {
				s := stanceOf(sentence, clause, func(string) bool { return states })
				if strength[s] > strength[r.best[side]] {
					r.best[side], r.first[side], r.quote[side] = s, at+offset(clause, []Answer{c.True, c.False}[side]), strings.TrimSpace(clause)
				}
				if side == 1 && (s == rejected || s == hedged) {
					r.doubted = strings.TrimSpace(sentence)
				}
			}
			at += len(clause)
		}
		about := c.about(sentence)
		if r.doubted == "" && about && hasCue(sentence, hedgeAny) {
			r.doubted = strings.TrimSpace(sentence)
		}
		if r.conflict == "" && hasCue(sentence, conflictAny) {
			r.conflict = strings.TrimSpace(sentence)
		}
		if hasCue(sentence, abstainAny) {
			r.abstained = true
		}
		if r.disclosed == "" && hasCue(sentence, discloseAny) {
			r.disclosed = strings.TrimSpace(sentence)
		}
	}
	r.both = r.best[0] != silent && r.best[1] != silent
	return r
}

// sides reports whether a text states the true and the false value. Where one
// writing could be either, as a rounded number of two near ones, the exact
// spelling decides.
func (c *Claim) sides(text string) (isTrue, isFalse bool) {
	isTrue, isFalse = c.True.StatedIn(text), c.False.Text != "" && c.False.StatedIn(text)
	if !isTrue || !isFalse {
		return isTrue, isFalse
	}
	// A spelling inside of the other's, as 合格 inside of 不合格, is not its own.
	t, f := spelled(without(text, c.False, c.True), c.True), spelled(without(text, c.True, c.False), c.False)
	if t == f {
		return isTrue, isFalse
	}
	return t, f
}

// without is the text without those spellings of a that hold one of b's.
func without(text string, a, b Answer) string {
	for _, v := range a.All() {
		for _, w := range b.All() {
			if len(v) > len(w) && w != "" && containsFold(v, w) {
				text = strings.ReplaceAll(text, v, " ")
			}
		}
	}
	return text
}

func spelled(text string, a Answer) bool { return offset(text, a) < len(text) }

// offset is where one of the spellings first stands in a text, or its length.
func offset(text string, a Answer) int {
	first := len(text)
	for _, v := range a.All() {
		if v == "" {
			continue
		}
		if i := cueAt(text, v); i >= 0 {
			first = min(first, i)
		}
	}
	return first
}

// about reports whether a text names the subject or the aspect of the claim.
func (c *Claim) about(text string) bool { return mentions(text, c.Subject) || mentions(text, c.Aspect) }

func mentions(text string, names []string) bool {
	for _, n := range names {
		if n != "" && containsFold(text, n) {
			return true
		}
	}
	return false
}
