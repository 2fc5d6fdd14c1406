//go:build unix

package batch

import (
	"errors"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"

	"golang.org/x/sys/unix"
)

// rawFiles says that a file that only its chain uses can be a bare descriptor, which costs a third
// of a File.
const rawFiles = true

const atWorkingDir = unix.AT_FDCWD

// rawFile is a descriptor that only its chain uses.
type rawFile struct {
	fd   int
	open bool
}

func (f *rawFile) close() error {
	f.open = false
	return unix.Close(f.fd)
}

// openRaw opens a file as package os would, as a bare descriptor.
func (op *Op) openRaw() error {
	flag := int(op.off) | unix.O_CLOEXEC | largeFile
	if op.dir != nil {
		return op.withDir(func(dir int) error { return op.openAt(dir, flag) })
	}
	if err := op.openAt(atWorkingDir, flag); err != nil {
		return op.wrap(err)
	}
	return nil
}

func (op *Op) openAt(dir, flag int) error {
	for {
		fd, err := unix.Openat(dir, op.name, flag, modeBits(op.perm))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		op.raw = rawFile{fd: fd, open: err == nil}
		return err
	}
}

// modeBits returns the bits of a mode in the system's form.
func modeBits(perm os.FileMode) uint32 {
	bits := uint32(perm.Perm())
	for _, m := range []struct {
		mode os.FileMode
		bit  uint32
	}{
		{os.ModeSetuid, syscall.S_ISUID},
		{os.ModeSetgid, syscall.S_ISGID},
		{os.ModeSticky, syscall.S_ISVTX},
	} {
		if perm&m.mode != 0 {
			bits |= m.bit
		}
	}
	return bits
}

// remove calls unlink(2) or rmdir(2).
func (op *Op) remove() error {
	call := unix.Unlink
	if op.kind == opRmdir {
		call = unix.Rmdir
	}
	err := call(op.name)
	for errors.Is(err, unix.EINTR) {
		err = call(op.name)
	}
	if err != nil {
		return op.wrap(err)
	}
	return nil
}

// readRaw reads all of the file of op's bare descriptor. It leaves irregular files, and files
// without a size, as in /proc, to package os.
func (op *Op) readRaw(r *run) ([]byte, error) {
	var st unix.Stat_t
	if err := sys.Fstat(op.raw.fd, &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size == 0 {
		f := os.NewFile(uintptr(op.raw.fd), op.name)
		op.raw.open = false
		defer f.Close()
		return handle.ReadAll(0, f.Read)
	}
	own, off := sched.RawFile{FD: op.raw.fd, Name: op.name}, int64(0)
	return handle.ReadAll(st.Size, func(b []byte) (int, error) {
		n, err := r.core.ReadRaw(r.ctx, own, b, off)
		off += int64(n)
		return n, err
	})
}
