package copies

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// copySizes has the sizes of package os's tests of sendfile and splice, and one larger than a
// single call's.
var copySizes = []int{1, 42, 1025, testenv.PageSize + 1, 32769, 3<<20 + 7}

// sockets returns two connected connections.
func sockets(t *testing.T, network string) (a, b net.Conn) {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		// An empty address makes the kernel choose a name that is no file: a path may have 107
		// bytes, and TMPDIR may be longer (unix(7)).
		address = ""
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial(network, l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return a, b
}

// eachCopy runs test for each kind of socket, size and limit, as package os's tests do. A negative
// limit is none.
func eachCopy(t *testing.T, test func(t *testing.T, s *sluice.Scheduler, network string, size, limit int)) {
	limits := map[string]func(size int) int{
		"all":      func(int) int { return -1 },
		"one less": func(size int) int { return size - 1 },
		"half":     func(size int) int { return size / 2 },
		"more":     func(size int) int { return size + 7 },
	}
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		for _, network := range []string{"tcp", "unix"} {
			for _, size := range copySizes {
				for name, limit := range limits {
					t.Run(network+"/"+strconv.Itoa(size)+"/"+name, func(t *testing.T) { test(t, s, network, size, limit(size)) })
				}
			}
		}
	})
}

// limitedTo is r, or r up to the limit.
func limitedTo(r io.Reader, limit int) (io.Reader, *io.LimitedReader) {
	if limit < 0 {
		return r, nil
	}
	l := &io.LimitedReader{R: r, N: int64(limit)}
	return l, l
}

// copyBound returns how many of size bytes are copied under a limit.
func copyBound(size, limit int) int {
	if limit < 0 {
		return size
	}
	return min(size, limit)
}

// TestSendFile is package os's test of that name, for Files. The kernel must copy to a socket.
func TestSendFile(t *testing.T) {
	eachCopy(t, func(t *testing.T, s *sluice.Scheduler, network string, size, limit int) {
		data := testenv.Noise(size)
		name := filepath.Join(t.TempDir(), "file")
		testenv.Write(t, name, string(data))
		f, err := s.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		conn, peer := sockets(t, network)
		got := received(t, peer)
		before := s.Stats()
		r, l := limitedTo(f, limit)
		n, err := io.Copy(conn, r)
		conn.Close()
		want := data[:copyBound(size, limit)]
		if n != int64(len(want)) || err != nil {
			t.Errorf("Copy = %d, %v; want %d", n, err, len(want))
		}
		if b := <-got; !bytes.Equal(b, want) {
			t.Errorf("the peer has %d bytes (%08x); want %d (%08x)", len(b), testenv.Sum(b), len(want), testenv.Sum(want))
		}
		if l != nil && l.N != int64(limit)-n {
			t.Errorf("the limit is %d; want %d", l.N, int64(limit)-n)
		}
		if pos, err := f.Seek(0, io.SeekCurrent); pos != n || err != nil {
			t.Errorf("the position is %d, %v; want %d", pos, err, n)
		}
		// A connection of package net only tries sendfile with a limited File if it is a TCP
		// connection.
		if network == "unix" && limit >= 0 {
			return
		}
		if copied := s.Stats().BytesCopied - before.BytesCopied; copied != n {
			t.Errorf("%d bytes were copied by the kernel; want %d", copied, n)
		}
	})
}

// TestSpliceFile is package os's test of that name, for Files. The kernel must copy from a socket.
func TestSpliceFile(t *testing.T) {
	eachCopy(t, func(t *testing.T, s *sluice.Scheduler, network string, size, limit int) {
		data := testenv.Noise(size)
		name := filepath.Join(t.TempDir(), "file")
		f, err := s.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		conn, peer := sockets(t, network)
		go func() {
			peer.Write(data) // fails unless all is taken
			peer.Close()
		}()
		before := s.Stats()
		r, l := limitedTo(conn, limit)
		n, err := io.Copy(f, r)
		want := data[:copyBound(size, limit)]
		if n != int64(len(want)) || err != nil {
			t.Errorf("Copy = %d, %v; want %d", n, err, len(want))
		}
		if l != nil && l.N != int64(limit)-n {
			t.Errorf("the limit is %d; want %d", l.N, int64(limit)-n)
		}
		if pos, err := f.Seek(0, io.SeekCurrent); pos != n || err != nil {
			t.Errorf("the position is %d, %v; want %d", pos, err, n)
		}
		if b, err := os.ReadFile(name); !bytes.Equal(b, want) || err != nil {
			t.Errorf("the file has %d bytes (%08x), %v; want %d (%08x)", len(b), testenv.Sum(b), err, len(want), testenv.Sum(want))
		}
		if copied := s.Stats().BytesCopied - before.BytesCopied; copied != n {
			t.Errorf("%d bytes were copied by the kernel; want %d", copied, n)
		}
	})
}

// TestServeContent checks that package net/http sends a File by sendfile, except for the bytes that
// it examines.
func TestServeContent(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		data := testenv.Noise(300_000)
		name := filepath.Join(dir, "file")
		testenv.Write(t, name, string(data))
		serve := map[string]http.HandlerFunc{
			"ServeContent": func(w http.ResponseWriter, r *http.Request) {
				f := testenv.Must(t, testenv.OpenOn(s), name, os.O_RDONLY).(*sluice.File)
				defer f.Close()
				http.ServeContent(w, r, "file", time.Time{}, f)
			},
			"io.Copy": func(w http.ResponseWriter, _ *http.Request) {
				f := testenv.Must(t, testenv.OpenOn(s), name, os.O_RDONLY).(*sluice.File)
				defer f.Close()
				w.Header().Set("Content-Length", strconv.Itoa(len(data)))
				io.Copy(w, f)
			},
		}
		for how, handler := range serve {
			server := httptest.NewServer(handler)
			defer server.Close()
			before := s.Stats()
			resp, err := http.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if b, err := io.ReadAll(resp.Body); !bytes.Equal(b, data) || err != nil {
				t.Errorf("%s: %d bytes (%08x), %v; want %d (%08x)", how, len(b), testenv.Sum(b), err, len(data), testenv.Sum(data))
			}
			server.Close() // the handler has returned
			if copied := s.Stats().BytesCopied - before.BytesCopied; copied < int64(len(data))-1024 {
				t.Errorf("%s: %d bytes were copied by the kernel; want nearly %d", how, copied, len(data))
			}
		}
	})
}

// TestSendToSlow sends files to peers that take nothing, more of them than threads may wait. They
// must not hold up other operations or the files' Close, after which the copies end.
func TestSendToSlow(t *testing.T) {
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: driver, Threads: 2})
			name := filepath.Join(t.TempDir(), "file")
			const size = 64 << 20
			if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, size)); err != nil {
				t.Fatal(err)
			}
			f, err := s.OpenFile(name, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			type result struct {
				n   int64
				err error
			}
			ended := make(chan result)
			var files []*sluice.File
			var peers []net.Conn
			const senders = 4
			for range senders {
				from, err := s.Open(name)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, from)
				conn, peer := sockets(t, "tcp")
				peers = append(peers, peer)
				go func() {
					n, err := from.WriteTo(conn)
					ended <- result{n, err}
				}()
			}
			testenv.WaitFor(t, "the senders to wait for their peers", func() bool {
				for _, from := range files {
					if at, err := from.Seek(0, io.SeekCurrent); at == 0 && err == nil {
						return false // it has sent nothing yet
					}
				}
				return hang.Parked("poll.(*FD).RawWrite") == senders
			})
			if _, err := f.WriteAt(make([]byte, 100_000), 0); err != nil {
				t.Error(err)
			}
			if err := errors.Join(f.Sync(), f.Close()); err != nil {
				t.Error(err)
			}
			for _, from := range files {
				if n, err := from.ReadAt(make([]byte, 10), 0); n != 10 || err != nil {
					t.Errorf("ReadAt = %d, %v", n, err)
				}
				if _, err := from.Seek(0, io.SeekCurrent); err != nil {
					t.Error(err)
				}
				if err := from.Close(); err != nil {
					t.Error(err)
				}
			}
			for _, peer := range peers {
				go io.Copy(io.Discard, peer)
			}
			for range senders {
				if r := <-ended; !errors.Is(r.err, os.ErrClosed) || r.n <= 0 || r.n >= size {
					t.Errorf("WriteTo of a file that was closed = %d, %v; want ErrClosed", r.n, r.err)
				}
			}
		})
	}
}

// sendWithoutAPlace returns a Scheduler whose only permit is taken, and a file of data on a disk.
func sendWithoutAPlace(t *testing.T, data []byte) (*sluice.Scheduler, *sluice.File) {
	t.Helper()
	s := testenv.Scheduler(t, sluice.Options{Driver: "uring", Threads: 1})
	name := filepath.Join(places.Disk(t), "file")
	testenv.Write(t, name, string(data))
	f, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAtContext(t.Context(), make([]byte, 10), 0); err != nil {
		t.Fatal(err)
	}
	if s.Stats().Cached == 0 {
		skip.For(t, skip.NoWait, "the file system of TMPDIR refuses RWF_NOWAIT")
	}
	t.Cleanup(testenv.Occupy(s))
	return s, f
}

// TestSendWithoutAPlace sends an uncached file while all permits are taken. The driver must read
// it, so that no thread waits.
func TestSendWithoutAPlace(t *testing.T) {
	const size = 3<<20 + 7
	data := testenv.Noise(size)
	s, f := sendWithoutAPlace(t, data)
	hang.Watch(t)
	// The kernel may already have read a part of the file. So this is tried again until the driver
	// was asked.
	for {
		if err := testenv.DropCache(int(f.Fd())); err != nil {
			t.Fatal(err)
		}
		before := s.Stats()
		sendAll(t, f, data)
		st := s.Stats()
		if copied := st.BytesCopied - before.BytesCopied; copied != size {
			t.Errorf("%d bytes were copied by the kernel; want %d", copied, size)
		}
		if st.Queued > before.Queued {
			return
		}
	}
}

// TestSendOfABeginning sends a file whose beginning is cached. It ends before the most that one
// call sends. The driver must read the rest, so that no thread waits.
func TestSendOfABeginning(t *testing.T) {
	data := testenv.Noise(sched.CopyMost - 7)
	s, f := sendWithoutAPlace(t, data)
	hang.Watch(t)
	for { // as in TestSendWithoutAPlace
		if err := testenv.DropCache(int(f.Fd())); err != nil {
			t.Fatal(err)
		}
		if _, err := f.ReadAt(make([]byte, 10), 0); err != nil {
			t.Fatal(err)
		}
		before := s.Stats()
		sendAll(t, f, data)
		if s.Stats().Queued > before.Queued {
			return
		}
	}
}

// TestSendAfterAFullSocket has a socket that takes only a part of the fetched bytes. If the page
// cache has dropped the rest when the socket takes more, the driver must read it again, so that no
// thread waits. Bytes that are still cached must not be read again.
func TestSendAfterAFullSocket(t *testing.T) {
	s, f := sendWithoutAPlace(t, testenv.Noise(3<<20))
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	// send fills the socket, empties it, and returns the numbers of queued and other operations.
	send := func() (queued, others int64) {
		t.Helper()
		before := s.Stats()
		n, err := testenv.CoreOf(s).Send(testenv.FileCore(f), fds[0])
		if n <= 0 || n >= sched.CopyMost/2 || !errors.Is(err, unix.EAGAIN) {
			t.Fatalf("Send = %d, %v; want less than half of what is fetched, EAGAIN", n, err)
		}
		for b := make([]byte, n); n > 0; {
			m, err := unix.Read(fds[1], b)
			if err != nil {
				t.Fatal(err)
			}
			n -= m
		}
		after := s.Stats()
		return after.Queued - before.Queued, after.Cached + after.Plain - before.Cached - before.Plain
	}
	hang.Watch(t)
	for { // as in TestSendWithoutAPlace
		var queued [3]int64
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		for i := range queued {
			if i != 1 {
				if err := testenv.DropCache(int(f.Fd())); err != nil {
					t.Fatal(err)
				}
			}
			var others int64
			if queued[i], others = send(); i == 1 {
				queued[i] += others
			}
		}
		if queued[0] > 0 && queued[1] == 0 && queued[2] > 0 {
			return
		}
		t.Log("reads: ", queued)
	}
}

// received reads all that conn receives, and sends it to the channel when conn's peer is closed.
func received(t *testing.T, conn net.Conn) <-chan []byte {
	got := make(chan []byte)
	go func() {
		b, err := io.ReadAll(conn)
		if err != nil {
			t.Error(err)
		}
		got <- b
	}()
	return got
}

// sendAll sends f, from its beginning, to a TCP connection, and checks that data arrives.
func sendAll(t *testing.T, f *sluice.File, data []byte) {
	t.Helper()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	conn, peer := sockets(t, "tcp")
	got := received(t, peer)
	if n, err := f.WriteTo(conn); n != int64(len(data)) || err != nil {
		t.Errorf("WriteTo = %d, %v; want %d", n, err, len(data))
	}
	conn.Close()
	if b := <-got; !bytes.Equal(b, data) {
		t.Errorf("the peer has %d bytes (%08x); want %d (%08x)", len(b), testenv.Sum(b), len(data), testenv.Sum(data))
	}
}

// reason is the innermost error.
func reason(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// TestSocketErrors checks that a connection that is closed, or has a deadline, ends a copy with
// package os's error. The position must be at the end of the copied bytes.
func TestSocketErrors(t *testing.T) {
	type file interface {
		io.ReaderFrom
		io.WriterTo
		io.Seeker
		io.Closer
	}
	const size = 64 << 20
	name := filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, size)); err != nil {
		t.Fatal(err)
	}
	end := map[string]func(net.Conn) error{
		"closed":   net.Conn.Close,
		"deadline": func(c net.Conn) error { return c.SetDeadline(time.Unix(1, 0)) },
	}
	s := testenv.Scheduler(t, sluice.Options{})
	for how, end := range end {
		for _, network := range []string{"tcp", "unix"} {
			for _, at := range []string{"before", "while it waits"} {
				for _, op := range []string{"WriteTo", "ReadFrom"} {
					t.Run(op+"/"+how+"/"+network+"/"+at, func(t *testing.T) {
						once := func(f file, where string) error {
							t.Helper()
							defer f.Close()
							conn, peer := sockets(t, network)
							if at == "before" {
								if err := end(conn); err != nil {
									t.Fatal(err)
								}
							}
							ended := make(chan error)
							var n int64
							go func() {
								var err error
								if op == "WriteTo" {
									n, err = f.WriteTo(conn)
								} else {
									n, err = f.ReadFrom(conn)
								}
								ended <- err
							}()
							if at != "before" {
								if op == "ReadFrom" {
									if _, err := peer.Write(make([]byte, 1000)); err != nil {
										t.Fatal(err)
									}
								}
								testenv.WaitFor(t, "the copy to wait", func() bool { return hang.Parked(where) == 1 })
								if err := end(conn); err != nil {
									t.Fatal(err)
								}
							}
							err := <-ended
							// Bytes that were read into memory and not written are lost.
							if pos, err := f.Seek(0, io.SeekCurrent); at != "before" && pos != n || err != nil || n == size {
								t.Errorf("the position is %d, %v; want %d", pos, err, n)
							}
							return err
						}
						f1, err1 := os.OpenFile(name, os.O_RDWR, 0)
						f2, err2 := s.OpenFile(name, os.O_RDWR, 0)
						if err := errors.Join(err1, err2); err != nil {
							t.Fatal(err)
						}
						where := map[string][2]string{
							"WriteTo":  {"poll.sendFile", "poll.(*FD).RawWrite"},
							"ReadFrom": {"poll.spliceDrain", "poll.(*FD).RawRead"},
						}[op]
						want, got := once(f1, where[0]), once(f2, where[1])
						if at == "before" { // package net may have found it, and adds its addresses
							if !errors.Is(got, reason(want)) {
								t.Errorf("%v; want %v", got, want)
							}
						} else if pe, ok := errors.AsType[*fs.PathError](got); !ok || got.Error() != want.Error() || pe.Err != reason(want) {
							t.Errorf("%v; want %v", got, want)
						}
					})
				}
			}
		}
	}
}

// TestReceiveFromMPTCP checks that a copy from an MPTCP connection ends with the connection.
// Listeners of package net accept MPTCP by default.
func TestReceiveFromMPTCP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var d net.Dialer
	d.SetMultipathTCP(true)
	from, err := d.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	to, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if mptcp, err := to.(*net.TCPConn).MultipathTCP(); !mptcp {
		skip.For(t, skip.Config, "the system has no MPTCP: ", err)
	}
	want := testenv.Noise(100_000)
	go func() {
		defer from.Close()
		from.Write(want)
	}()
	s := testenv.Scheduler(t, sluice.Options{})
	f, err := s.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n, err := io.Copy(f, to); n != int64(len(want)) || err != nil {
		t.Errorf("Copy = %d, %v; want %d, nil", n, err, len(want))
	}
	got := make([]byte, len(want))
	if _, err := f.ReadAt(got, 0); err != nil || !bytes.Equal(got, want) {
		t.Errorf("other bytes, %v", err)
	}
}
