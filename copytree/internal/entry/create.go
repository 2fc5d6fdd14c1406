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

// attempts is how often a copy is made again where another process makes or
// removes something at the same time.
const attempts = 8

// create creates the copy or opens what exists for it. If that is to be left, no
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

// createThrough creates the copy where the symbolic link at its place leads.
func (m *Maker) createThrough(it *item.Item) (err error) {
	o := at.Opening{Access: m.access, Create: true, Mode: m.fileMode(it)}
	it.DstFD, err = m.Kernel.Overwrite(it.Dir.DstFD, it.Dst, at.FollowsLinks, o)
	it.Fresh, it.BehindLink, it.Elsewhere = true, true, true
	return fault.Dest("open", err)
}

// overwrite opens what exists and makes it empty. With Force, what cannot be opened
// is removed.
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

// fileMode returns the permissions that the copy is made with.
func (m *Maker) fileMode(it *item.Item) uint32 { return m.Attr.FileMode(it.Type, &it.Stat) }

// removePartial removes a copy that has failed. It leaves what was reached through
// a symbolic link, FIFOs and devices that were written to, and files that existed
// before and whose content was not touched.
func (m *Maker) removePartial(it *item.Item) {
	overwritten := it.Existing == at.Regular && m.job.Opt.Make != option.MakeAttributes
	if (it.Fresh || overwritten) && !it.BehindLink {
		_ = m.Kernel.Unlink(it.Dir.DstFD, it.Dst)
	}
}
