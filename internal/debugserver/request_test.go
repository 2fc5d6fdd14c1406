package debugserver

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sluiceio/sluice/internal/live"
)

func TestReadRequest(t *testing.T) {
	const good = "GET /debug/sluice/?seconds=5 HTTP/1.1\r\nhOST:  localhost:6060 \r\nAccept: */*\r\n\r\nbody"
	for name, from := range map[string]io.Reader{"at once": strings.NewReader(good), "byte by byte": iotest.OneByteReader(strings.NewReader(good))} {
		r, err := readRequest(from)
		if err != nil || r != (request{"GET", "/debug/sluice/?seconds=5", "localhost:6060"}) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	for _, bad := range []string{
		"", "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\n", "\x16\x03\x01\x02\x00\r\n\r\n", "GET /" + strings.Repeat("a", 2*maxHead) + " HTTP/1.1\r\n\r\n",
	} {
		if r, err := readRequest(strings.NewReader(bad)); err == nil {
			t.Errorf("%.40q is %+v; want an error", bad, r)
		}
	}
}

func FuzzReadRequest(f *testing.F) {
	f.Add([]byte("GET /debug/sluice/ HTTP/1.1\r\nHost: localhost\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := readRequest(bytes.NewReader(b))
		if err == nil && !strings.HasPrefix(r.target, "/") {
			t.Errorf("%q is %+v", b, r)
		}
	})
}

func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		r        request
		loopback bool
		want     int // 0: it is answered
	}{
		{request{"GET", Path, "localhost:1"}, true, 0},
		{request{"GET", Path + "?seconds=5", "[::1]:1"}, true, 0},
		{request{"GET", Path, "evil.example:1"}, true, 421},
		{request{"GET", Path, ""}, true, 421},
		{request{"GET", Path, "server.example:1"}, false, 0},
		{request{"POST", Path, "localhost"}, true, 405},
		{request{"GET", "/", "localhost"}, true, 404},
		{request{"GET", "/debug/sluice/x", "localhost"}, true, 404},
	} {
		a, refused := c.r.refusal(c.loopback)
		if refused != (c.want != 0) || a.Status != c.want {
			t.Errorf("%+v: status %d, refused %v; want %d", c.r, a.Status, refused, c.want)
		}
	}
}

// TestEncode: net/http reads the answers.
func TestEncode(t *testing.T) {
	for _, want := range []live.Answer{
		{Status: 200, Type: "text/html", Policy: "default-src 'none'", Body: []byte("page")},
		{Status: 200, Type: "application/octet-stream", Name: "prog.1.sluice", Body: make([]byte, 100)},
		text(405, "sluice: want GET"), text(404, ""), text(421, ""),
		{Status: 503},
		{Status: 400},
		{Status: 409},
		{Status: 500},
	} {
		a, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(encode(want))), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(a.Body)
		if err != nil || a.StatusCode != want.Status || !bytes.Equal(body, want.Body) || a.Header.Get("Content-Type") != want.Type ||
			a.Header.Get("Content-Security-Policy") != want.Policy || !a.Close || !strings.HasSuffix(a.Status, http.StatusText(want.Status)) {
			t.Errorf("%+v is read as %+v, %q, %v", want, a, body, err)
		}
	}
}
