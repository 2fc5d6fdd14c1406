// Package report collects what a copy has done and which errors it met, and calls
// the caller's callbacks.
//
// # Concurrency
//
// A Report may be used by several goroutines. It makes one callback at a time. Each
// worker has its own Counts, which are added up at the end.
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
	// Broken, if not nil, is called when a function of the caller panics, or ends its
	// goroutine (runtime.Goexit). That goroutine copies nothing more.
	Broken func()

	mu     sync.Mutex
	failed int64    // Under mu
	errors []*Error // the first MaxErrors. Under mu
	full   bool     // an error said that the destination has no room left. Under mu
}

// MaxErrors is how many errors are kept.
const MaxErrors = 100

// Error is what went wrong with one file.
type Error struct {
	Op       string // the system call, as in fs.PathError: "open", "read", "fsync", "setxattr" …
	Src, Dst string // an error of fsync(2) or syncfs(2) has no Src
	Path     string // Src or Dst, whichever Op was called for; for syncfs(2) a directory
	Err      error  // a syscall.Errno, or an error of package fault
}

// Error returns the operation, the path and the cause.
func (e *Error) Error() string { return e.Op + " " + e.Path + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Full reports whether the destination's file system has no room left (fault.Fault.Full).
func (e *Error) Full() bool {
	f := fault.Fault{Op: e.Op, Dest: e.Path == e.Dst, Err: e.Err}
	return f.Full()
}

// ErrorOf returns what is reported of f, which happened when src was copied to dst.
func ErrorOf(f *fault.Fault, src, dst string) *Error {
	e := &Error{Op: f.Op, Src: src, Dst: dst, Path: src, Err: f.Err}
	if f.Dest {
		e.Path = dst
	}
	return e
}

// Fail reports the errors of one file. If full, they say that the destination has
// no room left, and only the first such report counts: all other files would fail
// as well.
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

// Done reports what was done with a file. OnDone must not be nil.
func (r *Report) Done(d Done) {
	r.Call(func() { r.OnDone(d) })
}

// Call calls f while no callback is in progress.
func (r *Report) Call(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Guard(f)
}

// Guard calls f, and Broken if f does not return.
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

// Errors returns how many files have failed, and the first MaxErrors errors.
func (r *Report) Errors() (failed int64, first []*Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed, r.errors
}

// Progress is the state of a copy while it runs. Its fields may be read at any time. A copy adds to
// the numbers that it finds, and resets nothing.
type Progress struct {
	Files, Dirs atomic.Int64 // finished files, and directories that were made
	Bytes       atomic.Int64 // bytes of data that were copied
	Found       atomic.Int64 // files that the walk has come to
	FoundBytes  atomic.Int64 // the sum of their sizes
	Walked      atomic.Bool  // the walk is done, and Found is final
	Syncing     atomic.Bool  // everything is copied, and being synced
	ToSync      atomic.Int64 // fsyncs to be called
	Synced      atomic.Int64 // fsyncs that have returned
	Failed      atomic.Int64 // files and directories with an error

	current atomic.Pointer[string]
}

// Current returns the path of a source file that was begun lately, "" if none was.
func (p *Progress) Current() string {
	if s := p.current.Load(); s != nil {
		return *s
	}
	return ""
}

// SetCurrent sets what Current returns.
func (p *Progress) SetCurrent(path string) { p.current.Store(&path) }

// Done is what happened to one file of the source.
type Done struct {
	Dst, Src string        // the path of the copy, and of the source
	What     What          // what was done
	Bytes    int64         // bytes of data in the copy, 0 if it is no regular file
	Took     time.Duration // from the first call for the file to the last
	Backup   string        // the new name of an existing file that was renamed
	Removed  bool          // an existing file was removed, rather than written to or renamed
}

// What says what was done with a file.
type What uint8

// The things that are done.
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

// Result is what a copy has done, also if there were errors.
type Result struct {
	Files, Dirs, Symlinks int64         // made or overwritten
	Links, Specials       int64         // hard links; FIFOs, sockets and devices
	Skipped               int64         // existing files that were left
	Failed                int64         // files and directories with an error
	Cloned                int64         // of Files: these share their data with the source
	Bytes                 int64         // bytes of data, cloned files' included, without holes
	Holes                 int64         // bytes of holes
	Synced                int64         // files and directories for which fsync was called
	Verified              int64         // files that were read back and found equal
	Took                  time.Duration // the whole copy, with its syncs
	Errors                []*Error      // the first MaxErrors of them
}

// Counts is what one worker has done. Each field counts for the field of Result with its name.
type Counts struct {
	Files, Dirs, Symlinks, Links, Specials int64
	Skipped, Cloned, Verified              int64
	Bytes, Holes                           int64
}

// Add adds what another worker has done.
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

// Result returns what was counted as a Result.
func (c *Counts) Result() Result {
	return Result{
		Files: c.Files, Dirs: c.Dirs, Symlinks: c.Symlinks, Links: c.Links, Specials: c.Specials,
		Skipped: c.Skipped, Cloned: c.Cloned, Verified: c.Verified, Bytes: c.Bytes, Holes: c.Holes,
	}
}
