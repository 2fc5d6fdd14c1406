package copytree

import (
	"errors"
	"fmt"
	"math/rand/v2"
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
	return w.makeAttributed(it, func(name at.Name) error {
		return wrong(it.mknod(), destination, w.kernel.Mknod(it.in.dst, name, mode, it.stat.Rdev))
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
	return w.makeAttributed(it, func(name at.Name) error {
		return wrong("symlink", destination, w.kernel.Symlink(to, it.in.dst, name))
	})
}

// makeAttributed makes the copy by a call, and sets its attributes. Another process
// that copies to the same place may have removed it in between: then it is made again.
func (w *worker) makeAttributed(it *item, call func(at.Name) error) (refused error) {
	for range placeAttempts {
		if err := w.make(it, call); err != nil || it.what == Skipped {
			return err
		}
		if refused = w.attributes(it); !gone(refused) {
			break
		}
	}
	return w.keep(it, refused)
}

// gone reports whether a call for a copy that was just made did not find it.
func gone(err error) bool {
	f, ok := errors.AsType[*fault](err)
	return ok && f.side == destination && errors.Is(f.err, syscall.ENOENT)
}

// make makes the copy by a call, when there is room for it.
func (w *worker) make(it *item, call func(at.Name) error) error {
	for range placeAttempts {
		err := call(it.dst)
		if err == nil {
			it.fresh = true
			return nil
		}
		if !errors.Is(err, syscall.EEXIST) {
			return err
		}
		p, err := w.place(it)
		switch {
		case err != nil:
			return err
		case p == leave:
			it.what = Skipped
			return nil
		case p == replace:
			return w.makeInstead(it, call)
		}
	}
	return &fault{"open", destination, ErrChanged}
}

// makeInstead makes the copy by a call under another name, and renames it to its own:
// what is there stays until the copy is, as with GNU cp.
func (w *worker) makeInstead(it *item, call func(at.Name) error) error {
	for range placeAttempts {
		name := at.NameOf(fmt.Sprintf(".sluice%08x", rand.Uint32()))
		err := call(name)
		if errors.Is(err, syscall.EEXIST) {
			continue
		}
		if err != nil {
			return err
		}
		err = w.kernel.Rename(it.in.dst, name, it.dst)
		_ = w.kernel.Unlink(it.in.dst, name) // rename(2) does nothing with two names of one file
		it.fresh = true
		op := "symlink"
		if w.o.Make == MakeHardLink {
			op = "link"
		}
		return wrong(op, destination, err)
	}
	return &fault{"open", destination, ErrChanged}
}

// linkSource makes a hard link to the source (MakeHardLink).
func (w *worker) linkSource(it *item) error {
	it.what = Linked
	return w.makeNoted(it, func(name at.Name) error {
		return wrong("link", destination, w.kernel.Link(it.in.src, it.src, it.follow, it.in.dst, name))
	})
}

// makeNoted is make, and notes what was made.
func (w *worker) makeNoted(it *item, call func(at.Name) error) error {
	err := w.make(it, call)
	if err == nil && it.what != Skipped {
		w.note(it)
	}
	return err
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
	return w.makeNoted(it, func(name at.Name) error {
		return wrong("symlink", destination, w.kernel.Symlink(to, it.in.dst, name))
	})
}
