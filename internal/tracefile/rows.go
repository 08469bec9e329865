package tracefile

import (
	"maps"
	"slices"
	"strconv"
)

// rowsOf is the rows of a data frame as pandas writes one in JSON: {column: {row:
// value}} by columns, or {"columns": […], "data": [[…]]}; nil where a document is
// none.
func rowsOf(doc any) []any {
	o, _ := doc.(map[string]any)
	if names, data := list(o, "columns"), list(o, "data"); names != nil && data != nil {
		return splitRows(names, data)
	}
	var rows []string
	for _, column := range o {
		cells, isObject := column.(map[string]any)
		if !isObject || len(cells) == 0 || rows != nil && len(cells) != len(rows) {
			return nil
		}
		if rows == nil {
			rows = slices.Collect(maps.Keys(cells))
		}
		for _, row := range rows {
			if _, there := cells[row]; !there {
				return nil
			}
		}
	}
	slices.SortFunc(rows, func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	})
	var out []any
	for _, row := range rows {
		entry := make(map[string]any, len(o))
		for name, column := range o {
			if v := column.(map[string]any)[row]; v != nil {
				entry[name] = v
			}
		}
		out = append(out, entry)
	}
	return out
}

func splitRows(names, data []any) []any {
	var out []any
	for _, d := range data {
		cells, _ := d.([]any)
		entry := make(map[string]any, len(names))
		for i, v := range cells[:min(len(cells), len(names))] {
			if name, ok := names[i].(string); ok && v != nil {
				entry[name] = v
			}
		}
		out = append(out, entry)
	}
	return out
}
