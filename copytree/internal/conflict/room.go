package conflict

import (
	"errors"
	"path/filepath"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// makeRoom removes or renames the existing file, unless the copy overwrites it.
func (r *Resolver) makeRoom(it *item.Item, s *at.Stat) (Action, error) {
	if r.Opt.Backup != nil {
		if done, err := r.backUp(it); done || err != nil {
			return Retry, err
		}
	}
	replaces := r.replaces(it, s)
	if op := r.failingCall(it); op != "" && !replaces && !r.Opt.Unlink {
		return Leave, fault.Dest(op, syscall.EEXIST)
	}
	if !replaces && r.writable(it, s) {
		it.Existing = s.Type()
		it.Elsewhere = s.Type() == at.BlockDev || s.Dev != it.Dir.CopyID.Dev
		return Overwrite, nil
	}
	// GNU cp also replaces a file in one step if only a symbolic link's attributes are copied.
	attributesOnly := r.Opt.Make == option.MakeAttributes && it.Type == at.Symlink
	if (r.Opt.MakesLinks() || attributesOnly) && !r.Opt.Unlink {
		return Replace, nil
	}
	it.Removed = true
	return Retry, r.Unlink(it)
}

// replaces reports whether the copy always replaces the existing file. One case is a copy that is
// no regular file, if symbolic links are not followed. The other is an existing file with several
// names, if links are kept.
func (r *Resolver) replaces(it *item.Item, s *at.Stat) bool {
	if r.Opt.Make == option.MakeAttributes {
		return false
	}
	return it.Type != at.Regular && r.Opt.CopiesSymlink(it.Root) ||
		r.Opt.Preserve&option.PreserveLinks != 0 && s.Nlink > 1
}

// failingCall returns the system call that makes the copy and fails if the name exists. It is "" if
// the copy is written to the existing file or replaces it. With Force or Ask, links to the source
// replace it. So do special files if no symbolic links are followed.
func (r *Resolver) failingCall(it *item.Item) string {
	mayReplace := r.Opt.Force || r.Opt.Ask != nil
	switch {
	case r.Opt.Make == option.MakeHardLink && !mayReplace:
		return "link"
	case r.Opt.Make == option.MakeSymlink && !mayReplace,
		!r.Opt.MakesLinks() && it.Type == at.Symlink && !r.Opt.Force:
		return "symlink"
	case r.Opt.MakesLinks(), it.Type == at.Symlink, r.Opt.CopiesContent(it.Type):
		return ""
	}
	return it.MknodCall()
}

// writable reports whether the copy is written to the existing file.
func (r *Resolver) writable(it *item.Item, s *at.Stat) bool {
	if !r.Opt.CopiesContent(it.Type) || it.What == report.Linked || r.Opt.MakesLinks() || r.Opt.Unlink || !r.ownData(it, s) {
		return false
	}
	return s.Type() == at.Regular || bool(it.Through) && s.Type() != at.Symlink
}

// ownData reports whether writing to the existing file damages no other copy: none of its other
// names is a copy.
func (r *Resolver) ownData(it *item.Item, s *at.Stat) bool {
	if s.Nlink < 2 || r.Opt.Make == option.MakeAttributes {
		return true
	}
	return r.Opt.Preserve&option.PreserveLinks == 0 && r.Made.Claim(s.ID, it.Place())
}

// Unlink removes the existing file.
func (r *Resolver) Unlink(it *item.Item) error {
	if r.Opt.DryRun {
		return nil
	}
	err := r.Kernel.Unlink(it.Dir.DstFD, it.Dst)
	if errors.Is(err, syscall.ENOENT) {
		err = nil
	}
	return fault.Dest("unlink", err)
}

// backUp renames the existing file, if Backup has a name for it.
func (r *Resolver) backUp(it *item.Item) (done bool, err error) {
	r.Report.Call(func() { done, err = r.rename(it) })
	return done, err
}

// rename retries with a new number if another process has taken a backup's name.
func (r *Resolver) rename(it *item.Item) (done bool, err error) {
	path := it.DstPath()
	for before := ""; ; {
		to, err := r.Opt.Backup(path)
		if err != nil || to == "" {
			return false, fault.Dest("rename", err)
		}
		if filepath.Dir(to) != filepath.Dir(path) {
			return false, fault.Dest("rename", fault.ErrElsewhere)
		}
		err = r.renameTo(it, at.NameOf(filepath.Base(to)))
		if err == nil {
			it.Backup = to
		}
		if !r.Opt.NumberedBackup || !errors.Is(err, syscall.EEXIST) || to == before {
			return true, fault.Dest("rename", err)
		}
		before = to
	}
}

// renameTo renames the existing file.
func (r *Resolver) renameTo(it *item.Item, to at.Name) error {
	switch {
	case r.Opt.DryRun:
		return nil
	case r.Opt.NumberedBackup:
		return r.Kernel.RenameNew(it.Dir.DstFD, it.Dst, to)
	}
	return r.Kernel.Rename(it.Dir.DstFD, it.Dst, to)
}

// Restore renames a backup back after the copy failed.
func (r *Resolver) Restore(it *item.Item) {
	var s at.Stat
	if it.Backup == "" || r.Opt.DryRun || !errors.Is(r.Kernel.Stat(it.Dir.DstFD, it.Dst, at.NoFollow, &s), syscall.ENOENT) {
		return
	}
	_ = r.Kernel.Rename(it.Dir.DstFD, at.NameOf(filepath.Base(it.Backup)), it.Dst)
}
