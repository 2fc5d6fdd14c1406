//go:build unix

package sim

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

const again = -int32(unix.EAGAIN)

// inodeKey identifies a file of the system.
type inodeKey struct{ dev, ino uint64 }

// keyOf returns the identity of the file of fd. ok is false if fd is not open.
func keyOf(fd int) (k inodeKey, ok bool) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return k, false
	}
	return inodeKey{uint64(st.Dev), st.Ino}, true //nolint:unconvert // 32 bits elsewhere
}

func closeDescriptor(fd int) error { return unix.Close(fd) }

// position returns the offset of an operation at the position of fd, a descriptor of a file of that
// size.
func position(fd int, code driver.Code, size int64) int64 {
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil && code == driver.Write && flags&os.O_APPEND != 0 {
		return size
	}
	pos, err := unix.Seek(fd, 0, unix.SEEK_CUR)
	if err != nil {
		panic("sim: " + err.Error())
	}
	return pos
}

func setPosition(fd int, pos int64) {
	if _, err := unix.Seek(fd, pos, unix.SEEK_SET); err != nil {
		panic("sim: " + err.Error())
	}
}

// modeOf returns how fd was opened. refused says that it does not allow a transfer of this kind.
// syncs is the sync that follows each write: an fsync with O_SYNC, an fdatasync with O_DSYNC, else
// Nop. direct says that it has O_DIRECT.
func modeOf(fd int, code driver.Code) (refused bool, syncs driver.Code, direct bool) {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	mode := flags & unix.O_ACCMODE
	refused = err != nil || code == driver.Read && mode == unix.O_WRONLY || code == driver.Write && mode == unix.O_RDONLY
	switch {
	case code != driver.Write:
	case flags&unix.O_SYNC == unix.O_SYNC:
		syncs = driver.Fsync
	// on Linux O_DSYNC is one of the bits of O_SYNC
	case flags&unix.O_SYNC != 0:
		syncs = driver.Fdatasync
	}
	return refused, syncs, flags&sys.O_DIRECT != 0
}
