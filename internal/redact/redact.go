// Package redact removes secrets and personal data from text before it leaves
// the process: before a judge is asked, and before text is stored. There is
// one policy for both.
//
//	redact.go    Config -> Policy; Text and Data
//	pattern.go   the built-in patterns, with their checks
//	needle.go    which patterns a text can match at all
//	field.go     values of named fields, in JSON, cut JSON, Python, XML, headers, query strings
//	said.go      passwords that a sentence says
//	code.go      short codes under their names: PINs, codes of a login, of a card
//
// What is removed is replaced by a placeholder that names the reason and never
// the value: [redacted:github_token]. Redacting twice changes nothing. All
// matching is linear in the length of the text.
//
// Limits: a secret that no pattern, no field name and no sentence names is not found;
// nor is one that is encoded (base64, compressed) or cut into pieces.
package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mode says what a policy does.
type Mode string

const (
	// Off leaves every text as it is.
	Off Mode = "off"
	// On replaces what is found. Text that cannot be checked passes.
	On Mode = "on"
	// FailClosed is On, and text that cannot be checked is withheld.
	FailClosed Mode = "fail-closed"
)

// TextBytesMax is the longest text that is checked, in bytes.
const TextBytesMax = 16 << 20

// DepthMax is how deep [Policy.Data] looks into nested data.
const DepthMax = 64

// PatternsMax is how many patterns of their own users may add.
const PatternsMax = 100

// Config is the redaction policy that a user writes.
type Config struct {
	// Mode is off, on or fail-closed. Default: on.
	Mode Mode `mapstructure:"mode" yaml:"mode"`
	// Builtin names built-in patterns or groups of them ("secrets",
	// "personal"). Default: secrets. An empty list, written as [], means none.
	Builtin []string `mapstructure:"builtin" yaml:"builtin"`
	// Fields names fields whose values are removed whatever they hold, in any
	// spelling (apiKey, api_key, X-Api-Key, OPENAI_API_KEY). They are added to
	// the default ones. See [DefaultFields].
	Fields []string `mapstructure:"fields" yaml:"fields"`
	// Patterns are regular expressions (RE2) of the user's own.
	Patterns []Pattern `mapstructure:"patterns" yaml:"patterns"`
}

// Pattern is one regular expression of a user. Name stands in the placeholder.
type Pattern struct {
	Name  string `mapstructure:"name" yaml:"name"`
	Regex string `mapstructure:"regex" yaml:"regex"`
}

// DefaultConfig is what applies where nothing is written.
func DefaultConfig() Config { return Config{Mode: On, Builtin: []string{"secrets"}} }

// Validate reports every mistake of the configuration at once.
func (c Config) Validate() error {
	_, err := New(c)
	return err
}

// Policy is a compiled configuration. It is safe for concurrent use; a nil
// Policy is off.
type Policy struct {
	mode     Mode
	patterns []pattern
	needles  needles         // of all patterns, and of what sentences call a password
	said     uint64          // the latter
	fields   map[string]bool // normalised names
	endings  endings         // of them, and of the suspects
	hash     string
}

var patternName = lazy(`^[a-z][a-z0-9_]{0,31}$`)

// New compiles a configuration. All mistakes are returned at once.
func New(c Config) (*Policy, error) {
	d := DefaultConfig()
	if c.Mode == "" {
		c.Mode = d.Mode
	}
	if c.Builtin == nil {
		c.Builtin = d.Builtin
	}
	p := &Policy{mode: c.Mode, fields: map[string]bool{}}
	var errs []error
	if c.Mode != Off && c.Mode != On && c.Mode != FailClosed {
		errs = append(errs, fmt.Errorf("mode %q: want off, on or fail-closed", c.Mode))
	}
	var err error
	if p.patterns, err = builtin(c.Builtin); err != nil {
		errs = append(errs, err)
	}
	if len(c.Patterns) > PatternsMax {
		errs = append(errs, fmt.Errorf("patterns: %d of them: want at most %d", len(c.Patterns), PatternsMax))
		c.Patterns = nil
	}
	for i, u := range c.Patterns {
		re, err := regexp.Compile(u.Regex)
		switch {
		case !patternName().MatchString(u.Name):
			errs = append(errs, fmt.Errorf("patterns[%d]: name %q: want lower-case letters, digits and _, at most 32", i, u.Name))
		case err != nil:
			errs = append(errs, fmt.Errorf("patterns[%d] %q: regex: %w", i, u.Name, err))
		case re.MatchString(""):
			errs = append(errs, fmt.Errorf("patterns[%d] %q: regex %q matches the empty text: want one that needs a character", i, u.Name, u.Regex))
		default:
			p.patterns = append(p.patterns, pattern{name: u.Name, re: func() *regexp.Regexp { return re }})
		}
	}
	for i := range p.patterns {
		p.patterns[i].wanted = p.needles.add(p.patterns[i].needles, false)
	}
	p.said = p.needles.add(saidNeedles, true)
	for i, f := range append(slices.Clone(DefaultFields), c.Fields...) {
		n := normaliseName(f)
		if n == "" {
			errs = append(errs, fmt.Errorf("fields[%d] %q: want a name with a letter or a digit", i-len(DefaultFields), f))
			continue
		}
		p.fields[n] = true
		p.endings.add(n)
	}
	for _, s := range suspects {
		p.endings.add(s.name)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("redaction: %w", err)
	}
	p.hash = p.identity()
	return p, nil
}

// version is raised when the same configuration comes to redact differently
// for a reason that identity does not see: the code of field.go, said.go or code.go, or of a check.
const version = 6

// identity hashes everything that decides what is removed.
func (p *Policy) identity() string {
	id := struct {
		Version  int
		Mode     Mode
		Patterns [][2]string
		Fields   []string
	}{Version: version, Mode: p.mode}
	if p.mode != Off {
		for _, q := range p.patterns {
			expr := "" // of what code finds the version tells
			if q.re != nil {
				expr = q.re().String()
			}
			id.Patterns = append(id.Patterns, [2]string{q.name, expr})
		}
		for f := range p.fields {
			id.Fields = append(id.Fields, f)
		}
		slices.Sort(id.Fields)
	}
	b, err := json.Marshal(id)
	if err != nil {
		panic("redact: identity of a policy cannot be written: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Hash identifies the policy: two policies with one hash remove the same
// things. It stands in a rubric finding's identity.
func (p *Policy) Hash() string {
	if p == nil {
		return "off"
	}
	return p.hash
}

// Enabled reports whether the policy changes anything at all.
func (p *Policy) Enabled() bool { return p != nil && p.mode != Off }

// Result is a redacted text.
type Result struct {
	Text     string
	Replaced int // how many places were replaced
	// Withheld says why the text could not be checked and was held back, in
	// mode fail-closed: too_long, invalid_utf8 or too_deep. Empty otherwise.
	Withheld string
	// Unchecked says the same in mode on, in which the text passes as it was.
	Unchecked string
}

// Text redacts one text.
func (p *Policy) Text(s string) Result {
	if !p.Enabled() || s == "" {
		return Result{Text: s}
	}
	switch {
	case len(s) > TextBytesMax:
		return p.uncheckable(s, "too_long")
	case p.mode == FailClosed && !utf8.ValidString(s):
		return p.uncheckable(s, "invalid_utf8")
	}
	r := Result{Text: s}
	found, run := p.needles.in(s), digitRun(s)
	for i := range p.patterns {
		q := &p.patterns[i]
		if q.digits > run || q.wanted != 0 && q.wanted&found == 0 {
			continue
		}
		before := r.Replaced
		if r.Text, r.Replaced = q.replace(r.Text, before); r.Replaced > before {
			found = p.needles.in(r.Text)
		}
	}
	r.Text, r.Replaced = p.replaceFields(r.Text, r.Replaced)
	if p.said == 0 || p.said&found != 0 {
		r.Text, r.Replaced = replaceSaid(r.Text, r.Replaced)
	}
	return r
}

func (p *Policy) uncheckable(s, reason string) Result {
	if p.mode == FailClosed {
		return Result{Text: "[withheld:" + reason + "]", Withheld: reason}
	}
	return Result{Text: s, Unchecked: reason}
}

// Within redacts a value by the text that it stands in, of which redacted is
// what edit leaves: what is gone from there goes from the value, although the
// value alone does not show that it is a secret (it is one by its field's name,
// or by the words before it). A text that does not have the value decides
// nothing.
func Within(value, text, redacted string, edit func(string) string) string {
	if value != "" && text != redacted && strings.Contains(text, value) && !strings.Contains(redacted, value) {
		return placeholder("field")
	}
	return edit(value)
}

// Covers reports whether the policy removes everything that was removed from a
// text that was redacted before, as its placeholders tell. What was withheld
// whole is not covered.
func (p *Policy) Covers(s string) bool {
	for {
		i := strings.Index(s, "[redacted:")
		if k := strings.Index(s, "[withheld:"); k >= 0 && (i < 0 || k < i) {
			return false
		}
		if i < 0 {
			return true
		}
		n := isPlaceholder(s[i:])
		if n == 0 || !p.removes(strings.TrimSuffix(s[i+len("[redacted:"):i+n], "]")) {
			return false
		}
		s = s[i+n:]
	}
}

// removes reports whether the policy writes placeholders of a name.
func (p *Policy) removes(name string) bool {
	return p.Enabled() && (name == "field" || slices.ContainsFunc(p.patterns, func(q pattern) bool { return q.name == name }))
}

// Data redacts decoded data (maps, lists, texts, numbers): all texts, and the
// values of named fields. The argument is not changed; what holds nothing to
// remove is returned as it is. Map keys are redacted as texts too.
func (p *Policy) Data(v any) (any, Result) {
	if !p.Enabled() {
		return v, Result{}
	}
	var r Result
	out := p.data(v, &r, 0)
	return out, r
}

func (p *Policy) data(v any, r *Result, depth int) any {
	if depth > DepthMax {
		u := p.uncheckable("", "too_deep")
		if u.Withheld == "" {
			r.Unchecked = u.Unchecked
			return v
		}
		r.Withheld = u.Withheld
		return u.Text
	}
	switch v := v.(type) {
	case string:
		t := p.Text(v)
		r.Replaced += t.Replaced
		if t.Withheld != "" {
			r.Withheld = t.Withheld
		}
		if t.Unchecked != "" {
			r.Unchecked = t.Unchecked
		}
		return t.Text
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = p.data(e, r, depth+1)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		pair, _ := v["name"].(string)
		if key, ok := v["key"].(string); ok && pair == "" {
			pair = key
		}
		for k, e := range v {
			key := p.data(k, r, depth).(string)
			text, _ := e.(string)
			if k == "value" && pair != "" {
				k = pair
			}
			if named, like := p.holds(k); e != nil && named || like != nil && like(text) {
				out[key] = placeholder("field")
				r.Replaced++
				continue
			}
			out[key] = p.data(e, r, depth+1)
		}
		return out
	}
	return v
}

func placeholder(name string) string { return "[redacted:" + name + "]" }

// Placeholders is where placeholders stand in a text: begin and end of each, in order.
func Placeholders(s string) (places []int) {
	for at := 0; ; {
		k := strings.IndexByte(s[at:], '[')
		if k < 0 {
			return places
		}
		at += k
		if n := isPlaceholder(s[at:]); n > 0 {
			places = append(places, at, at+n)
			at += n
		} else {
			at++
		}
	}
}

// isPlaceholder reports whether s begins with a placeholder, and how long it is.
func isPlaceholder(s string) int {
	if !strings.HasPrefix(s, "[redacted:") && !strings.HasPrefix(s, "[withheld:") {
		return 0
	}
	return strings.IndexByte(s[:min(len(s), placeholderMax)], ']') + 1
}

// placeholderMax is longer than any placeholder: names have at most 32 bytes.
const placeholderMax = 64
