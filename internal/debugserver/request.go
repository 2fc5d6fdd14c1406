package debugserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sluiceio/sluice/internal/live"
)

// Path is where the live look is.
const Path = "/debug/sluice/"

const maxHead = 8 << 10 // 8 KiB

// request is the head of a request.
type request struct {
	method, target string
	host           string // of the Host header
}

// readRequest reads the head of a request. It does not read beyond what arrives with it.
func readRequest(from io.Reader) (request, error) {
	var head []byte
	for {
		if end := bytes.Index(head, []byte("\r\n\r\n")); end >= 0 {
			return parseHead(string(head[:end]))
		}
		if len(head) >= maxHead {
			return request{}, fmt.Errorf("the head of the request is longer than %d bytes", maxHead)
		}
		part := make([]byte, min(1024, maxHead-len(head)))
		n, err := from.Read(part)
		head = append(head, part[:n]...)
		if n == 0 && err != nil {
			return request{}, err
		}
	}
}

// errRequest is the error of bytes that are no HTTP request.
var errRequest = errors.New("this is not an HTTP request")

func parseHead(head string) (r request, err error) {
	line, rest, _ := strings.Cut(head, "\r\n")
	parts := strings.Split(line, " ")
	if len(parts) != 3 || !strings.HasPrefix(parts[2], "HTTP/1.") || !strings.HasPrefix(parts[1], "/") {
		return r, errRequest
	}
	r.method, r.target = parts[0], parts[1]
	for field := range strings.SplitSeq(rest, "\r\n") {
		name, value, _ := strings.Cut(field, ":")
		if strings.EqualFold(name, "Host") {
			r.host = strings.TrimSpace(value)
		}
	}
	return r, nil
}

// refusal returns the answer for a request that is not for the live look. ok is false for others.
// loopback: the server can be reached from this machine alone.
func (r request) refusal(loopback bool) (a live.Answer, ok bool) {
	path, _, _ := strings.Cut(r.target, "?")
	switch {
	case loopback && !isLocal(r.host):
		return text(421, "sluice: unknown host"), true
	case r.method != "GET":
		return text(405, "sluice: want GET"), true
	case path != Path:
		return text(404, "sluice: there is only "+Path), true
	}
	return live.Answer{}, false
}

func text(status int, message string) live.Answer {
	return live.Answer{Status: status, Type: "text/plain; charset=utf-8", Body: []byte(message + "\n")}
}

var reasons = map[int]string{
	200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict",
	421: "Misdirected Request", 500: "Internal Server Error", 503: "Service Unavailable",
}

// encode returns the answer as it is sent.
func encode(a live.Answer) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n", a.Status, reasons[a.Status], a.Type, len(a.Body))
	b.WriteString("Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n")
	if a.Policy != "" {
		fmt.Fprintf(&b, "Content-Security-Policy: %s\r\n", a.Policy)
	}
	if a.Name != "" {
		fmt.Fprintf(&b, "Content-Disposition: attachment; filename=%q\r\n", a.Name)
	}
	if a.Status == 405 {
		b.WriteString("Allow: GET\r\n")
	}
	b.WriteString("\r\n")
	b.Write(a.Body)
	return b.Bytes()
}
