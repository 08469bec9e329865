package store

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed queries/*.sql
var queryFiles embed.FS

// ErrNoQuery says that no query has the name.
var ErrNoQuery = errors.New("no such query")

// Query is a named question about the data: one file of queries/.
type Query struct {
	Name        string
	Description string
	Parameters  []Parameter
	// SQL is the statement as a template, in which {{table "x"}} stands for a
	// table's name under the configured prefix. See [Query.Text].
	SQL string
}

// Parameter is one {name:Type} of a named query.
type Parameter struct {
	Name    string
	Type    string // ClickHouse type
	Default string // as a person would write it; see Required
	// Required is true where there is no default.
	Required bool
	Doc      string
	// Least is the smallest value of a UInt.
	Least uint64
}

// Queries lists the named queries by name.
func Queries() []Query {
	entries, err := queryFiles.ReadDir("queries")
	if err != nil {
		panic(err)
	}
	list := make([]Query, 0, len(entries))
	for _, e := range entries {
		text, err := queryFiles.ReadFile(path.Join("queries", e.Name()))
		if err != nil {
			panic(err)
		}
		q, err := parseQuery(strings.TrimSuffix(e.Name(), ".sql"), string(text))
		if err != nil {
			panic("store: " + err.Error())
		}
		list = append(list, q)
	}
	return list
}

// NamedQuery finds a query by name.
func NamedQuery(name string) (Query, error) {
	var names []string
	for _, q := range Queries() {
		if q.Name == name {
			return q, nil
		}
		names = append(names, q.Name)
	}
	return Query{}, fmt.Errorf("%w %q: want one of %s", ErrNoQuery, name, strings.Join(names, ", "))
}

// Text is the SQL for the default names, ready to be pasted into any client.
func (q *Query) Text() (string, error) {
	return layout{database: "tracegrade"}.render(q.Name, q.SQL)
}

// headerParameter is a line like
//
//	-- param since DateTime64(3) = 7d: start of the window
//	-- param trace_id String: the trace
var headerParameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^param (\w+) ([A-Za-z0-9(), ']+?)( = (\S*))?: (.+)$`)
})

// parseQuery reads a file: comment lines with the description and the
// parameters, then the statement.
func parseQuery(name, text string) (Query, error) {
	q := Query{Name: name}
	var description []string
	rest := text
	for {
		line, after, _ := strings.Cut(rest, "\n")
		comment, ok := strings.CutPrefix(line, "-- ")
		if !ok {
			break
		}
		rest = after
		if !strings.HasPrefix(comment, "param ") {
			description = append(description, comment)
			continue
		}
		m := headerParameter().FindStringSubmatch(comment)
		if m == nil {
			return q, fmt.Errorf("query %s: %q: want param NAME TYPE [= DEFAULT]: WHAT", name, comment)
		}
		q.Parameters = append(q.Parameters, Parameter{Name: m[1], Type: m[2], Required: m[3] == "", Default: m[4], Doc: m[5]})
	}
	q.Description = strings.Join(description, " ")
	q.SQL = strings.TrimSpace(rest)
	for i := range q.Parameters {
		if p := &q.Parameters[i]; strings.Contains(q.SQL, "INTERVAL {"+p.Name+":") {
			p.Least = 1 // time cannot be cut into intervals of nothing
		}
	}
	if q.Description == "" || q.SQL == "" {
		return q, fmt.Errorf("query %s: want a comment that describes it, and a statement", name)
	}
	return q, nil
}

// Bind checks values against the parameters and returns the text of every
// parameter as ClickHouse reads it. All mistakes are reported at once.
func (q *Query) Bind(values map[string]string, now time.Time) (map[string]string, error) {
	bound := make(map[string]string, len(q.Parameters))
	var errs []error
	for _, p := range q.Parameters {
		v, given := values[p.Name]
		if !given {
			if p.Required {
				errs = append(errs, fmt.Errorf("query %s needs parameter %s (%s): %s", q.Name, p.Name, p.Type, p.Doc))
				continue
			}
			v = p.Default
		}
		text, err := p.value(v, now)
		if err != nil {
			errs = append(errs, fmt.Errorf("query %s: parameter %s: %w", q.Name, p.Name, err))
		}
		bound[p.Name] = text
	}
	for name := range values {
		if !slices.ContainsFunc(q.Parameters, func(p Parameter) bool { return p.Name == name }) {
			errs = append(errs, fmt.Errorf("query %s has no parameter %q: %s", q.Name, name, q.parameterList()))
		}
	}
	return bound, errors.Join(errs...)
}

func (q *Query) parameterList() string {
	if len(q.Parameters) == 0 {
		return "it has none"
	}
	names := make([]string, len(q.Parameters))
	for i, p := range q.Parameters {
		names[i] = p.Name
	}
	return "want one of " + strings.Join(names, ", ")
}

// value checks a value and brings it into ClickHouse's form.
func (p *Parameter) value(v string, now time.Time) (string, error) {
	switch {
	case strings.HasPrefix(p.Type, "DateTime"):
		t, err := ParseTime(v, now)
		return t.UTC().Format("2006-01-02 15:04:05.000"), err
	case strings.HasPrefix(p.Type, "UInt"):
		if n, err := strconv.ParseUint(v, 10, 32); err != nil || n < p.Least {
			return "", fmt.Errorf("%q: want a whole number from %d", v, p.Least)
		}
	case strings.HasPrefix(p.Type, "Float"):
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			return "", fmt.Errorf("%q: want a number", v)
		}
	case strings.HasPrefix(p.Type, "Enum8"):
		if list := p.choices(); !slices.Contains(list, v) {
			return "", fmt.Errorf("%q: want %s", v, strings.Join(list, " or "))
		}
	case p.Type == "Identifier":
		if !identifier().MatchString(v) {
			return "", fmt.Errorf("%q: want letters, digits and _", v)
		}
	}
	return v, nil
}

// choices are the values of an Enum8.
func (p *Parameter) choices() []string {
	list := strings.Split(strings.TrimSuffix(strings.TrimPrefix(p.Type, "Enum8("), ")"), ",")
	for i, c := range list {
		list[i] = strings.Trim(c, " '")
	}
	return list
}

// ParseTime reads a moment: RFC 3339, a date (its first moment, UTC), "now", or
// a time before now like 90m, 24h, 7d.
func ParseTime(s string, now time.Time) (time.Time, error) {
	if s == "now" {
		return now, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, form := range []string{time.RFC3339Nano, time.DateOnly, time.DateTime} {
		if t, err := time.Parse(form, s); err == nil {
			return t, nil
		}
	}
	return now, fmt.Errorf("%q: want a time like 2026-11-30T08:00:00Z, a date like 2026-11-30, or a time ago like 24h or 7d", s)
}

// parameterText escapes what is special in the text of a parameter.
var parameterText = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)
