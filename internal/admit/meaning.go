package admit

import "regexp"

// meaning is a set of what an error or a clause may mean.
type meaning uint16

const (
	absent   meaning = 1 << iota // what was asked for is not there
	denied                       // it may not be done by whoever asked
	soldOut                      // nothing is left of it
	offline                      // what was to answer does not
	short                        // of money
	limited                      // too much was asked for
	invalid                      // what was given does not fit
	taken                        // it is there already
	expired                      // its time is over
	shut                         // closed, locked, in maintenance
	broken                       // something inside went wrong
	needed                       // something else must be given first
	stopped                      // the user did not want it
	unclear                      // several things are meant by it
	meanings = iota
)

// words are the codes and words of each meaning, in the order of the constants.
var words = [meanings]func() *regexp.Regexp{
	pattern(`(?i)\b(404|410|enoent)\b|not ?found|\bno (such|results?|match(es)?|records?|entry|entries|hits?)\b|no longer exist|n[o'’]t exist|not exist|\bnon-?existent\b|\bmissing\b|\bunknown\b|\b(is|are|was|were) gone\b|\bno [\w .'’-]{0,60}\b(found|exists?|called|named|titled)\b|\bthere(['’]s| is| are| was| were) (no|none|nothing)\b|未找到|找不到|不存在|查无|没有找到|没找到|无此|没有.{0,12}(记录|结果|用户|文件)|系统里没有`),
	pattern(`(?i)\b(401|403|eacces|eperm)\b|\bforbidden\b|\bdenied\b|\bdenies\b|un-?authori[sz]ed|\bnot (allowed|permitted|authori[sz]ed)\b|n['’]t (allowed|permitted|authori[sz]ed)\b|(n['’]t|\bnot) have (the |any )?(\w+ )?(permissions?|access|rights?|privileges?)\b|\b(no|lacks?|lacking|needs?|requires?|without|missing|insufficient) (the )?(\w+ )?(permissions?|access rights?|rights|privileges?)\b|\brestricted\b|\bno access\b|\brefuse[sd]? (me |us )?access\b|拒绝|无权|没有权限|权限不足|禁止|未授权`),
	pattern(`(?i)\bsold[ -]?out\b|\bout of stock\b|\b(fully|all|already) booked\b|\bbooked (up|out)\b|\bno longer available\b|(\bnot|n['’]t) available\b|\bunavailable\b|\b(are|is) (all )?gone\b|\b(none|nothing|only \w+ [\w ]{0,20}) (is |are )?(left|remain)|\bno \w+( \w+)? (left|available|remain\w*)\b|\bran out\b|售罄|卖完|售完|卖光|无货|缺货|没货|订满|客满|没有.{0,6}了|没.{0,4}票`),
	pattern(`(?i)\b(502|503|504|econnrefused|econnreset|etimedout|enotfound)\b|\boffline\b|(\bun|\bnot |n['’]t )reach(able|ed)\b|\bcould(n['’]t| not) (be )?reach|(n['’]t|\bnot|\bno longer) (respond|react|answer|connect)|\bdisconnect|\bconnection (is |was |has been )?(refused|reset|lost|closed|failed|error)|\brefus\w+ (the|my|our|a) connection|\bconnect(ed)?\b|\btim(ed?|ing)[ -]?out\b|\btimeouts?\b|\b(is|was|are|were|being|currently) down\b|\bunavailable\b|\bno (response|answer|connection|signal)\b|\bunplugged\b|离线|掉线|断线|超时|连不上|无法连接|连接(失败|不上|被拒)|没有?(响应|反应)|未响应|不可用|不可达`),
	pattern(`(?i)\b402\b|\binsufficient (funds|balance|credit)|(\btoo low|n['’]t enough|\bnot enough|\bnot sufficient|\binsufficient|\btoo little)\b|(\bnot|n['’]t) enough|\bdeclined?\b|\bcard (was |is |has been )?(rejected|refused)|\b(rejected|refused) (the|your|this|my) (card|payment)|拒绝(了)?(这张|您的|该)?(银行)?卡|余额不足|不够|资金不足`),
	pattern(`(?i)\b(429)\b|\brate[ -]?limit|\bquota\b|\btoo many (requests|calls|attempts)\b|\blimit (is |was |has been )?(exceeded|reached|hit)\b|\b(hit|reached|exceed\w*) (the |its |a |your |our )?([\w-]+ )?limit\b|\bthrottl|限流|频率|频繁|配额|额度|限额|次数.{0,4}(上限|用完)`),
	pattern(`(?i)\b(400|422)\b|\b(invalid|malformed|unsupported|illegal)\b|(\bnot|n['’]t) (a )?(valid|supported|accepted)\b|\bwrong (format|type)\b|无效|不合法|格式(错误|不对)|不支持`),
	pattern(`(?i)\b409\b|\bexists? already\b|\balready (exists?|taken|in use)\b|\bduplicate\b|\bis taken\b|已存在|已经存在|已被占用|重复`),
	pattern(`(?i)\bexpired?\b|\bno longer valid\b|\bout of date\b|\b(deadline|window|period)( \w+){0,4} (passed|over|closed)\b|\bpast (the|its) (deadline|date)\b|过期|失效|逾期|截止|过了?.{0,6}(时限|期限|时间)`),
	pattern(`(?i)\bclosed\b|\blocked\b|\bmaintenance\b|\b(en|de)?crypted\b|\bpassword[- ]protected\b|关闭|打烊|锁定|维护|加密|密码保护`),
	pattern(`(?i)\b(500|internal server error)\b|\bcrash|\bbroken\b|\b(server|internal|system|technical) (error|failure|fault|problem)s?\b|\bmalfunction|崩溃|服务器(错误|故障|异常)|系统(错误|故障|异常)`),
	pattern(`(?i)\b(required?|requires|needed|needs?|wants)\b|\bplease (send|provide|give|enter|tell|confirm)\b|需要|必须|必填|请(您)?(提供|输入|发送|补充)`),
	pattern(`(?i)\b(you|user)( have| has|['’]ve)? (cancell?ed|denied|declined|rejected|refused|aborted|stopped|interrupted|(did|do|does)(n['’]t| not) (want|allow|approve|permit|confirm)|chose not)\b|\b(cancell?ed|denied|rejected|declined|refused|aborted|interrupted|stopped) by (the |a )?(you|user|operator)\b|(用户|您)(已经?)?(取消|拒绝|中止|不同意)`),
	pattern(`(?i)\bambigu|\b(multiple|several|more than one|many) (\w+ )?\w+(s|men|people)\b|\bwhich (one|of (them|these|the))\b|不唯一|不明确|有歧义|多个|不止一个|哪一?[个位]`),
}

// denial is a negation right before what is said: it does not expire.
var denial = pattern(`(?i)(\b(no|not|never|without|cannot)|n[o'’]t)( \w+){0,2}\W*$|[没不未]\W*$`)

func meaningOf(text string) meaning {
	var m meaning
	for i, re := range words {
		if at := re().FindStringIndex(text); at != nil && !denial().MatchString(text[:at[0]]) {
			m |= 1 << i
		}
	}
	return m
}
