package stance

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// polarities are the two outcomes of a question that has no third, each by its
// words: who denies the one states the other.
var polarities = [][2][]string{
	{phrases("approved", "granted", "green light", "go-ahead", "signed off", "endorsed", "cleared", "authorised", "authorized", "accepted", "approval", "批准", "获批", "核准", "放行", "准许", "同意"),
		phrases("rejected", "refused", "turned down", "declined", "vetoed", "thrown out", "voted down", "knocked back", "sent back", "rejection", "refusal", "驳回", "拒绝", "否决", "退回", "拒批")},
	{slices.Concat(phrases("passed", "pass", "passes", "cleared", "approved", "accepted", "通过", "合格", "达标", "过关", "达到要求", "符合要求", "达到标准", "符合标准"), success),
		slices.Concat(phrases("failed", "fail", "fails", "rejected", "不合格", "未通过", "不达标", "没过", "打回", "不及格"), failure)},
	{phrases("open", "opened", "reopened", "开放"), phrases("closed", "shut", "关闭")},
	{slices.Concat(phrases("succeeded", "succeed", "succeeds", "passed"), success), slices.Concat(phrases("failed", "fail", "fails"), failure)},
	{phrases("acquitted", "not guilty", "innocent", "cleared of", "无罪"), phrases("convicted", "guilty", "有罪")},
	{phrases("available", "in stock", "有货", "现货"), phrases("unavailable", "out of stock", "sold out", "缺货", "无货", "售罄")},
	{phrases("valid", "in force", "in effect", "active", "有效", "生效"), phrases("invalid", "expired", "lapsed", "inactive", "void", "无效", "失效", "过期")},
	{phrases("won", "win", "victory", "victorious", "获胜", "胜利", "赢"), phrases("lost", "lose", "defeat", "defeated", "beaten", "落败", "失利", "输")},
	{phrases("positive", "阳性"), phrases("negative", "阴性")},
	{phrases("paid", "settled", "已付", "付清"), phrases("unpaid", "outstanding", "overdue", "未付", "欠付")},
	{phrases("yes", "true", "是"), phrases("no", "false", "否")},
	{phrases("safe", "recommended", "advisable", "suitable", "can be used", "can be taken", "安全", "推荐", "可以使用", "可以服用", "适合"),
		phrases("unsafe", "not safe", "not recommended", "not advisable", "unsuitable", "contraindicated", "dangerous", "harmful", "must not be used", "should not be used", "should be avoided", "must be avoided", "不安全", "不推荐", "禁用", "忌用", "不宜", "不可使用", "不适合")},
	{phrases("allowed", "permitted", "legal", "允许"), phrases("forbidden", "prohibited", "banned", "illegal", "禁止")},
	{phrases("alive", "在世"), phrases("dead", "去世")},
	{phrases("increased", "increase", "rose", "上升", "增加"), phrases("decreased", "decrease", "fell", "下降", "减少")},
	{phrases("enabled", "on"), phrases("disabled", "off")},
}

// success and failure are how a test, an attempt and a review end.
var (
	success = phrases("success", "successful", "successfully", "a pass", "met", "satisfied", "fulfilled", "sailed through", "got through", "came through", "made it", "made the grade", "clean bill of health", "flying colours", "flying colors", "with distinction", "thumbs up", "成功", "过关", "顺利完成", "圆满")
	failure = phrases("failure", "unsuccessful", "unsuccessfully", "a fail", "flunked", "fell short", "fell through", "falls short", "unmet", "came to nothing", "did not make it", "didn't make it", "thumbs down", "失败", "落空", "未果", "告吹", "泡汤")
)

// outcomes is the words of the true and of the false value where they are the
// two outcomes of one question; ok is false where they are not.
func (c *Claim) outcomes() (words [2][]string, ok bool) {
	side, ok := c.affirmed()
	if ok {
		p := c.polarity()
		words = [2][]string{p[side], p[1-side]}
	}
	return words, ok
}

// polarity is the two outcomes that the claim's values are, the better first: of the
// table, or a word and its denial; nil where they are none.
func (c *Claim) polarity() *[2][]string {
	for i := range polarities {
		p := &polarities[i]
		for side := range p {
			if named(c.True, p[side]) && named(c.False, p[1-side]) {
				return p
			}
		}
	}
	for side, a := range [2]Answer{c.True, c.False} {
		b := [2]Answer{c.True, c.False}[1-side]
		for _, v := range a.All() {
			for _, w := range b.All() {
				if denialOf(w, v) {
					return &[2][]string{a.All(), b.All()}
				}
			}
		}
	}
	return nil
}

// ahead reports whether an outcome is still to come, and so is not the case: "is expected
// to be signed".
func (c *Claim) ahead(w *wording) bool {
	return lang.Closes(w.head, upcoming) && c.polarity() != nil
}

var upcoming = phrases("expected to be", "due to be", "scheduled to be", "planned to be", "about to be", "going to be", "yet to be", "still to be", "remains to be", "will be", "it to be", "them to be", "将被", "即将", "尚待", "有待")

// denialOf reports whether a word or two are those of another with a denial before them:
// not recalled, unsigned, 未签署.
func denialOf(text, of string) bool {
	text, of = strings.ToLower(strings.TrimSpace(text)), strings.ToLower(strings.TrimSpace(of))
	rest, denied := strings.CutSuffix(text, of)
	return denied && of != "" && rest != "" && len(strings.Fields(of)) <= 3 && slices.Contains(denying, strings.TrimSpace(rest))
}

var denying = slices.Concat(phrases("not", "un", "non", "non-", "in", "im", "dis", "no", "never", "not yet", "未", "不", "没有", "没", "尚未", "并未", "非"), hanDenials)

// affirmed is the side of the claim that is the better of two outcomes, which a
// question that states neither asks for.
func (c *Claim) affirmed() (side int, ok bool) {
	p := c.polarity()
	if p == nil {
		return 0, false
	}
	if named(c.True, p[0]) {
		return 0, true
	}
	return 1, true
}

// named reports whether one of the spellings is one of the words.
func named(a Answer, words []string) bool {
	for _, v := range a.All() {
		for _, w := range words {
			if strings.EqualFold(strings.TrimSpace(v), w) {
				return true
			}
		}
	}
	return false
}

// deny makes of the denial of one outcome a statement of the other: beside it, where
// a source has the other one.
func (s *statements) deny() {
	var stated [2]bool
	for _, x := range s.list {
		stated[x.side] = stated[x.side] || x.stance >= attributed
	}
	var out []statement
	for _, x := range s.list {
		if x.stance != rejected {
			out = append(out, x)
			continue
		}
		if stated[1-x.side] {
			out = append(out, x)
		}
		x.side, x.stance = 1-x.side, Asserted
		if told := plain(x.clause.text); lang.HasAny(told, attribution) && tellsSource(told) {
			x.stance = attributed // "the shop says that it isn't recalled"
		}
		out = append(out, x)
	}
	s.list = out
}

// undertakes reports whether a word for an outcome governs a verb, and so is of
// something else: "nobody failed to praise it", "the maker declined to comment".
// What failed to pass did fail.
func undertakes(value, tail string) bool {
	rest, governs := strings.CutPrefix(strings.TrimLeft(tail, " "), "to ")
	return governs && lang.HasAny(value, undertaking) && !lang.Opens(rest, achieving)
}

var (
	undertaking = phrases("failed", "fail", "fails", "declined", "refused", "succeeded")
	achieving   = slices.Concat(phrases("pass", "meet", "satisfy", "clear", "get", "win", "make", "comply", "achieve", "reach", "obtain", "gain", "fulfil", "fulfill", "approve", "accept", "grant"), success)
)
