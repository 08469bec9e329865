package admit

import (
	"strings"
	"unicode"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Failure is a call that failed.
type Failure struct {
	Tool      []string // words of the tool's name
	Named     string   // names of its arguments
	Arguments string   // their values
	Error     string   // what it said
	Asked     string   // the request, where nothing else that was done for it succeeded
	// Refused is true of a call that a person did not let run. He knows: he need
	// only not be told that its deed is done.
	Refused bool
}

// maxClauses bounds what is read of a text: what stands after so many clauses
// tells nobody of a failure.
const maxClauses = 1000

// Text is a text, read once for all calls that it may tell of.
type Text struct {
	sentences []sentence
}

// sentence is a sentence of a text.
type sentence struct {
	clauses []clause
	words   lang.Words
	attempt bool // says of an attempt that it did not work
	work    bool // speaks of the call by words that fit any
}

// clause is a part of a sentence that says one thing.
type clause struct {
	text    string
	words   lang.Words
	denies  bool // has a negation
	without bool // says that something is not there, or was not done
	means   meaning
	asks    bool // repeats what was asked for, or tells what was looked at
	done    bool // says that something is done
	undone  bool // says that something is not done
}

// Read takes a text apart.
func Read(text string) *Text {
	t := &Text{}
	left := maxClauses
	for text != "" && left > 0 {
		_, end := lang.Sentence(text, 0, 0)
		if end == 0 {
			end = 1
		}
		part := text[:end]
		text = strings.TrimLeft(text[end:], ".!?\n。！？； ")
		s := sentence{attempt: failedAttempt(part), work: aboutWork().MatchString(part)}
		s.words.Add(part)
		for _, c := range clauses(part) {
			s.clauses = append(s.clauses, c)
			left--
		}
		t.sentences = append(t.sentences, s)
	}
	return t
}

// between is where a sentence falls into clauses.
var between = pattern(`(?i)[,;，；、]\s*|\s[—–-]\s|\b(but|so|because|since|although|though|while|whereas)\b|但是?|因此|所以|因为|由于`)

func clauses(sentence string) []clause {
	var list []clause
	for _, part := range between().Split(sentence, -1) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		c := clause{text: part, denies: negation().MatchString(part), means: meaningOf(part), asks: asked().MatchString(part), done: done().MatchString(part), undone: undone().MatchString(part)}
		c.without = c.denies && absence().MatchString(part)
		c.words.Add(part)
		addNumbered(&c.words, part)
		list = append(list, c)
	}
	return list
}

// aboutWork is a word for the call itself, whatever it is, or by its place among
// several: the other conversion failed.
var aboutWork = pattern(`(?i)\b(others?|second|third|last|latter|former|rest)( \w+){0,2} (ha[sd] |have |also )?(fail(s|ed)|did(n['’]t| not) (work|succeed|go through))\b|\b(the|this|that|my|our|your|its|each|every) (\w+ ){0,3}(services?|tools?|systems?|apis?|servers?|requests?|calls?|lookups?|operations?|attempts?)\b|\berrors?\b|\b(complete|finish|process|do|go ahead with|proceed with|go through with) (it|this|that)\b|服务|系统|工具|请求|操作|接口`)

// asked is what repeats what was asked for, and says nothing of what was done.
var asked = pattern(`(?i)\b(asked|wanted|request(ed)?|tr(y|ied)|trying|checked|looked|searched|found|noted|contacted|reached|queried|attempt(ed)?|regarding|concerning)\b|\?|尝试|试图|您要|关于|查看|查询|收到`)

// done is a verb in a form that says that a deed is done.
var done = pattern(`(?i)\b(is|are|was|were|been|got)( now| already| successfully| all| both)* (\w+(ed|en|wn|nt|ne|ade|old|ound|ept|eft|ut|id)|on|off|up|live|ready|in place)\b|` +
	`\b(i|we)(['’]ve| have)? (just |also |successfully |now )?\w+(ed|nt|ut|id|ade|one|old|ook|ote)\b|\bnow\b|\bsuccessful|\bdone\b|\bwent through\b|已|完成|成功|好了|了$`)

// undone is a word for what is not done.
var undone = pattern(`(?i)\b(is|are|was|were|still|remains?|stays?|left) (still )?(un(paid|sent|changed|touched|done|booked|delivered|cancell?ed|finished|resolved|answered|processed|confirmed|modified|saved))\b|\b(still|remains?) (open|outstanding|pending|due)\b`)

// negation is a word that denies.
var negation = pattern(`(?i)\b(no|not|none|nothing|nobody|nowhere|never|neither|nor|without|cannot)\b|n[o'’]t\b|[没不无未]`)

// absence is a denial that something is there, or was brought about; that it is
// not high, not red, not of today says nothing of the kind.
var absence = pattern(`(?i)\b(there|here)(['’]s| is| are| was| were|)( currently| really| unfortunately|) (no|not|isn|aren|wasn|weren)|\b(ha(s|ve|d)|holds?|contains?|lists?|shows?|knows?|finds?|found|got|get|gets|see|saw|with) (no|none|nothing)\b|^\W*(no|none|nothing|nobody|without)\b|` +
	`\b(is|are|was|were|be|been|being)( ?n[o'’]t| not| never| no longer)( yet| currently| actually| been| be)* (\w+(ed|en|wn|nt|ne|ade|old|ound|ept|eft|ut)|available|there|here|reachable|possible|known|on|up|running|in (the|our|this)\b)|` +
	`\b(could|can|did|does|do|would|will|has|have|had)( ?n[o'’]t| not| never)|\bcannot\b|\bwon['’]t\b|\bnot (able|found|available|possible|exist|done|made)\b|没|无法|不能|不存在|无此|查无|未能|未找到|找不到|不到|未`)

// reading is a failure as clauses are compared with it.
type reading struct {
	subject lang.Words // of its tool and arguments
	tool    lang.Words
	own     lang.Words // of the deed alone: its verb, what it is done with, in Chinese the request
	asked   lang.Words
	said    lang.Words // of the error, without the subject
	trouble lang.Words // those of said that say what is wrong
	denies  bool
	han     bool // it is Chinese
	means   meaning
}

func (f Failure) read() reading {
	text := apart(f.Error)
	r := reading{denies: negation().MatchString(text), means: meaningOf(text), han: lang.HasHan(text)}
	r.tool.Add(strings.Join(f.Tool, " "))
	r.subject.Add(strings.Join(f.Tool, " "))
	r.subject.Add(f.Named)
	r.subject.Add(f.Arguments)
	addNumbered(&r.subject, f.Arguments)
	r.asked.Add(f.Asked)
	if len(f.Tool) > 0 {
		r.own.Add(forms(f.Tool[0]))
	}
	r.own.Add(f.Arguments)
	addNumbered(&r.own, f.Arguments)
	if lang.HasHan(f.Asked) { // in which the names of tools are not
		r.own.Add(f.Asked)
	}
	lang.EachWord(text, func(start, end int, h uint64) {
		w := text[start:end]
		if r.subject.Has(h) || r.asked.Has(h) || r.said.Has(h) || plain().MatchString(w) {
			return
		}
		r.said = append(r.said, h)
		if trouble().MatchString(w) {
			r.trouble = append(r.trouble, h)
		}
	})
	return r
}

// apart writes the codes in an error as words: card_declined, AccessDenied.
func apart(text string) string {
	var b strings.Builder
	small := false // before
	for _, r := range text {
		if r == '_' {
			r = ' '
		}
		if small && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

// forms are a verb and the forms of it that are no word and an ending.
func forms(verb string) string {
	if verb == "" {
		return ""
	}
	return verb + " " + verb + verb[len(verb)-1:] + "ed " + irregular[verb] // cancelled
}

// irregular is the past forms of verbs that tools are named by.
var irregular = map[string]string{"pay": "paid", "send": "sent", "buy": "bought", "make": "made", "find": "found", "write": "wrote written", "get": "got", "put": "put", "run": "ran run", "withdraw": "withdrew withdrawn", "take": "took taken", "give": "gave given",
	"begin": "began begun", "bring": "brought", "build": "built", "draw": "drew drawn", "forget": "forgot forgotten", "hold": "held", "lend": "lent", "overwrite": "overwrote overwritten",
	"rebuild": "rebuilt", "resend": "resent", "rewrite": "rewrote rewritten", "sell": "sold", "set": "set", "shut": "shut", "spend": "spent", "undo": "undid undone"}

// addNumbered adds what has digits, which are no words: 19:00, ORD-17.
func addNumbered(w *lang.Words, text string) {
	for f := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;()[]{}\"'“”‘’。，；、", r)
	}) {
		if f = strings.TrimRight(f, ".:!?"); strings.ContainsAny(f, "0123456789") {
			if h := lang.Hash(f); !w.Has(h) && len(*w) < maxNumbered {
				*w = append(*w, h)
			}
		}
	}
}

// maxNumbered bounds a set of words with what has digits.
const maxNumbered = 128

// plain is what every error may say: no answer repeats this one by it.
var plain = pattern(`(?i)^(errors?|exceptions?|http|https|status|code|message|details?|failed|failures?|fail|type|request|response|value|true|false|null|server|client|service|错误)$`)

// trouble is a word that says what is wrong, by its form or by itself.
var trouble = pattern(`(?i)^(un|in|im|dis|mal|mis|non)[a-z]{4,}$|[a-z](ed|wn|zen|ken|ung)$|^(offline|down|busy|full|empty|closed|late|conflicts?|timeout|limit|overload|outage|maintenance|dead|lost|wrong|bad|gone)$`)

// Tells reports whether the text tells of the failure. Where it says that the deed is
// done, what else it denies or regrets must be said of the deed: "Payments is
// restarted. I could not find a service called orders" tells of another one. A text
// tells enough of a refusal where it does not claim the deed.
func (t *Text) Tells(f Failure) bool {
	if f.Refused && len(t.sentences) > 0 && !t.claims(f) {
		return true
	}
	r := f.read()
	claimed := false
	for _, s := range t.sentences {
		for i := range s.clauses {
			claimed = claimed || r.claimed(&s.clauses[i])
		}
	}
	for _, s := range t.sentences {
		if claimed && !s.work && !r.ofDeed(&s) {
			continue
		}
		for i := range s.clauses {
			c := &s.clauses[i]
			if r.repeated(c) || r.meant(c, s.words) || c.without && r.subject.Shared(c.words) > 0 {
				return true
			}
		}
		if s.attempt {
			return true
		}
	}
	return false
}

// ofDeed reports a sentence that names the deed, or what it was to be done to, in
// another clause than those by which it is done.
func (r *reading) ofDeed(s *sentence) bool {
	for i := range s.clauses {
		if c := &s.clauses[i]; !r.claimed(c) && r.own.Shared(c.words) > 0 {
			return true
		}
	}
	return false
}

// repeated reports a clause with the error's own words: one that says what is
// wrong, or half of all where none is known to; of pairs of characters more, since some
// are of two words.
func (r *reading) repeated(c *clause) bool {
	if c.denies != r.denies {
		return false
	}
	if len(r.trouble) > 0 {
		return r.trouble.Shared(c.words) > 0
	}
	least := (len(r.said) + 1) / 2
	if r.han {
		least = len(r.said)/2 + 1
	}
	return len(r.said) > 0 && r.said.Shared(c.words) >= least
}

// meant reports a clause that says in other words what the error means. That
// something is not there must be said of what was asked for.
func (r *reading) meant(c *clause, sentence lang.Words) bool {
	both := c.means & r.means
	if both == 0 {
		return false
	}
	return both != absent || len(c.words) == 0 || r.subject.Shared(sentence) > 0 || r.said.Shared(sentence) > 0
}

// claimed reports a clause by which the deed of the call is done.
func (r *reading) claimed(c *clause) bool {
	if c.denies || c.undone || c.asks || c.means != 0 || r.repeated(c) {
		return false
	}
	return c.words.Shared(r.tool) > 0 && c.words.Shared(r.subject) >= min(2, len(r.subject)) ||
		c.done && (c.words.Shared(r.subject) > 0 || c.words.Shared(r.asked) > 0)
}
