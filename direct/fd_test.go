package direct_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestFd checks that the descriptor is of the same file.
func TestFd(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f, err := direct.OpenOn(s, dir+"/file", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Truncate(12345); err != nil {
			t.Fatal(err)
		}
		again, err := os.Open("/dev/fd/" + strconv.Itoa(int(f.Fd())))
		if err != nil {
			skip.For(t, skip.Proc, err)
		}
		defer again.Close()
		ours, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if info, err := again.Stat(); err != nil || !os.SameFile(info, ours) || info.Size() != 12345 {
			t.Errorf("Stat of the descriptor = %v, %v; want that of the file", info, err)
		}
	})
	if fd := (*direct.File)(nil).Fd(); fd != ^uintptr(0) {
		t.Errorf("Fd of nil = %d", fd)
	}
}
