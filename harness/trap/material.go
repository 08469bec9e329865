package trap

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/stance"
)

// Role is what a fact is to the claim.
type Role string

const (
	Claim    Role = "claim"    // what the question asks for
	Old      Role = "old"      // the same, at an earlier day
	Peer     Role = "peer"     // the same aspect of another subject
	Namesake Role = "namesake" // the same aspect of another subject with the same name
	Group    Role = "group"    // the same aspect of the whole that the subject belongs to
	Variant  Role = "variant"  // the same aspect of another edition of the subject
	Side     Role = "side"     // another aspect of the subject
	Parts    Role = "parts"    // parts that sum to the claim
	Exempt   Role = "exempt"   // the value that holds on a condition only
)

// Fact is one statement that is true in the case. Forms are sentences with
// {s}, {a}, {v}, {d} and the keys of Extra in braces.
type Fact struct {
	Subject string            `json:"subject"`
	Aspect  string            `json:"aspect"`
	Value   Value             `json:"value"`
	AsOf    string            `json:"as_of,omitempty"` // 2006-01-02
	Extra   map[string]string `json:"extra,omitempty"`
	Forms   []string          `json:"forms"`
	Lang    string            `json:"lang"`
}

// With is the fact with another value.
func (f Fact) With(v Value) Fact { f.Value = v; return f }

// Say writes the fact in one of its forms; i wraps round.
func (f Fact) Say(i int) string {
	pairs := []string{"{s}", f.Subject, "{a}", f.Aspect, "{v}", f.Value.Text}
	if f.AsOf != "" {
		pairs = append(pairs, "{d}", NewDate(f.Lang, f.AsOf).Text)
	}
	for _, k := range sortedKeys(f.Extra) {
		pairs = append(pairs, "{"+k+"}", f.Extra[k])
	}
	return strings.NewReplacer(pairs...).Replace(f.Forms[i%len(f.Forms)])
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Sentence is one sentence of a document: a literal text, or a fact in a form.
type Sentence struct {
	Text string `json:"text,omitempty"`
	Fact *Fact  `json:"fact,omitempty"`
	Role Role   `json:"role,omitempty"` // of the fact
	Form int    `json:"form,omitempty"`
}

// String is the sentence as it is served.
func (s Sentence) String() string {
	if s.Fact != nil {
		return s.Fact.Say(s.Form)
	}
	return s.Text
}

// Doc is one piece of evidence: a page, a row, a file, a note, a message.
type Doc struct {
	ID        string         `json:"id"`
	Surface   Surface        `json:"surface"`
	Address   string         `json:"address"` // URL, file path, table, memory key or agent name
	Title     string         `json:"title,omitempty"`
	Domain    string         `json:"domain,omitempty"`
	Author    string         `json:"author,omitempty"`
	Authority string         `json:"authority,omitempty"` // official, press, reference, forum
	Published string         `json:"published,omitempty"` // 2006-01-02
	Origin    string         `json:"origin,omitempty"`    // whom it took the statement from
	Body      []Sentence     `json:"body,omitempty"`
	Fields    map[string]any `json:"fields,omitempty"` // of a row or record
	Parts     []Part         `json:"parts,omitempty"`  // rows of a table that must be summed
	Links     []string       `json:"links,omitempty"`
	// From and To bound the sentences that a list of results shows of the
	// document; To 0 means the first two.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
	// Hidden documents are in no list of results: only a link leads to them.
	Hidden bool `json:"hidden,omitempty"`
	// Good marks independent evidence that states the true value.
	Good bool `json:"good,omitempty"`
	// Trap is the id of the trap that made or changed the document. It is in
	// the journal and never in a reply.
	Trap string `json:"trap,omitempty"`
	Lang string `json:"lang,omitempty"`
}

// Part is one row of a table whose rows must be summed.
type Part struct {
	Name string  `json:"name"`
	Num  float64 `json:"num"`
}

// Text is the whole body.
func (d *Doc) Text() string { return join(d.Lang, d.Body) }

// Snippet is what a list of results shows.
func (d *Doc) Snippet() string {
	to := d.To
	if to == 0 {
		to = 2
	}
	to = min(to, len(d.Body))
	return join(d.Lang, d.Body[min(d.From, to):to])
}

func join(lang string, body []Sentence) string {
	parts := make([]string, len(body))
	for i, s := range body {
		parts[i] = s.String()
	}
	if lang == "zh" {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, " ")
}

// Clone is a deep copy, so that a trap never changes the clean world.
func (d Doc) Clone() Doc {
	d.Body = slices.Clone(d.Body)
	d.Links = slices.Clone(d.Links)
	if d.Fields != nil {
		f := make(map[string]any, len(d.Fields))
		for k, v := range d.Fields {
			f[k] = v
		}
		d.Fields = f
	}
	return d
}

// State is a copy of the document that states fact f wherever the original
// states the fact of the role.
//
// The copy is no good evidence any more.
func (d Doc) State(role Role, f Fact) Doc {
	d = d.Clone()
	d.Good = false
	for i, s := range d.Body {
		if s.Fact != nil && s.Role == role {
			d.Body[i].Fact = &f
		}
	}
	if _, ok := d.Fields["value"]; ok && role == Claim {
		d.Fields["value"] = f.Value.Text
	}
	return d
}

// Freeze is the document with every sentence written out.
func (d Doc) Freeze() Doc {
	d = d.Clone()
	for i, s := range d.Body {
		d.Body[i] = Sentence{Text: s.String(), Role: s.Role}
	}
	return d
}

// Outlet is a publisher that a trap can speak through.
type Outlet struct {
	Domain, Name, Author string
}

// Material is the clean evidence about one claim.
type Material struct {
	TrapID  string
	Lang    string
	Today   string // 2006-01-02
	At      Surface
	Shape   Shape
	Price   int
	Names   []string // of the subject, in every language of the case
	Aspects []string // words for the aspect
	Facts   map[Role]Fact
	// Fresh draws another plausible value of the claim's shape.
	Fresh func(r *rand.Rand) Value
	// Piece is the document at the surface that a trap corrupts. In the clean
	// world it states the true value.
	Piece Doc
	// Primary is the official document that states the true value.
	Primary Doc
	// Docs is the whole clean world, Piece and Primary included.
	Docs []Doc
	// Outlets are publishers that do not occur in Docs.
	Outlets []Outlet
	// Filler is neutral sentences, for padding to a usual length.
	Filler []string
}

// Truth is the claim.
func (m *Material) Truth() Fact { return m.Facts[Claim] }

// Defect starts a defect whose false value is v and whose defective documents
// are docs: at the surface search they head the list of every query about the
// subject, and the evidence that states the true value leaves the list where a
// price is to be paid. Elsewhere they stand in the place of the clean ones.
func (m *Material) Defect(v Value, docs ...Doc) *Defect {
	d := &Defect{Docs: docs, Claim: stance.Claim{
		Subject: m.Names, Aspect: m.Aspects,
		True: m.Truth().Value.Answer(), False: v.Answer(),
	}}
	if level, ok := magnitude(m.Truth().Value, v); ok {
		d.magnitude = level
	}
	for i := range docs {
		d.Claim.Sources = append(d.Claim.Sources, docs[i].Address)
	}
	if m.At == Search {
		d.Interventions = append(d.Interventions, Intervention{
			Op: Insert, On: m.about(), Rank: 1, Docs: docs,
		})
	}
	if hide := m.hide(docs); m.Price != 0 && len(hide) > 0 && (m.At == Search || m.At == Page) {
		d.Interventions = append(d.Interventions, Intervention{Op: Drop, On: Binding{Tool: "search", Except: site}, Target: hide})
	}
	return d
}

// hide is the ids of the documents that state the true value and are not
// among docs.
func (m *Material) hide(docs []Doc) []string {
	var ids []string
	for _, d := range m.Docs {
		if d.Good && !slices.ContainsFunc(docs, func(x Doc) bool { return x.ID == d.ID }) {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// site matches searches within one site, from which nothing is hidden. One that
// leaves a site out (-site:) is not among them.
const site = `(?i)(^|[^-\w])site:`

// about binds to searches that name the subject and no site.
func (m *Material) about() Binding {
	quoted := make([]string, len(m.Names))
	for i, n := range m.Names {
		quoted[i] = regexp.QuoteMeta(n)
	}
	return Binding{Tool: "search", Query: "(?i)" + strings.Join(quoted, "|"), Except: site}
}

// through is the document as another publisher's.
func (m *Material) through(d Doc, i int) Doc {
	o := m.Outlets[i%len(m.Outlets)]
	d = d.Clone()
	d.ID = fmt.Sprintf("%s-%s-%d", m.Piece.ID, m.TrapID, i)
	d.Domain, d.Author, d.Authority = o.Domain, o.Author, "press"
	h := fnv.New64a()
	h.Write([]byte(d.ID + " " + m.Today + " " + d.Title)) // never fails
	d.Address = PageAddress(o.Domain, h.Sum64())
	d.Good = false
	return d
}

// PageAddress is the address of a publisher's page. That of a defective page looks
// like that of any other: no part of it says what the page is for.
func PageAddress(domain string, n uint64) string {
	return fmt.Sprintf("https://%s/entry-%04x", domain, n%(1<<16))
}

// Slug is a name as it stands in an address.
func Slug(s string) string {
	return strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(s))
}

// other draws a fresh value that differs from the true one and from each of
// the taken.
func (m *Material) other(r *rand.Rand, taken ...string) Value {
	taken = append(taken, m.Truth().Value.Text)
	for range 100 {
		if v := m.Fresh(r); !slices.Contains(taken, v.Text) {
			return v
		}
	}
	panic("trap: Fresh gives the same value a hundred times")
}
