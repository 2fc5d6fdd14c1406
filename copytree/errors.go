package copytree

import "github.com/sluiceio/sluice/copytree/internal/fault"

// Error is what went wrong with one file.
type Error struct {
	Op       string // the system call, as in fs.PathError: "open", "read", "fsync", "setxattr" …
	Src, Dst string // an error of fsync(2) or syncfs(2) has no Src
	Path     string // Src or Dst, whichever Op was called for; for syncfs(2) a directory on the file system
	// Err is a syscall.Errno, or one of this package's errors, such as ErrChanged.
	Err error
}

// Error returns the operation, the path and the cause.
func (e *Error) Error() string { return e.Op + " " + e.Path + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Full reports whether the destination's file system has no room left, so that every
// other file would fail as well. A file's room for extended attributes is its own,
// and does not count.
func (e *Error) Full() bool {
	f := fault.Fault{Op: e.Op, Dest: e.Path == e.Dst, Err: e.Err}
	return f.Full()
}

// Reasons to refuse the copy of a file, and what was found while copying.
var (
	// ErrDirectory: a source is a directory, and Options.Files is set.
	ErrDirectory = fault.ErrDirectory
	// ErrSameFile: source and destination are the same file.
	ErrSameFile = fault.ErrSameFile
	// ErrIntoItself: a directory would be copied into itself, without end.
	ErrIntoItself = fault.ErrIntoItself
	// ErrTwice: another Pair with the same Dst has made what would be overwritten.
	ErrTwice = fault.ErrTwice
	// ErrThrough: another Pair has made the symbolic link that would be followed.
	ErrThrough = fault.ErrThrough
	// ErrExists: something exists at the destination (SkipFail).
	ErrExists = fault.ErrExists
	// ErrNotDir: a directory would replace something that is none.
	ErrNotDir = fault.ErrNotDir
	// ErrIsDir: something that is no directory would replace one.
	ErrIsDir = fault.ErrIsDir
	// ErrCycle: symbolic links lead to a directory that contains them (FollowAll).
	ErrCycle = fault.ErrCycle
	// ErrChanged: a file or directory was replaced by another while it was copied.
	ErrChanged = fault.ErrChanged
	// ErrVerify: the copy differs from its source (Options.Verify).
	ErrVerify = fault.ErrVerify
	// ErrDangling: Dst is a symbolic link that leads nowhere (Options.WriteDangling).
	ErrDangling = fault.ErrDangling
	// ErrStream: a FIFO or terminal cannot be read a second time (Options.Verify).
	ErrStream = fault.ErrStream
	// ErrRelative: a symbolic link to a relative path would lead nowhere (MakeSymlink).
	ErrRelative = fault.ErrRelative
	// ErrElsewhere: Options.Backup has returned a path in another directory.
	ErrElsewhere = fault.ErrElsewhere
)
