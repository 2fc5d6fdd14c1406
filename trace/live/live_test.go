package live

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// get returns the answer of a server with the Handler to a request.
func get(t *testing.T, server *httptest.Server, method, query string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/debug/sluice/"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func serving(t *testing.T, timeout time.Duration) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/debug/sluice/", Handler())
	server := httptest.NewUnstartedServer(mux)
	server.Config.WriteTimeout = timeout
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func TestHandler(t *testing.T) {
	server := serving(t, 30*time.Second)
	for _, c := range []struct {
		method, query string
		status        int
		kind          string
	}{
		{"GET", "", 200, "text/html"},
		{"GET", "?format=json", 200, "application/json"},
		{"POST", "", 405, "text/plain"},
		{"GET", "?seconds=-1", 400, "text/plain"},
		{"GET", "?seconds=30", 400, "text/plain"}, // the server would end the answer
		{"GET", "?seconds=5", 404, "text/plain"},  // there is no Scheduler
	} {
		a := get(t, server, c.method, c.query)
		if a.StatusCode != c.status || !strings.HasPrefix(a.Header.Get("Content-Type"), c.kind) {
			t.Errorf("%s %q: status %d, type %s; want %d, %s", c.method, c.query, a.StatusCode, a.Header.Get("Content-Type"), c.status, c.kind)
		}
		if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %q: headers %v; want no-store and nosniff", c.method, c.query, a.Header)
		}
	}
	if a := get(t, server, "GET", "?refresh=off"); !strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page's policy is %q", a.Header.Get("Content-Security-Policy"))
	}
}
