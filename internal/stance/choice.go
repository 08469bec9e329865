package stance

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// choosing words say with whom the text sides; a Chinese one may stand around
// the name.
var (
	choosing = slices.Concat(each(" ", phrases("i", "i'll", "i will", "i'd", "i've", "i have", "we", "we'll", "we've", "i am", "i'm", "so i"), phrases("side with", "sided with", "siding with", "trust", "trusted", "believe", "go with", "went with", "gone with", "going with", "go by", "gone by", "stick with", "sticking with", "stuck with", "follow", "followed", "rely on", "relied on", "relying on", "choose", "chose", "chosen", "prefer", "preferred", "used", "taken", "treat", "treated", "regard", "regarded", "give more weight to", "gave more weight to", "defer to", "deferred to", "put more trust in")),
		phrases("采信", "采纳", "采用", "选用", "相信", "以"))
	decisive = phrases("为准")
	// prevailing say with whom it sides behind the name.
	prevailing = phrases("wins", "prevails", "is what counts", "counts", "takes precedence", "has precedence", "is authoritative", "is the authority", "is decisive", "is to be trusted", "should know", "is more reliable", "is more trustworthy", "更可靠", "更可信", "更权威", "说了算", "才算数")
)

// grounds lead from a choice to its reason.
var grounds = phrases("since", "because", "as", "for", "given", "which", "因为", "由于")

// choiceReach is how long a sentence, in bytes, a choice can mean by any of its words.
const choiceReach = 1000

// choiceLimit is how many statements before it a choice may mean.
const choiceLimit = 8

// chosen reads a clause without a value that sides with a source: the statement
// before it that names the source holds.
func (s *statements) chosen(text string) {
	if lang.HasAny(text, rejectBefore) {
		return
	}
	for _, cue := range prevailing {
		if i := lang.IndexWord(text, cue); i > 0 {
			s.side(text[:i])
			return
		}
	}
	for _, cue := range choosing {
		i := lang.IndexWord(text, cue)
		if i < 0 {
			continue
		}
		name := text[i+len(cue):]
		if j := strings.Index(name, decisive[0]); j >= 0 {
			name = name[:j]
		} else if cue == "以" {
			continue
		}
		if j := lang.IndexAny(name, grounds); j > 0 {
			name = name[:j]
		}
		if s.side(name) {
			return
		}
	}
}

// side takes the statement before that names a source for what the text comes to.
func (s *statements) side(name string) bool {
	name = strings.TrimPrefix(strings.ToLower(strings.Trim(name, " *_.。,，;；:：!！\"”")), "the ")
	if name == "" || len(name) > BareLimit {
		return false
	}
	for n := len(s.list) - 1; n >= max(0, len(s.list)-choiceLimit); n-- {
		x := s.list[n]
		if lang.ContainsFold(x.label+x.clause.text, name) || x.sentence != s.reading && len(x.sentence) <= choiceReach && !s.paired(n) && lang.ContainsFold(x.sentence, name) {
			x.stance = concluded
			s.list = append(s.list, x)
			return true
		}
	}
	return false
}
