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
func (c *Copier) copySpecial(it *item.Item) error {
	if it.Type == at.Symlink {
		return c.copySymlink(it)
	}
	it.What = report.MadeSpecial
	mode := it.Stat.Mode&^at.ModeBits | c.fileMode(it)
	return c.makeWithAttributes(it, func(name at.Name) error {
		return fault.Dest(it.MknodCall(), c.Kernel.Mknod(it.Dir.DstFD, name, mode, it.Stat.Rdev))
	})
}

func (c *Copier) copySymlink(it *item.Item) error {
	it.What = report.Symlinked
	target, err := c.Kernel.Readlink(it.Dir.SrcFD, it.Src, it.Stat.Size)
	if err != nil {
		return fault.Source("readlink", err)
	}
	return c.makeWithAttributes(it, c.symlinkTo(target, it))
}

func (c *Copier) symlinkTo(target string, it *item.Item) makeCall {
	return func(name at.Name) error {
		return fault.Dest("symlink", c.Kernel.Symlink(target, it.Dir.DstFD, name))
	}
}

// makeWithAttributes makes the copy and sets its attributes. If another process that
// copies to the same place has removed it meanwhile, it is made again, after a random time
// that becomes longer: two such processes would otherwise remove each other's copy each time.
func (c *Copier) makeWithAttributes(it *item.Item, call makeCall) (refused error) {
	for n := range attempts {
		if err := c.make(it, call); err != nil || it.What == report.Skipped {
			return err
		}
		if refused = c.setAttributes(it); !fault.CopyVanished(refused) {
			break
		}
		time.Sleep(rand.N(100 * time.Microsecond << n))
	}
	return c.keep(it, refused)
}

// make makes the copy, after room was made for it if need be.
func (c *Copier) make(it *item.Item, call makeCall) error {
	for range attempts {
		err := call(it.Dst)
		if err == nil {
			it.Fresh = true
			return nil
		}
		if !errors.Is(err, syscall.EEXIST) {
			return err
		}
		action, err := c.conflict.Resolve(it)
		switch {
		case err != nil:
			return err
		case action == conflict.Leave:
			it.What = report.Skipped
			return nil
		case action == conflict.Replace:
			return c.replace(it, call)
		}
	}
	return fault.Dest("open", fault.ErrChanged)
}

// replace makes the copy under another name and renames it: what exists stays until
// the copy does, as with GNU cp.
func (c *Copier) replace(it *item.Item, call makeCall) error {
	for range attempts {
		name := at.NameOf(fmt.Sprintf(".sluice%08x", rand.Uint32()))
		err := call(name)
		if errors.Is(err, syscall.EEXIST) {
			continue
		}
		if err != nil {
			return err
		}
		err = c.Kernel.Rename(it.Dir.DstFD, name, it.Dst)
		_ = c.Kernel.Unlink(it.Dir.DstFD, name) // rename(2) does nothing if both are names of one file
		it.Fresh = true
		op := "symlink"
		if c.Opt.Make == option.MakeHardLink {
			op = "link"
		}
		return fault.Dest(op, err)
	}
	return fault.Dest("open", fault.ErrChanged)
}

// makeHardLink makes a hard link to the source (MakeHardLink).
func (c *Copier) makeHardLink(it *item.Item) error {
	it.What = report.Linked
	err := c.make(it, func(name at.Name) error {
		return fault.Dest("link", c.Kernel.Link(it.Dir.SrcFD, it.Src, it.Follow, it.Dir.DstFD, name))
	})
	if err == nil && it.What != report.Skipped {
		c.conflict.Done(it)
	}
	return err
}

// makeSymlink makes a symbolic link to the source (MakeSymlink). A relative target
// is relative to the directory of the link, and so only leads to the source if that
// is the current directory.
func (c *Copier) makeSymlink(it *item.Item) error {
	it.What = report.Symlinked
	target := it.SrcPath()
	if !filepath.IsAbs(target) && !c.inCurrentDir(it) {
		return c.refuseRelative(it)
	}
	if err := c.make(it, c.symlinkTo(target, it)); err != nil || it.What == report.Skipped {
		return err
	}
	return c.keep(it, c.Attr.CopyTimes(it.Copy(), &it.Stat))
}

// inCurrentDir reports whether the copy is to be in the current directory, whatever its path is.
// If that cannot be found out, the call that makes the copy fails.
func (c *Copier) inCurrentDir(it *item.Item) bool {
	if !strings.ContainsRune(it.DstPath(), filepath.Separator) {
		return true
	}
	fd, err := c.Kernel.OpenBase(".")
	if err != nil {
		return true
	}
	defer c.Kernel.Close(fd)
	var s at.Stat
	return c.Kernel.Stat(fd, at.Dot, at.NoFollow, &s) != nil || s.ID == it.Dir.CopyID
}

// refuseRelative returns why no link with a relative target is made. What exists comes first: it
// may be left, or be nothing that a link replaces. It is not touched.
func (c *Copier) refuseRelative(it *item.Item) error {
	stays, err := c.foresee(it)
	switch {
	case err != nil && !errors.Is(err, syscall.EEXIST): // EEXIST is what the link itself would fail with
		return err
	case stays:
		it.What = report.Skipped
		return nil
	}
	return fault.Dest("symlink", fault.ErrRelative)
}
