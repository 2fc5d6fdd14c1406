//go:build unix

package handle

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// NewCore returns what package sched must know of f, or nil if f has no disk I/O.
func NewCore(f *os.File) (core *sched.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	// Not f.Fd(), which would make a pipe or a terminal blocking.
	_ = conn.Control(func(fd uintptr) {
		var st unix.Stat_t
		if unix.Fstat(int(fd), &st) != nil || !isDisk(st.Mode) {
			return
		}
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		if err != nil || flags&unix.O_NONBLOCK != 0 && usesNetpoller(f, int(fd)) {
			return
		}
		core = iopath.NewFile(int(fd), flags&sys.O_DIRECT != 0, flags&syscall.O_APPEND != 0)
		core.SetName(f.Name())
		// On Linux O_DSYNC is a part of O_SYNC.
		if flags&os.O_SYNC != 0 && (flags&sys.O_DIRECT == 0 || st.Mode&unix.S_IFMT == unix.S_IFREG) {
			core.SyncsWrites()
		}
	})
	return core
}

// usesNetpoller reports whether f, a regular file, is in the netpoller, as some files of
// /proc and /sys are (/proc/kmsg, trace_pipe). A read of such a file that would wait
// returns EAGAIN, and it has deadlines. The netpoller takes all files of FUSE, too, but
// those are disk I/O.
func usesNetpoller(f *os.File, fd int) bool {
	return f.SetDeadline(time.Time{}) == nil && !inUserSpace(fd)
}

// isDisk takes the mode as the system has it: 16 or 32 bits.
func isDisk[M uint16 | uint32](mode M) bool {
	return mode&unix.S_IFMT == unix.S_IFREG || mode&unix.S_IFMT == unix.S_IFBLK
}
