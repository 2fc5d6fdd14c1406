package durable

import (
	"errors"
	"fmt"
	"sync"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// Config says what is to be synced, and whom to tell.
type Config struct {
	// Files asks for an fsync of each File, besides the syncfs of each file
	// system.
	Files bool
	// Scheduler performs the fsyncs.
	Scheduler *sched.Scheduler
	// Failed is told of each File whose fsync has failed, by several goroutines.
	Failed func(f File, err error)
	// Synced, if not nil, is called after each fsync, by several goroutines.
	Synced func()
}

// File is a file or directory that was written.
type File struct {
	FD   int          // open, for reading or writing; Add takes it
	Dir  fmt.Stringer // the path of the directory that it is in
	Name string       // in Dir; "" is Dir itself
}

// Path returns where the file is.
func (f File) Path() string {
	if f.Name == "" {
		return f.Dir.String()
	}
	return f.Dir.String() + "/" + f.Name
}

// Syncer syncs what one copy writes. Watch and Add are for any number of
// goroutines, Finish comes after them.
type Syncer struct {
	cfg  Config
	most int // Files in a chunk

	mu      sync.Mutex
	watched []fileSystem
	chunk   []File // what is to be synced next
	errs    []error
	// flushing: a chunk is being synced, by somebody's Add. changed is told when
	// it is not any more.
	flushing bool
	changed  sync.Cond
}

// fileSystem is one that is written to.
type fileSystem struct {
	dev uint64
	fd  int // for syncfs(2), since before the first write
}

// New returns a Syncer, which is to be finished.
func New(cfg Config) *Syncer {
	s := &Syncer{cfg: cfg, most: chunkSize()}
	s.changed.L = &s.mu
	return s
}

// Watch has the file system dev, on which the directory fd is, synced by Finish.
// It is called before anything is written there; a second time does nothing.
func (s *Syncer) Watch(dev uint64, fd int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.watched {
		if w.dev == dev {
			return nil
		}
	}
	own, err := reopen(fd)
	if err == nil {
		s.watched = append(s.watched, fileSystem{dev, own})
	}
	return err
}

// Add takes a file that is completely written, its metadata included, and closes
// its descriptor, after an fsync if Config.Files asks for it. It may wait for
// files that were added before, or sync them.
func (s *Syncer) Add(f File) {
	if !s.cfg.Files {
		sys.Close(f.FD)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.chunk) >= s.most {
		if s.flushing {
			s.changed.Wait()
		} else {
			s.flush()
		}
	}
	s.chunk = append(s.chunk, f)
}

// Finish syncs what is left, and ends the Syncer. It returns the errors of file
// systems: of what the copy has written, or of others' files. With one, any file
// may be lost, also if its fsync has succeeded: not every way in which a file
// system gives up what it could not write leaves a mark at the file.
func (s *Syncer) Finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	for _, w := range s.watched {
		sys.Close(w.fd)
	}
	s.watched = nil
	return errors.Join(s.errs...)
}

// flush syncs a chunk. Under mu, which is let go meanwhile.
func (s *Syncer) flush() {
	chunk, watched := s.chunk, s.watched
	s.chunk, s.flushing = nil, true
	s.mu.Unlock()
	// All are written with one commit or few. What is left for the fsyncs is to
	// ask whether that went well, and for the disk to empty its cache.
	errs := syncFileSystems(watched)
	s.syncFiles(chunk)
	s.mu.Lock()
	s.errs = append(s.errs, errs...)
	s.flushing = false
	s.changed.Broadcast()
}

func syncFileSystems(watched []fileSystem) (errs []error) {
	for _, w := range watched {
		if err := syncFileSystem(w.fd); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
