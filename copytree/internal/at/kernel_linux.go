//go:build amd64 || arm64

package at

import (
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// shared is the knowledge of a Kernel and its clones. Both fields only save calls that would fail.
type shared struct {
	lacksOpenat2   atomic.Bool
	refusesNoAtime atomic.Bool // for another user's file
}

const (
	openSource = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY
	openDir    = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_DIRECTORY
	openCopy   = unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_NOFOLLOW
)

// errno returns a kernel result as an error.
func errno(n int32) error {
	if n < 0 {
		return syscall.Errno(-n)
	}
	return nil
}

// held returns the mode of the most frequent calls.
func (k *Kernel) held() sys.Hold { return sys.Hold(k.hold != nil && *k.hold) }

// fd returns a kernel result as a descriptor and an error.
func fd(n int32) (int, error) {
	if n < 0 {
		return -1, syscall.Errno(-n)
	}
	return int(n), nil
}

// openat is openat(2), repeated after a signal. FUSE and NFS let signals interrupt it.
func (k *Kernel) openat(dir int, name Name, flags int, mode uint32) int32 {
	for {
		n := k.held().Openat(dir, name, flags, mode)
		if n != -int32(unix.EINTR) {
			return n
		}
	}
}

// source opens name with flags. If that is allowed, the file's access time stays unchanged.
func (k *Kernel) source(dir int, name Name, flags int, f Follow) (int, error) {
	if !f {
		flags |= unix.O_NOFOLLOW
	}
	if !k.shared.refusesNoAtime.Load() {
		n := k.openat(dir, name, flags|unix.O_NOATIME, 0)
		if n != -int32(unix.EPERM) {
			return fd(n)
		}
		k.shared.refusesNoAtime.Store(true)
	}
	return fd(k.openat(dir, name, flags, 0))
}

// Open opens a file of the source for reading. t is the expected type: the caller must check the
// real one. Open does not wait for a FIFO's writer; Readable does.
func (k *Kernel) Open(dir int, name Name, f Follow, t Type) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	flags := openSource
	if t.isDevice() {
		flags &^= unix.O_NONBLOCK
	}
	return k.source(dir, name, flags, f)
}

// OpenCached is Open with NoFollow, if the kernel has the name in memory, so that the call need not
// wait.
func (k *Kernel) OpenCached(dir int, name Name) (int, Cached) {
	if k.shared.lacksOpenat2.Load() || k.Fault != nil {
		return -1, CacheUnknown
	}
	flags := openSource | unix.O_NOFOLLOW
	if !k.shared.refusesNoAtime.Load() {
		flags |= unix.O_NOATIME
	}
	n := sys.OpenCached(dir, name, flags)
	switch {
	case n >= 0:
		return int(n), CacheHit
	case n == -int32(unix.EAGAIN):
		return -1, CacheMiss
	case n == -int32(unix.ENOSYS), n == -int32(unix.EINVAL):
		k.shared.lacksOpenat2.Store(true)
	}
	return -1, CacheUnknown // Open returns the error
}

// OpenDir opens a directory of the source. The error is ENOTDIR if name is no directory.
func (k *Kernel) OpenDir(dir int, name Name, f Follow) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	return k.source(dir, name, openDir, f)
}

// OpenCopy opens a directory of the destination to reach the names in it. It need not be readable:
// then the descriptor has O_PATH (open(2)). Its attributes can be read and set, but it cannot be
// synced.
func (k *Kernel) OpenCopy(dir int, name Name, f Follow) (int, error) {
	own, err := k.OpenMade(dir, name, f)
	if err == unix.EACCES {
		return k.openPath(dir, name, f)
	}
	return own, err
}

// OpenMade opens a readable directory of the destination.
func (k *Kernel) OpenMade(dir int, name Name, f Follow) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	flags := openDir
	if !f {
		flags |= unix.O_NOFOLLOW
	}
	return fd(k.openat(dir, name, flags, 0))
}

// OpenBase opens the directory at path, to reach the names in it. It need not be readable.
func (k *Kernel) OpenBase(path string) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	return k.openPath(unix.AT_FDCWD, NameOf(path), FollowsLinks)
}

// OpenAgain opens a directory of OpenBase a second time.
func (k *Kernel) OpenAgain(dir int) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	return k.openPath(dir, Dot, NoFollow)
}

// Create creates a file with mode, restricted by the umask. The error is EEXIST if the name exists.
func (k *Kernel) Create(dir int, name Name, mode uint32, a Access) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	return fd(k.openat(dir, name, openCopy|unix.O_CREAT|unix.O_EXCL|accessFlags[a], mode))
}

// CreateUnnamed creates a file without a name in a directory. It is gone when it is closed. The
// error is EOPNOTSUPP if the file system has no such files.
func (k *Kernel) CreateUnnamed(dir int) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	return fd(k.openat(dir, NameOf("."), unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600))
}

// Overwrite opens an existing file for writing. The error is ENXIO for a FIFO without a reader.
func (k *Kernel) Overwrite(dir int, name Name, f Follow, o Opening) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	flags := openCopy | accessFlags[o.Access]
	if o.Type.isDevice() {
		flags &^= unix.O_NONBLOCK
	}
	if o.Empty {
		flags |= unix.O_TRUNC
	}
	if f {
		flags &^= unix.O_NOFOLLOW
	}
	if o.Create {
		flags |= unix.O_CREAT
	}
	return fd(k.openat(dir, name, flags, o.Mode))
}

var accessFlags = [...]int{Write: unix.O_WRONLY, ReadWrite: unix.O_RDWR}

// Mkdir makes a directory with mode, restricted by the umask.
func (k *Kernel) Mkdir(dir int, name Name, mode uint32) error {
	if err := k.fault("mkdir"); err != nil {
		return err
	}
	return errno(k.held().Mkdirat(dir, name, mode))
}

// Close closes a descriptor. The caller must report the error of a written file: some file systems
// report lost data only here.
func (k *Kernel) Close(fd int) error {
	n := k.held().Close(fd)
	if err := k.fault("close"); err != nil {
		return err
	}
	if n == -int32(unix.EINTR) { // the descriptor is closed all the same
		return nil
	}
	return errno(n)
}

// ReadCached reads the beginning of a file from the page cache. If bytes are missing, the kernel
// starts to read them, and the answer is CacheMiss. If the file system does not support the call,
// the answer is CacheUnknown.
func (k *Kernel) ReadCached(fd int, b []byte) Cached {
	if k.Fault != nil {
		return CacheUnknown
	}
	n := sys.ReadCached(fd, b, 0)
	switch {
	case n >= 0:
		return CacheHit
	case n == -int32(unix.EAGAIN):
		return CacheMiss
	}
	return CacheUnknown
}
