package sluice

import (
	"errors"
	"io"
	"os"
	"reflect"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// sendTo sends the rest of f to w by sendfile(2). handled is false, and nothing is done, if w is
// not a stream socket. While the socket takes no bytes, sendTo holds neither a lock nor a permit.
func (f *File) sendTo(w io.Writer) (n int64, handled bool, err error) {
	conn := connOf(w)
	if conn == nil {
		return 0, false, nil
	}
	s := sendings.Get().(*sending)
	defer sendings.Put(s)
	defer func() { *s = sending{write: s.write} }() // drops the file and the error
	// Of package net's connections only a TCP connection has SetNoDelay.
	_, s.stream = w.(interface{ SetNoDelay(noDelay bool) error })
	s.file = f
	if waited := conn.Write(s.write); waited != nil {
		s.err = bare(waited)
	}
	// sendfile refuses this file
	if !s.begun || s.n == 0 && sys.IsErrno(s.err, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP) {
		return 0, false, nil
	}
	return s.n, true, f.h.Error("read", syscallError("sendfile", s.err))
}

// sendings holds values for sendTo, which would otherwise allocate twice a call.
var sendings = sync.Pool{New: func() any {
	s := new(sending)
	s.write = s.some
	return s
}}

// sending is one file on its way to a socket.
type sending struct {
	write  func(socket uintptr) bool // the method some, as a value that is made once
	file   *File
	socket int
	stream bool // socket is known to be a stream socket
	begun  bool // the socket was asked to take something
	n      int64
	err    error
}

// some sends as many bytes as the socket takes now. It reports whether the sending has ended: at
// the end of the file, or with an error.
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

// receiveFrom writes the bytes of r by splice(2); a non-nil limit bounds them. handled is false,
// and nothing is done, if r is not a stream socket. While the socket has no bytes, receiveFrom
// holds neither a lock nor a permit: it splices only bytes that have arrived.
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
		// After its end an MPTCP connection reports one byte more (Linux 6.18), which splice never
		// gets.
		if err != nil || m == 0 {
			return n, true, err
		}
	}
}

// receive writes the next many bytes of r, which the socket has.
func (f *File) receive(r io.Reader, many int64, limit *io.LimitedReader) (n int64, err error) {
	if !f.h.IO.Use() {
		return 0, f.h.Error("write", os.ErrClosed)
	}
	defer f.h.IO.Done()
	f.h.IO.Position(func() { n, err = f.copyInto(r, many, limit) })
	return n, err
}

// received waits until the socket has bytes, and returns how many. 0 means the end.
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

// receivedNow returns how many bytes the socket has. 0 means the end; EAGAIN means not yet.
func receivedNow(fd int) (int, error) {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if n > 0 || err != nil {
		return n, err
	}
	// The socket has no bytes yet, is at its end, or has failed.
	err = sys.IgnoringEINTR(func() (err error) {
		n, _, err = unix.Recvfrom(fd, make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
		return err
	})
	return max(0, n), err
}

// connOf returns the raw connection of x, or nil if it is not package net's. Package os makes the
// same distinction: a connection with another one may change the bytes in its Read and Write, or
// have bytes that its socket no longer has.
func connOf(x any) syscall.RawConn {
	c, ok := x.(syscall.Conn)
	if !ok {
		return nil
	}
	conn, err := c.SyscallConn()
	if err != nil || conn == nil {
		return nil
	}
	if t := reflect.TypeOf(conn); t.Kind() != reflect.Pointer || t.Elem().PkgPath() != "net" {
		return nil
	}
	return conn
}

// isStream reports whether fd is a non-blocking stream socket.
func isStream(fd int) bool {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || kind != unix.SOCK_STREAM {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_NONBLOCK != 0
}

// syscallError wraps an errno with the name of its call, as package os does.
func syscallError(call string, err error) error {
	if e, ok := err.(syscall.Errno); ok { //nolint:errorlint // it is the kernel's
		return os.NewSyscallError(call, e)
	}
	return err
}

// bare removes the *net.OpError from the error of a wait for a connection, as package os does.
func bare(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}
