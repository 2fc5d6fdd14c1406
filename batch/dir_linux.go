package batch

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sys"
)

const largeFile = unix.O_LARGEFILE

// inDir performs an operation with names relative to a directory.
func (op *Op) inDir() error {
	if op.kind == opStat || op.kind == opLstat {
		return op.statInDir()
	}
	return op.withDir(func(dir int) error {
		return sys.IgnoringEINTR(func() error { return op.at(dir) })
	})
}

// withDir calls do with the descriptor of the directory, and keeps it open until do returns. It
// wraps do's error.
func (op *Op) withDir(do func(dir int) error) error {
	if err := handle.WithDescriptor(inside.File(op.dir).OS, do); err != nil {
		return op.wrap(err)
	}
	return nil
}

func (op *Op) at(dir int) error {
	switch op.kind {
	case opOpenFile:
		fd, err := unix.Openat(dir, op.name, int(op.off)|unix.O_CLOEXEC|largeFile, modeBits(op.perm))
		if err != nil {
			return err
		}
		return op.keep(os.NewFile(uintptr(fd), op.name))
	case opUnlink:
		return unix.Unlinkat(dir, op.name, 0)
	case opRmdir:
		return unix.Unlinkat(dir, op.name, unix.AT_REMOVEDIR)
	case opMkdir:
		return unix.Mkdirat(dir, op.name, modeBits(op.perm))
	case opRename:
		return unix.Renameat(dir, op.name, dir, op.other)
	case opLink:
		return unix.Linkat(dir, op.name, dir, op.other, 0)
	case opSymlink:
		return unix.Symlinkat(op.name, dir, op.other)
	}
	panic(op.notNamed("at"))
}

// statInDir opens the name with O_PATH and calls Stat of package os: os.SameFile accepts no other
// FileInfo.
func (op *Op) statInDir() error {
	flag := unix.O_PATH | unix.O_CLOEXEC
	if op.kind == opLstat {
		flag |= unix.O_NOFOLLOW
	}
	fd := -1
	err := op.withDir(func(dir int) error {
		return sys.IgnoringEINTR(func() (err error) {
			fd, err = unix.Openat(dir, op.name, flag, 0)
			return err
		})
	})
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), op.name)
	defer f.Close()
	return op.found(f.Stat())
}
