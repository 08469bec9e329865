package server

import (
	"fmt"
	"net/http"
)

// Definitions is the tools as a model's API wants them: "openai" or
// "anthropic".
func (r *Run) Definitions(format string) ([]map[string]any, error) {
	list := []map[string]any{}
	for _, t := range r.Tools() {
		switch format {
		case "", "openai":
			list = append(list, map[string]any{"type": "function", "function": map[string]any{
				"name": t.Name, "description": t.Describe(r), "parameters": t.JSONSchema(),
			}})
		case "anthropic":
			list = append(list, map[string]any{"name": t.Name, "description": t.Describe(r), "input_schema": t.JSONSchema()})
		default:
			return nil, wrongArguments("format %q: want openai or anthropic", format)
		}
	}
	return list, nil
}

func (h *Harness) definitions(w http.ResponseWriter, req *http.Request, r *Run) {
	list, err := r.Definitions(req.URL.Query().Get("format"))
	if err != nil {
		fail(w, status(err), err)
		return
	}
	reply(w, http.StatusOK, list)
}

// openAPI describes the tools as operations.
func (h *Harness) openAPI(w http.ResponseWriter, req *http.Request, r *Run) {
	paths := map[string]any{}
	for _, t := range r.Tools() {
		paths["/tools/"+t.Name] = map[string]any{"post": map[string]any{
			"operationId": t.Name,
			"summary":     t.Describe(r),
			"requestBody": map[string]any{"required": true, "content": map[string]any{
				"application/json": map[string]any{"schema": t.JSONSchema()},
			}},
			"responses": map[string]any{
				"200": map[string]any{"description": "the reply of the tool", "content": map[string]any{
					"application/json": map[string]any{"schema": map[string]any{"type": "object"}},
				}},
				"400": map[string]any{"description": "wrong arguments"},
				"413": map[string]any{"description": fmt.Sprintf("more than %d bytes of arguments", MaxArgs)},
			},
		}}
	}
	reply(w, http.StatusOK, map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "Tools", "version": "1"},
		"servers": []any{map[string]any{"url": "http://" + req.Host + r.Path()}},
		"paths":   paths,
	})
}
