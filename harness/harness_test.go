package harness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/server"
)

// The tour prints one decision path that ends on the false value and one that
// comes back from it.
func TestPlay(t *testing.T) {
	var b bytes.Buffer
	if err := Play(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	taker, recoverer, ok := strings.Cut(b.String(), "recoverer.")
	if !ok {
		t.Fatalf("one path only:\n%s", b.String())
	}
	for _, want := range []string{"exposed", "adopted_mid", "adopted_final"} {
		if !strings.Contains(taker, want) {
			t.Errorf("the first path lacks %s:\n%s", want, taker)
		}
	}
	for _, want := range []string{"exposed", "adopted_mid", "verified_yield", "recovered", "correct", "site:"} {
		if !strings.Contains(recoverer, want) {
			t.Errorf("the second path lacks %s:\n%s", want, recoverer)
		}
	}
	if strings.Contains(recoverer, "adopted_final") {
		t.Errorf("the second path ends on the false value:\n%s", recoverer)
	}
	t.Log(b.String())
}

func TestLists(t *testing.T) {
	list, err := Source{Only: []string{"negation-01-search-p0", tour}}.Cases()
	if err != nil || len(list) != 2 {
		t.Fatalf("%d cases, %v", len(list), err)
	}
	var kinds, ids bytes.Buffer
	if err := ListKinds(&kinds, "json"); err != nil {
		t.Fatal(err)
	}
	if err := ListCases(&ids, "json", list); err != nil {
		t.Fatal(err)
	}
	var k, c []map[string]any
	if json.Unmarshal(kinds.Bytes(), &k) != nil || json.Unmarshal(ids.Bytes(), &c) != nil || len(k) != 44 || len(c) != 2 {
		t.Errorf("%d kinds, %d cases", len(k), len(c))
	}
	if _, err := (Source{Only: []string{"x"}}).Cases(); err == nil || !strings.HasPrefix(err.Error(), `case "x": not among the `) {
		t.Errorf("an unknown case: %v", err)
	}
}

func TestServeWritesTheJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	list, err := Source{Only: []string{tour}}.Cases()
	if err != nil {
		t.Fatal(err)
	}
	in, client := io.Pipe()
	out, reply := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- ServeStdio(context.Background(), ServeOptions{Journal: path, Server: server.Options{Cases: list}}, tour, "trap", "r1", in, reply)
	}()
	replied := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.Contains(lines.Text(), `"id":2`) {
				close(replied)
			}
		}
	}()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"current_date","arguments":{}}}`,
	} {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	<-replied
	client.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var e journal.Entry
	if err := json.Unmarshal(data, &e); err != nil || e.Tool != "current_date" || e.Run != "r1" {
		t.Errorf("journal %s: %v", data, err)
	}
}

// The case of the documentation, which stands before a real tool, is proved; one
// whose chain misses the trap, or that promises another price, is not.
func TestCheckOfACaseByHand(t *testing.T) {
	page, err := os.ReadFile("../docs/harness.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```json\n")
	text, _, _ = strings.Cut(text, "```")
	real := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"hits":[{"id":"a","text":"Widget: 17 pieces in stock."}]}`) //nolint:errcheck // what is missing is missed below
	}))
	defer real.Close()
	for _, tt := range []struct {
		change []string // old, new
		want   string
	}{
		{nil, "1 cases: 1 proved, 0 not\n"},
		{[]string{`"call": 1`, `"call": 2`}, `case widget-stock, trap arm: the chain does not show the false value "71 pieces" of trap t1 (number_tampering): {"hits":[{"id":"a","text":"Widget: 17 pieces in stock."}]}` + "\n1 cases: 0 proved, 1 not\n"},
		{[]string{`"price": 0`, `"price": 1`, `"subtlety": 0.5`, `"subtlety": 1`}, "case widget-stock, trap arm: 0 calls verify, the price is 1\n1 cases: 0 proved, 1 not\n"},
		{[]string{`"answer": {"text": "17 pieces"}`, `"answer": {"text": "7 pieces"}`}, `case widget-stock, clean arm: the chain ends without the true value "7 pieces": {"hits":[{"id":"a","text":"Widget: 17 pieces in stock."}]}` + "\n1 cases: 0 proved, 1 not\n"},
	} {
		c, err := cases.Load("docs", strings.NewReader(strings.NewReplacer(tt.change...).Replace(text)))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := Check(t.Context(), &b, []*cases.Case{c}, Proxies{Proxy: []string{"lookup=" + real.URL}}, server.Options{}); err != nil || b.String() != tt.want {
			t.Errorf("with %v: %v\n%s\nwant %s", tt.change, err, b.String(), tt.want)
		}
	}
}

// What cannot be opened is an error, and what was opened before is closed.
func TestServeThatCannotStart(t *testing.T) {
	for want, o := range map[string]ServeOptions{
		"open what is written of the runs: open /nowhere/j: no such file or directory": {Journal: "/nowhere/j"},
		`proxy "x": want NAME=URL`: {Journal: filepath.Join(t.TempDir(), "j"), Proxies: Proxies{Proxy: []string{"x"}}},
		`listen on "0.0.0.0:0": beyond loopback a token is needed: set TRACEGRADE_TOKEN`: {Addresses: server.Addresses{Listen: "0.0.0.0:0"}},
	} {
		if err := Serve(t.Context(), o, io.Discard); err == nil || err.Error() != want {
			t.Errorf("Serve: %v, want %s", err, want)
		}
	}
}
