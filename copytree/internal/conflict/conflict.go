// Package conflict decides what happens to an existing file at the place of a copy. The file is
// left, overwritten, removed, renamed to a backup, or replaced in one step. The rules are GNU cp's.
//
//	action, err := resolver.Resolve(&it)
//	switch {
//	case err != nil:
//		return err
//	case action == conflict.Leave:
//		return nil
//	…
//
// # Concurrency
//
// Each worker has its own Resolver.
package conflict

import (
	"errors"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/made"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Resolver resolves conflicts.
type Resolver struct {
	Kernel *at.Kernel
	Opt    *option.Options
	Report *report.Report
	Made   *made.Record
	// Several says that the copy has several Pairs, some perhaps with the same Dst.
	Several bool

	steps map[uint64]int64 // of measured file systems, by st_dev; see step
}

// Action is the caller's next step where a file exists.
type Action uint8

// The actions.
const (
	Leave     Action = iota // make no copy
	Overwrite               // open the existing file, and write to it
	Retry                   // make the copy again: the place is free now
	Replace                 // make the copy under another name, then rename it
	Through                 // create the file at the target of the symbolic link
)

// Resolve decides what happens to the existing file at the place of the copy, and makes room for
// the copy.
func (r *Resolver) Resolve(it *item.Item) (Action, error) {
	var s at.Stat
	err := r.Kernel.Stat(it.Dir.DstFD, it.Dst, at.NoFollow, &s)
	again := err == nil && r.Several && it.Root && r.Made.HasRoot(it.Place(), s.ID)
	if err == nil && s.Type() == at.Symlink && bool(it.Through) {
		err = r.lookBehind(it, &s)
	}
	switch {
	case errors.Is(err, syscall.ENOENT):
		return Retry, nil
	case errors.Is(err, fault.ErrDangling) && again:
		return Leave, fault.Dest("open", fault.ErrThrough)
	case errors.Is(err, fault.ErrDangling) && r.Opt.WriteDangling:
		return Through, nil
	case err != nil:
		return Leave, fault.Dest("stat", err)
	case r.Opt.Existing == option.Skip:
		return Leave, nil
	}
	like := r.compare(it, &s)
	if like == same {
		return Leave, fault.Source("copy", fault.ErrSameFile)
	}
	if keep, err := r.keeps(it, &s); keep || err != nil || like == asWanted {
		it.SameType = s.Type() == it.Type
		return Leave, err
	}
	if err := r.refusal(it, &s, again); err != nil {
		return Leave, err
	}
	return r.makeRoom(it, &s)
}

// lookBehind sets s to the Stat of a symbolic link's target, if the link is at Dst and the copy
// goes to the target instead of replacing the link.
func (r *Resolver) lookBehind(it *item.Item, s *at.Stat) error {
	if r.Opt.Unlink || r.Opt.Backup != nil || !r.Opt.CopiesContent(it.Type) || r.Opt.MakesLinks() {
		return nil // the link itself is replaced
	}
	err := r.Kernel.Stat(it.Dir.DstFD, it.Dst, at.FollowsLinks, s)
	switch {
	case errors.Is(err, syscall.ENOENT):
		return fault.ErrDangling
	case errors.Is(err, syscall.ELOOP) && r.Opt.Force:
		return nil // a loop of links cannot be opened, so the link itself is replaced
	}
	it.BehindLink = true
	return err
}

// refusal returns why the existing file must not be touched, or nil. again says that the existing
// file is another Pair's copy.
func (r *Resolver) refusal(it *item.Item, s *at.Stat, again bool) error {
	switch {
	case again && it.BehindLink:
		return fault.Dest("open", fault.ErrThrough)
	case again && s.Type() != at.Directory && !r.Opt.NumberedBackup:
		return fault.Dest("open", fault.ErrTwice)
	case s.Type() == at.Directory:
		return fault.Dest("open", fault.ErrIsDir)
	}
	return nil
}

// keeps reports whether the options leave the existing file as it is.
func (r *Resolver) keeps(it *item.Item, s *at.Stat) (keep bool, err error) {
	switch {
	case r.Opt.Existing == option.SkipFail:
		return true, fault.Dest("open", fault.ErrExists)
	case r.Opt.Existing == option.Older && !s.Mtime.Before(r.sourceTime(it, s)):
		return true, nil
	case r.Opt.Resume && !r.separate(it) && r.complete(it, s):
		return true, nil
	case r.Opt.DryRun || r.Opt.Ask == nil:
		return false, nil
	}
	r.Report.Call(func() { keep = !r.Opt.Ask(it.DstPath()) })
	return keep, nil
}

// separate reports whether the existing file is a copy where a hard link to another copy is wanted
// (PreserveLinks): a killed copy has made it.
func (r *Resolver) separate(it *item.Item) bool {
	return it.What == report.Linked && !r.Opt.MakesLinks()
}

// complete reports whether the existing file is a complete copy of the source (Resume). Size and
// times do not suffice: a copy gets its times before its owner and mode, and may have been killed
// in between.
func (r *Resolver) complete(it *item.Item, s *at.Stat) bool {
	src := &it.Stat
	if s.Type() != it.Type || s.Size != src.Size || s.Mtime != r.sourceTime(it, s) {
		return false
	}
	owned := s.UID == src.UID && s.GID == src.GID
	if !owned && r.Opt.Preserve&r.Opt.Require&option.PreserveOwner != 0 {
		return false
	}
	if r.Opt.Preserve&option.PreserveMode == 0 || it.Type == at.Symlink {
		return true
	}
	bits := uint32(at.ModeBits)
	if !owned {
		bits &^= at.ModeSUID | at.ModeSGID // a copy with another owner does not get them
	}
	return s.Mode&bits == src.Mode&bits
}

// KeepsUnreadable reports whether an unreadable source is no error, because the existing file stays
// anyway.
func (r *Resolver) KeepsUnreadable(it *item.Item) bool {
	var s at.Stat
	if r.Opt.Existing != option.Skip && r.Opt.Existing != option.Older ||
		r.Kernel.Stat(it.Dir.SrcFD, it.Src, it.Follow, &it.Stat) != nil ||
		r.Kernel.Stat(it.Dir.DstFD, it.Dst, it.Through, &s) != nil {
		return false
	}
	return r.Opt.Existing == option.Skip || s.ID != it.Stat.ID && !s.Mtime.Before(r.sourceTime(it, &s))
}

// Done records a finished copy, which now has its name, for later Pairs.
func (r *Resolver) Done(it *item.Item) {
	var s at.Stat
	if r.Several && it.Root && r.Kernel.Stat(it.Dir.DstFD, it.Dst, at.NoFollow, &s) == nil {
		r.Made.AddRoot(it.Place(), s.ID)
	}
}
