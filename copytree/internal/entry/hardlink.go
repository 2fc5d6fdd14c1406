package entry

import (
	"errors"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/hardlink"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// copyOrLink calls makeCopy. With PreserveLinks it makes a hard link to the copy of another name of
// the source, if there is one.
func (m *Maker) copyOrLink(it *item.Item, makeCopy func(*item.Item) error) error {
	// Any number of symbolic links may lead to a file with one name.
	if m.job.Opt.Preserve&option.PreserveLinks == 0 || it.Stat.Nlink < 2 && !bool(it.Follow) {
		return makeCopy(it)
	}
	for {
		other, first := m.job.Links.Find(it.Stat.ID)
		if first {
			return m.copyFirst(it, other, makeCopy)
		}
		if !other.Wait() {
			continue
		}
		if err := m.linkTo(it, other); !fault.CopyVanished(err) {
			return err
		}
		m.job.Links.Lost(it.Stat.ID, other) // another process has replaced the copy
	}
}

// copyFirst calls makeCopy, and reports the result to other workers, which may wait for the copy.
// It does so even if a function of the caller does not return.
func (m *Maker) copyFirst(it *item.Item, made *hardlink.Copy, makeCopy func(*item.Item) error) (err error) {
	ok := false
	defer func() { m.job.Links.Made(it.Stat.ID, made, it.Dir, it.Dst, ok) }()
	err = makeCopy(it)
	ok = (err == nil || it.Kept) && m.isCopy(it)
	return err
}

// isCopy reports whether the file at Dst is a copy of the source now. A file that was left may also
// be one.
func (m *Maker) isCopy(it *item.Item) bool {
	return it.What != report.Skipped || it.SameType && (m.job.Opt.Resume || m.job.Opt.Existing == option.Older)
}

// linkTo makes a hard link to the copy of another name of the source.
func (m *Maker) linkTo(it *item.Item, other *hardlink.Copy) error {
	if err := m.job.Handles.Use(other.Dir); err != nil {
		return err
	}
	defer m.job.Handles.Release(other.Dir)
	it.What = report.Linked
	return m.makeBy(it, func(name at.Name) error {
		err := m.Kernel.Link(other.Dir.DstFD, other.Name, at.NoFollow, it.Dir.DstFD, name)
		if errors.Is(err, syscall.EEXIST) && m.isLinkOf(it, other) {
			err = nil
		}
		return fault.Dest("link", err)
	})
}

// isLinkOf reports whether the existing file at Dst is a hard link to the other copy.
func (m *Maker) isLinkOf(it *item.Item, other *hardlink.Copy) bool {
	var a, b at.Stat
	return m.Kernel.Stat(it.Dir.DstFD, it.Dst, at.NoFollow, &a) == nil &&
		m.Kernel.Stat(other.Dir.DstFD, other.Name, at.NoFollow, &b) == nil && a.ID == b.ID
}
