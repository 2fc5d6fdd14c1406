package pebblevfs

import (
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/cockroachdb/errors"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
)

// stock is Pebble's own FS.
var stock = vfs.Default

// names has the methods that an FS takes from the stock one: names, directories, locks and disk
// usage.
type names = vfs.FS

// FS is a vfs.FS on a [sluice.Scheduler]. Any number of goroutines may call its methods at once.
type FS struct {
	names
	sched      *sluice.Scheduler
	mode       Mode
	background *sluice.Class // nil without a class
	maxStreams int32         // this FS opens no more streams if the process has so many
}

var _ vfs.FS = (*FS)(nil)

// New returns an FS. The error names the wrong option, or says that there is no Scheduler.
func New(o Options) (*FS, error) {
	if o.Mode > Direct {
		return nil, fmt.Errorf("pebblevfs: Options.Mode %d is not Buffered, Hybrid or Direct", o.Mode)
	}
	s := o.Scheduler
	if s == nil {
		var err error
		if s, err = sluice.Default(); err != nil {
			return nil, fmt.Errorf("pebblevfs: no Scheduler: %w", err)
		}
	}
	if o.Background != nil && !slices.Contains(s.Classes(), o.Background) {
		return nil, fmt.Errorf("pebblevfs: Options.Background: class %q is not one of the Scheduler's: get it from its method Class", o.Background.Name())
	}
	return &FS{names: stock, sched: s, mode: o.Mode, background: o.Background, maxStreams: streamsWith(s.Stats().BuffersMost)}, nil
}

// Create creates the named file for reading and writing. It first removes an existing file of that
// name.
func (s *FS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	class := s.classOf(category)
	if s.mode != Buffered && isTable(name) && s.takeStream() {
		f, err := createNew(name, func(flag int) (vfs.File, error) { return s.openTable(name, flag, class, true) })
		if err != nil {
			releaseStream()
		}
		return f, err
	}
	return createNew(name, func(flag int) (vfs.File, error) { return s.open(name, flag, class) })
}

// createNew opens a file that does not exist. It removes an existing one, which may have another
// name (hard link) and must not change.
func createNew(name string, open func(flag int) (vfs.File, error)) (vfs.File, error) {
	const flag = os.O_RDWR | os.O_CREATE | os.O_EXCL | syscall.O_CLOEXEC
	for {
		f, err := open(flag)
		if !errors.Is(err, iofs.ErrExist) {
			return f, err
		}
		// Another process may create it again, or remove it, in between.
		if err := os.Remove(name); err != nil && !errors.Is(err, iofs.ErrNotExist) {
			return nil, errors.WithStack(err)
		}
	}
}

// Open opens the named file for reading.
func (s *FS) Open(name string, options ...vfs.OpenOption) (vfs.File, error) {
	f, err := s.openToRead(name, slices.Contains(options, vfs.SequentialReadsOption))
	return apply(options, f, err)
}

// openToRead opens the named file. stream says that it will be read from front to back.
func (s *FS) openToRead(name string, stream bool) (vfs.File, error) {
	const flag = os.O_RDONLY | syscall.O_CLOEXEC
	var class *sluice.Class
	if stream {
		class = s.background
	}
	switch {
	case !isTable(name):
		return s.open(name, flag, nil)
	case s.mode == Buffered, s.mode == Hybrid && !stream, stream && !s.takeStream():
		return s.open(name, flag, class)
	}
	f, err := s.openTable(name, flag, class, stream)
	if err != nil && stream {
		releaseStream()
	}
	return f, err
}

// OpenReadWrite opens the named file for reading and writing. It creates the file if necessary.
func (s *FS) OpenReadWrite(name string, category vfs.DiskWriteCategory, options ...vfs.OpenOption) (vfs.File, error) {
	f, err := s.open(name, os.O_RDWR|os.O_CREATE|syscall.O_CLOEXEC, s.classOf(category))
	return apply(options, f, err)
}

// ReuseForWrite renames a file and opens it for reading and writing.
func (s *FS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := s.Rename(oldname, newname); err != nil {
		return nil, err
	}
	return s.OpenReadWrite(newname, category)
}

// open opens a file that goes through the page cache.
func (s *FS) open(name string, flag int, class *sluice.Class) (vfs.File, error) {
	f, err := s.sched.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	if f, err = inClass(f, class); err != nil {
		return nil, errors.WithStack(err)
	}
	return &file{f: f, syncRange: hasSyncRange(f.Fd())}, nil
}

// openTable opens a file that goes past the page cache, or through it if the file system has no
// O_DIRECT. If stream is true, the caller has taken a stream, and the file releases it.
func (s *FS) openTable(name string, flag int, class *sluice.Class, stream bool) (vfs.File, error) {
	f, err := direct.OpenOn(s.sched, name, flag, 0o666)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	if !pastCache(f.Fd()) {
		if err := f.Close(); err != nil {
			return nil, errors.WithStack(err)
		}
		// The file exists by now: this call may have created it.
		b, err := s.open(name, flag&^(os.O_CREATE|os.O_EXCL), class)
		if err == nil && stream {
			releaseStream()
		}
		return b, err
	}
	if f, err = inClass(f, class); err != nil {
		return nil, errors.WithStack(err)
	}
	return &table{f: f, stream: stream, writable: flag&os.O_RDWR != 0}, nil
}

// inClass returns the view of f in a class, or f for nil. On an error it closes f.
func inClass[F interface {
	WithClass(*sluice.Class) (F, error)
	Close() error
}](f F, class *sluice.Class,
) (F, error) {
	if class == nil {
		return f, nil
	}
	view, err := f.WithClass(class)
	if err != nil {
		err = errors.CombineErrors(err, f.Close())
	}
	return view, err
}

func apply(options []vfs.OpenOption, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	for _, o := range options {
		o.Apply(f)
	}
	return f, nil
}

// isTable reports whether a file of that name is a table or a blob file.
func isTable(name string) bool {
	switch filepath.Ext(name) {
	case ".sst", ".blob":
		return true
	}
	return false
}

// classOf returns the class of writes of a category: Background for flushes and compactions. nil is
// the default class.
func (s *FS) classOf(category vfs.DiskWriteCategory) *sluice.Class {
	switch category {
	case "pebble-memtable-flush", "pebble-compaction", "pebble-blob-file-rewrite":
		return s.background
	}
	return nil
}
