package direct

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/errs"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sys"
)

// Open opens the named file for reading.
func Open(name string) (*File, error) { return OpenFile(name, os.O_RDONLY, 0) }

// Create creates or truncates the named file and opens it for reading and writing.
func Create(name string) (*File, error) {
	return OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile opens a regular file or a block device, with the flags and the mode of os.OpenFile.
// O_APPEND is EINVAL, a directory is EISDIR, and any other kind of file is errors.ErrUnsupported.
// For writing, OpenFile opens the file a second time. If perm of a new file denies that, the File
// uses the page cache. With O_WRONLY the File cannot read, so it writes partial blocks through the
// page cache.
func OpenFile(name string, flag int, perm os.FileMode) (*File, error) {
	return OpenOn(nil, name, flag, perm)
}

// OpenOn is OpenFile on the Scheduler s. A nil s is the Scheduler of sluice.Default.
func OpenOn(s *sluice.Scheduler, name string, flag int, perm os.FileMode) (*File, error) {
	d, err := open(s, name, flag, perm)
	if err == nil {
		return d, nil
	}
	if _, ok := errors.AsType[*fs.PathError](err); !ok {
		err = &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return nil, err
}

func open(s *sluice.Scheduler, name string, flag int, perm os.FileMode) (*File, error) {
	if s == nil {
		var err error
		if s, err = sluice.Default(); err != nil {
			return nil, err
		}
	}
	if flag&os.O_APPEND != 0 {
		return nil, errAppends
	}
	// Check this first: the open may create or truncate a file, or wait for the other end of a
	// pipe.
	if err := inside.Scheduler(s).Usable(); err != nil {
		return nil, err
	}
	if !isNew(flag) && inside.Scheduler(s).Disk == nil {
		// A directory is left to the open: it fails, or makes a file in the directory (O_TMPFILE).
		if info, err := os.Stat(name); err == nil && !info.IsDir() && !onDisk(info.Mode()) {
			return nil, notOnDisk(info.Mode())
		}
	}
	f, err := inside.Scheduler(s).OpenFile(name, flag&^sys.O_DIRECT, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !onDisk(info.Mode()) {
		err = notOnDisk(info.Mode())
	}
	if err != nil {
		f.Close() // nothing was written
		return nil, err
	}
	return newFile(s, f, flag)
}

// newFile returns a File that owns f, which was opened without O_DIRECT.
func newFile(s *sluice.Scheduler, f *os.File, flag int) (*File, error) {
	second, g, err := directio.Reopen(f, flag)
	if refused, ok := errors.AsType[directio.Refused](err); ok {
		return newBuffered(s, f, refused)
	}
	if err != nil {
		f.Close() // nothing was written
		return nil, err
	}
	file, err := s.FromOS(second)
	if err != nil {
		f.Close() // nothing was written
		return nil, err
	}
	h := inside.File(file)
	d, err := directio.New(h, g, f, flag)
	if err != nil {
		file.Close()
		if refused, ok := errors.AsType[directio.Refused](err); ok {
			return newBuffered(s, f, refused)
		}
		f.Close()
		return nil, err
	}
	if !d.Writable() {
		f.Close()
	} else if err := h.AlsoClose(f); err != nil {
		return nil, err
	}
	return &File{file: file, h: h, direct: d, explanation: g.String()}, nil
}

// newBuffered returns a File that owns f and uses the page cache.
func newBuffered(s *sluice.Scheduler, f *os.File, why directio.Refused) (*File, error) {
	file, err := s.FromOS(f)
	if err != nil {
		return nil, err
	}
	inside.File(file).PrivatePosition()
	return &File{file: file, h: inside.File(file), explanation: "buffered: " + why.Error()}, nil
}

var (
	errAppends = errs.Wrap("a direct file has no position to append at", syscall.EINVAL)
	errNoDisk  = errs.Wrap("neither a regular file nor a block device", errors.ErrUnsupported)
)

// isNew reports whether an open with these flags succeeds only for a file that it creates.
func isNew(flag int) bool { return flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0 }

// onDisk reports whether a file of this mode can be opened as a File.
func onDisk(mode fs.FileMode) bool {
	return mode.IsRegular() || mode&(fs.ModeDevice|fs.ModeCharDevice) == fs.ModeDevice
}

func notOnDisk(mode fs.FileMode) error {
	if mode.IsDir() {
		return syscall.EISDIR
	}
	return errNoDisk
}
