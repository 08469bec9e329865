package judge

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Reason is why a judge gave no usable reply: a code of [Reasons].
type Reason string

// What can go wrong with a call.
const (
	ReasonTruncated   Reason = "judge_truncated"    // the reply hit its token limit
	ReasonRefusal     Reason = "judge_refusal"      // the model declined, or a content filter did
	ReasonEmpty       Reason = "judge_empty"        // a reply without text
	ReasonNotJSON     Reason = "judge_not_json"     // no JSON object in the reply
	ReasonWrongShape  Reason = "judge_wrong_shape"  // a field is missing or of the wrong type
	ReasonWrongValue  Reason = "judge_wrong_value"  // an answer that is not among the choices
	ReasonWrongNonce  Reason = "judge_wrong_nonce"  // the reply does not name this request
	ReasonFalseQuote  Reason = "judge_false_quote"  // evidence that does not occur in the material
	ReasonNoQuote     Reason = "judge_no_quote"     // a verdict without evidence
	ReasonSwapped     Reason = "judge_swapped"      // another model than the pinned one answered
	ReasonContext     Reason = "context"            // the prompt does not fit the window
	ReasonRateLimited Reason = "judge_rate_limited" // 429 until the maximum age
	ReasonTimeout     Reason = "judge_timeout"      // no whole reply in time
	ReasonServer      Reason = "judge_server"       // 5xx, or a body that is no reply
	ReasonNetwork     Reason = "judge_network"      // no connection, or one that broke
	ReasonTLS         Reason = "judge_tls"          // no safe connection: a certificate that is not trusted, or no TLS at all
	ReasonNotAPI      Reason = "judge_not_api"      // a success that is no reply: a page of a proxy, or a wrong base_url
	ReasonAuth        Reason = "judge_auth"         // the account may not ask: 401, 402, 403, or a quota that is used up
	ReasonRequest     Reason = "judge_bad_request"  // another 4xx: the request can never work
)

// Reasons is the closed list, in the order of documentation.
var Reasons = []Reason{
	ReasonTruncated, ReasonRefusal, ReasonEmpty, ReasonNotJSON, ReasonWrongShape, ReasonWrongValue, ReasonWrongNonce,
	ReasonFalseQuote, ReasonNoQuote, ReasonSwapped, ReasonContext, ReasonRateLimited, ReasonTimeout, ReasonServer, ReasonNetwork, ReasonTLS, ReasonNotAPI, ReasonAuth, ReasonRequest,
}

// Error is why there is no usable reply.
type Error struct {
	Reason Reason
	// Retry says that the same request may succeed later.
	Retry bool
	// After is how long the server asked to wait; 0 where it did not say.
	After time.Duration
	// Spent is what the call cost although it failed.
	Spent Reply
	Err   error

	said string // the server's own words, whole
	form bool   // the reply came in pieces where it was asked for whole, or the other way round
}

// Error names the reason and what was behind it.
func (e *Error) Error() string {
	if e.Err == nil {
		return string(e.Reason)
	}
	return fmt.Sprintf("%s: %v", e.Reason, e.Err)
}

// Unwrap returns what was behind it.
func (e *Error) Unwrap() error { return e.Err }

// messageMax is how much of a server's own words is kept, in bytes.
const messageMax = 200

// statusOverloaded is Anthropic's own.
const statusOverloaded = 529

// saidError is an error as servers write it into a body or a stream.
type saidError struct {
	Code    any
	Type    string
	Message string
}

// status is the HTTP status that an error of a stream, or in a success, would have
// had: its code where that is one, else what its type or code is a name of. What has
// no known name is the server's trouble.
func (s saidError) status() int {
	for _, name := range []string{fmt.Sprint(s.Code), s.Type} {
		if n, err := strconv.Atoi(name); err == nil && n >= 400 && n <= 599 {
			return n
		}
		switch name {
		case "overloaded_error":
			return statusOverloaded
		case "rate_limit_error", "rate_limit_exceeded", "insufficient_quota":
			return http.StatusTooManyRequests
		case "authentication_error":
			return http.StatusUnauthorized
		case "billing_error":
			return http.StatusPaymentRequired
		case "permission_error":
			return http.StatusForbidden
		case "request_too_large":
			return http.StatusRequestEntityTooLarge
		case "invalid_request_error", "content_filter", "context_length_exceeded":
			return http.StatusBadRequest
		case "not_found_error":
			return http.StatusNotFound
		case "timeout_error":
			return http.StatusGatewayTimeout
		}
	}
	return http.StatusInternalServerError
}

// words is what a server says of an error: its message after its code.
func (s saidError) words() string {
	if code, ok := s.Code.(string); ok {
		return strings.TrimSpace(code + " " + s.Message)
	}
	return s.Message
}

// readError reads an error that a server wrote: an object, or a text.
func readError(raw []byte) (s saidError) {
	if json.Unmarshal(raw, &s) != nil || s.Message == "" {
		if json.Unmarshal(raw, &s.Message) != nil {
			s.Message = string(raw)
		}
	}
	return s
}

// fromStatus names an HTTP error. message is the server's own words; empty where
// it has none.
func fromStatus(status int, header http.Header, message string) *Error {
	text := strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
	if message = strings.TrimSpace(message); message != "" {
		text += ": " + cut(message, messageMax)
	}
	if status == http.StatusNotFound && (message == "" || message[0] == '<') { // nothing of an API
		text += ": is base_url the address of the API? It often ends in /v1"
	}
	e := &Error{Err: errors.New(text), After: retryAfter(header), said: message}
	switch {
	case status == http.StatusTooManyRequests && strings.Contains(message, "insufficient_quota"), // waiting pays no bill
		status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusPaymentRequired:
		e.Reason = ReasonAuth
	case status == http.StatusProxyAuthRequired:
		e.Reason, e.Err = ReasonNetwork, fmt.Errorf("%s: %w", proxy, e.Err)
	case status == http.StatusTooManyRequests || status == statusOverloaded:
		e.Reason, e.Retry = ReasonRateLimited, true
	case status == http.StatusBadRequest && containsAny(strings.ToLower(message), "content_filter", "content_policy", "content management policy"):
		e.Reason = ReasonRefusal
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		e.Reason, e.Retry = ReasonTimeout, true
	case status == http.StatusRequestEntityTooLarge || status == http.StatusBadRequest && aboutContext(message):
		e.Reason = ReasonContext
	case status >= 500 || status == http.StatusConflict || status == http.StatusTooEarly:
		e.Reason, e.Retry = ReasonServer, true
	default:
		e.Reason = ReasonRequest
	}
	return e
}

// aboutContext reports whether the words of a 400 say that the prompt is too
// long: servers have no common code for it.
func aboutContext(message string) bool {
	m := strings.ToLower(message)
	for _, s := range []string{"context_length", "context length", "maximum context", "context window", "prompt is too long", "exceeds the available context", "too many tokens"} {
		if strings.Contains(m, s) {
			return true
		}
	}
	return false
}

// fromTransport names an error that is no HTTP status.
func fromTransport(ctx context.Context, err error) *Error {
	var timeout net.Error
	var op *net.OpError
	switch {
	case errors.Is(err, errTooLong):
		return &Error{Reason: ReasonServer, Err: err}
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Reason: ReasonTimeout, Retry: true, Err: fmt.Errorf("no whole reply within the judge's timeout: %w", err)}
	case errors.Is(ctx.Err(), context.Canceled):
		return &Error{Reason: ReasonTimeout, Err: err}
	}
	if e := fromTLS(err); e != nil {
		return e
	}
	switch {
	case strings.Contains(err.Error(), http.StatusText(http.StatusProxyAuthRequired)):
		return &Error{Reason: ReasonNetwork, Err: fmt.Errorf("%s: %w", proxy, err)}
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return &Error{Reason: ReasonNetwork, Retry: true, Err: fmt.Errorf("%s: %w", proxy, err)}
	case isNetwork(err):
		return &Error{Reason: ReasonNetwork, Retry: true, Err: err}
	}
	// What is left is a body that the SDK could not read as a reply.
	return &Error{Reason: ReasonServer, Retry: true, Err: err}
}

// fromTLS names what keeps a connection from being a safe one; nil for another error.
// None of it gets better by asking again.
func fromTLS(err error) *Error {
	var (
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		alert     tls.AlertError
		record    tls.RecordHeaderError
		why       string
	)
	switch {
	case errors.As(err, &host):
		why = "the server's certificate is for another host: write base_url with a name of the certificate"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		why = "the server's certificate has expired, or is not valid yet: renew it, or set this machine's clock"
	case errors.As(err, &authority):
		why = "nobody that this machine trusts signed the server's certificate: add its authority to those of the system, or name its file in SSL_CERT_FILE"
	case errors.As(err, &invalid), errors.As(err, &verify):
		why = "the server's certificate is not valid"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		why = "the server speaks no TLS: write base_url with http:// where that is meant"
	case errors.As(err, &alert), strings.Contains(err.Error(), "remote error: tls:"), strings.Contains(err.Error(), "tls: "):
		why = "the server and this program agree on no safe connection"
	default:
		return nil
	}
	return &Error{Reason: ReasonTLS, Err: fmt.Errorf("%s: %w", why, err)}
}

// proxy is who failed where it was not the server.
const proxy = "the proxy that HTTPS_PROXY or HTTP_PROXY names (hosts of NO_PROXY go without it)"

func isNetwork(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) || errors.As(err, &dns) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		strings.Contains(err.Error(), "connection reset")
}

// retryAfter reads retry-after-ms, or retry-after in seconds or as a date. It
// returns 0 where there is none, and never more than an hour.
func retryAfter(h http.Header) time.Duration {
	if h == nil {
		return 0
	}
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
	}
	if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return seconds(s)
	}
	if t, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		// Against the server's own clock, which ours need not agree with.
		if now, err := http.ParseTime(h.Get("Date")); err == nil {
			return seconds(t.Sub(now).Seconds())
		}
	}
	return 0
}

// seconds is a number of seconds from 0 to an hour.
func seconds(s float64) time.Duration {
	if !(s > 0) { // not a number either
		return 0
	}
	return time.Duration(min(s, time.Hour.Seconds()) * float64(time.Second))
}

// errTooLong is returned for a reply beyond [ReplyBytesMax].
var errTooLong = fmt.Errorf("the reply is longer than %d bytes", ReplyBytesMax)

// limited bounds the body of every reply, and refuses those of the wrong kind: an
// error that a gateway wraps into a success is the error that it says.
// What broke on its way may be whole the next time; what says 200 and arrives
// whole as another kind of document is not from the judge, and asking again does
// not change who answers.
type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	// A server may close a connection that it kept, just when the next question is
	// written to it. The transport sends a question again that it knows to be
	// idempotent; a name without values says so and is not sent. It does not where a
	// part of the question was written: no server has had the whole of that.
	r = r.Clone(r.Context())
	r.Header["Idempotency-Key"] = nil
	res, err := l.RoundTripper.RoundTrip(r)
	if (errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EPIPE)) && r.GetBody != nil {
		if r.Body, err = r.GetBody(); err == nil {
			res, err = l.RoundTripper.RoundTrip(r)
		}
	}
	if err != nil {
		return nil, err
	}
	res.Body = &limitedBody{ReadCloser: res.Body, left: ReplyBytesMax}
	if kind := res.Header.Get("Content-Type"); res.StatusCode < http.StatusBadRequest && !isReply(kind) {
		begins, _ := io.ReadAll(io.LimitReader(res.Body, messageMax))
		res.Body.Close()
		if to := res.Header.Get("Location"); to != "" {
			return nil, &Error{Reason: ReasonNotAPI, Err: fmt.Errorf("status %d sends to %s: write that server as base_url, questions are not sent on to another one", res.StatusCode, cut(endpoint(to), 100))}
		}
		return nil, &Error{Reason: ReasonNotAPI, Err: fmt.Errorf("status %d with content type %q, want application/json: is base_url the address of the API? It begins %s", res.StatusCode, cut(kind, 100), quoted(string(begins)))}
	}
	if res.StatusCode >= http.StatusBadRequest {
		return wantsTLS(res)
	}
	inPieces := strings.HasPrefix(res.Header.Get("Content-Type"), "text/")
	if !inPieces {
		whole, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return nil, err
		}
		if e := noReply(whole); e != nil {
			return nil, e
		}
		res.Body = io.NopCloser(bytes.NewReader(whole))
	}
	if asked := r.Context().Value(streaming{}) != nil; asked != inPieces {
		res.Body.Close()
		return nil, &Error{Reason: ReasonNotAPI, form: true, Err: fmt.Errorf("the reply came %s, asked for was one with stream: %v", map[bool]string{true: "in pieces", false: "as a whole"}[inPieces], asked)}
	}
	return res, nil
}

// wantsTLS is a refused request, or the error where what is refused is that it came
// without TLS. Servers say so in words of their own, and no API's.
func wantsTLS(res *http.Response) (*http.Response, error) {
	if res.StatusCode != http.StatusBadRequest || isReply(res.Header.Get("Content-Type")) {
		return res, nil
	}
	begins, _ := io.ReadAll(io.LimitReader(res.Body, 4*messageMax))
	if text := string(begins); strings.Contains(text, "HTTPS") && containsAny(text, "HTTP request", "plain HTTP") {
		res.Body.Close()
		return nil, &Error{Reason: ReasonTLS, Err: fmt.Errorf("the server speaks TLS alone: write base_url with https:// (it said %s)", quoted(strings.TrimSpace(text)))}
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begins), res.Body), res.Body}
	return res, nil
}

// streaming is the key of a context under which a reply in pieces is asked for.
type streaming struct{}

// noReply is why a whole JSON document is no reply: the error that it says, or that
// it has nothing of a reply. It is nil where the document is one, or is no whole JSON,
// which the SDK says.
func noReply(body []byte) *Error {
	var d struct {
		Error                    json.RawMessage
		Choices, Output, Content json.RawMessage
	}
	if err := json.Unmarshal(body, &d); err != nil && !json.Valid(body) || d.Choices != nil || d.Output != nil || d.Content != nil {
		return nil
	}
	if len(d.Error) == 0 || string(d.Error) == "null" {
		return &Error{Reason: ReasonNotAPI, Err: fmt.Errorf("a success with no reply in it: is base_url the address of the API? It is %s", quoted(string(body)))}
	}
	said := readError(d.Error)
	e := fromStatus(said.status(), nil, said.words())
	e.Err = fmt.Errorf("a success that holds an error: %w", e.Err)
	return e
}

// isReply reports whether a document of a content type can be a judge's reply.
func isReply(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json") || kind == "text/event-stream")
}

type limitedBody struct {
	io.ReadCloser
	left int
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	if len(p) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= n
	return n, err
}

// finish checks what every provider's reply has in common: the reason why
// generation ended, and that there is text.
func (c Config) finish(reply Reply, reason string, refusal string) (Reply, error) {
	fail := func(r Reason, err error) (Reply, error) { return reply, &Error{Reason: r, Spent: reply, Err: err} }
	switch {
	case c.Pin != "" && reply.Model != c.Pin:
		return fail(ReasonSwapped, fmt.Errorf("model %q answered, pinned is %q", cut(reply.Model, 100), c.Pin))
	case refusal != "":
		return fail(ReasonRefusal, fmt.Errorf("it said %q", cut(refusal, 200)))
	case reason == "content_filter" || reason == "refusal":
		return fail(ReasonRefusal, fmt.Errorf("finish reason %q", reason))
	case reason == "length" || reason == "max_tokens" || reason == "max_output_tokens":
		return fail(ReasonTruncated, fmt.Errorf("after %d output tokens: raise max_output", reply.OutputTokens))
	case reason == "model_context_window_exceeded":
		return fail(ReasonContext, fmt.Errorf("finish reason %q", reason))
	case strings.TrimSpace(reply.Text) == "":
		return fail(ReasonEmpty, nil)
	}
	return reply, nil
}

// cut shortens a text for a message.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
