package sluice_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/sluiceio/sluice"
)

// TestUnalignedDirect makes direct transfers whose offset, length or memory
// is no block's: what os answers, while queued as well.
func TestUnalignedDirect(t *testing.T) {
	eachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		ours := directOn(t, s, dir, 64*pageSize)
		theirs := must(t, osOpen, ours.Name(), os.O_RDWR|oDirect)
		b := alignedBytes(4 * pageSize)
		for _, busy := range []bool{false, true} {
			if busy {
				defer keepBusy(t, ours, 6)()
			}
			for _, off := range []int64{0, 1, 512, pageSize, 64*pageSize - 512, 64*pageSize - 1} {
				for _, n := range []int{1, 511, 512, pageSize, pageSize + 1} {
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

func tried(n int, err error) (int, string) { return n, describe(err, "") }
