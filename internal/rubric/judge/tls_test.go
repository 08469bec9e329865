package judge_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/judge/judgetest"
)

// certified is a certificate for a name, signed by itself.
func certified(t *testing.T, name string, until time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if name == "127.0.0.1" {
		c.DNSNames, c.IPAddresses = nil, []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(c)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// What is wrong with a connection that should be a safe one is told apart, and not
// asked for again.
func TestTLS(t *testing.T) {
	for _, tt := range []struct {
		name    string
		host    string // of the certificate
		until   time.Duration
		trusted bool
		server  func(*tls.Config)
		want    string // of the message; empty: a reply
	}{
		{"right", "127.0.0.1", 24 * time.Hour, true, nil, ""},
		{"signed by nobody", "127.0.0.1", 24 * time.Hour, false, nil, "SSL_CERT_FILE"},
		{"expired", "127.0.0.1", -24 * time.Hour, true, nil, "has expired"},
		{"of another host", "judge.example", 24 * time.Hour, true, nil, "another host"},
		{"wants a certificate of ours", "127.0.0.1", 24 * time.Hour, true, func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }, "no safe connection"},
		{"too old", "127.0.0.1", 24 * time.Hour, true, func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }, "no safe connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			certificate, roots := certified(t, tt.host, time.Now().Add(tt.until))
			s := httptest.NewUnstartedServer(&judgetest.Server{Script: func(judgetest.Asked) judgetest.Answer { return judgetest.Answer{Text: `{"answer": "yes"}`} }})
			s.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
			if tt.server != nil {
				tt.server(s.TLS)
			}
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.StartTLS()
			defer s.Close()
			if !tt.trusted {
				roots = x509.NewCertPool()
			}
			transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
			defer transport.CloseIdleConnections()
			forAll(t, func(t *testing.T, c judge.Config) {
				c.BaseURL = s.URL + "/v1"
				wantTLS(t, c, transport, tt.want)
			})
		})
	}
}

func wantTLS(t *testing.T, c judge.Config, transport http.RoundTripper, want string) {
	t.Helper()
	j, err := judge.NewOver(c, transport)
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Ask(context.Background(), request)
	var e *judge.Error
	switch {
	case want == "" && err != nil:
		t.Errorf("error %v, want a reply", err)
	case want != "" && (!errors.As(err, &e) || e.Reason != judge.ReasonTLS || e.Retry || !strings.Contains(err.Error(), want)):
		t.Errorf("error %v, want %s that says %q and is not asked again", err, judge.ReasonTLS, want)
	}
}

func TestServerWithoutTLS(t *testing.T) {
	s := httptest.NewServer(&judgetest.Server{Script: func(judgetest.Asked) judgetest.Answer { return judgetest.Answer{Text: "x"} }})
	defer s.Close()
	wantTLS(t, judge.Config{Provider: "openai", Model: "m", BaseURL: "https" + strings.TrimPrefix(s.URL, "http")}, http.DefaultTransport, "http://")
}

// What servers say to a request without TLS, on a port of theirs for TLS.
func TestServerOfTLSAskedWithout(t *testing.T) {
	for _, says := range []string{"Client sent an HTTP request to an HTTPS server.\n", "<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>"} {
		forAll(t, func(t *testing.T, c judge.Config) {
			wantTLS(t, c, &judgetest.Server{Script: func(judgetest.Asked) judgetest.Answer {
				return judgetest.Answer{Status: http.StatusBadRequest, Raw: says, Header: map[string]string{"Content-Type": "text/plain"}}
			}}, "https://")
		})
	}
}

// A proxy that is not there, or that wants a name, is told from the server.
func TestProxy(t *testing.T) {
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	defer refuses.Close()
	for name, address := range map[string]string{"not there": "http://127.0.0.1:1", "wants a name": refuses.URL} {
		proxy, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		proxy.User = url.UserPassword("ann", "hunter2zz")
		for _, scheme := range []string{"http", "https"} {
			j, err := judge.NewOver(judge.Config{Provider: "openai", Model: "m", BaseURL: scheme + "://judge.example/v1"}, &http.Transport{Proxy: http.ProxyURL(proxy)})
			if err != nil {
				t.Fatal(err)
			}
			_, err = j.Ask(context.Background(), request)
			var e *judge.Error
			if !errors.As(err, &e) || e.Reason != judge.ReasonNetwork || !strings.Contains(err.Error(), "proxy that HTTPS_PROXY") || strings.Contains(err.Error(), "hunter2zz") {
				t.Errorf("%s, %s: error %v, want %s that names the proxy and no password", name, scheme, err, judge.ReasonNetwork)
			}
		}
	}
}
