package paths

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// Hazard: io_uring refuses a direct write that cannot wait if the page cache has the block. Each
// such write becomes a plain call, which keeps a processor from the goroutines. Guard:
// iopath.Paths.leftToKernel, on file systems on which several kernel workers may write to a file.
func TestDirectWritesOverCachedBlocks(t *testing.T) {
	const blocks = 32
	for _, c := range []struct {
		fs    string
		plain int64 // writes that are plain calls
	}{{"ext4", 1}, {"xfs", 1}, {"btrfs", blocks}} {
		t.Run(c.fs, func(t *testing.T) {
			name := filepath.Join(places.FileSystems[c.fs](t, 128<<20), "file")
			old, written := testenv.Noise(blocks*testenv.PageSize), bytes.Repeat([]byte("written "), blocks*testenv.PageSize/8)
			testenv.Write(t, name, string(old))
			s := testenv.SchedulerWith(t, sched.Options{}, sluice.Options{Driver: "uring"})
			if testenv.CoreOf(s).Driver().Workers == 0 {
				skip.For(t, skip.Kernel, "needs io_uring of Linux 6.7")
			}
			f, err := s.OpenFile(name, os.O_RDWR|sys.O_DIRECT, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			buf, before := testenv.AlignedBytes(testenv.PageSize), s.Stats()
			for off := 0; off < len(old); off += testenv.PageSize {
				cached, err := os.ReadFile(name)
				if err != nil || !bytes.Equal(cached[off:], old[off:]) {
					t.Fatalf("a block at %d or beyond has changed before it was written, or %v", off, err)
				}
				copy(buf, written[off:])
				if n, err := f.WriteAt(buf, int64(off)); n != len(buf) || err != nil {
					t.Fatalf("write at %d = %d, %v", off, n, err)
				}
			}
			now := s.Stats()
			if plain := now.Plain - before.Plain; plain != c.plain {
				t.Errorf("%d of %d writes are plain calls; want %d", plain, blocks, c.plain)
			}
			if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, written) {
				t.Errorf("the file has not what was written, or %v", err)
			}
		})
	}
}
