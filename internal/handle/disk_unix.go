//go:build unix

package handle

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// NewIO returns what package sched must know of f, or nil if f has no disk I/O, as fstat(2) says.
// It returns the error of fstat(2). If f is not open, it returns nil and no error: all calls on f
// return errors then.
func NewIO(f *os.File) (core *sched.File, err error) {
	conn, closed := f.SyscallConn()
	if closed != nil {
		return nil, nil
	}
	// Not f.Fd(), which would make a pipe or a terminal blocking.
	_ = conn.Control(func(fd uintptr) { core, err = ioOf(f, int(fd)) })
	return core, err
}

// ioOf is NewIO of f, whose descriptor is fd. Where fcntl(2) is denied, it returns nil for any
// file: nobody knows whether writes append.
func ioOf(f *os.File, fd int) (*sched.File, error) {
	var st unix.Stat_t
	switch err := sys.Fstat(fd, &st); {
	case errors.Is(err, unix.EBADF):
		return nil, nil
	case err != nil:
		return nil, err
	case !isDisk(st.Mode):
		return nil, nil
	case unix.Major(uint64(st.Dev)) == 0 && isStream(fd): //nolint:unconvert // 32 bits elsewhere
		return nil, nil
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_NONBLOCK != 0 && usesNetpoller(f, fd) {
		return nil, nil
	}
	core := iopath.NewFile(fd, flags&sys.O_DIRECT != 0, flags&syscall.O_APPEND != 0)
	core.Name = f.Name()
	// On Linux O_DSYNC is a part of O_SYNC.
	if flags&os.O_SYNC != 0 && (flags&sys.O_DIRECT == 0 || st.Mode&unix.S_IFMT == unix.S_IFREG) {
		core.SetSyncsWrites()
	}
	return core, nil
}

// isStream reports whether a file has no offsets, as some regular files of the kernel's special
// file systems have none (trace_marker). Then io_uring ignores the offset of a read, and pread(2)
// fails.
func isStream(fd int) bool {
	_, err := unix.Seek(fd, 0, io.SeekCurrent)
	return err == unix.ESPIPE
}

// isDisk takes the mode as the system has it, in 16 or 32 bits.
func isDisk[M uint16 | uint32](mode M) bool {
	return mode&unix.S_IFMT == unix.S_IFREG || mode&unix.S_IFMT == unix.S_IFBLK
}
