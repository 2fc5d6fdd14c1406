// Package fault has the errors of a copy: the call that failed, and whether it was for the source
// or for its copy.
//
//	fd, err := kernel.Open(dir, name, at.NoFollow, at.Regular)
//	if err != nil {
//		return fault.Source("open", err)
//	}
//
// A Fault has no paths. The code that copies an entry knows names in open directories, and a path
// is only joined to report an error.
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
	Dest bool   // whether the call was for the copy, not for the source
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

// Of returns the Fault that err is or wraps. An error without a Fault becomes a Fault of the
// source.
func Of(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	return &Fault{Op: "copy", Err: err}
}

// All returns the Faults that err joins, or the single Fault that it is.
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

// Full reports whether the destination's file system is full, so that every other file would fail,
// too. A lack of room for one file's extended attributes does not count.
func (f *Fault) Full() bool {
	return f.Dest && !strings.HasPrefix(f.Op, "setxattr") && (errors.Is(f.Err, syscall.ENOSPC) || errors.Is(f.Err, syscall.EDQUOT))
}

// Canceled reports whether the call failed only because the copy's context ended.
func (f *Fault) Canceled() bool {
	return errors.Is(f.Err, context.Canceled) || errors.Is(f.Err, context.DeadlineExceeded)
}

// CopyVanished reports whether err means that the new copy is gone: another process has removed it.
func CopyVanished(err error) bool {
	f, ok := errors.AsType[*Fault](err)
	return ok && f.Dest && errors.Is(f.Err, syscall.ENOENT)
}

// Reasons to refuse the copy of a file, and problems found while copying.
var (
	// ErrDirectory: a source is a directory, and Options.Files is set.
	ErrDirectory = errors.New("is a directory, and only files are copied")
	// ErrSameFile: source and destination are the same file.
	ErrSameFile = errors.New("source and destination are the same file")
	// ErrIntoItself: a directory would be copied into itself without end.
	ErrIntoItself = errors.New("cannot copy a directory into itself")
	// ErrTwice: the existing file was made by another Pair with the same Dst.
	ErrTwice = errors.New("will not overwrite what was just copied")
	// ErrThrough: the symbolic link to follow was made by another Pair.
	ErrThrough = errors.New("will not copy through a symbolic link that was just made")
	// ErrExists: a file exists at the destination (SkipFail).
	ErrExists = errors.New("not replacing")
	// ErrNotDir: a directory would replace a file.
	ErrNotDir = errors.New("cannot overwrite a non-directory with a directory")
	// ErrIsDir: a file would replace a directory.
	ErrIsDir = errors.New("cannot overwrite a directory with a non-directory")
	// ErrCycle: symbolic links lead to a directory that contains them (FollowAll).
	ErrCycle = errors.New("symbolic links lead to a directory that contains them")
	// ErrChanged: a file or directory was replaced by another while it was copied.
	ErrChanged = errors.New("changed while it was copied")
	// ErrVerify: the copy differs from its source (Options.Verify).
	ErrVerify = errors.New("the copy differs from its source")
	// ErrDangling: Dst is a symbolic link that leads nowhere (Options.WriteDangling).
	ErrDangling = errors.New("not writing through a dangling symbolic link")
	// ErrStream: a FIFO or terminal cannot be read a second time (Options.Verify).
	ErrStream = errors.New("it cannot be read a second time")
	// ErrRelative: a symbolic link to a relative path would lead nowhere (MakeSymlink).
	ErrRelative = errors.New("can make relative symbolic links only in current directory")
	// ErrElsewhere: Options.Backup has returned a path in another directory.
	ErrElsewhere = errors.New("a backup has to be in the same directory")
)
