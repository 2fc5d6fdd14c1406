// Rangeserver is an HTTP server of random reads from one big file.
//
//	rangeserver -addr localhost:8080 data
//	curl 'localhost:8080/?off=1048576&n=4096'
//
// Any number of requests read at once, and few threads wait for the disk. A read ends early
// when its client goes away, or when it takes too long.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/sluiceio/sluice"
)

// server answers GET /?off=N&n=N with n bytes of the file at off.
type server struct {
	file    *sluice.File
	size    int64         // of the file, in bytes
	max     int64         // the most bytes of a request
	timeout time.Duration // the most that a read may take
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	off, n, err := s.parse(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// The request's context ends when the client goes away.
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	b := make([]byte, n)
	_, err = s.file.ReadAtContext(ctx, b, off)
	switch {
	case errors.Is(err, context.Canceled): // nobody is there to read an answer
	case errors.Is(err, context.DeadlineExceeded):
		http.Error(w, fmt.Sprintf("the read took longer than %v", s.timeout), http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(b)
	}
}

// parse returns what the request asks for, which is inside the file and not too much.
func (s *server) parse(r *http.Request) (off, n int64, err error) {
	q := r.URL.Query()
	if off, err = strconv.ParseInt(q.Get("off"), 10, 64); err != nil || off < 0 || off > s.size {
		return 0, 0, fmt.Errorf("off is %q; want an offset from 0 to %d", q.Get("off"), s.size)
	}
	if n, err = strconv.ParseInt(q.Get("n"), 10, 64); err != nil || n < 1 || n > min(s.max, s.size-off) {
		return 0, 0, fmt.Errorf("n is %q; want a number of bytes from 1 to %d", q.Get("n"), min(s.max, s.size-off))
	}
	return off, n, nil
}

// run serves the named file until ctx ends, and returns when all requests have been answered.
func run(ctx context.Context, addr, name string, s *server) error {
	f, err := sluice.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if s.file, s.size = f, info.Size(); !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", name)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("serving %s, %d bytes, at http://%s/?off=0&n=1\n", s.file.Name(), s.size, l.Addr())
	h := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- h.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return h.Shutdown(context.Background())
	}
}

func main() {
	addr := flag.String("addr", "localhost:8080", "`address` to listen at")
	limit := flag.Int64("max", 1<<20, "the most `bytes` of a request")
	timeout := flag.Duration("timeout", 5*time.Second, "the most time that a read may take")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: rangeserver [flags] FILE"); flag.PrintDefaults() }
	flag.Parse()
	if flag.NArg() != 1 || *limit < 1 || *timeout <= 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, flag.Arg(0), &server{max: *limit, timeout: *timeout}); err != nil {
		fmt.Fprintln(os.Stderr, "rangeserver:", err)
		os.Exit(1)
	}
}
