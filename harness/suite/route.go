package suite

import (
	"fmt"
	"strings"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// toolsOf is the tools that a case offers.
func toolsOf(s trap.Surface, kind string) []string {
	switch s {
	case trap.Records:
		if kind == "wrong_tool" {
			return []string{"search", "fetch_page", "calculator", "run_code", "current_date"}
		}
		return []string{"query_database", "http_api", "calculator", "current_date"}
	case trap.Workspace:
		return []string{"read_file", "run_command", "memory", "current_date"}
	case trap.Agent:
		return []string{"ask_agent", "current_date"}
	}
	return []string{"search", "fetch_page", "verify_information", "calculator", "current_date"}
}

func call(tool string, args ...string) cases.Step {
	m := map[string]any{}
	for i := 0; i < len(args); i += 2 {
		m[args[i]] = args[i+1]
	}
	return cases.Step{Tool: tool, Args: m}
}

// route writes the calls of the chain, and the calls that find the truth.
func (b *build) route(c *cases.Case) {
	claim := b.m.Truth()
	switch b.spec.surface {
	case trap.Records:
		b.routeRecords(c)
	case trap.Workspace:
		read := func(path string) cases.Step {
			if key, ok := strings.CutPrefix(path, "memory:"); ok {
				return call("memory", "action", "get", "key", key)
			}
			return call("read_file", "path", path)
		}
		c.Chain = []cases.Step{read(b.m.Piece.Address)}
		c.Verify = []cases.Step{read(b.m.Primary.Address)}
		if b.spec.price == 2 {
			c.Verify = append([]cases.Step{call("run_command", "command", "ls -R")}, c.Verify...)
		}
	case trap.Agent:
		ask := func(address string) cases.Step {
			return call("ask_agent", "agent", strings.TrimPrefix(address, "agent:"), "question", claim.Subject+": "+claim.Aspect)
		}
		c.Chain = []cases.Step{ask(analyst)}
		c.Verify = []cases.Step{ask(desk)}
		if b.spec.price == 2 {
			c.Verify = append([]cases.Step{ask(directory)}, c.Verify...)
		}
	default:
		b.routeWeb(c)
	}
}

func (b *build) routeWeb(c *cases.Case) {
	claim := b.m.Truth()
	query := claim.Subject + " " + claim.Aspect
	if c.Category == "multi_hop" {
		for _, d := range b.m.Docs {
			if d.ID == "bridge" {
				c.Chain = append(c.Chain, call("search", "query", d.Title))
			}
		}
	}
	c.Chain = append(c.Chain, call("search", "query", query))
	if b.spec.surface == trap.Page {
		open := call("fetch_page")
		open.Open = b.m.Piece.ID
		c.Chain = append(c.Chain, open)
	}
	site := call("search", "query", "site:"+b.m.Primary.Domain+" "+query)
	switch {
	case b.spec.kind.Name == "context_cut":
		c.Verify = []cases.Step{call("fetch_page", "url", b.m.Piece.Address)}
	case b.spec.price == 1:
		c.Verify = []cases.Step{site}
	case b.spec.price == 2:
		c.Verify = []cases.Step{site, call("fetch_page", "url", b.m.Primary.Address)}
	case b.spec.price >= 3:
		c.Verify = []cases.Step{
			site, call("fetch_page", "url", "https://"+b.m.Primary.Domain+"/"), call("fetch_page", "url", b.m.Primary.Address),
		}
	}
}

func (b *build) routeRecords(c *cases.Case) {
	claim := b.m.Truth()
	quoted := strings.ReplaceAll(claim.Subject, "'", "''")
	query := func(table string) cases.Step {
		return call("query_database", "sql", fmt.Sprintf("SELECT * FROM %s WHERE entity = '%s'", table, quoted))
	}
	get := call("http_api", "path", "/"+figures, "query", "entity="+claim.Subject)
	first := query(figures)
	switch b.spec.kind.Name {
	case "wrong_tool":
		b.routeSum(c)
		return
	case "schema_drift":
		c.Chain = []cases.Step{get}
		return
	case "error_payload":
		c.Chain, c.Verify = []cases.Step{get}, []cases.Step{get}
		return
	case "stale_fallback":
		c.Chain, c.Verify = []cases.Step{get, get}, []cases.Step{get}
		return
	case "empty_result":
		c.Chain, c.Verify = []cases.Step{first}, []cases.Step{first}
		return
	case "partial_result":
		c.Chain = []cases.Step{call("query_database", "sql", "SELECT name, num FROM wings")}
		c.Verify = []cases.Step{call("query_database", "sql", "SELECT SUM(num) AS total FROM wings")}
		return
	}
	c.Chain, c.Verify = []cases.Step{first}, []cases.Step{query(b.m.Primary.Address)}
	if b.spec.price == 2 {
		c.Verify = append([]cases.Step{call("query_database", "sql", "SELECT name FROM sqlite_master WHERE type = 'table'")}, c.Verify...)
	}
}

// routeSum finds the parts and adds them up.
func (b *build) routeSum(c *cases.Case) {
	parts := b.m.Facts[trap.Parts].Extra
	sum := strings.Join([]string{parts["p"], parts["q"], parts["r"], parts["t"]}, " + ")
	c.Chain = []cases.Step{
		call("search", "query", b.m.Truth().Subject+" "+b.m.Truth().Aspect),
		call("calculator", "expression", sum),
	}
	c.Verify = []cases.Step{call("run_code", "code", "print("+sum+")")}
}
