package debugserver

import (
	"context"
	"net/netip"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/live"
)

const (
	mostServed = 8
	backlog    = 16
	answerTime = 30 * time.Second
)

// headTime is how long a client may take to send its request. restTime is how long the server reads
// what the client still sends after the answer. Tests change both.
var headTime, restTime = 5 * time.Second, time.Second

// Listen starts a server at addr that ends with the process, and returns its address. Port 0 is any
// free port.
func Listen(addr string) (string, error) {
	want, err := parse(addr)
	if err != nil {
		return "", err
	}
	fd, at, err := listen(want)
	if err != nil {
		return "", err
	}
	// The listener is never closed. A program that has closed the descriptor may have another file
	// there.
	l := &listener{file: os.NewFile(uintptr(fd), "sluice debug server"), loopback: at.Addr().IsLoopback()}
	go l.serve() // until the process ends
	return at.String(), nil
}

// listen returns a socket that listens, and its address.
func listen(want netip.AddrPort) (fd int, at netip.AddrPort, err error) {
	family := unix.AF_INET
	if want.Addr().Is6() {
		family = unix.AF_INET6
	}
	fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, at, os.NewSyscallError("socket", err)
	}
	defer func() {
		if err != nil {
			_ = unix.Close(fd)
		}
	}()
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return -1, at, os.NewSyscallError("setsockopt", err)
	}
	if err := unix.Bind(fd, sockaddr(want)); err != nil {
		return -1, at, os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(fd, backlog); err != nil {
		return -1, at, os.NewSyscallError("listen", err)
	}
	bound, err := unix.Getsockname(fd)
	if err != nil {
		return -1, at, os.NewSyscallError("getsockname", err)
	}
	switch b := bound.(type) {
	case *unix.SockaddrInet4:
		at = netip.AddrPortFrom(netip.AddrFrom4(b.Addr), uint16(b.Port))
	case *unix.SockaddrInet6:
		at = netip.AddrPortFrom(netip.AddrFrom16(b.Addr), uint16(b.Port))
	}
	return fd, at, nil
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
}

// listener accepts connections.
type listener struct {
	file     *os.File
	loopback bool
}

// serve serves connections until the socket is gone.
func (l *listener) serve() {
	raw, err := l.file.SyscallConn()
	if err != nil {
		return
	}
	room := make(chan struct{}, mostServed)
	for {
		room <- struct{}{}
		fd, err := -1, error(nil)
		waitErr := raw.Read(func(s uintptr) bool {
			fd, _, err = unix.Accept4(int(s), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
			return err != unix.EAGAIN
		})
		switch {
		case waitErr != nil:
			return
		case err == nil:
			go func() { // until the answer is sent, or a deadline has passed
				defer func() { <-room }()
				l.answer(os.NewFile(uintptr(fd), "sluice debug connection"))
			}()
			continue
		case err == unix.ENOTSOCK, err == unix.EBADF, err == unix.EINVAL, err == unix.EOPNOTSUPP:
			return // the program has closed the descriptor
		default:
			time.Sleep(100 * time.Millisecond) // EMFILE: the connection waits for a descriptor
		}
		<-room
	}
}

// answer answers the request of one connection, and closes it.
func (l *listener) answer(c *os.File) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(headTime))
	r, err := readRequest(c)
	if err != nil {
		l.send(c, text(400, "sluice: "+err.Error()))
		return
	}
	a, refused := r.refusal(l.loopback)
	if !refused {
		_ = c.SetDeadline(time.Time{})
		_, query, _ := strings.Cut(r.target, "?")
		a = get(c, query)
	}
	l.send(c, a)
}

// get returns the answer of the live look. A client may close its writing side after its request,
// and this cannot be told from a client that is gone. It ends a trace, which may take long. A look
// takes a second, and is sent.
func get(c *os.File, query string) live.Answer {
	if q, err := live.ParseQuery(query); err != nil || q.Seconds == 0 {
		return live.Get(context.Background(), query)
	}
	ctx, stop := untilGone(c)
	defer stop()
	return live.Get(ctx, query)
}

// untilGone returns a context that ends when the client closes the connection, or its writing side.
// The caller calls stop before it writes to the connection.
func untilGone(c *os.File) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	stopped, ended := make(chan struct{}), make(chan struct{})
	go func() { // until stop
		defer close(ended)
		_, _ = c.Read(make([]byte, 1)) // the client sends nothing more
		select {
		case <-stopped:
		default:
			cancel()
		}
	}()
	return ctx, func() {
		close(stopped)
		_ = c.SetReadDeadline(time.Unix(1, 0))
		<-ended
	}
}

// send sends the answer.
func (l *listener) send(c *os.File, a live.Answer) {
	_ = c.SetWriteDeadline(time.Now().Add(answerTime))
	_, _ = c.Write(encode(a)) // an error means that the client is gone
	// What the client has sent and nobody has read would have the kernel drop the answer: after a
	// head that is too long.
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_WR) })
	}
	_ = c.SetReadDeadline(time.Now().Add(restTime))
	rest := make([]byte, 1024)
	for range 64 {
		if n, err := c.Read(rest); n == 0 || err != nil {
			return
		}
	}
}
