package copytree

import (
	"errors"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Error is the error of one file.
type Error struct {
	Op       string // the system call, as in fs.PathError: "open", "fsync", "setxattr" …
	Src, Dst string // an error of fsync(2) or syncfs(2) has no Src
	Path     string // the one of Src and Dst that Op was called for; for syncfs(2) a directory
	Err      error  // a syscall.Errno, or a reason of this package such as ErrChanged
}

// Error returns the operation, the path and the cause.
func (e *Error) Error() string { return (*report.Error)(e).Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is makes an error about a symbolic link that leads nowhere an ErrExists, too.
func (e *Error) Is(target error) bool {
	return target == ErrExists && errors.Is(e.Err, fault.ErrDangling)
}

// Full reports whether the destination's file system is full, so that every other file would fail,
// too. A lack of room for one file's extended attributes does not count.
func (e *Error) Full() bool { return (*report.Error)(e).Full() }

// Reasons of an Error without a failed system call. Match them with errors.Is.
var (
	// ErrSameFile: source and destination are the same file.
	ErrSameFile = fault.ErrSameFile
	// ErrIntoItself: a directory would be copied into itself without end.
	ErrIntoItself = fault.ErrIntoItself
	// ErrExists: a file at the destination must stay (SkipFail), or Copy's dst is a symbolic link
	// that leads nowhere.
	ErrExists = fault.ErrExists
	// ErrNotDir: a directory would replace a file.
	ErrNotDir = fault.ErrNotDir
	// ErrIsDir: a file would replace a directory.
	ErrIsDir = fault.ErrIsDir
	// ErrChanged: another process replaced a file or directory while it was copied.
	ErrChanged = fault.ErrChanged
	// ErrVerify: the copy differs from its source (Options.Verify).
	ErrVerify = fault.ErrVerify
)
