package entry

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/conflict"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// pretend finds out what a copy would do with an entry (DryRun).
func (m *Maker) pretend(it *item.Item) error {
	if it.Dir.Absent {
		if err := m.Kernel.Stat(it.Dir.SrcFD, it.Src, it.Follow, &it.Stat); err != nil {
			return fault.Source("stat", err)
		}
		it.Type = it.Stat.Type()
	} else {
		action, err := m.conflict.Resolve(it)
		if err != nil {
			return err
		}
		if action == conflict.Leave {
			it.What = report.Skipped
			return nil
		}
	}
	it.What = m.would(it)
	if it.What == report.Copied {
		it.Bytes = it.Stat.Size
	}
	return nil
}

// would returns the kind of file that would be made.
func (m *Maker) would(it *item.Item) report.What {
	switch {
	case m.job.Opt.Make == option.MakeHardLink:
		return report.Linked
	case m.job.Opt.Make == option.MakeSymlink, it.Type == at.Symlink:
		return report.Symlinked
	case it.Type != at.Regular && !m.job.Opt.CopyContents:
		return report.MadeSpecial
	}
	return report.Copied
}
