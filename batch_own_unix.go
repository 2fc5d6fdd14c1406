//go:build unix

package sluice

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownFiles: what only its chain uses can be a plain descriptor, and costs a
// third of what a File does.
const ownFiles = true

const atWorkingDir = unix.AT_FDCWD

// ownFile is a descriptor that only its chain uses.
type ownFile struct {
	fd   int
	open bool
}

func (o *ownFile) close() error {
	o.open = false
	return unix.Close(o.fd)
}

// openOwn opens a file for the chain alone, as package os would.
func (op *BatchOp) openOwn() error {
	flag := int(op.off) | unix.O_CLOEXEC | largeFile
	if op.dir != nil {
		return op.withDir(func(dir int) error { return op.openAt(dir, flag) })
	}
	if err := op.openAt(atWorkingDir, flag); err != nil {
		return op.wrap(err)
	}
	return nil
}

func (op *BatchOp) openAt(dir, flag int) error {
	for {
		fd, err := unix.Openat(dir, op.name, flag, modeBits(op.perm))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		op.own = ownFile{fd: fd, open: err == nil}
		return err
	}
}

// modeBits are the bits of a mode as the system has them.
func modeBits(perm os.FileMode) uint32 {
	bits := uint32(perm.Perm())
	for _, m := range []struct {
		mode os.FileMode
		bit  uint32
	}{{os.ModeSetuid, syscall.S_ISUID}, {os.ModeSetgid, syscall.S_ISGID}, {os.ModeSticky, syscall.S_ISVTX}} {
		if perm&m.mode != 0 {
			bits |= m.bit
		}
	}
	return bits
}

// remove is unlink(2) or rmdir(2).
func (op *BatchOp) remove() error {
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
