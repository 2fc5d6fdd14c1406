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

// Listen listens at addr, host:port, which must be this machine's own alone: a
// trace names files. An empty host is localhost, port 0 one that is free.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is no address; want host:port, as in localhost:8080", addr)
	}
	if host == "" {
		host = "localhost"
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%s is not an address of this machine alone; want localhost, and a tunnel to it from elsewhere", host)
	}
	var c net.ListenConfig
	return c.Listen(ctx, "tcp", net.JoinHostPort(host, port))
}

// URL is where a browser finds what l serves.
func URL(l net.Listener) string {
	return "http://" + l.Addr().String() + "/"
}

// Serve serves page until ctx ends, and closes l. The end of ctx is no error.
func Serve(ctx context.Context, l net.Listener, page []byte) error {
	s := &http.Server{Handler: handler(page), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler answers GET / to those who have asked for this machine: a page from
// elsewhere may make its own name lead here, and would then read the trace.
func handler(page []byte) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) {
			http.Error(w, "this host is not known here", http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(page)))
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(page) // who has gone away needs no answer
	})
	return mux
}

// local tells whether a request's host is this machine. A tunnel may have
// another port.
func local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
