// Package conflict decides what becomes of a file that exists at the place of a
// copy, and makes room: it is left, overwritten, removed, renamed to a backup, or
// replaced in one step. The rules are those of GNU cp.
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
	// Several says that the copy has several Pairs, which may have one Dst.
	Several bool

	steps map[uint64]int64 // of the file systems, by st_dev, that were measured: see step
}

// Action is what the caller is to do where something exists.
type Action uint8

// The actions.
const (
	Leave     Action = iota // make no copy
	Overwrite               // open what exists, and write to it
	Retry                   // make the copy again: the place is free now
	Replace                 // make the copy under another name, then rename it
	Through                 // create the file where the symbolic link leads that exists
)

// Resolve decides what becomes of what exists at the place of the copy, and makes
// room for the copy.
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

// lookBehind makes s the Stat of what a symbolic link at Dst leads to, if the copy
// is to be written there and not put in place of the link.
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

// refusal returns why what exists must not be touched. Again says that another
// Pair's copy is what exists.
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

// keeps reports whether the options say to leave what exists.
func (r *Resolver) keeps(it *item.Item, s *at.Stat) (keep bool, err error) {
	switch {
	case r.Opt.Existing == option.SkipFail:
		return true, fault.Dest("open", fault.ErrExists)
	case r.Opt.Existing == option.Older && !s.Mtime.Before(r.sourceTime(it, s)):
		return true, nil
	case r.Opt.Resume && r.complete(it, s):
		return true, nil
	case r.Opt.DryRun || r.Opt.Ask == nil:
		return false, nil
	}
	r.Report.Call(func() { keep = !r.Opt.Ask(it.DstPath()) })
	return keep, nil
}

// complete reports whether what exists is a complete copy of the source (Resume). The size and the
// times do not suffice: a copy gets its times before its owner and its mode, and may have been
// killed between.
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
		bits &^= at.ModeSUID | at.ModeSGID // which a copy of another owner does not get
	}
	return s.Mode&bits == src.Mode&bits
}

// KeepsUnreadable reports whether a source that cannot be opened is no error, as
// what exists would be left anyway.
func (r *Resolver) KeepsUnreadable(it *item.Item) bool {
	var s at.Stat
	if r.Opt.Existing != option.Skip && r.Opt.Existing != option.Older ||
		r.Kernel.Stat(it.Dir.SrcFD, it.Src, it.Follow, &it.Stat) != nil ||
		r.Kernel.Stat(it.Dir.DstFD, it.Dst, it.Through, &s) != nil {
		return false
	}
	return r.Opt.Existing == option.Skip || s.ID != it.Stat.ID && !s.Mtime.Before(r.sourceTime(it, &s))
}

// Done records a finished copy that the caller has named, for later Pairs.
func (r *Resolver) Done(it *item.Item) {
	var s at.Stat
	if r.Several && it.Root && r.Kernel.Stat(it.Dir.DstFD, it.Dst, at.NoFollow, &s) == nil {
		r.Made.AddRoot(it.Place(), s.ID)
	}
}
