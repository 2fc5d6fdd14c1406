package durable

import (
	"fmt"
	"io/fs"
	"sync"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// Config says how files are synced.
type Config struct {
	// Scheduler performs the fsyncs.
	Scheduler *sched.Scheduler
	// Close closes the descriptor of a File. It is at.Kernel's: off Linux the descriptor belongs to
	// an os.File, which would close it once more. That number may be another file's by then.
	Close func(fd int) error
	// Failed is called for each File whose fsync has failed, by several goroutines.
	Failed func(f File, err error)
	// Synced, if not nil, is called after each fsync, by several goroutines.
	Synced func()
}

// File is a file or directory that was written.
type File struct {
	FD   int          // open for reading or writing; Add closes it
	Dir  fmt.Stringer // the path of the directory that it is in
	Name string       // in Dir; "" is Dir itself
}

// Path is the path of a directory, for File.Dir.
type Path string

// String returns p.
func (p Path) String() string { return string(p) }

// Path returns where the file is.
func (f File) Path() string {
	if f.Name == "" {
		return f.Dir.String()
	}
	return f.Dir.String() + "/" + f.Name
}

// Syncer syncs what one copy writes.
type Syncer struct {
	cfg      Config
	maxChunk int // how many Files are in a chunk at most

	mu      sync.Mutex
	watched []fileSystem    // Under mu
	chunk   []File          // to be synced next. Under mu
	errs    []*fs.PathError // of file systems. Under mu
	// flushing says that a call of Add is syncing a chunk. flushed wakes the other
	// calls when it is done. Under mu.
	flushing bool
	flushed  sync.Cond
}

// fileSystem is a file system that is written to.
type fileSystem struct {
	dev uint64
	fd  int    // for syncfs(2); open since before the first write
	dir string // where, for errors
}

// New returns a Syncer. The caller must call Finish.
func New(cfg Config) *Syncer {
	s := &Syncer{cfg: cfg, maxChunk: chunkSize()}
	s.flushed.L = &s.mu
	return s
}

// Watch makes Finish sync the file system dev, which the directory fd, dir, is on. It must be
// called before anything is written there. A second call does nothing.
func (s *Syncer) Watch(dev uint64, fd int, dir fmt.Stringer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.watched {
		if w.dev == dev {
			return nil
		}
	}
	own, err := reopen(fd)
	if err == nil {
		s.watched = append(s.watched, fileSystem{dev, own, dir.String()})
	}
	return err
}

// Add takes a file that is completely written, including its metadata, and closes its
// descriptor after an fsync. It may wait while another goroutine syncs files that were
// added before, or sync them itself. Where there is no syncfs (HasFileSystems), each
// file that is written must be added.
func (s *Syncer) Add(f File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.chunk) >= s.maxChunk {
		if s.flushing {
			s.flushed.Wait()
		} else {
			s.flush()
		}
	}
	s.chunk = append(s.chunk, f)
}

// Finish syncs what is left, and ends the Syncer. It returns the errors of syncfs(2), each with the
// directory of the file system that was watched first. The file that has lost data is unknown, and
// may be one whose fsync has succeeded: a file system may drop data without marking the file.
func (s *Syncer) Finish() []*fs.PathError {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	for _, w := range s.watched {
		sys.Close(w.fd)
	}
	s.watched = nil
	return s.errs
}

// flush syncs a chunk. Under mu, which it unlocks meanwhile.
func (s *Syncer) flush() {
	chunk, watched := s.chunk, s.watched
	s.chunk, s.flushing = nil, true
	s.mu.Unlock()
	// syncfs writes all files with one commit, or few. The fsyncs after it only ask
	// whether that went well, and make the disk empty its cache.
	errs := syncFileSystems(watched)
	s.syncFiles(chunk)
	s.mu.Lock()
	s.errs = append(s.errs, errs...)
	s.flushing = false
	s.flushed.Broadcast()
}

func syncFileSystems(watched []fileSystem) (errs []*fs.PathError) {
	for _, w := range watched {
		if err := syncFileSystem(w.fd); err != nil {
			errs = append(errs, &fs.PathError{Op: "syncfs", Path: w.dir, Err: err})
		}
	}
	return errs
}
