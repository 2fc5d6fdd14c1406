package entry

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/conflict"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// makeCall makes a copy with that name by one system call.
type makeCall func(name at.Name) error

// copySpecial copies a file without content: a symbolic link, FIFO or device.
func (m *Maker) copySpecial(it *item.Item) error {
	if it.Type == at.Symlink {
		return m.copySymlink(it)
	}
	it.What = report.MadeSpecial
	mode := it.Stat.Mode&^at.ModeBits | m.fileMode(it)
	return m.makeWithAttributes(it, func(name at.Name) error {
		return fault.Dest(it.MknodCall(), m.Kernel.Mknod(it.Dir.DstFD, name, mode, it.Stat.Rdev))
	})
}

func (m *Maker) copySymlink(it *item.Item) error {
	it.What = report.Symlinked
	target, err := m.Kernel.Readlink(it.Dir.SrcFD, it.Src, it.Stat.Size)
	if err != nil {
		return fault.Source("readlink", err)
	}
	return m.makeWithAttributes(it, m.symlinkTo(target, it))
}

func (m *Maker) symlinkTo(target string, it *item.Item) makeCall {
	return func(name at.Name) error {
		return fault.Dest("symlink", m.Kernel.Symlink(target, it.Dir.DstFD, name))
	}
}

// makeWithAttributes makes the copy and sets its attributes. If another process has removed the
// copy, it is made again after a random and growing time. Without that time, two such processes
// would remove each other's copy every time.
func (m *Maker) makeWithAttributes(it *item.Item, call makeCall) (refused error) {
	for n := range attempts {
		if err := m.makeBy(it, call); err != nil || it.What == report.Skipped {
			return err
		}
		if refused = m.setAttributes(it); !fault.CopyVanished(refused) {
			break
		}
		time.Sleep(rand.N(100 * time.Microsecond << n))
	}
	return m.keep(it, refused)
}

// makeBy makes the copy. It makes room first if necessary.
func (m *Maker) makeBy(it *item.Item, call makeCall) error {
	for range attempts {
		err := call(it.Dst)
		if err == nil {
			it.Fresh = true
			return nil
		}
		if !errors.Is(err, syscall.EEXIST) {
			return err
		}
		action, err := m.conflict.Resolve(it)
		switch {
		case err != nil:
			return err
		case action == conflict.Leave:
			it.What = report.Skipped
			return nil
		case action == conflict.Replace:
			return m.replace(it, call)
		}
	}
	return fault.Dest("open", fault.ErrChanged)
}

// replace makes the copy under another name and renames it. The existing file stays until the copy
// is there, as in GNU cp.
func (m *Maker) replace(it *item.Item, call makeCall) error {
	for range attempts {
		name := at.NameOf(fmt.Sprintf(".sluice%08x", rand.Uint32()))
		err := call(name)
		if errors.Is(err, syscall.EEXIST) {
			continue
		}
		if err != nil {
			return err
		}
		err = m.Kernel.Rename(it.Dir.DstFD, name, it.Dst)
		// rename(2) does nothing between two names of one file.
		_ = m.Kernel.Unlink(it.Dir.DstFD, name)
		it.Fresh = true
		op := "symlink"
		if m.job.Opt.Make == option.MakeHardLink {
			op = "link"
		}
		return fault.Dest(op, err)
	}
	return fault.Dest("open", fault.ErrChanged)
}

// makeHardLink makes a hard link to the source (MakeHardLink).
func (m *Maker) makeHardLink(it *item.Item) error {
	it.What = report.Linked
	err := m.makeBy(it, func(name at.Name) error {
		return fault.Dest("link", m.Kernel.Link(it.Dir.SrcFD, it.Src, it.Follow, it.Dir.DstFD, name))
	})
	if err == nil && it.What != report.Skipped {
		m.conflict.Done(it)
	}
	return err
}

// makeSymlink makes a symbolic link to the source (MakeSymlink). A relative target is relative to
// the link's directory, so it only leads to the source from the current directory.
func (m *Maker) makeSymlink(it *item.Item) error {
	it.What = report.Symlinked
	target := it.SrcPath()
	if !filepath.IsAbs(target) && !m.inCurrentDir(it) {
		return m.refuseRelative(it)
	}
	if err := m.makeBy(it, m.symlinkTo(target, it)); err != nil || it.What == report.Skipped {
		return err
	}
	return m.keep(it, m.Attr.CopyTimes(it.Copy(), &it.Stat))
}

// inCurrentDir reports whether the copy's directory is the current one, whatever its path. If that
// is unknown, the call that makes the copy fails.
func (m *Maker) inCurrentDir(it *item.Item) bool {
	if !strings.ContainsRune(it.DstPath(), filepath.Separator) {
		return true
	}
	fd, err := m.Kernel.OpenBase(".")
	if err != nil {
		return true
	}
	defer m.Kernel.Close(fd)
	var s at.Stat
	return m.Kernel.Stat(fd, at.Dot, at.NoFollow, &s) != nil || s.ID == it.Dir.CopyID
}

// refuseRelative returns the error for a link with a relative target. An existing file comes first:
// it may stay, or be one that a link does not replace. It is not touched.
func (m *Maker) refuseRelative(it *item.Item) error {
	stays, err := m.foresee(it)
	switch {
	// EEXIST: the link would fail in the same way.
	case err != nil && !errors.Is(err, syscall.EEXIST):
		return err
	case stays:
		it.What = report.Skipped
		return nil
	}
	return fault.Dest("symlink", fault.ErrRelative)
}
