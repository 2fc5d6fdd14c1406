package conflict

import (
	"fmt"
	"math/rand/v2"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// A file system may keep times in coarser steps than the source's, and cuts what is
// between them: ext4 with small inodes keeps seconds, vfat every second one. A copy
// that has kept its source's time is then older than the source, though it is complete.

// steps are the steps in which file systems keep times, in nanoseconds.
var steps = [...]int64{10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 2e9}

// exact is the step of a file system that keeps times as they are.
const exact = 1

// sourceTime returns the source's time of modification as the file system of what
// exists, whose Stat is s, keeps it. Without PreserveTimes the copy gets another time,
// and the source's stays as it is.
func (r *Resolver) sourceTime(it *item.Item, s *at.Stat) at.Time {
	t := it.Stat.Mtime
	if r.Opt.Preserve&option.PreserveTimes == 0 || !maybeCut(s.Mtime, t) {
		return t
	}
	return t.Cut(r.step(it, s.Dev))
}

// maybeCut reports whether some file system would keep t as kept, another time.
func maybeCut(kept, t at.Time) bool {
	return stepOf(t, kept) != exact
}

// step returns the step of the file system dev, which it measures once.
func (r *Resolver) step(it *item.Item, dev uint64) int64 {
	step, known := r.steps[dev]
	if known {
		return step
	}
	step, at, err := r.measure(it)
	if err != nil || at != dev { // dev is where a symbolic link leads: maybe another directory
		return exact
	}
	if r.steps == nil {
		r.steps = map[uint64]int64{}
	}
	r.steps[dev] = step
	return step
}

// measure gives a file in the directory of the copy a time, and sees what is kept of
// it. The file has no name where the file system can do that, and else one for a
// moment; a dry run makes no names.
func (r *Resolver) measure(it *item.Item) (step int64, dev uint64, err error) {
	dir, name := it.Dir.DstFD, at.Name(nil)
	fd, err := r.Kernel.CreateUnnamed(dir)
	if err != nil && !r.Opt.DryRun {
		name = at.NameOf(fmt.Sprintf(".sluice%08x", rand.Uint32()))
		fd, err = r.Kernel.Create(dir, name, 0o600, at.Write)
	}
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		_ = r.Kernel.Close(fd)
		if name != nil {
			_ = r.Kernel.Unlink(dir, name)
		}
	}()
	fine := at.Time{Sec: 1e9 + 1, Nsec: 1e9 - 1} // each step cuts something of it
	if err := r.Kernel.SetTimes(at.File{FD: fd}, fine, fine); err != nil {
		return 0, 0, err
	}
	var raw at.Raw
	var s at.Stat
	if err := r.Kernel.Fstat(fd, &raw, &s); err != nil {
		return 0, 0, err
	}
	return stepOf(fine, s.Mtime), s.Dev, nil
}

// stepOf returns the step of a file system that keeps t as kept.
func stepOf(t, kept at.Time) int64 {
	for _, step := range steps {
		if kept != t && kept == t.Cut(step) {
			return step
		}
	}
	return exact
}
