package evidence

import "strings"

// What the keys of a record mean. A key is compared in lower case without
// marks: "published_at", "publishedAt" and "Published-At" are one. Where
// several keys of a role are there, the first of the list wins.
var fieldRoles = func() map[string]fieldRole {
	m := map[string]fieldRole{}
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
			m[k] = fieldRole{role, i}
		}
	}
	return m
}()

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
	if r, ok := fieldRoles[key]; ok {
		return r
	}
	for i := 0; i < len(key); i++ {
		if c := key[i]; c == '_' && i > 0 || c == '-' || c == ' ' || isUpper(c) {
			return fieldRoles[plainKey(key)]
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
		case isUpper(c):
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
	switch lower(text) {
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
	url = strings.TrimPrefix(lower(url), "www.")
	if strings.IndexByte(url, '.') < 0 {
		return ""
	}
	return url
}

// isoOf is the first date that a text states, as ISO 8601, else the text.
func isoOf(text string) string {
	if len(text) == 10 && text[4] == '-' && text[7] == '-' {
		return text
	}
	for _, a := range Scan(text) {
		if a.Kind == KindDate && (len(a.Value) >= 4 && isDigit(a.Value[0]) && isDigit(a.Value[3])) {
			return a.Value
		}
	}
	if len(text) == 10 || len(text) == 13 { // seconds or milliseconds since 1970
		if sec := atoi(text[:9]); sec > 100_000_000 && digitsEnd(text, 0) == len(text) {
			return civil(sec / 8640)
		}
	}
	return text
}

// civil is the date of a number of days since 1970-01-01.
func civil(days int) string {
	// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
	z := days + 719468
	era := z / 146097
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d, m, y := doy-(153*mp+2)/5+1, mp+3, yoe+era*400
	if m > 12 {
		m, y = m-12, y+1
	}
	return isoDay(y, m, d)
}

// dayNumber is the number of days since 1970-01-01 of the first day of an ISO
// date, and of the first day after it: 2024 covers a year, 2024-03 a month,
// 2023-Q3 a quarter.
func dayNumber(iso string) (from, to int, ok bool) {
	iso = strings.TrimPrefix(iso, "FY")
	if len(iso) < 4 {
		return 0, 0, false
	}
	year := atoi(iso[:4])
	if year < 1000 {
		return 0, 0, false
	}
	rest := iso[4:]
	switch {
	case rest == "":
		return days(year, 1, 1), days(year+1, 1, 1), true
	case rest == "s":
		return days(year, 1, 1), days(year+10, 1, 1), true
	case len(rest) == 3 && rest[1] == 'Q':
		m := (int(rest[2]-'1'))*3 + 1
		return days(year, m, 1), monthAfter(year, m+2), true
	case len(rest) == 3 && rest[1] == 'H':
		m := (int(rest[2]-'1'))*6 + 1
		return days(year, m, 1), monthAfter(year, m+5), true
	case len(rest) == 3:
		m := atoi(rest[1:])
		if m < 1 || m > 12 {
			return 0, 0, false
		}
		return days(year, m, 1), monthAfter(year, m), true
	case len(rest) >= 6:
		m, d := atoi(rest[1:3]), atoi(rest[4:6])
		if !validDate(year, m, d) {
			return 0, 0, false
		}
		n := days(year, m, d)
		return n, n + 1, true
	}
	return 0, 0, false
}

func monthAfter(year, month int) int {
	if month == 12 {
		return days(year+1, 1, 1)
	}
	return days(year, month+1, 1)
}

// days is the inverse of civil.
func days(y, m, d int) int {
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400
	yoe := y - era*400
	doy := (153*(m-3)+2)/5 + d - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}
