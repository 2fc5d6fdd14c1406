//go:build amd64 || arm64

package at

import (
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// CWD stands for the current directory where a descriptor is asked for.
const CWD = unix.AT_FDCWD

// found is what Kernels have found out.
type found struct {
	// noCached is set when openat2(2) is not there; noAtime when the first file
	// did not belong to who runs this. Both only save calls that would fail.
	noCached, noAtime atomic.Bool
}

const (
	openSource = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY
	openDir    = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_DIRECTORY
	openCopy   = unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_NOFOLLOW
)

// err turns a kernel result into an error.
func errno(n int32) error {
	if n < 0 {
		return syscall.Errno(-n)
	}
	return nil
}

// fd turns a kernel result into a descriptor and an error.
func fd(n int32) (int, error) {
	if n < 0 {
		return -1, syscall.Errno(-n)
	}
	return int(n), nil
}

// openat repeats what a signal has interrupted, which FUSE and NFS let happen.
func (k *Kernel) openat(dir int, name Name, flags int, mode uint32) int32 {
	for {
		n := sys.Hold(k.Hold).Openat(dir, name, flags, mode)
		if n != -int32(unix.EINTR) {
			return n
		}
	}
}

// source opens name with flags, leaving its access time alone if that is
// allowed.
func (k *Kernel) source(dir int, name Name, flags int, f Follow) (int, error) {
	if !f {
		flags |= unix.O_NOFOLLOW
	}
	if !k.found.noAtime.Load() {
		n := k.openat(dir, name, flags|unix.O_NOATIME, 0)
		if n != -int32(unix.EPERM) {
			return fd(n)
		}
		k.found.noAtime.Store(true)
	}
	return fd(k.openat(dir, name, flags, 0))
}

// Open opens a file of the source for reading, which is thought to be of a kind.
// The caller has to look at what he has got: a FIFO's other end is not waited for
// (Readable).
func (k *Kernel) Open(dir int, name Name, f Follow, kind Type) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	flags := openSource
	if kind.device() {
		flags &^= unix.O_NONBLOCK
	}
	return k.source(dir, name, flags, f)
}

// OpenCached is Open without following links, if the caches know all about the
// name, so that it need not wait.
func (k *Kernel) OpenCached(dir int, name Name) (int, Cached) {
	if k.found.noCached.Load() || k.Fault != nil {
		return -1, CacheUnknown
	}
	flags := openSource | unix.O_NOFOLLOW
	if !k.found.noAtime.Load() {
		flags |= unix.O_NOATIME
	}
	n := sys.OpenCached(dir, name, flags)
	switch {
	case n >= 0:
		return int(n), CacheHit
	case n == -int32(unix.EAGAIN):
		return -1, CacheMiss
	case n == -int32(unix.ENOSYS), n == -int32(unix.EINVAL):
		k.found.noCached.Store(true)
	}
	return -1, CacheUnknown // Open will tell
}

// OpenDir opens a directory of the source. What is not one is ENOTDIR.
func (k *Kernel) OpenDir(dir int, name Name, f Follow) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	return k.source(dir, name, openDir, f)
}

// OpenMade opens a directory of the destination.
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

// OpenBase opens the directory that path leads to, for the names in it. It need
// not be readable.
func (k *Kernel) OpenBase(path string) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	return fd(k.openat(CWD, NameOf(path), unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0))
}

// Create makes a file that is not there (EEXIST), with what the umask leaves of
// mode.
func (k *Kernel) Create(dir int, name Name, mode uint32, a Access) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	return fd(k.openat(dir, name, openCopy|unix.O_CREAT|unix.O_EXCL|accessFlags[a], mode))
}

// Overwrite opens a file that is there. A FIFO that nobody reads from is ENXIO.
func (k *Kernel) Overwrite(dir int, name Name, f Follow, o Opening) (int, error) {
	if err := k.fault("open"); err != nil {
		return -1, err
	}
	flags := openCopy | accessFlags[o.Access]
	if o.Kind.device() {
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

// Mkdir makes a directory, with what the umask leaves of mode.
func (k *Kernel) Mkdir(dir int, name Name, mode uint32) error {
	if err := k.fault("mkdir"); err != nil {
		return err
	}
	return errno(sys.Hold(k.Hold).Mkdirat(dir, name, mode))
}

// Close closes a descriptor. The error of a file that was written is to be told:
// some file systems say only here that data is lost.
func (k *Kernel) Close(fd int) error {
	n := sys.Hold(k.Hold).Close(fd)
	if err := k.fault("close"); err != nil {
		return err
	}
	if n == -int32(unix.EINTR) { // the descriptor is closed all the same
		return nil
	}
	return errno(n)
}

// Read is pread(2).
func (k *Kernel) Read(fd int, b []byte, off int64) (int, error) {
	if err := k.fault("read"); err != nil {
		return 0, err
	}
	for {
		n := sys.Pread(fd, b, off)
		if n != -int32(unix.EINTR) {
			return int(max(n, 0)), errno(n)
		}
	}
}

// ReadCached is Read of what the page cache has, from the file's start. What it
// has not is fetched meanwhile, and the answer is Missed; a file system that
// cannot tell says Unknown.
func (k *Kernel) ReadCached(fd int, b []byte) (int, Cached) {
	if k.Fault != nil {
		return 0, CacheUnknown
	}
	n := sys.ReadCached(fd, b, 0)
	switch {
	case n >= 0:
		return int(n), CacheHit
	case n == -int32(unix.EAGAIN):
		return 0, CacheMiss
	}
	return 0, CacheUnknown
}

// Write writes all of b at the file's position.
func (k *Kernel) Write(fd int, b []byte) error {
	if err := k.fault("write"); err != nil {
		return err
	}
	for len(b) > 0 {
		n := sys.Hold(k.Hold).Write(fd, b)
		if n < 0 && n != -int32(unix.EINTR) {
			return errno(n)
		}
		b = b[max(n, 0):]
	}
	return nil
}
