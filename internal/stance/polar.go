package stance

import "strings"

// polarities are the two outcomes of a question that has no third, each by its
// words: who denies the one states the other.
var polarities = [][2][]string{
	{phrases("approved", "granted", "批准", "获批"), phrases("rejected", "refused", "turned down", "declined", "驳回", "拒绝")},
	{phrases("passed", "pass", "passes", "cleared", "approved", "accepted", "通过", "合格", "达标"), phrases("failed", "fail", "fails", "rejected", "不合格", "未通过", "不达标")},
	{phrases("open", "opened", "reopened", "开放"), phrases("closed", "shut", "关闭")},
	{phrases("succeeded", "succeed", "successful", "成功"), phrases("failed", "fail", "unsuccessful", "失败")},
	{phrases("yes", "true", "是"), phrases("no", "false", "否")},
	{phrases("allowed", "permitted", "legal", "允许"), phrases("forbidden", "prohibited", "banned", "illegal", "禁止")},
	{phrases("alive", "在世"), phrases("dead", "去世")},
	{phrases("increased", "increase", "rose", "上升", "增加"), phrases("decreased", "decrease", "fell", "下降", "减少")},
	{phrases("enabled", "on"), phrases("disabled", "off")},
}

// outcomes is the words of the true and of the false value where they are the
// two outcomes of one question; ok is false where they are not.
func (c *Claim) outcomes() (words [2][]string, ok bool) {
	for _, p := range polarities {
		for side := range p {
			if named(c.True, p[side]) && named(c.False, p[1-side]) {
				return [2][]string{p[side], p[1-side]}, true
			}
		}
	}
	return words, false
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

// deny makes of the denial of one outcome the statement of the other.
func (s *statements) deny() {
	var stated [2]bool
	for _, x := range s.list {
		stated[x.side] = stated[x.side] || x.stance >= Asserted
	}
	for i := range s.list {
		if x := &s.list[i]; x.stance == rejected && !stated[1-x.side] {
			x.side, x.stance = 1-x.side, Asserted
		}
	}
}
