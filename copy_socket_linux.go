package sluice

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// sendTo sends what is left of f to w by sendfile(2), if w is a stream socket. If it is
// not, handled is false, and nothing was done. While the socket takes nothing, no lock and
// no permit of f's scheduler is held.
func (f *File) sendTo(w io.Writer) (n int64, handled bool, err error) {
	conn := connOf(w)
	if conn == nil {
		return 0, false, nil
	}
	s := sendings.Get().(*sending)
	defer sendings.Put(s)
	defer func() { *s = sending{write: s.write} }() // keeps neither the file nor an error
	// Of package net's connections only TCP's has SetNoDelay.
	_, s.stream = w.(interface{ SetNoDelay(noDelay bool) error })
	s.file = f
	if waited := conn.Write(s.write); waited != nil {
		s.err = bare(waited)
	}
	if !s.begun || s.n == 0 && sys.IsErrno(s.err, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP) { // not from this file
		return 0, false, nil
	}
	return s.n, true, f.h.Error("read", syscallError("sendfile", s.err))
}

// sendings holds values for sendTo, which would otherwise allocate twice.
var sendings = sync.Pool{New: func() any {
	s := new(sending)
	s.write = s.some
	return s
}}

// sending is a file that is being sent to a socket.
type sending struct {
	write  func(socket uintptr) bool // some, as a value that is made once
	file   *File
	socket int
	stream bool // socket is known to be a stream socket
	begun  bool // the socket was asked to take something
	n      int64
	err    error
}

// some sends what the socket takes now. It reports whether the sending has ended: at the
// end of the file, or with an error.
func (s *sending) some(socket uintptr) bool {
	s.socket = int(socket)
	if s.begun = s.stream || isStream(s.socket); !s.begun {
		return true
	}
	s.stream = true
	for {
		n, err := s.piece()
		s.n += int64(n)
		switch err {
		case nil:
			continue
		case unix.EAGAIN: //nolint:errorlint // Send returns it bare
			return false
		case io.EOF:
		default:
			s.err = err
		}
		return true
	}
}

// piece sends the next bytes.
func (s *sending) piece() (int, error) {
	core := s.file.h.IO
	if !core.Use() {
		return 0, os.ErrClosed
	}
	defer core.Done()
	return s.file.h.Sched.Core.Send(core, s.socket)
}

// receiveFrom writes what comes from r by splice(2), up to limit if that is not nil, if r
// is a stream socket. If it is not, handled is false, and nothing was done. Only bytes
// that the socket already has are spliced, so that no lock and no permit is held while it
// has none.
func (f *File) receiveFrom(r io.Reader, limit *io.LimitedReader) (n int64, handled bool, err error) {
	conn := connOf(r)
	if conn == nil {
		return 0, false, nil
	}
	stream := false
	if err := conn.Control(func(fd uintptr) { stream = isStream(int(fd)) }); err != nil || !stream {
		return 0, false, nil
	}
	for most := int64(sched.CopyMost); ; {
		if limit != nil {
			most = min(most, limit.N)
		}
		if most <= 0 {
			return n, true, nil
		}
		has, err := received(conn)
		if err != nil || has == 0 {
			return n, true, f.h.Error("write", err)
		}
		m, err := f.receive(r, min(most, int64(has)), limit)
		n += m
		// A connection of MPTCP has a byte, as it says, after its end, too (Linux 6.18): none of it
		// comes.
		if err != nil || m == 0 {
			return n, true, err
		}
	}
}

// receive writes the next bytes of r, which has at least many.
func (f *File) receive(r io.Reader, many int64, limit *io.LimitedReader) (n int64, err error) {
	if !f.h.IO.Use() {
		return 0, f.h.Error("write", os.ErrClosed)
	}
	defer f.h.IO.Done()
	f.h.IO.Position(func() { n, err = f.copyInto(r, many, limit) })
	return n, err
}

// received waits until the socket has bytes, and returns how many; 0 means that no more
// will come.
func received(conn syscall.RawConn) (n int, err error) {
	waited := conn.Read(func(fd uintptr) bool {
		n, err = receivedNow(int(fd))
		return !errors.Is(err, unix.EAGAIN)
	})
	if waited != nil {
		return 0, bare(waited)
	}
	return n, syscallError("splice", err)
}

// receivedNow returns how many bytes the socket has. 0 means that no more will come, and
// EAGAIN that some may come later.
func receivedNow(fd int) (int, error) {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if n > 0 || err != nil {
		return n, err
	}
	// There are no bytes yet, or it is the end, or there is an error.
	err = sys.IgnoringEINTR(func() (err error) {
		n, _, err = unix.Recvfrom(fd, make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
		return err
	})
	return max(0, n), err
}

// connOf returns the raw connection of x, a connection of package net; nil if x is none.
func connOf(x any) syscall.RawConn {
	c, ok := x.(syscall.Conn)
	if !ok {
		return nil
	}
	conn, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	return conn
}

// isStream reports whether fd is a stream socket that does not block.
func isStream(fd int) bool {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || kind != unix.SOCK_STREAM {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_NONBLOCK != 0
}

// syscallError returns err as package os does: an errno with the name of its call.
func syscallError(call string, err error) error {
	if e, ok := err.(syscall.Errno); ok { //nolint:errorlint // it is the kernel's
		return os.NewSyscallError(call, e)
	}
	return err
}

// bare returns the reason why a connection could not be waited for, without the
// *net.OpError around it, as package os does.
func bare(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}
