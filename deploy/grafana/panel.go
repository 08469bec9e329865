package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/store"
)

// asked is a panel that shows a named query.
type asked struct {
	title, query  string
	width, height int               // of 24 columns; in rows of 30 pixels
	fixed         map[string]string // parameters that the dashboard does not offer
	columns       []string          // of a time series: time, label, value; nil for a table
}

func asking(title, query string) asked { return asked{title: title, query: query} }

func (a asked) sized(width, height int) asked {
	a.width, a.height = width, height
	return a
}

func (a asked) with(parameter, value string) asked {
	a.fixed = maps.Clone(a.fixed)
	if a.fixed == nil {
		a.fixed = map[string]string{}
	}
	a.fixed[parameter] = value
	return a
}

// over shows the query as lines over time, one for each label.
func (a asked) over(time, label, value string) asked {
	a.columns = []string{time, label, value}
	return a
}

// panel is the asked query with Grafana's window of time and the dashboard's
// variables in the place of its parameters.
func (a asked) panel(id int, variables []variable) (panel, error) {
	q, err := store.NamedQuery(a.query)
	if err != nil {
		return panel{}, err
	}
	sql, err := a.sql(&q, variables)
	if err != nil {
		return panel{}, err
	}
	p := panel{
		ID: id, Title: a.title, Description: q.Description, Type: "table", Datasource: source,
		Targets:     []target{{RefID: "A", Datasource: source, EditorType: "sql", QueryType: "table", Format: 1, RawSQL: sql}},
		FieldConfig: fieldConfig{Defaults: properties{}, Overrides: overrides()},
	}
	if a.columns != nil {
		p.Type, p.Targets[0].QueryType, p.Targets[0].Format = "timeseries", "timeseries", 0
		p.FieldConfig = fieldConfig{Defaults: properties{"unit": "percentunit", "min": 0, "max": 1}, Overrides: []override{}}
	}
	return p, nil
}

// parameter is a {name:Type} of a query.
var parameter = regexp.MustCompile(`\{(\w+):[^}]+\}`)

func (a asked) sql(q *store.Query, variables []variable) (string, error) {
	text, err := q.Text()
	if err != nil {
		return "", err
	}
	text = strings.ReplaceAll(text, "`tracegrade`.", "") // the data source names the database
	for name := range a.fixed {
		if !slices.ContainsFunc(q.Parameters, func(p store.Parameter) bool { return p.Name == name }) {
			return "", fmt.Errorf("panel %q: query %s has no parameter %s", a.title, q.Name, name)
		}
	}
	text = parameter.ReplaceAllStringFunc(text, func(use string) string {
		name := parameter.FindStringSubmatch(use)[1]
		i := slices.IndexFunc(q.Parameters, func(p store.Parameter) bool { return p.Name == name })
		return a.value(&q.Parameters[i], variables)
	})
	if a.columns != nil {
		text = fmt.Sprintf("SELECT %s FROM (\n%s\n)\nORDER BY %s", strings.Join(a.columns, ", "), text, a.columns[0])
	}
	return text, nil
}

// value is what stands for a parameter: a macro of the data source, a variable
// of the dashboard, or a literal.
func (a asked) value(p *store.Parameter, variables []variable) string {
	switch {
	case p.Name == "from" && !offers(variables, "trace_id"):
		return "$__fromTime"
	case p.Name == "to" && !offers(variables, "trace_id"):
		return "$__toTime"
	case p.Name == "interval":
		return "$__interval_s"
	case offers(variables, p.Name):
		return "${" + p.Name + ":sqlstring}"
	}
	v, ok := a.fixed[p.Name]
	if !ok {
		v = p.Default
	}
	if strings.HasPrefix(p.Type, "UInt") || strings.HasPrefix(p.Type, "Float") {
		return v
	}
	return "'" + v + "'"
}

func offers(variables []variable, name string) bool {
	return slices.ContainsFunc(variables, func(v variable) bool { return v.Name == name })
}
