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

// Error is copytree.Error: the fields are the same.
type Error struct {
	Op       string
	Src, Dst string
	Path     string
	Err      error
}

// Error returns the operation, the path and the cause.
func (e *Error) Error() string { return e.Op + " " + e.Path + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

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

// Progress points to the counters that another goroutine may read during a copy:
// the fields of a copytree.Progress.
type Progress struct {
	Files, Dirs, Bytes, Found, FoundBytes *atomic.Int64
	ToSync, Synced, Failed                *atomic.Int64
	Walked, Syncing                       *atomic.Bool
	Current                               *atomic.Pointer[string]
}

// Unwatched returns counters that are not read.
func Unwatched() *Progress {
	var n [8]atomic.Int64
	var b [2]atomic.Bool
	return &Progress{
		Files: &n[0], Dirs: &n[1], Bytes: &n[2], Found: &n[3], FoundBytes: &n[4],
		ToSync: &n[5], Synced: &n[6], Failed: &n[7],
		Walked: &b[0], Syncing: &b[1], Current: new(atomic.Pointer[string]),
	}
}

// Done is what happened to one file: a copytree.Done.
type Done struct {
	Dst, Src string
	What     What
	Bytes    int64
	Took     time.Duration
	Backup   string
	Removed  bool
}

// What says what was done with a file.
type What uint8

// The things that are done. The numbers are copytree's.
const (
	Copied What = iota
	Cloned
	Linked
	Symlinked
	MadeDir
	MadeSpecial
	Skipped
	Merged
)

// Counts is what one worker has done. The fields mean what those of
// copytree.Result do.
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
