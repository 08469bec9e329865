package server

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
)

// Handler is the harness over HTTP:
//
//	GET    /                                   the cases
//	GET    /r/{case}/{arm}/{run}/task          question, tools, addresses
//	GET    /r/{case}/{arm}/{run}/openapi.json  the tools as an OpenAPI document
//	GET    /r/{case}/{arm}/{run}/tools?format= their definitions: openai (default), anthropic
//	POST   /r/{case}/{arm}/{run}/tools/{tool}  one call; the body is the arguments
//	*      /r/{case}/{arm}/{run}/mcp           the same tools over MCP, streamable HTTP
//	POST   /r/{case}/{arm}/{run}/v1/chat/completions  a model that plays a script: see model.go
//	GET    /r/{case}/{arm}/{run}/journal       what was served
//	DELETE /r/{case}/{arm}/{run}               the run is over
//
// The same but for the journal, the end and, unless agents are played, the model stands under /a/{token}, once the run
// has begun: the address for the agent, which the task and the OpenAPI document
// name. Neither case nor arm can be read off it.
//
// With a token every request needs "Authorization: Bearer TOKEN".
func (h *Harness) Handler(token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", h.listCases)
	const run = "/r/{case}/{arm}/{run}"
	h.serveRun(mux, run, h.with)
	mux.HandleFunc("GET "+run+"/task", h.with(h.wholeTask))
	mux.HandleFunc("POST "+run+chatAt, h.with(h.chat))
	mux.Handle("/a/", h.AgentHandler())
	mux.HandleFunc("GET "+run+"/journal", h.with(func(w http.ResponseWriter, _ *http.Request, r *Run) { reply(w, http.StatusOK, r.Journal()) }))
	mux.HandleFunc("DELETE "+run, func(w http.ResponseWriter, req *http.Request) {
		h.Forget(req.PathValue("case"), cases.Arm(req.PathValue("arm")), req.PathValue("run"))
		w.WriteHeader(http.StatusNoContent)
	})
	elsewhere(mux, "no such address; runs are at /r/{case}/{arm}/{run}/…, GET / lists the cases")
	return guarded(mux, token)
}

// guarded lets only requests with the token through; without one all.
func guarded(next http.Handler, token string) http.Handler {
	if token == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		// The scheme's case says nothing (RFC 9110, section 11.1).
		scheme, given, _ := strings.Cut(req.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(strings.TrimSpace(given)), []byte(token)) != 1 {
			fail(w, http.StatusUnauthorized, errors.New("a token is wanted: Authorization: Bearer TOKEN"))
			return
		}
		next.ServeHTTP(w, req)
	})
}

// AgentHandler is the addresses for agents alone, /a/{token}. Nothing that it
// answers says what it is part of: an agent that sees that it is examined behaves
// otherwise.
func (h *Harness) AgentHandler() http.Handler {
	mux := http.NewServeMux()
	const run = "/a/{token}"
	h.serveRun(mux, run, h.withToken)
	mux.HandleFunc("GET "+run+"/task", h.withToken(h.task))
	if h.opts.Played {
		mux.HandleFunc("POST "+run+chatAt, h.withToken(h.chat))
	}
	elsewhere(mux, "no such address")
	return mux
}

// finder finds the run of a request.
type finder func(func(http.ResponseWriter, *http.Request, *Run)) http.HandlerFunc

// serveRun is what an agent uses of a run, under an address.
func (h *Harness) serveRun(mux *http.ServeMux, at string, with finder) {
	mux.HandleFunc("GET "+at+"/openapi.json", with(h.openAPI))
	mux.HandleFunc("GET "+at+"/tools", with(h.definitions))
	mux.HandleFunc("POST "+at+"/tools/{tool}", with(h.callTool))
	mux.Handle(at+"/mcp", mcpHandler(with))
}

// chatAt is the address of the played model under that of a run.
const chatAt = "/v1/chat/completions"

// elsewhere answers what no other address takes.
func elsewhere(mux *http.ServeMux, message string) {
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		if allowed := methods(mux, req); allowed != "" {
			w.Header().Set("Allow", allowed)
			fail(w, http.StatusMethodNotAllowed, fmt.Errorf("%s %s: want %s", req.Method, req.URL.Path, allowed))
			return
		}
		fail(w, http.StatusNotFound, fmt.Errorf("%s %s: %s", req.Method, req.URL.Path, message))
	})
}

// methods is the methods that the address of a request takes; empty where there
// is no such address.
func methods(mux *http.ServeMux, req *http.Request) string {
	var list []string
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		other := req.Clone(req.Context())
		other.Method = m
		if _, pattern := mux.Handler(other); pattern != "/" {
			list = append(list, m)
		}
	}
	return strings.Join(list, ", ")
}

// Addresses are where a harness listens.
type Addresses struct {
	Listen string // HOST:PORT of all that Handler serves, for those who give the exam
	// Agents is HOST:PORT of what AgentHandler serves, which tasks name; empty is
	// the port after Listen's.
	Agents string
	Token  string // needed beyond loopback
}

// Serve listens and serves until the context ends. An address beyond loopback
// needs a token. What is listened on is given to ready.
func (h *Harness) Serve(ctx context.Context, at Addresses, ready func(all, agents net.Addr)) error {
	all, err := Listen(ctx, at.Listen, at.Token)
	if err != nil {
		return err
	}
	if at.Agents == "" {
		at.Agents = nextPort(at.Listen)
	}
	agents, err := Listen(ctx, at.Agents, at.Token)
	if err != nil {
		return errors.Join(fmt.Errorf("the addresses for agents: %w", err), all.Close())
	}
	h.agentsAt = agents.Addr()
	done := make(chan error, 2)
	var servers []*http.Server
	for l, handler := range map[net.Listener]http.Handler{all: h.Handler(at.Token), agents: guarded(h.AgentHandler(), at.Token)} {
		srv := &http.Server{
			Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
			MaxHeaderBytes: 64 << 10,
		}
		servers = append(servers, srv)
		go func() { done <- srv.Serve(l) }()
	}
	if ready != nil {
		ready(all.Addr(), agents.Addr())
	}
	select {
	case err = <-done:
		err = fmt.Errorf("serve on %s and %s: %w", all.Addr(), agents.Addr(), err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	for _, srv := range servers {
		err = errors.Join(err, srv.Shutdown(stop))
	}
	return err
}

// nextPort is the address with the port after its own; a port of 0 stays so.
func nextPort(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	n, err := strconv.Atoi(port)
	if err != nil || n == 0 || n == 65535 {
		return net.JoinHostPort(host, "0")
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}

// agentBase is the harness as its agents reach it: where [Harness.Serve] listens
// for them, by the host of the request where that is any; else where the request went.
func (h *Harness) agentBase(req *http.Request) string {
	at, ok := h.agentsAt.(*net.TCPAddr)
	if !ok {
		return "http://" + req.Host
	}
	host := at.IP.String()
	if at.IP.IsUnspecified() {
		if host = req.Host; strings.Contains(host, ":") {
			if name, _, err := net.SplitHostPort(host); err == nil {
				host = name
			}
		}
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(at.Port))
}

// Listenable reports what is wrong with an address to listen on.
func Listenable(addr, token string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen on %q: want HOST:PORT such as 127.0.0.1:8765: %w", addr, err)
	}
	ip := net.ParseIP(host)
	if token == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("listen on %q: beyond loopback a token is needed: set TRACEGRADE_TOKEN", addr)
	}
	return nil
}

// Listen opens the address; one beyond loopback needs a token.
func Listen(ctx context.Context, addr, token string) (net.Listener, error) {
	if err := Listenable(addr, token); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// with finds the run of a request.
func (h *Harness) with(f func(http.ResponseWriter, *http.Request, *Run)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		r, err := h.Run(req.Context(), req.PathValue("case"), cases.Arm(req.PathValue("arm")), req.PathValue("run"))
		if err != nil {
			fail(w, status(err), err)
			return
		}
		f(w, req, r)
	}
}

// withToken finds the run of an agent's request.
func (h *Harness) withToken(f func(http.ResponseWriter, *http.Request, *Run)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		h.mu.Lock()
		r, ok := h.agents[req.PathValue("token")]
		h.mu.Unlock()
		if !ok {
			fail(w, http.StatusNotFound, fmt.Errorf("%s %s: no such address", req.Method, req.URL.Path))
			return
		}
		f(w, req, r)
	}
}

func status(err error) int {
	switch {
	case errors.Is(err, ErrUnknownCase), errors.Is(err, ErrUnknownTool), errors.Is(err, ErrAddress):
		return http.StatusNotFound
	case errors.Is(err, ErrArguments):
		return http.StatusBadRequest
	case errors.Is(err, ErrTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, ErrTooMany):
		return http.StatusTooManyRequests
	}
	return http.StatusInternalServerError
}

func (h *Harness) listCases(w http.ResponseWriter, _ *http.Request) {
	list := make([]map[string]any, len(h.order))
	for i, id := range h.order {
		c := h.cases[id]
		list[i] = map[string]any{"id": id, "suite": c.Suite, "category": c.Category, "lang": c.Lang, "arms": cases.Arms}
	}
	reply(w, http.StatusOK, map[string]any{"cases": list})
}

func (h *Harness) task(w http.ResponseWriter, req *http.Request, r *Run) {
	reply(w, http.StatusOK, r.describe(h.agentBase(req)))
}

// wholeTask adds what only those who give the exam may know.
func (h *Harness) wholeTask(w http.ResponseWriter, req *http.Request, r *Run) {
	t := r.describe(h.agentBase(req))
	t["case"], t["arm"], t["journal"] = r.c.ID, r.arm, "http://"+req.Host+strings.TrimSuffix(req.URL.Path, "/task")+"/journal"
	reply(w, http.StatusOK, t)
}

// describe is the task as its agent may know it.
func (r *Run) describe(harness string) map[string]any {
	base := harness + r.Path()
	t := map[string]any{
		"run": r.ID, "question": r.c.Question, "lang": r.c.Lang, "today": r.c.Today, "tools": r.toolNames(),
		"task": base + "/task", "http": base + "/tools", "openapi": base + "/openapi.json", "mcp": base + "/mcp",
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.otlp != "" {
		t["otlp_endpoint"], t["traceparent"] = r.otlp, r.traceParent
	}
	return t
}

// Tell makes the task say where the agent's spans go, and under which parent.
func (r *Run) Tell(otlp, traceParent string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.otlp, r.traceParent = otlp, traceParent
}

func (h *Harness) callTool(w http.ResponseWriter, req *http.Request, r *Run) {
	body, err := read(w, req, MaxArgs)
	if err != nil {
		fail(w, status(err), fmt.Errorf("read the arguments: %w", err))
		return
	}
	ctx := journal.WithCaller(req.Context(), propagation.HeaderCarrier(req.Header))
	res, err := r.Call(ctx, req.PathValue("tool"), body)
	if err != nil {
		if req.Context().Err() == nil {
			fail(w, status(err), err)
		}
		return
	}
	w.Header().Set("Content-Type", res.contentType())
	if res.RetryAfter != "" {
		w.Header().Set("Retry-After", res.RetryAfter)
	}
	if res.Failed {
		// The tool failed, and the call was served: the body is the tool's, not the harness's.
		w.Header().Set("X-Tool-Error", "true")
	}
	if res.Status != 0 {
		w.WriteHeader(res.Status)
	}
	if _, err := io.WriteString(w, res.Text); err != nil {
		return // the client is gone
	}
}

// contentType is that which the real tool stated, else what the text is.
func (r *Result) contentType() string {
	switch {
	case r.ContentType != "":
		return r.ContentType
	case json.Valid([]byte(r.Text)):
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}

// read is the body of a request, of no more than limit bytes.
func read(w http.ResponseWriter, req *http.Request, limit int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, limit))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, fmt.Errorf("more than %d bytes: %w", limit, ErrTooLarge)
	}
	if err != nil {
		return nil, wrongArguments("%w", err)
	}
	return body, nil
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return // the client is gone
	}
}

func fail(w http.ResponseWriter, code int, err error) {
	reply(w, code, map[string]any{"error": err.Error()})
}
