// Package fault has the errors of a copy: which call failed, and for which of the
// two files, the source or its copy.
//
//	fd, err := kernel.Open(dir, name, at.NoFollow, at.Regular)
//	if err != nil {
//		return fault.Source("open", err)
//	}
//
// A Fault does not hold paths: the code that copies an entry knows names in open
// directories, and a path is only joined when an error is reported.
package fault

import (
	"context"
	"errors"
	"strings"
	"syscall"
)

// Fault is a failed call for one of the two files.
type Fault struct {
	Op   string // the system call: "open", "read", "ftruncate", "ioctl FICLONE" …
	Dest bool   // the call was made for the copy; otherwise for the source
	Err  error  // a syscall.Errno, an error of this package, or the context's
}

// Error returns the operation and the cause.
func (f *Fault) Error() string { return f.Op + ": " + f.Err.Error() }

// Unwrap returns Err.
func (f *Fault) Unwrap() error { return f.Err }

// Source returns the Fault of a call for the source, or nil if err is nil.
func Source(op string, err error) error { return New(op, false, err) }

// Dest returns the Fault of a call for the copy, or nil if err is nil.
func Dest(op string, err error) error { return New(op, true, err) }

// New returns Dest(op, err) or Source(op, err).
func New(op string, dest bool, err error) error {
	if err == nil {
		return nil
	}
	return &Fault{Op: op, Dest: dest, Err: err}
}

// Of returns the Fault that err is or wraps. An error without one becomes a Fault
// of the source.
func Of(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	return &Fault{Op: "copy", Err: err}
}

// All returns the Faults that err joins, or the one that it is.
func All(err error) []*Fault {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []*Fault{Of(err)}
	}
	var all []*Fault
	for _, e := range several.Unwrap() {
		all = append(all, All(e)...)
	}
	return all
}

// Full reports whether the destination's file system has no room left, so that
// every other file would fail as well. A file's room for extended attributes is
// its own, and does not count.
func (f *Fault) Full() bool {
	return f.Dest && !strings.HasPrefix(f.Op, "setxattr") && (errors.Is(f.Err, syscall.ENOSPC) || errors.Is(f.Err, syscall.EDQUOT))
}

// Canceled reports whether the call only failed because the copy's context ended.
func (f *Fault) Canceled() bool {
	return errors.Is(f.Err, context.Canceled) || errors.Is(f.Err, context.DeadlineExceeded)
}

// CopyVanished reports whether err is of a call that did not find the copy, which
// was just made: another process has removed it.
func CopyVanished(err error) bool {
	f, ok := errors.AsType[*Fault](err)
	return ok && f.Dest && errors.Is(f.Err, syscall.ENOENT)
}

// Reasons to refuse a copy, and what was found while copying. Package copytree
// exports them, with comments.
var (
	ErrDirectory  = errors.New("is a directory, and only files are copied")
	ErrSameFile   = errors.New("source and destination are the same file")
	ErrIntoItself = errors.New("cannot copy a directory into itself")
	ErrTwice      = errors.New("will not overwrite what was just copied")
	ErrThrough    = errors.New("will not copy through a symbolic link that was just made")
	ErrExists     = errors.New("not replacing")
	ErrNotDir     = errors.New("cannot overwrite a non-directory with a directory")
	ErrIsDir      = errors.New("cannot overwrite a directory with a non-directory")
	ErrCycle      = errors.New("symbolic links lead to a directory that contains them")
	ErrChanged    = errors.New("changed while it was copied")
	ErrVerify     = errors.New("the copy differs from its source")
	ErrDangling   = errors.New("not writing through a dangling symbolic link")
	ErrStream     = errors.New("it cannot be read a second time")
	ErrRelative   = errors.New("can make relative symbolic links only in current directory")
	ErrElsewhere  = errors.New("a backup has to be in the same directory")
)
