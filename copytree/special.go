package copytree

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// copySpecial copies what has no content: symbolic links, FIFOs, devices.
func (w *worker) copySpecial(it *item) error {
	if it.kind == at.Symlink {
		return w.copySymlink(it)
	}
	it.what = MadeSpecial
	mode := it.stat.Mode&^at.ModeBits | w.fileMode(it)
	return w.makeAttributed(it, func() error {
		return wrong(it.mknod(), destination, w.kernel.Mknod(it.in.dst, it.dst, mode, it.stat.Rdev))
	})
}

// mknod is the call that makes a special file, as it is told of: mkfifo(3) is one of
// its own.
func (it *item) mknod() string {
	if it.kind == at.FIFO {
		return "mkfifo"
	}
	return "mknod"
}

func (w *worker) copySymlink(it *item) error {
	it.what = Symlinked
	to, err := w.kernel.Readlink(it.in.src, it.src, it.stat.Size)
	if err != nil {
		return &fault{"readlink", source, err}
	}
	return w.makeAttributed(it, func() error {
		return wrong("symlink", destination, w.kernel.Symlink(to, it.in.dst, it.dst))
	})
}

// makeAttributed makes the copy by a call, and sets its attributes.
func (w *worker) makeAttributed(it *item, call func() error) error {
	if err := w.make(it, call); err != nil || it.what == Skipped {
		return err
	}
	err := w.attributes(it)
	if err == nil {
		err = w.note(it)
	}
	if err != nil {
		w.removeHalf(it)
	}
	return err
}

// make makes the copy by a call, when there is room for it.
func (w *worker) make(it *item, call func() error) error {
	for range placeAttempts {
		err := call()
		if err == nil {
			it.fresh = true
			return nil // and noted, if it is not a link, by the caller
		}
		if !errors.Is(err, syscall.EEXIST) {
			return err
		}
		p, err := w.place(it)
		if err != nil {
			return err
		}
		if p == leave {
			it.what = Skipped
			return nil
		}
	}
	return &fault{"open", destination, ErrChanged}
}

// linkSource makes a hard link to the source (MakeHardLink).
func (w *worker) linkSource(it *item) error {
	it.what = Linked
	return w.make(it, func() error {
		return wrong("link", destination, w.kernel.Link(it.in.src, it.src, it.follow, it.in.dst, it.dst))
	})
}

// linkPath makes a symbolic link to the source (MakeSymlink). One that is
// relative would be so to the directory of the link, and only leads to the
// source if that is the current one.
func (w *worker) linkPath(it *item) error {
	it.what = Symlinked
	to := it.in.srcOf(it.src)
	if !filepath.IsAbs(to) && strings.ContainsRune(filepath.Clean(it.in.dstOf(it.dst)), filepath.Separator) {
		return &fault{"symlink", destination, ErrRelative}
	}
	return w.make(it, func() error {
		return wrong("symlink", destination, w.kernel.Symlink(to, it.in.dst, it.dst))
	})
}
