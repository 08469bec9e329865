package stance

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// dimension is what a value can be of, where one unit serves for several: by its
// nouns, which stand anywhere, its adjectives, which stand behind the value, and
// the Chinese character for both, which stands beside it: 坝高72米.
type dimension struct {
	nouns, adjectives []string
	han               string
}

var dimensions = []dimension{
	{phrases("depth", "深度"), phrases("deep", "down"), "深"},
	{phrases("width", "breadth", "宽度"), phrases("wide", "broad", "across"), "宽"},
	{phrases("height", "elevation", "altitude", "高度", "海拔"), phrases("high", "tall", "above sea level"), "高"},
	{phrases("length", "长度", "全长"), phrases("long"), "长"},
	{phrases("distance", "距离"), phrases("away", "apart"), "距"},
	{phrases("thickness", "厚度"), phrases("thick"), "厚"},
	{phrases("diameter", "直径"), phrases("in diameter", "across"), "径"},
	{phrases("weight", "重量"), phrases("heavy"), "重"},
}

func (d *dimension) in(text string) bool {
	return lang.HasAny(text, d.nouns) || lang.HasAny(text, d.adjectives) || strings.Contains(text, d.han)
}

// beside reports whether the value between two texts is of the dimension.
func (d *dimension) beside(head, tail string) bool {
	return lang.HasAny(head, d.nouns) || strings.HasSuffix(strings.TrimRight(head, "为约是 "), d.han) ||
		lang.HasAny(tail, d.nouns) || lang.Opens(tail, d.adjectives) || strings.HasSuffix(strings.TrimRight(tail, "。； \n"), d.han)
}

// dimensions is which dimensions the claim is of, by its words for the aspect and
// by the question; measured is false where they name none.
func (c *Claim) dimensions() (list []bool, measured bool) {
	list = make([]bool, len(dimensions))
	for _, text := range append([]string{c.asked}, c.Aspect...) {
		for i := range dimensions {
			list[i] = list[i] || dimensions[i].in(text)
			measured = measured || list[i]
		}
	}
	return list, measured
}

// otherAspect reports whether a clause gives its value as another dimension than
// the claim's: "72 m wide" and "the width is 72 m" where the depth is asked for.
func (c *Claim) otherAspect(head, tail string) bool {
	own, measured := c.dimensions()
	other := false
	for i := range dimensions {
		if measured && dimensions[i].beside(head, strings.TrimLeft(tail, "-")) {
			if own[i] {
				return false
			}
			other = true
		}
	}
	return other
}
