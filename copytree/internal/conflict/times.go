package conflict

import (
	"fmt"
	"math/rand/v2"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// Some file systems keep times in coarser steps than the source's, and round them down. ext4 with
// small inodes keeps seconds; vfat keeps even seconds. A complete copy with its source's time then
// looks older than the source.

// steps are possible steps of file systems' times, in nanoseconds.
var steps = [...]int64{10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 2e9}

// exact is the step of a file system that keeps times unchanged.
const exact = 1

// sourceTime returns the source's modification time, rounded as on the file system of the existing
// file, whose Stat is s. Without PreserveTimes the copy has another time, and sourceTime does not
// round.
func (r *Resolver) sourceTime(it *item.Item, s *at.Stat) at.Time {
	t := it.Stat.Mtime
	if r.Opt.Preserve&option.PreserveTimes == 0 || !maybeCut(s.Mtime, t) {
		return t
	}
	return t.Cut(r.step(it, s.Dev))
}

// maybeCut reports whether some file system would round t to kept.
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
	if err != nil || at != dev { // dev may be a link target's, in another directory
		return exact
	}
	if r.steps == nil {
		r.steps = map[uint64]int64{}
	}
	r.steps[dev] = step
	return step
}

// measure sets a time on a file in the copy's directory, and reads it back. The file has no name if
// the file system allows that. Otherwise it has one for a moment, but not in a dry run.
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
	fine := at.Time{Sec: 1e9 + 1, Nsec: 1e9 - 1} // every step rounds it
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

// stepOf returns the step of a file system that rounds t to kept.
func stepOf(t, kept at.Time) int64 {
	for _, step := range steps {
		if kept != t && kept == t.Cut(step) {
			return step
		}
	}
	return exact
}
