package main

import (
	"regexp"
	"slices"
	"testing"

	"github.com/tracegrade/tracegrade/internal/store"
)

// The examples of the help name queries and parameters that there are.
func TestQueryExamples(t *testing.T) {
	used := regexp.MustCompile(`query ([a-z-]+) -p ([a-z_]+)=`).FindAllStringSubmatch(queryCommand().Example, -1)
	if len(used) == 0 {
		t.Fatal("no example sets a parameter")
	}
	for _, u := range used {
		known := slices.ContainsFunc(store.Queries(), func(q store.Query) bool {
			return q.Name == u[1] && slices.ContainsFunc(q.Parameters, func(p store.Parameter) bool { return p.Name == u[2] })
		})
		if !known {
			t.Errorf("query %s has no parameter %s", u[1], u[2])
		}
	}
}
