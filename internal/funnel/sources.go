package funnel

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/stance"
)

// namesSources reports whether a text names a source of each side: by its name or
// address, or by what it is ("the official page", 官网) where one source alone is
// that. Of two sources, one of them named, any other word for a source names the other.
func (f *funnel) namesSources(text string) bool {
	var sides [2][]*evidence.Observation
	for i := range f.l.Observations {
		o := &f.l.Observations[i]
		for side, falsehood := range [2]bool{false, true} {
			if f.shows(o, falsehood) != "" {
				sides[side] = append(sides[side], o)
			}
		}
	}
	var named [2]bool
	for side, list := range sides {
		named[side] = slices.ContainsFunc(list, func(o *evidence.Observation) bool {
			return lang.Mentions(text, []string{o.Source, o.URL, stance.Host(o.URL), stance.Publisher(o.URL)}) || lang.Mentions(text, f.bylines(o))
		})
		for _, r := range roles {
			named[side] = named[side] || lang.HasAny(text, r.words) && f.only(r, list)
		}
	}
	two := sourcesOf(sides[0]) == 1 && sourcesOf(sides[1]) == 1
	return named[0] && named[1] || two && (named[0] || named[1]) && lang.HasAny(text, sourceNouns)
}

// bylines is the parts of an observation's title that name who wrote it and not what
// it is of: Alp Notes in "Halvorsen Tunnel – Alp Notes". A Chinese name is also
// said without the word for the place's rank: 水利局 for 市水利局.
func (f *funnel) bylines(o *evidence.Observation) []string {
	const least = 6 // bytes
	var out []string
	title := o.Title
	for _, s := range f.c.Subject {
		title = strings.ReplaceAll(title, s, ",")
	}
	for _, part := range titleParts().Split(title, -1) {
		part = strings.TrimSpace(part)
		if len(part) < least || lang.Mentions(part, f.c.Aspect) {
			continue
		}
		out = append(out, part)
		for _, rank := range []string{"省", "市", "县", "区"} {
			if rest, ok := strings.CutPrefix(part, rank); ok && len(rest) >= least {
				out = append(out, rest)
			}
		}
	}
	return out
}

// titleParts is what stands between the parts of a title.
var titleParts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s+[-–—|·:]\s+|[,，:：|｜_·—–]+\s*`) })

// role is what a source can be called by: the words of a text, and what an address,
// a name or an authority of such a source holds.
// The subject's own site is official.
type role struct {
	words, traits []string
	own           bool
}

var roles = []role{
	{words: []string{"official", "operator", "own page", "own site", "own website", "官网", "官方"}, traits: []string{"official", "官网", "官方"}, own: true},
	{words: []string{"blog", "blogger", "博客"}, traits: []string{"blog", "博客"}},
	{words: []string{"press", "newspaper", "news", "新闻", "报纸"}, traits: []string{"press", "news", "新闻"}},
	{words: []string{"forum", "论坛"}, traits: []string{"forum", "论坛"}},
	{words: []string{"wiki", "encyclopedia", "百科"}, traits: []string{"wiki", "百科"}},
	{words: []string{"manual", "手册"}, traits: []string{"manual", "手册"}},
	{words: []string{"register", "registry", "登记"}, traits: []string{"regist", "登记"}},
	{words: []string{"archive", "档案"}, traits: []string{"archive", "档案"}},
	{words: []string{"database", "数据库"}, traits: []string{"database", "table", "数据库"}},
}

// sourceNouns name a source without saying which.
var sourceNouns = []string{"blog", "article", "post", "report", "press", "newspaper", "magazine", "leaflet", "other page", "other site", "other source", "official", "survey", "timetable", "官网", "官方", "网站", "手册", "公告", "媒体", "博客", "文章", "报道", "网页", "另一"}

// only reports whether one source of all that were observed has the role, and is
// among those of the list.
func (f *funnel) only(r role, list []*evidence.Observation) bool {
	var holders []*evidence.Observation
	for i := range f.l.Observations {
		o := &f.l.Observations[i]
		if lang.Mentions(strings.Join([]string{o.URL, o.Source, o.Title, o.Authority}, " "), r.traits) || r.own && lang.Mentions(stance.Host(o.URL), f.names()) {
			holders = append(holders, o)
		}
	}
	return sourcesOf(holders) == 1 && slices.ContainsFunc(list, func(o *evidence.Observation) bool { return sourceOf(o) == sourceOf(holders[0]) })
}

// names is the words that tell the subject from others of its kind, as its site's
// address has them.
func (f *funnel) names() []string {
	var out []string
	const short = 4
	for _, s := range f.c.Subject {
		if w, _, _ := strings.Cut(strings.ToLower(s), " "); len(w) >= short {
			out = append(out, w)
		}
	}
	return out
}

func sourceOf(o *evidence.Observation) string {
	if h := stance.Host(o.URL); h != "" {
		return h
	}
	return o.Source
}

// sourcesOf is how many sources observations have.
func sourcesOf(list []*evidence.Observation) int {
	seen := map[string]bool{}
	for _, o := range list {
		seen[sourceOf(o)] = true
	}
	return len(seen)
}
