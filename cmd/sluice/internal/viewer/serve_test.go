package viewer

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// serving serves a page until the test ends, and returns its URL.
func serving(t *testing.T, page string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	l, err := Listen(ctx, "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- Serve(ctx, l, []byte(page)) }() // ends with ctx
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve = %v; want nil", err)
		}
	})
	return URL(l)
}

func TestServe(t *testing.T) {
	url := serving(t, "a page")
	for _, test := range []struct {
		method, path, host string
		status             int
	}{
		{"GET", "", "", http.StatusOK},
		{"HEAD", "", "", http.StatusOK},
		{"GET", "", "localhost:1234", http.StatusOK}, // a tunnel
		{"GET", "", "[::1]", http.StatusOK},
		{"GET", "", "rebound.example", http.StatusMisdirectedRequest},
		{"GET", "", "localhost.example:80", http.StatusMisdirectedRequest},
		{"GET", "other", "", http.StatusNotFound},
		{"POST", "", "", http.StatusMethodNotAllowed},
	} {
		req, err := http.NewRequestWithContext(t.Context(), test.method, url+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = test.host
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != test.status || err != nil {
			t.Errorf("%s /%s of host %q: %s, %v; want %d", test.method, test.path, test.host, answer.Status, err, test.status)
		}
		if has := string(body) == "a page"; has != (test.method == "GET" && test.status == http.StatusOK) {
			t.Errorf("%s /%s of host %q gets %q", test.method, test.path, test.host, body)
		}
	}
}

func TestListen(t *testing.T) {
	for addr, says := range map[string]string{
		"0.0.0.0:0":     "can be reached from other machines",
		"example.com:0": "can be reached from other machines",
		"[::]:0":        "can be reached from other machines",
		"8080":          "is not an address",
		"localhost":     "is not an address",
		"localhost:x":   "x",
	} {
		l, err := Listen(t.Context(), addr)
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Listen(%q) = %v; want what says %q", addr, err, says)
		}
	}
	l, err := Listen(t.Context(), ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		t.Errorf(`Listen(":0") listens at %v; want an address of this machine alone`, ip)
	}
	if _, err := Listen(t.Context(), l.Addr().String()); err == nil {
		t.Error("two can listen at a port")
	}
}
