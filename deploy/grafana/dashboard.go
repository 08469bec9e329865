package main

import "strings"

// traceDashboard is the dashboard that trace ids lead to.
const traceDashboard = "tracegrade-trace"

// dashboard is what Grafana imports, as far as it is used:
// https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
type dashboard struct {
	UID           string     `json:"uid"`
	Title         string     `json:"title"`
	Tags          []string   `json:"tags"`
	SchemaVersion int        `json:"schemaVersion"`
	Editable      bool       `json:"editable"`
	Time          window     `json:"time"`
	Templating    templating `json:"templating"`
	Annotations   templating `json:"annotations"` // none, but required
	Panels        []panel    `json:"panels"`
}

type window struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type templating struct {
	List []variable `json:"list"`
}

type variable struct {
	Name    string `json:"name"`
	Label   string `json:"label"`
	Type    string `json:"type"`
	Query   string `json:"query"`
	Current option `json:"current"`
}

type option struct {
	Text  string `json:"text"`
	Value string `json:"value"`
}

type panel struct {
	ID          int         `json:"id"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Type        string      `json:"type"`
	Datasource  datasource  `json:"datasource"`
	GridPos     gridPos     `json:"gridPos"`
	FieldConfig fieldConfig `json:"fieldConfig"`
	Targets     []target    `json:"targets"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type gridPos struct {
	H int `json:"h"`
	W int `json:"w"`
	X int `json:"x"`
	Y int `json:"y"`
}

type target struct {
	RefID      string     `json:"refId"`
	Datasource datasource `json:"datasource"`
	EditorType string     `json:"editorType"`
	QueryType  string     `json:"queryType"`
	Format     int        `json:"format"` // of the data source: 0 time series, 1 table
	RawSQL     string     `json:"rawSql"`
}

type fieldConfig struct {
	Defaults  properties `json:"defaults"`
	Overrides []override `json:"overrides"`
}

type properties map[string]any

type override struct {
	Matcher    matcher    `json:"matcher"`
	Properties []property `json:"properties"`
}

type matcher struct {
	ID      string `json:"id"`
	Options string `json:"options"`
}

type property struct {
	ID    string `json:"id"`
	Value any    `json:"value"`
}

type link struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// source is the data source that the dashboard's first variable names.
var source = datasource{Type: "grafana-clickhouse-datasource", UID: "${datasource}"}

func textbox(name, label, value string) variable {
	return variable{Name: name, Label: label, Type: "textbox", Query: value, Current: option{Text: value, Value: value}}
}

// newDashboard lays the panels out from left to right and top to bottom.
func newDashboard(uid, title string, variables []variable, questions ...asked) dashboard {
	d := dashboard{
		UID: uid, Title: title, Tags: []string{"tracegrade"}, SchemaVersion: 39, Editable: true,
		Time:        window{From: "now-7d", To: "now"},
		Annotations: templating{List: []variable{}},
		Templating:  templating{List: append([]variable{{Name: "datasource", Label: "ClickHouse", Type: "datasource", Query: source.Type}}, variables...)},
	}
	var x, y, height int
	for i, q := range questions {
		p, err := q.panel(i+1, variables)
		if err != nil {
			panic(err) // the panels are those of this program
		}
		if x+q.width > 24 {
			x, y, height = 0, y+height, 0
		}
		p.GridPos = gridPos{H: q.height, W: q.width, X: x, Y: y}
		x, height = x+q.width, max(height, q.height)
		d.Panels = append(d.Panels, p)
	}
	return d
}

// overrides show columns as what they are, whatever query they come from: a
// name means the same in all of them.
func overrides() []override {
	as := func(id string, value any, columns ...string) override {
		return override{
			Matcher:    matcher{ID: "byRegexp", Options: "/^(" + strings.Join(columns, "|") + ")$/"},
			Properties: []property{{ID: id, Value: value}},
		}
	}
	return []override{
		as("unit", "percentunit", "rate", "low", "high", "rate_before", "rate_after"),
		as("unit", "s", "seconds", "total", "p50", "p95", "longest", "p50_seconds", "p95_seconds"),
		as("links", []link{{Title: "this trace", URL: "/d/" + traceDashboard + "?var-trace_id=${__value.raw}"}},
			"trace_id", "latest_trace", "longest_trace", "a_trace"),
	}
}
