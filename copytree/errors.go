package copytree

import (
	"errors"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Error is what went wrong with one file.
type Error struct {
	Op       string // the system call, as in fs.PathError: "open", "read", "fsync", "setxattr" …
	Src, Dst string // an error of fsync(2) or syncfs(2) has no Src
	Path     string // Src or Dst, whichever Op was called for; for syncfs(2) a directory
	Err      error  // a syscall.Errno, or a reason that this package names, such as ErrChanged
}

// Error returns the operation, the path and the cause.
func (e *Error) Error() string { return (*report.Error)(e).Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is ErrExists, and e is the error of a symbolic link that leads nowhere.
func (e *Error) Is(target error) bool {
	return target == ErrExists && errors.Is(e.Err, fault.ErrDangling)
}

// Full reports whether the destination's file system has no room left, so that every other file
// would fail as well. A file's room for extended attributes is its own, and does not count.
func (e *Error) Full() bool { return (*report.Error)(e).Full() }

// Reasons of an Error that is no system call's. Match them with errors.Is.
var (
	// ErrSameFile: source and destination are the same file.
	ErrSameFile = fault.ErrSameFile
	// ErrIntoItself: a directory would be copied into itself, without end.
	ErrIntoItself = fault.ErrIntoItself
	// ErrExists: something exists at the destination and must stay. It is a file (SkipFail), or a
	// symbolic link at Copy's dst that leads nowhere.
	ErrExists = fault.ErrExists
	// ErrNotDir: a directory would replace something that is none.
	ErrNotDir = fault.ErrNotDir
	// ErrIsDir: something that is no directory would replace one.
	ErrIsDir = fault.ErrIsDir
	// ErrChanged: another process has replaced a file or directory while it was copied.
	ErrChanged = fault.ErrChanged
	// ErrVerify: the copy differs from its source (Options.Verify).
	ErrVerify = fault.ErrVerify
)
