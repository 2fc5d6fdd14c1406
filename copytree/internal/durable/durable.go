package durable

import (
	"fmt"
	"io/fs"
	"sync"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// Config is the configuration of a Syncer.
type Config struct {
	// Scheduler performs the fsyncs.
	Scheduler *sched.Scheduler
	// Close closes the descriptor of a File. It is at.Kernel's: off Linux the descriptor belongs to
	// an os.File, which would close the number a second time, then perhaps another file's.
	Close func(fd int) error
	// Failed is called for each File whose fsync failed, by several goroutines.
	Failed func(f File, err error)
	// Synced, if not nil, is called after each fsync, by several goroutines.
	Synced func()
}

// File is a written file or directory.
type File struct {
	FD   int          // open for reading or writing; Add closes it
	Dir  fmt.Stringer // the path of the file's directory
	Name string       // in Dir; "" means Dir itself
}

// Path is the path of a directory, for File.Dir.
type Path string

// String returns p.
func (p Path) String() string { return string(p) }

// Path returns the path of the file.
func (f File) Path() string {
	if f.Name == "" {
		return f.Dir.String()
	}
	return f.Dir.String() + "/" + f.Name
}

// Syncer syncs the files of one copy.
type Syncer struct {
	cfg      Config
	maxChunk int // the most Files in a chunk

	mu      sync.Mutex
	watched []fileSystem    // guarded by mu
	chunk   []File          // the Files to sync next; guarded by mu
	errs    []*fs.PathError // the errors of file systems; guarded by mu
	// flushing says that a call of Add is syncing a chunk. flushed wakes the other calls after it.
	// flushing is guarded by mu.
	flushing bool
	flushed  sync.Cond
}

// fileSystem is a file system that the copy writes to.
type fileSystem struct {
	dev uint64
	fd  int    // for syncfs(2); open since before the first write
	dir string // a directory on it, for errors
}

// New returns a Syncer. The caller must call Finish.
func New(cfg Config) *Syncer {
	s := &Syncer{cfg: cfg, maxChunk: chunkSize()}
	s.flushed.L = &s.mu
	return s
}

// Watch makes Finish sync the file system dev. fd and dir are a directory on it. It must be called
// before anything is written there. A second call does nothing.
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

// Add takes a completely written file, metadata included. It closes the descriptor after an fsync.
// Add may wait while another goroutine syncs earlier files, or sync them. Without syncfs
// (HasFileSystems) every written file must be added.
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

// Finish syncs the rest, and ends the Syncer. It returns the errors of syncfs(2), each with the
// directory that was first watched on the file system. The file with lost data is unknown: a file
// system may drop data without marking the file, whose fsync then succeeds.
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

// flush syncs a chunk. It must be called with mu held, and unlocks it during the sync.
func (s *Syncer) flush() {
	chunk, watched := s.chunk, s.watched
	s.chunk, s.flushing = nil, true
	s.mu.Unlock()
	// syncfs writes all files with few commits. The fsyncs after it only report errors, and make
	// the disk empty its cache.
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
