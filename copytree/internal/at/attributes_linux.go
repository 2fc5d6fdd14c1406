//go:build amd64 || arm64

package at

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// File is a file whose attributes are read or set: an open descriptor, or a name in a directory.
// Only a name works for symbolic links and devices, which cannot be opened. Links are not followed.
type File struct {
	FD   int
	Name Name // nil if FD is the file
}

// Chown sets owner and group; -1 leaves one unchanged.
func (k *Kernel) Chown(f File, uid, gid int) error {
	if err := k.fault("chown"); err != nil {
		return err
	}
	if f.Name == nil {
		err := unix.Fchown(f.FD, uid, gid)
		if err == unix.EBADF {
			return unix.Fchownat(f.FD, "", uid, gid, unix.AT_EMPTY_PATH)
		}
		return err
	}
	return unix.Fchownat(f.FD, f.Name.String(), uid, gid, unix.AT_SYMLINK_NOFOLLOW)
}

// Chmod sets the permissions. Symbolic links have none.
func (k *Kernel) Chmod(f File, mode uint32) error {
	if err := k.fault("chmod"); err != nil {
		return err
	}
	if f.Name == nil {
		err := unix.Fchmod(f.FD, mode)
		if err == unix.EBADF {
			return f.viaProc(func(path string) error { return unix.Chmod(path, mode) })
		}
		return err
	}
	// fchmodat2, Linux 6.6.
	err := unix.Fchmodat(f.FD, f.Name.String(), mode, unix.AT_SYMLINK_NOFOLLOW)
	if err != unix.EOPNOTSUPP {
		return err
	}
	return k.chmodPath(f, mode)
}

// chmodPath is Chmod through an O_PATH descriptor, for systems without fchmodat2(2).
func (k *Kernel) chmodPath(f File, mode uint32) error {
	own, err := unix.Openat(f.FD, f.Name.String(), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(own)
	return unix.Chmod(File{FD: own}.path(), mode)
}

// SetTimes sets the times of access and modification.
func (k *Kernel) SetTimes(f File, atime, mtime Time) error {
	if err := k.fault("utimensat"); err != nil {
		return err
	}
	ts := [2]unix.Timespec{{Sec: atime.Sec, Nsec: atime.Nsec}, {Sec: mtime.Sec, Nsec: mtime.Nsec}}
	if f.Name == nil {
		n := sys.Futimens(f.FD, &ts)
		if n == -int32(unix.EBADF) {
			return f.viaProc(func(path string) error { return unix.UtimesNanoAt(unix.AT_FDCWD, path, ts[:], 0) })
		}
		return errno(n)
	}
	return unix.UtimesNanoAt(f.FD, f.Name.String(), ts[:], unix.AT_SYMLINK_NOFOLLOW)
}
