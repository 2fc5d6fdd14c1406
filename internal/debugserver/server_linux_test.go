package debugserver

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestMain lets no client be too slow.
func TestMain(m *testing.M) {
	headTime, restTime = time.Hour, time.Hour
	os.Exit(m.Run())
}

// dial connects to the server.
func dial(t *testing.T, at string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestServer asks a server with net/http: for a look, for a missing page, by many clients at
// once, and by clients that send nothing or too much.
func TestServer(t *testing.T) {
	hang.Watch(t)
	at, err := Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(at); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("Listen at a taken address = %v; want %v", err, syscall.EADDRINUSE)
	}
	for range mostServed / 2 { // they send nothing
		dial(t, at)
	}
	var all sync.WaitGroup
	for range 2 * mostServed {
		all.Go(func() {
			a, err := http.Get("http://" + at + Path + "?format=json")
			if err != nil {
				t.Error(err)
				return
			}
			defer a.Body.Close()
			body, err := io.ReadAll(a.Body)
			if err != nil || a.StatusCode != 200 || !strings.HasPrefix(string(body), `{"program":`) {
				t.Errorf("status %d, %.60q, %v; want figures", a.StatusCode, body, err)
			}
		})
	}
	all.Wait()
	for request, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n":                      "HTTP/1.1 404 ",
		"GET " + Path + " HTTP/1.1\r\nHost: evil.example\r\n\r\n":        "HTTP/1.1 421 ",
		"GET " + Path + "?seconds=x HTTP/1.1\r\nHost: localhost\r\n\r\n": "HTTP/1.1 400 ",
		"nonsense\r\n\r\n":             "HTTP/1.1 400 ",
		strings.Repeat("a", 3*maxHead): "HTTP/1.1 400 ",
	} {
		c := dial(t, at)
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%.40q is answered by %.60q, %v; want %q", request, got, err, want)
		}
		c.Close()
	}
}

// TestClosesWriting: a client that closes its writing side after its request gets an answer.
func TestClosesWriting(t *testing.T) {
	hang.Watch(t)
	at, err := Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s := testenv.Must1(sluice.NewScheduler(sluice.Options{Driver: sluice.DriverPool}))
	defer s.Close()
	for query, want := range map[string]string{
		"?format=json": "HTTP/1.1 200 ",
		"?seconds=60":  "HTTP/1.1 503 ", // it cannot be told from a client that is gone
	} {
		c := dial(t, at)
		testenv.Must1(io.WriteString(c, "GET "+Path+query+" HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		if err := c.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s is answered by %.60q, %v; want %q", query, got, err, want)
		}
	}
}

// TestGone: a trace ends when its client closes the connection.
func TestGone(t *testing.T) {
	hang.Watch(t)
	at, err := Listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	s := testenv.Must1(sluice.NewScheduler(sluice.Options{Driver: sluice.DriverPool}))
	defer s.Close()
	hook := inside.Scheduler(s).Core.Hook()
	c := dial(t, at)
	testenv.Must1(io.WriteString(c, "GET "+Path+"?seconds=60 HTTP/1.1\r\nHost: localhost\r\n\r\n"))
	testenv.WaitFor(t, "a trace", func() bool { return hook.Now() != 0 })
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	testenv.WaitFor(t, "the end of the trace", func() bool { return hook.Now() == 0 })
}

// TestClosed: a program that closes the server's descriptor, and opens a file there, keeps the
// file.
func TestClosed(t *testing.T) {
	want, err := parse("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	fd, at, err := listen(want)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{file: os.NewFile(uintptr(fd), "test"), loopback: true}
	ended := make(chan bool)
	go func() {
		l.serve()
		close(ended)
	}()
	file := testenv.Must1(os.Create(t.TempDir() + "/file"))
	defer file.Close()
	if err := syscall.Dup3(int(file.Fd()), fd, syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", at.String()); err == nil {
		c.Close()
		t.Error("the address still listens")
	}
	if _, err := syscall.Write(fd, []byte("x")); err != nil {
		t.Errorf("the file at the server's descriptor: %v", err)
	}
	if err := l.file.Close(); err != nil { // ends serve, which may wait for a connection for ever
		t.Error(err)
	}
	<-ended
}
