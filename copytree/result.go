package copytree

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/content"
)

// Result is what a copy did. It is right for what was done also when there
// were errors.
type Result struct {
	Files, Dirs, Symlinks, Links, Specials int64 // that were made or overwritten; Links are hard links
	Skipped                                int64 // files that were there and left
	Failed                                 int64 // files and directories with an error, also if they are there
	Cloned                                 int64 // of Files, those that share their data
	Bytes                                  int64 // of data, those of cloned files included, holes not
	Holes                                  int64 // bytes of holes
	Synced                                 int64 // files and directories whose fsync was called
	Verified                               int64 // files read back and found equal
	Took                                   time.Duration
	Errors                                 []*Error // the first MaxErrors of them
}

// MaxErrors is how many errors a Result holds, and Copy's error joins. All are
// told to Options.OnError, and counted in Result.Failed.
const MaxErrors = 100

// Progress is a copy's state while it runs. Its fields may be read at any time.
type Progress struct {
	Files, Dirs atomic.Int64 // finished
	Bytes       atomic.Int64 // of data copied
	Found       atomic.Int64 // files that the walk has come to
	FoundBytes  atomic.Int64 // and their sizes
	Walked      atomic.Bool  // whether the walk is done, and Found all there is
	Syncing     atomic.Bool  // whether all is copied, and being synced
	ToSync      atomic.Int64 // fsyncs to call; Synced of them have returned
	Synced      atomic.Int64
	Failed      atomic.Int64
	current     atomic.Pointer[string]
}

// Current returns the source of a file that was begun lately, "" if none was: of
// large files the last one, of small ones every so often.
func (p *Progress) Current() string {
	if s := p.current.Load(); s != nil {
		return *s
	}
	return ""
}

// Error is what went wrong with one file. Err is the system's, most often a
// syscall.Errno, or one of the errors below.
type Error struct {
	Op       string // the system call, as in fs.PathError: "open", "read", "fsync", "setxattr" …
	Src, Dst string // Dst is "" where the source alone was concerned
	Path     string // the one of them that Op was called for
	Err      error
}

// Error returns the operation, the path and the cause.
func (e *Error) Error() string { return e.Op + " " + e.Path + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Errors that a copy refuses to make, or found out.
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
	ErrChanged    = content.ErrChanged
	ErrVerify     = content.ErrVerify
	ErrDangling   = errors.New("not writing through a dangling symbolic link")
	ErrStream     = errors.New("it cannot be read a second time")
	ErrRelative   = errors.New("can make relative symbolic links only in current directory")
	ErrElsewhere  = errors.New("a backup has to be in the same directory")
)
