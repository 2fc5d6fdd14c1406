package viewer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Listen listens at addr, host:port. The host must be this machine's loopback, because a
// trace names files. An empty host is localhost, and port 0 is any free port.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address; want host:port, as in localhost:8080", addr)
	}
	if host == "" {
		host = "localhost"
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%s can be reached from other machines; want localhost, and a tunnel to it from elsewhere", host)
	}
	var c net.ListenConfig
	return c.Listen(ctx, "tcp", net.JoinHostPort(host, port))
}

// URL returns the URL of the page that is served on l.
func URL(l net.Listener) string {
	return "http://" + l.Addr().String() + "/"
}

// Serve serves page until ctx ends, and closes l. The end of ctx is not an error.
func Serve(ctx context.Context, l net.Listener, page []byte) error {
	s := &http.Server{Handler: handler(page), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler answers GET / of requests whose Host is this machine. Otherwise a foreign web
// page could read the trace by making its own host name resolve to this address.
func handler(page []byte) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) {
			http.Error(w, "unknown host", http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(page)))
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(page) // an error means that the client is gone
	})
	return mux
}

// local reports whether a request's Host is this machine. The port does not matter: that
// of a tunnel may be another.
func local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
