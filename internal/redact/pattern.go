package redact

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// pattern is one thing to find.
type pattern struct {
	name  string
	group string
	// needles are texts of which one occurs in every match: looking for them
	// is a hundred times faster than running the expression. Empty: always run.
	needles []string
	wanted  uint64 // the same as a set; see Policy.needles. 0: always run
	also    string // occurs in every match too
	digits  int    // how many digits every match has in a row, as [digitRun] counts them
	re      func() *regexp.Regexp
	// spans finds in place of re what no expression tells: begin and end of each.
	spans func(s string) []int
	// keep is the number of the submatch to replace; 0 is the whole match.
	keep int
	// valid rejects a match that only looks right (check digits). Nil: any match.
	valid func(string) bool
}

// lazy compiles an expression when it is first used: compiling all of them
// takes longer than most commands run.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// builtins is the one list of built-in patterns, from which configuration,
// documentation and tests are derived.
var builtins = []pattern{
	{name: "private_key", group: "secrets", needles: []string{"PRIVATE KEY"},
		re: lazy(`-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|\z)`)},
	{name: "aws_access_key", group: "secrets", needles: []string{"AKIA", "ASIA"}, re: lazy(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{name: "llm_api_key", group: "secrets", needles: []string{"sk-"}, re: lazy(`\bsk-(?:[A-Za-z0-9]{2,12}-)?[A-Za-z0-9_-]{20,}`), valid: hasDigit},
	{name: "google_api_key", group: "secrets", needles: []string{"AIza"}, re: lazy(`\bAIza[0-9A-Za-z_-]{35}`)},
	{name: "github_token", group: "secrets", needles: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "_pat_"},
		re: lazy(`\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})`)},
	{name: "gitlab_token", group: "secrets", needles: []string{"glpat-"}, re: lazy(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{name: "slack_token", group: "secrets", needles: []string{"xox"}, re: lazy(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{name: "stripe_key", group: "secrets", needles: []string{"sk_", "rk_", "whsec_"}, re: lazy(`\b(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}`)},
	{name: "huggingface_token", group: "secrets", needles: []string{"hf_"}, re: lazy(`\bhf_[A-Za-z0-9]{30,}`)},
	{name: "npm_token", group: "secrets", needles: []string{"npm_"}, re: lazy(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{name: "pypi_token", group: "secrets", needles: []string{"pypi-AgE"}, re: lazy(`\bpypi-AgE[A-Za-z0-9_-]{50,}`)},
	{name: "sendgrid_key", group: "secrets", needles: []string{"SG."}, re: lazy(`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`)},
	{name: "jwt", group: "secrets", needles: []string{"eyJ"}, re: lazy(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`)},
	{name: "bearer_token", group: "secrets", needles: []string{"earer ", "EARER "},
		re: lazy(`(?i:\bbearer) +([A-Za-z0-9._~+/-]{16,}=*)`), keep: 1, valid: hasDigit},
	{name: "basic_auth", group: "secrets", needles: []string{"asic ", "ASIC "},
		re: lazy(`(?i:\bauthorization["']?\s*[:=]\s*["']?basic) +([A-Za-z0-9+/]{6,}=*)`), keep: 1},
	{name: "url_password", group: "secrets", needles: []string{"://"}, also: "@",
		re: lazy(`\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@"'<>]{0,128}:([^\s/@"'<>]{1,256})@`), keep: 1},
	{name: "service_token", group: "secrets", needles: []string{"_pat_", "hvs.", "ya29.", "shpat_", "xapp-", "xai-", "gsk_", "LTAI", ":AA"},
		re: lazy(`\b(?:(?:dckr_pat_|hvs\.|ya29\.|shpat_|xapp-|xai-|gsk_)[A-Za-z0-9._-]{20,}|LTAI[A-Za-z0-9]{12,26}\b|[0-9]{8,10}:AA[A-Za-z0-9_-]{30,36})`), valid: hasDigit},
	// Whoever knows its address may write to a channel.
	{name: "webhook_url", group: "secrets", needles: []string{"hook"}, keep: 1,
		re: lazy(`(?:hooks\.slack\.com/(?:services|workflows|triggers)|/api/webhooks/[0-9]{5,25}|/bot/v2/hook|webhook\.office\.com/webhookb2)/([A-Za-z0-9_/@-]{16,300})`)},
	{name: "option_password", group: "secrets", needles: []string{"--pass", "--token ", "--secret ", "--api-key "}, keep: 1, valid: mixed,
		re: lazy(`(?:^|[\s"'])--(?:[a-z]+-)?(?:password|passwd|pass|token|secret|api-key)[ =]+["']?([^\s"'\\<>${\[][^\s"'\\]{4,256})`)},
	{name: "curl_user", group: "secrets", needles: []string{"curl "}, keep: 1,
		re: lazy(`\bcurl\b[^\n|;]{0,256}? (?:-u|--user)[ =]?\\?["']?[^\s:"'$<{]{1,64}:([^\s"'\\<>${\[][^\s"'\\]{0,256})`)},
	{name: "attached_password", group: "secrets", needles: []string{" -p"}, keep: 1, valid: hasDigit,
		re: lazy(`\b(?:(?:mysql|mariadb)[a-z-]{0,8}\b[^\n|;]{0,256}? -p|sshpass -p ?)\\?["']?([^\s"'\\<>${\[][^\s"'\\]{2,256})`)},
	{name: "azure_account_key", group: "secrets", needles: []string{"Key="},
		re: lazy(`\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{20,}={0,2})`), keep: 1},
	{name: "access_code", group: "secrets", digits: 1, spans: codeSpans},

	{name: "email", group: "personal", needles: []string{"@"}, re: lazy(`[\pL\pN][\pL\pN._%+-]{0,63}@[\pL\pN-]{1,63}(?:\.[\pL\pN-]{1,63}){0,8}\.\pL{2,24}`)},
	{name: "card_number", group: "personal", digits: 13, re: lazy(`\b[3-6][0-9](?:[ -]?[0-9]){11,17}\b`), valid: luhn},
	{name: "iban", group: "personal", digits: 1, spans: ibanSpans, valid: iban},
	{name: "us_ssn", group: "personal", digits: 9, re: lazy(`\b[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}\b`), valid: ssn},
	{name: "cn_id", group: "personal", digits: 17, re: lazy(`\b[1-9][0-9]{5}(?:19|20)[0-9]{9}[0-9Xx]\b`), valid: chineseID},
	// International; of the national ones those whose groups no number has: North
	// American, and with the 0 of a trunk call.
	{name: "phone", group: "personal", digits: 8, valid: phone, re: lazy(`(?:\+|\b00)[1-9][0-9]{0,2}(?:[ ./-]?\(?[0-9]{2,5}\)?){2,5}\b` +
		`|(?:\b1[ .-])?(?:\([2-9][0-9]{2}\) ?|\b[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}\b` +
		`|(?:\(0[1-9][0-9]{0,3}\) ?|\b0[1-9][0-9]{1,3}[ -])[0-9]{3,4}[ -]?[0-9]{4}\b`)},
	{name: "phone_field", group: "personal", digits: 6, keep: 1, valid: phoneField,
		re: lazy(`(?i:\b(?:tele)?phone|\btel|\bmobile|\bfax|\bwhatsapp|电话|手机|手机号|传真|热线)(?i: (?:number|no))?\.?["']?\s*(?:[:：=]|\bis\b|是|为)\s*["']?(\+?[(0-9][0-9 ()./-]{4,20}[0-9])`)},
	{name: "cn_mobile", group: "personal", digits: 11, re: lazy(`\b1[3-9][0-9](?:[ -]?[0-9]{4}){2}\b`)},
}

// Builtins lists the built-in patterns: name and group, in order.
func Builtins() [][2]string {
	var list [][2]string
	for _, b := range builtins {
		list = append(list, [2]string{b.name, b.group})
	}
	return list
}

// builtin picks patterns by name or group, in the order of the list.
func builtin(names []string) ([]pattern, error) {
	var picked []pattern
	known := map[string]bool{}
	for _, b := range builtins {
		known[b.name], known[b.group] = true, true
		if slices.Contains(names, b.name) || slices.Contains(names, b.group) {
			picked = append(picked, b)
		}
	}
	for _, n := range names {
		if !known[n] {
			all := []string{"secrets", "personal"}
			for _, b := range builtins {
				all = append(all, b.name)
			}
			return nil, fmt.Errorf("builtin %q: want %s", n, strings.Join(all, ", "))
		}
	}
	return picked, nil
}

// replace puts the placeholder in place of every match, and adds to n.
func (p *pattern) replace(s string, n int) (string, int) {
	if p.also != "" && !strings.Contains(s, p.also) {
		return s, n
	}
	var b strings.Builder
	end := 0
	for from, to := range p.matches(s) {
		if p.valid != nil && !p.valid(s[from:to]) || isPlaceholder(s[from:]) > 0 || p.digits > 1 && otherNumber().MatchString(s[max(0, from-otherNumberBytes):from]) {
			continue
		}
		b.WriteString(s[end:from])
		b.WriteString(placeholder(p.name))
		end = to
		n++
	}
	if end == 0 {
		return s, n
	}
	b.WriteString(s[end:])
	return b.String(), n
}

// matches are begin and end of what the pattern finds in a text, in order.
func (p *pattern) matches(s string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if p.spans != nil {
			for at := range slices.Chunk(p.spans(s), 2) {
				if !yield(at[0], at[1]) {
					return
				}
			}
			return
		}
		for _, m := range p.re().FindAllStringSubmatchIndex(s, -1) {
			if !yield(m[2*p.keep], m[2*p.keep+1]) {
				return
			}
		}
	}
}

// otherNumber matches words before digits that number or count a thing: a part's
// number is nobody's telephone.
var otherNumber = lazy(`(?i)(?:\b(?:order|part|item|serial|invoice|model|ticket|tracking|article)(?: (?:no|number|id|code))?\b[.:# ]*|\b(?:population|gdp|revenue)(?: (?:of|is|was))?[: ]+)$`)

const otherNumberBytes = 40

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// digits is the digits of s as numbers.
func digits(s string) []int {
	var d []int
	for _, c := range s {
		if c >= '0' && c <= '9' {
			d = append(d, int(c-'0'))
		}
	}
	return d
}

// luhn checks the check digit of a card number (ISO/IEC 7812-1).
func luhn(s string) bool {
	d := digits(s)
	if len(d) < 13 || len(d) > 19 {
		return false
	}
	sum := 0
	for i := range d {
		x := d[len(d)-1-i]
		if i%2 == 1 {
			if x *= 2; x > 9 {
				x -= 9
			}
		}
		sum += x
	}
	return sum%10 == 0
}

var ibanForm = lazy(`^[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`)

const ibanBytesMax = 48 // of 34 characters in groups of four

// ibanSpans is where account numbers may stand: behind two capitals and two digits,
// which few texts have, so that these are looked for first.
func ibanSpans(s string) (spans []int) {
	for i := 0; i+4 < len(s); i++ {
		if !lang.IsDigit(s[i+3]) || !lang.IsDigit(s[i+2]) || !lang.IsUpper(s[i+1]) || !lang.IsUpper(s[i]) || i > 0 && (lang.IsAlnum(s[i-1]) || s[i-1] == '_') {
			continue
		}
		if m := ibanForm().FindStringIndex(s[i:min(len(s), i+ibanBytesMax)]); m != nil {
			spans = append(spans, i, i+m[1])
			i += m[1] - 1
		}
	}
	return spans
}

// iban checks the two check digits (ISO 13616: mod 97 is 1).
func iban(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if len(s) < 15 || len(s) > 34 {
		return false
	}
	mod := 0
	for _, c := range s[4:] + s[:4] {
		switch {
		case c >= '0' && c <= '9':
			mod = (mod*10 + int(c-'0')) % 97
		default:
			mod = (mod*100 + int(c-'A') + 10) % 97
		}
	}
	return mod == 1
}

// ssn rejects numbers that were never given out (000, 666, 00, 0000).
func ssn(s string) bool {
	return s[:3] != "000" && s[:3] != "666" && s[4:6] != "00" && s[7:] != "0000"
}

// chineseID checks the last character (GB 11643-1999, ISO 7064 mod 11-2).
func chineseID(s string) bool {
	weights := [...]int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2}
	sum := 0
	for i, w := range weights {
		sum += int(s[i]-'0') * w
	}
	return strings.ToUpper(s[17:]) == string("10X98765432"[sum%11])
}

// phoneField is phone for what is called one: numbers of a town are shorter, and
// a date is none.
func phoneField(s string) bool {
	n := len(digits(s))
	return n >= 6 && n <= 15 && !isDate().MatchString(s)
}

var isDate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:19|20)[0-9]{2}[-/.][0-9]{1,2}[-/.][0-9]{1,2}`) })

// digitRun is the most digits that a text has in a row, with the signs between
// them that numbers and telephone numbers are written with.
func digitRun(s string) (most int) {
	n := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			n++
			most = max(most, n)
		case n > 0 && strings.IndexByte(" -()./", c) < 0:
			n = 0
		}
	}
	return most
}

// phone wants as many digits as E.164 allows and a subscriber can have.
func phone(s string) bool {
	n := len(digits(s))
	return n >= 8 && n <= 15
}
