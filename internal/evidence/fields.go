package evidence

import (
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// What the keys of a record mean. A key is compared in lower case without
// marks: "published_at", "publishedAt" and "Published-At" are one. Where
// several keys of a role are there, the first of the list wins.
var fieldRoles = sync.OnceValue(func() *lang.Table[fieldRole] {
	byKey := make(map[string]fieldRole, 128)
	for role, keys := range map[role]string{
		roleContent: `content text pagecontent snippet body passage chunk excerpt markdown rawcontent extract summary description abstract html page highlights message answer 正文 内容 摘要`,
		roleTitle:   `title headline pagetitle documenttitle name subject heading 标题`,
		roleURL:     `url link href uri permalink sourceurl pageurl webpage canonicalurl documenturl 链接 网址`,
		roleDate: `published publishedat publisheddate publishdate datepublished publicationdate pubdate date updated updatedat lastupdated lastmodified modified modifiedat
			asof effectivedate created createdat timestamp posted postedat retrievedat 日期 发布日期 发布时间 更新时间 时间`,
		roleSource:    `source publisher site sitename website domain host outlet origin provider journal 来源`,
		roleAuthority: `authority official verified trust trustlevel trusted credibility reliability sourcetype tier isofficial isverified authoritative 权威`,
		roleID:        `id docid documentid _id uid key`,
		roleRank:      `score rank relevance relevancescore similarity position distance index`,
		roleNoise:     `lc type toolcallid additionalkwargs responsemetadata invalidtoolcalls mimetype annotations artifact`,
	} {
		for i, k := range strings.Fields(keys) {
			byKey[k] = fieldRole{role, i}
		}
	}
	return lang.MakeTable(byKey)
})

type role uint8

const (
	roleOther role = iota
	roleContent
	roleTitle
	roleURL
	roleDate
	roleSource
	roleAuthority
	roleID
	roleRank
	roleNoise
)

type fieldRole struct {
	role role
	rank int // the lower wins
}

// roleOf tells what a key means.
func roleOf(key string) fieldRole {
	if r := fieldRoles().Get(key); r.role != roleOther {
		return r
	}
	for i := 0; i < len(key); i++ {
		if c := key[i]; c == '_' && i > 0 || c == '-' || c == ' ' || lang.IsUpper(c) {
			return fieldRoles().Get(plainKey(key))
		}
	}
	return fieldRole{}
}

// plainKey is a key in lower case without marks.
func plainKey(key string) string {
	b := make([]byte, 0, len(key))
	for i := 0; i < len(key); i++ {
		switch c := key[i]; {
		case c == '_' || c == '-' || c == ' ':
		case lang.IsUpper(c):
			b = append(b, c|0x20)
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// facts collects what a record states about itself.
type facts struct {
	text  [roleNoise + 1]string
	rank  [roleNoise + 1]int
	found [roleNoise + 1]bool
}

// note keeps the text of the best key of each role.
func (f *facts) note(key, text string) role {
	r := roleOf(key)
	if r.role == roleAuthority {
		text = authority(key, text)
	}
	if text != "" && (!f.found[r.role] || r.rank < f.rank[r.role]) {
		f.found[r.role], f.rank[r.role], f.text[r.role] = true, r.rank, text
	}
	return r.role
}

// authority is what a tool states of a source's standing: the value, or the
// key where the value only affirms it.
func authority(key, text string) string {
	switch lang.Lower(text) {
	case "true", "yes", "1":
		return strings.TrimPrefix(plainKey(key), "is")
	case "false", "no", "0":
		return "not " + strings.TrimPrefix(plainKey(key), "is")
	}
	return text
}

// hostOf is the host of a URL without www.
func hostOf(url string) string {
	if i := strings.Index(url, "://"); i >= 0 {
		url = url[i+3:]
	}
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		url = url[:i]
	}
	url = strings.TrimPrefix(lang.Lower(url), "www.")
	if strings.IndexByte(url, '.') < 0 {
		return ""
	}
	return url
}
