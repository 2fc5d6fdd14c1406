package paths

import (
	"fmt"
	"os"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestUnalignedDirect makes direct transfers with unaligned offset, length or memory. The results
// must be os's, also when queued.
func TestUnalignedDirect(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		ours := testenv.DirectOn(t, s, dir, 64*testenv.PageSize)
		theirs := testenv.Must(t, testenv.OSOpen, ours.Name(), os.O_RDWR|sys.O_DIRECT)
		b := testenv.AlignedBytes(4 * testenv.PageSize)
		for _, busy := range []bool{false, true} {
			if busy {
				defer testenv.KeepBusy(t, ours, 6)()
			}
			for _, off := range []int64{0, 1, 512, testenv.PageSize, 64*testenv.PageSize - 512, 64*testenv.PageSize - 1} {
				for _, n := range []int{1, 511, 512, testenv.PageSize, testenv.PageSize + 1} {
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

func tried(n int, err error) (int, string) { return n, testenv.Describe(err, "") }
