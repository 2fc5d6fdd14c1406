//go:build unix

package gnucp

import (
	"io/fs"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// writable reports whether this process may write to a file.
func writable(name string) bool {
	return unix.Faccessat(unix.AT_FDCWD, name, unix.W_OK, unix.AT_EACCESS) == nil
}

// umask returns the process's file mode creation mask. Reading it means setting it, so it is read
// once, before the copy.
var umask = sync.OnceValue(func() fs.FileMode {
	mask := unix.Umask(0o077)
	unix.Umask(mask)
	return fs.FileMode(mask)
})

// cpuTime returns the processor time that this process has used.
func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
