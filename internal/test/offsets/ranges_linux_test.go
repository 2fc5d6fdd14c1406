package offsets

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
)

const keepSize = unix.FALLOC_FL_KEEP_SIZE

// rangeOf is an operation on n bytes at off, with its system call.
type rangeOf struct {
	name string
	do   func(off, n int64) error
	call func(fd int, off, n int64) error
}

// TestRanges checks that the methods for a range fail at the edges at which their system calls do.
func TestRanges(t *testing.T) {
	everywhere(t, func(t *testing.T, s *sluice.Scheduler, dir string, edge int64) {
		want, got := create(t, filepath.Join(dir, "want")), create(t, filepath.Join(dir, "got"))
		for _, op := range rangesOf(t, s, got.Name()) {
			for _, a := range ranges(edge) {
				for _, n := range []int64{int64(a.n), edge, math.MaxInt64 - a.off, math.MaxInt64} {
					if !op.skips(a.off, n) {
						op.check(t, a.off, n, want, got)
					}
				}
			}
		}
	})
}

// skips reports whether op is not compared. 0 bytes are allowed here and EINVAL for fallocate(2),
// and no file system here has room for so many.
func (op rangeOf) skips(off, n int64) bool {
	return n == 0 || strings.HasSuffix(op.name, "Allocate") && n > 1<<20 && n <= math.MaxInt64-off
}

func (op rangeOf) check(t *testing.T, off, n int64, want, got *os.File) {
	err, wantErr := op.do(off, n), op.call(int(want.Fd()), off, n)
	if kind(err) != kind(wantErr) {
		t.Errorf("%s of %#x bytes at %#x = %v; want %v", op.name, n, off, err, wantErr)
	}
	if has, wants := size(t, got), size(t, want); has != wants {
		t.Errorf("%s of %#x bytes at %#x: %#x bytes; want %#x", op.name, n, off, has, wants)
	}
	empty(t, want)
	empty(t, got)
}

func allocate(fd int, off, n int64) error { return unix.Fallocate(fd, keepSize, off, n) }

func punch(fd int, off, n int64) error {
	return unix.Fallocate(fd, keepSize|unix.FALLOC_FL_PUNCH_HOLE, off, n)
}

func advise(fd int, off, n int64) error { return unix.Fadvise(fd, off, n, unix.FADV_DONTNEED) }

func syncRange(fd int, off, n int64) error {
	return unix.SyncFileRange(fd, off, n, unix.SYNC_FILE_RANGE_WRITE)
}

func truncate(fd int, off, _ int64) error { return unix.Ftruncate(fd, off) }

func rangesOf(t *testing.T, s *sluice.Scheduler, name string) []rangeOf {
	f, err := s.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	d := openDirect(t, s, name, os.O_RDWR)
	c := newCache(t).File(openDirect(t, s, name, os.O_RDWR))
	all := fileRanges(f)
	all = append(all, otherRanges(d, c)...)
	return append(all, batchRanges(t, s, f)...)
}

func fileRanges(f *sluice.File) []rangeOf {
	return []rangeOf{
		{"File.Allocate", f.Allocate, allocate},
		{"File.PunchHole", f.PunchHole, punch},
		{"File.SyncRange", f.SyncRange, syncRange},
		{"File.Prefetch", f.Prefetch, advise},
		{"File.Truncate", func(off, _ int64) error { return f.Truncate(off) }, truncate},
		{"File.Advise", func(off, n int64) error {
			return f.Advise(off, n, sluice.AdviceDontNeed)
		}, advise},
	}
}

func otherRanges(d *direct.File, c *cache.File) []rangeOf {
	return []rangeOf{
		{"direct.Allocate", d.Allocate, allocate},
		{"direct.PunchHole", d.PunchHole, punch},
		{"direct.Truncate", func(off, _ int64) error { return d.Truncate(off) }, truncate},
		{"cache.Truncate", func(off, _ int64) error { return c.Truncate(off) }, truncate},
	}
}

func batchRanges(t *testing.T, s *sluice.Scheduler, f *sluice.File) []rangeOf {
	in := func(add func(c batch.Chain, off, n int64) *batch.Op) func(off, n int64) error {
		return func(off, n int64) error {
			_, err := batched(t, s, func(c batch.Chain) *batch.Op { return add(c, off, n) })
			return err
		}
	}
	return []rangeOf{
		{"batch.Allocate", in(func(c batch.Chain, off, n int64) *batch.Op {
			return c.Allocate(batch.On(f), off, n)
		}), allocate},
		{"batch.Advise", in(func(c batch.Chain, off, n int64) *batch.Op {
			return c.Advise(batch.On(f), off, n, sluice.AdviceDontNeed)
		}), advise},
		{"batch.Truncate", in(func(c batch.Chain, off, _ int64) *batch.Op {
			return c.Truncate(batch.On(f), off)
		}), truncate},
	}
}
