// Package report collects the results and errors of a copy, and calls the caller's callbacks.
//
// # Concurrency
//
// Several goroutines may use a Report. It makes one callback at a time. Each worker has its own
// Counts, which are added up at the end.
package report

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/fault"
)

// Report collects errors.
type Report struct {
	OnError  func(*Error) // nil: not called
	OnDone   func(Done)   // nil: not called
	Progress *Progress
	// Broken, if not nil, is called when a function of the caller panics or ends its goroutine
	// (runtime.Goexit). The goroutine copies nothing more.
	Broken func()

	mu     sync.Mutex
	failed int64    // guarded by mu
	errors []*Error // the first MaxErrors; guarded by mu
	full   bool     // an error said that the destination is full; guarded by mu
}

// MaxErrors is the number of errors that are kept.
const MaxErrors = 100

// Error is the error of one file.
type Error struct {
	Op       string // the system call, as in fs.PathError: "open", "fsync", "setxattr" …
	Src, Dst string // an error of fsync(2) or syncfs(2) has no Src
	Path     string // the one of Src and Dst that Op was called for; for syncfs(2) a directory
	Err      error  // a syscall.Errno, or an error of package fault
}

// Error returns the operation, the path and the cause.
func (e *Error) Error() string { return e.Op + " " + e.Path + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Full reports whether the destination's file system is full (fault.Fault.Full).
func (e *Error) Full() bool {
	f := fault.Fault{Op: e.Op, Dest: e.Path == e.Dst, Err: e.Err}
	return f.Full()
}

// ErrorOf returns the Error of f, which happened when src was copied to dst.
func ErrorOf(f *fault.Fault, src, dst string) *Error {
	e := &Error{Op: f.Op, Src: src, Dst: dst, Path: src, Err: f.Err}
	if f.Dest {
		e.Path = dst
	}
	return e
}

// Fail reports the errors of one file. full says that they mean a full destination. Then only the
// first report counts, because all other files would fail, too.
func (r *Report) Fail(full bool, all ...*Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if full {
		if r.full {
			return
		}
		r.full = true
	}
	r.failed++
	r.Progress.Failed.Add(1)
	for _, e := range all {
		if len(r.errors) < MaxErrors {
			r.errors = append(r.errors, e)
		}
		if r.OnError != nil {
			r.Guard(func() { r.OnError(e) })
		}
	}
}

// Done reports a file's result. OnDone must not be nil.
func (r *Report) Done(d Done) {
	r.Call(func() { r.OnDone(d) })
}

// Call calls f while no callback is in progress.
func (r *Report) Call(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Guard(f)
}

// Guard calls f. If f does not return, it calls Broken.
func (r *Report) Guard(f func()) {
	returned := false
	defer func() {
		if !returned && r.Broken != nil {
			r.Broken()
		}
	}()
	f()
	returned = true
}

// Errors returns the number of failed files, and the first MaxErrors errors.
func (r *Report) Errors() (failed int64, first []*Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed, r.errors
}

// Progress is the state of a running copy. Its fields may be read at any time. A copy adds to the
// existing numbers, and resets nothing.
type Progress struct {
	Files, Dirs atomic.Int64 // finished files, and directories that were made
	Bytes       atomic.Int64 // bytes of data that were copied
	Found       atomic.Int64 // files that the walk has found
	FoundBytes  atomic.Int64 // the sum of their sizes
	Walked      atomic.Bool  // the walk is done, and Found is final
	Syncing     atomic.Bool  // everything is copied and is being synced
	ToSync      atomic.Int64 // fsyncs to be called
	Synced      atomic.Int64 // fsyncs that have returned
	Failed      atomic.Int64 // files and directories with an error

	current atomic.Pointer[string]
}

// Current returns the path of a source file that was begun recently, or "".
func (p *Progress) Current() string {
	if s := p.current.Load(); s != nil {
		return *s
	}
	return ""
}

// SetCurrent sets the result of Current.
func (p *Progress) SetCurrent(path string) { p.current.Store(&path) }

// Done is the result for one file of the source.
type Done struct {
	Dst, Src string        // the path of the copy, and of the source
	What     What          // what was done
	Bytes    int64         // bytes of data in the copy, 0 if it is no regular file
	Took     time.Duration // from the first call for the file to the last
	Backup   string        // the new name of an existing file that was renamed
	Removed  bool          // an existing file was removed, not overwritten or renamed
}

// What says what was done with a file.
type What uint8

// The values of What.
const (
	Copied      What = iota // a regular file was copied by reading and writing, or in the kernel
	Cloned                  // a regular file shares its data with the source
	Linked                  // a hard link was made
	Symlinked               // a symbolic link was made
	MadeDir                 // a directory was made
	MadeSpecial             // a FIFO, socket or device was made
	Skipped                 // a file existed, and the options said to leave it
	Merged                  // a directory existed
)

// Result is the result of a copy, with or without errors.
type Result struct {
	Files, Dirs, Symlinks int64         // made or overwritten
	Links, Specials       int64         // hard links; FIFOs, sockets and devices
	Skipped               int64         // existing files that were left
	Failed                int64         // files and directories with an error
	Cloned                int64         // the part of Files that shares data with the source
	Bytes                 int64         // bytes of data, shared ones included, without holes
	Holes                 int64         // bytes of holes
	Synced                int64         // files and directories for which fsync was called
	Verified              int64         // files that were read back and found equal
	Took                  time.Duration // the whole copy, with its syncs
	Errors                []*Error      // the first MaxErrors errors
}

// Counts is the result of one worker. Each field counts for the field of Result with its name.
type Counts struct {
	Files, Dirs, Symlinks, Links, Specials int64
	Skipped, Cloned, Verified              int64
	Bytes, Holes                           int64
}

// Add adds another worker's counts.
func (c *Counts) Add(o *Counts) {
	c.Files += o.Files
	c.Dirs += o.Dirs
	c.Symlinks += o.Symlinks
	c.Links += o.Links
	c.Specials += o.Specials
	c.Skipped += o.Skipped
	c.Cloned += o.Cloned
	c.Verified += o.Verified
	c.Bytes += o.Bytes
	c.Holes += o.Holes
}

// Count counts one file that is no directory.
func (c *Counts) Count(what What, bytes, holes int64) {
	switch what {
	case Cloned:
		c.Cloned++
		c.Files++
	case Copied:
		c.Files++
	case Linked:
		c.Links++
	case Symlinked:
		c.Symlinks++
	case MadeSpecial:
		c.Specials++
	case Skipped:
		c.Skipped++
	}
	c.Bytes += bytes
	c.Holes += holes
}

// Result returns the counts as a Result.
func (c *Counts) Result() Result {
	return Result{
		Files: c.Files, Dirs: c.Dirs, Symlinks: c.Symlinks, Links: c.Links, Specials: c.Specials,
		Skipped: c.Skipped, Cloned: c.Cloned, Verified: c.Verified, Bytes: c.Bytes, Holes: c.Holes,
	}
}
