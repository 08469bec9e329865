package store

import (
	"reflect"
	"regexp"
	"testing"
)

// Every field of a row type is one column, and no two columns share one.
func TestColumnsCoverRows(t *testing.T) {
	covers(t, &traces)
	covers(t, &steps)
	covers(t, &findings)
	covers(t, &outcomes)
	covers(t, &rules)
	covers(t, &observations)
	covers(t, &links)
	covers(t, &labels)
	covers(t, &sentinels)
	covers(t, &monthEnds)
}

func covers[R any](t *testing.T, tab *table[R]) {
	t.Helper()
	var row R
	v := reflect.ValueOf(&row).Elem()
	fields := map[any]string{}
	for i := range v.NumField() {
		fields[v.Field(i).Addr().Interface()] = v.Type().Field(i).Name
	}
	names := map[string]bool{}
	limited := false
	for _, c := range tab.columns {
		limited = limited || c.Limit > 0
		p := c.pointer(&row)
		field, ok := fields[p]
		if !ok {
			t.Errorf("table %s: column %s points to no field, or to one that another column has", tab.name, c.Name)
			continue
		}
		delete(fields, p)
		if !sameName(field, c.Name) {
			t.Errorf("table %s: column %s is field %s", tab.name, c.Name, field)
		}
		if names[c.Name] {
			t.Errorf("table %s: two columns %s", tab.name, c.Name)
		}
		names[c.Name] = true
		if c.Doc == "" {
			t.Errorf("table %s: column %s has no doc", tab.name, c.Name)
		}
		if (c.Limit > 0) != (c.text != nil || c.shorten != nil) || c.Content && c.text == nil {
			t.Errorf("table %s: column %s: a limit and content need a text", tab.name, c.Name)
		}
	}
	for _, f := range fields {
		t.Errorf("table %s: field %s has no column", tab.name, f)
	}
	if !names["row_version"] {
		t.Errorf("table %s: want a column row_version", tab.name)
	}
	if limited && (!names["cut"] || tab.cut(&row) == nil) {
		t.Errorf("table %s: want a column cut: others have a limit", tab.name)
	}
}

// sameName compares TraceID with trace_id.
func sameName(field, column string) bool {
	plain := regexp.MustCompile(`_`).ReplaceAllString(column, "")
	return regexp.MustCompile(`(?i)^` + plain + `$`).MatchString(field)
}
