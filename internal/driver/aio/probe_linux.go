//go:build amd64 || arm64

package aio

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// knowsFsync reports whether the context can perform IOCB_CMD_FSYNC (4.18).
func knowsFsync(ctx sys.AioContext) (bool, error) {
	fd, err := unix.MemfdCreate("aio-probe", unix.MFD_CLOEXEC)
	if err != nil {
		return false, nil
	}
	defer unix.Close(fd)
	iocb := &sys.Iocb{LioOpcode: sys.IOCB_CMD_FSYNC, Fildes: uint32(fd)}
	if sys.IoSubmit(ctx, []*sys.Iocb{iocb}) != 1 {
		return false, nil
	}
	for events := make([]sys.IoEvent, 1); ; {
		switch n := sys.IoGetevents(ctx, 1, events); {
		case n == 1:
			return events[0].Res == 0, nil
		case n != -int32(syscall.EINTR):
			return false, fmt.Errorf("io_getevents: %w", syscall.Errno(-n))
		}
	}
}

// release returns the kernel's release, such as "6.1.0-18-amd64".
func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// atLeast reports whether a kernel's release is major.minor or later.
func atLeast(release string, major, minor int) bool {
	var a, i int
	if n, _ := fmt.Sscanf(release, "%d.%d", &a, &i); n < 2 {
		return false
	}
	return a > major || a == major && i >= minor
}

// describe returns the features that the queue has found and uses, for people.
func (q *Queue) describe(asked uint32) (features []string) {
	if q.depth < asked {
		features = append(features, fmt.Sprintf("depth %d, as fs.aio-max-nr leaves no room for more", q.depth))
	}
	for _, f := range []struct {
		has     bool
		yes, no string
	}{
		{q.mapped, "completions read without system calls", "completions read by io_getevents"},
		{q.nowait, "direct reads that cannot wait (RWF_NOWAIT)", "direct reads"},
		{q.statx, "direct writes that do not extend", "direct writes by the pool"},
		{q.fsync, "asynchronous fsync", "fsync by the pool"},
	} {
		if f.has {
			features = append(features, f.yes)
		} else {
			features = append(features, f.no)
		}
	}
	return features
}
