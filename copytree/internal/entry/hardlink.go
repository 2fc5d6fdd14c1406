package entry

import (
	"errors"
	"math"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/hardlink"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// copyOrLink calls makeCopy or, with PreserveLinks, makes a hard link to the copy of
// another name of the source.
func (c *Copier) copyOrLink(it *item.Item, makeCopy func(*item.Item) error) error {
	names := it.Stat.Nlink
	if c.Opt.Follow == option.FollowAll {
		names = math.MaxUint64 // any number of symbolic links may lead to it
	}
	if c.Opt.Preserve&option.PreserveLinks == 0 || names < 2 {
		return makeCopy(it)
	}
	for {
		other, first := c.Links.Find(it.Stat.ID, names)
		if first {
			return c.copyFirst(it, other, makeCopy)
		}
		if !other.Wait() {
			continue
		}
		if err := c.linkTo(it, other); !fault.CopyVanished(err) {
			return err
		}
		c.Links.Lost(it.Stat.ID, other) // another process has replaced the copy
	}
}

// copyFirst calls makeCopy, and makes known what became of the copy. It does so also if a function of the caller does not
// return: other workers may wait for the copy.
func (c *Copier) copyFirst(it *item.Item, made *hardlink.Copy, makeCopy func(*item.Item) error) (err error) {
	ok := false
	defer func() { c.Links.Made(it.Stat.ID, made, it.Dir, it.Dst, ok) }()
	err = makeCopy(it)
	ok = (err == nil || it.Kept) && c.isCopy(it)
	return err
}

// isCopy reports whether the file at Dst is a copy of the source now. A file that
// was left may be one, too.
func (c *Copier) isCopy(it *item.Item) bool {
	return it.What != report.Skipped || it.SameType && (c.Opt.Resume || c.Opt.Existing == option.Older)
}

// linkTo makes a hard link to the copy of another name of the source.
func (c *Copier) linkTo(it *item.Item, other *hardlink.Copy) error {
	if err := c.Handles.Use(other.Dir); err != nil {
		return err
	}
	defer c.Handles.Release(other.Dir)
	it.What = report.Linked
	return c.make(it, func(name at.Name) error {
		err := c.Kernel.Link(other.Dir.DstFD, other.Name, at.NoFollow, it.Dir.DstFD, name)
		if errors.Is(err, syscall.EEXIST) && c.isLinkOf(it, other) {
			err = nil
		}
		return fault.Dest("link", err)
	})
}

// isLinkOf reports whether what exists at Dst is a hard link to the other copy.
func (c *Copier) isLinkOf(it *item.Item, other *hardlink.Copy) bool {
	var a, b at.Stat
	return c.Kernel.Stat(it.Dir.DstFD, it.Dst, at.NoFollow, &a) == nil &&
		c.Kernel.Stat(other.Dir.DstFD, other.Name, at.NoFollow, &b) == nil && a.ID == b.ID
}
