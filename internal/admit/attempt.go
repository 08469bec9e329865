package admit

import "regexp"

// others is what somebody else could not do, of which the text tells, or what did not
// fail: no attempt of whoever writes.
var others = pattern(`(?i)\b(who|whose|users?|customers?|people|anyone|clients?) (\w+ ){0,2}(could ?n[o']t|couldn’t|cannot|can[’']t|unable to) ([^b]|b[^e])|\b(nothing|none|never|no \w+)( has| have| had)? failed\b`)

// attempts are sentences about an attempt that did not work. A word such as
// error or failed may be of the subject itself ("the error is fixed"): it counts
// where it is said of an attempt.
var attempts = []func() *regexp.Regexp{
	pattern(`(?i)\b(could ?(n[’']t|not)|can ?(n[’']t|not)|can[’']t|can no longer|could no longer|no longer possible|too late to|not (able|possible)|timed out|sorry|unfortunately|went wrong|goes wrong|try again)\b`),
	pattern(`(?i)\b(i|we)( [\w]+)? ?(did|do|does|has|have|had|was|were|am|are) ?(n[’']t|not)\b|\b(did|do|does|has|have|had) ?(n[’']t|not) (\w+ )?(work(ed)?|succeed(ed)?|go(ne)? through|respond(ed)?|react(ed)?|answer(ed)?|complete[d]?|load(ed)?|happen(ed)?|return(ed)?|come back|arrived?|accept(ed)?|exist)\b`),
	pattern(`(?i)\b(is|are|was|were|been|be|am) ?(n[’']t|not)( yet| currently| actually| been| be)* (\w{2,}(ed|own|en|nt|ound|ept)|available|there|reachable|working|responding|loading|running)\b`),
	pattern(`(?i)\b(i|we|system|tool|service|agent|it|i[’']m|we[’']re) (\w+ ){0,3}unable to\b|^unable to\b|\b(is|are|was|were|currently|temporarily|remains?) (\w+ )?unavailable\b`),
	pattern(`(?i)\bfail(s|ed)( to\b| with\b| because\b| due\b| for\b| at\b| on\b| again\b| after\b|[.,;:!)]|$)`),
	pattern(`(?i)\b(got|get|gets|gives?|gave|returns?|returned|encountered|ran into|hit|received|due to|because of|there (was|is|were)|came back with|ended (in|with)|responded with|reports|reported) (an? |the |some )?(\w+ ){0,3}(errors?|failures?|timeouts?|problems?)\b|\berrors? (has |have )?(occurred|prevented|message|while|when|during)\b`),
	undone,
	pattern(`失败|无法|不能|未能|超时|抱歉|不可用|出错|稍后再试|(发生|出现|返回|遇到).{0,6}错误|没法|没办法|出了.{0,3}(问题|故障|差错)` +
		`|[查找搜打连接读取登调拨拿收发做办装载传写存删改订退付转]不[到上了通开成出]|没能?[查找搜打连接读取登拨拿收发做办装传写存订][到上通成开出]`),
	pattern(`(?i)lo siento|no (se |le |les |te |lo |la )*(pude|puedo|pudo|pudimos|ha sido posible|fue posible|es posible)|lamentablemente|falló|no (está|estaba) disponible`),
	pattern(`(?i)n['’](ai|a|avons) (pas )?(pas pu|pu|réussi|abouti)|pas pu|impossible|désolé|malheureusement|a échoué|échec d|une erreur (s['’]est produite|est survenue)|indisponible`),
	pattern(`(?i)leider|konnte[n]? .{0,120}nicht|kann .{0,120}nicht|nicht (verfügbar|erreichbar|möglich)|fehlgeschlagen|fehlermeldung|(ist|trat|gab|mit|wegen) .{0,20}fehler|tut mir leid`),
	pattern(`(?i)não (consegui|conseguimos|foi possível|é possível|pude|está disponível|estava disponível)|infelizmente|desculp|falhou|indisponível`),
	pattern(`申し訳|できません|できなかった|失敗しま|エラー(が|に|を|で)`),
	pattern(`죄송|실패했|오류(가|로|를)|수 없|못했|불가능`),
}

func failedAttempt(sentence string) bool {
	if others().MatchString(sentence) {
		return false
	}
	for _, re := range attempts {
		if re().MatchString(sentence) {
			return true
		}
	}
	return false
}
