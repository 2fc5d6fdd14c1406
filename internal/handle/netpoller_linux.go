package handle

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// usesNetpoller reports whether an *os.File of fd, a regular file, is in the netpoller, as some
// files of /proc and /sys are (/proc/kmsg, trace_pipe). A read of them returns EAGAIN in place of
// waiting, and they have deadlines. The netpoller takes all files of FUSE, too, but these have disk
// I/O.
//
// It asks the kernel, as the netpoller does. The *os.File answers only SetDeadline, which would end
// a deadline of the program. It is asked only if there is no descriptor to ask the kernel.
func usesNetpoller(f *os.File, fd int) bool {
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return f.SetDeadline(time.Time{}) == nil && !inUserSpace(fd)
	}
	defer unix.Close(poll)
	return unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{}) == nil && !inUserSpace(fd)
}

// inUserSpace reports whether fd is a file of FUSE.
func inUserSpace(fd int) bool { return sys.FileSystem(fd) == unix.FUSE_SUPER_MAGIC }
