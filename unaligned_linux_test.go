package sluice_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sluicetest"
	"github.com/sluiceio/sluice/internal/sys"
)

// TestUnalignedDirect makes direct transfers whose offset, length or memory
// is no block's: what os answers, while queued as well.
func TestUnalignedDirect(t *testing.T) {
	sluicetest.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		ours := sluicetest.DirectOn(t, s, dir, 64*sluicetest.PageSize)
		theirs := sluicetest.Must(t, sluicetest.OSOpen, ours.Name(), os.O_RDWR|sys.O_DIRECT)
		b := sluicetest.AlignedBytes(4 * sluicetest.PageSize)
		for _, busy := range []bool{false, true} {
			if busy {
				defer sluicetest.KeepBusy(t, ours, 6)()
			}
			for _, off := range []int64{0, 1, 512, sluicetest.PageSize, 64*sluicetest.PageSize - 512, 64*sluicetest.PageSize - 1} {
				for _, n := range []int{1, 511, 512, sluicetest.PageSize, sluicetest.PageSize + 1} {
					for _, start := range []int{0, 1, 4, 512} {
						want := fmt.Sprint(tried(theirs.ReadAt(b[start:start+n], off)))
						if got := fmt.Sprint(tried(ours.ReadAt(b[start:start+n], off))); got != want {
							t.Errorf("busy %v: ReadAt %d bytes at %d into %d = %s; want %s", busy, n, off, start, got, want)
						}
					}
				}
			}
		}
	})
}

func tried(n int, err error) (int, string) { return n, sluicetest.Describe(err, "") }
