package entry

import (
	"errors"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/conflict"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// attempts is how often a copy is retried if another process makes or removes the file at the same
// time.
const attempts = 8

// create creates the copy, or opens the existing file for it. If the existing file stays, no
// descriptor is open afterwards.
func (m *Maker) create(it *item.Item) (err error) {
	for range attempts {
		it.DstFD, err = m.Kernel.Create(it.Dir.DstFD, it.Dst, m.fileMode(it), m.access)
		if err == nil {
			it.Fresh = true
			return nil
		}
		if !errors.Is(err, syscall.EEXIST) {
			return fault.Dest("open", err)
		}
		action, err := m.conflict.Resolve(it)
		switch {
		case err != nil:
			return err
		case action == conflict.Leave:
			it.What = report.Skipped
			return nil
		case action == conflict.Overwrite:
			return m.overwrite(it)
		case action == conflict.Through:
			return m.createThrough(it)
		}
	}
	return fault.Dest("open", fault.ErrChanged)
}

// createThrough creates the copy at the target of the symbolic link at its place.
func (m *Maker) createThrough(it *item.Item) (err error) {
	o := at.Opening{Access: m.access, Create: true, Mode: m.fileMode(it)}
	it.DstFD, err = m.Kernel.Overwrite(it.Dir.DstFD, it.Dst, at.FollowsLinks, o)
	it.Fresh, it.BehindLink, it.Elsewhere = true, true, true
	return fault.Dest("open", err)
}

// overwrite opens and empties the existing file. With Force it removes a file that it cannot open.
func (m *Maker) overwrite(it *item.Item) (err error) {
	if m.job.Opt.Verify && isStream(it.Existing) {
		return fault.Dest("verify", fault.ErrStream)
	}
	it.DstFD, err = m.openExisting(it)
	if err != nil && m.job.Opt.Force && !errors.Is(err, syscall.ENOSPC) && m.job.Ctx.Err() == nil {
		it.Removed, it.Existing, it.Elsewhere = true, at.Unknown, false
		if err := m.conflict.Unlink(it); err != nil {
			return err
		}
		it.DstFD, err = m.Kernel.Create(it.Dir.DstFD, it.Dst, m.fileMode(it), m.access)
		it.Fresh = err == nil
	}
	return fault.Dest("open", err)
}

// fileMode returns the permissions with which the copy is made.
func (m *Maker) fileMode(it *item.Item) uint32 { return m.Attr.FileMode(it.Type, &it.Stat) }

// removePartial removes a failed copy. It leaves the target of a symbolic link, written FIFOs and
// devices, and existing files with unchanged content.
func (m *Maker) removePartial(it *item.Item) {
	overwritten := it.Existing == at.Regular && m.job.Opt.Make != option.MakeAttributes
	if (it.Fresh || overwritten) && !it.BehindLink {
		_ = m.Kernel.Unlink(it.Dir.DstFD, it.Dst)
	}
}
