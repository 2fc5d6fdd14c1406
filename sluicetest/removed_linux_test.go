package sluicetest_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/sluicetest"
)

// openInodes returns the inodes of the open files of this process that are on simulated disks.
func openInodes(t *testing.T) map[uint64]bool {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	open := map[uint64]bool{}
	for _, entry := range list {
		path := "/proc/self/fd/" + entry.Name()
		if name, _ := os.Readlink(path); !strings.HasPrefix(name, "/memfd:sluice-sim") {
			continue
		}
		if info, err := os.Stat(path); err == nil {
			open[info.Sys().(*syscall.Stat_t).Ino] = true
		}
	}
	return open
}

// TestRemovedFiles checks that a removed file takes no memory once it is closed and no crash can
// bring it back. Until then it takes memory.
func TestRemovedFiles(t *testing.T) {
	d := sluicetest.NewDisk(sluicetest.Options{})
	before := openInodes(t)
	wantFiles := func(when string, want int) {
		t.Helper()
		n := 0
		for inode := range openInodes(t) {
			if !before[inode] {
				n++
			}
		}
		if n != want {
			t.Errorf("%s, %d files are in memory; want %d", when, n, want)
		}
	}
	write := func(f *sluice.File) {
		_, err := f.WriteAt([]byte("a"), 0)
		must(t, err)
		must(t, f.Sync())
	}
	f := open(t, d, "f", os.O_CREATE|os.O_RDWR)
	write(f)
	must(t, d.Remove("f"))
	must(t, d.SyncNames())
	write(f)
	wantFiles("with a removed file that is open", 1)
	must(t, f.Close())
	must(t, d.SyncNames())
	wantFiles("after its Close and SyncNames", 0)

	for want := 1; want <= 2; want++ { // the second file replaces the first
		f := open(t, d, "new", os.O_CREATE|os.O_RDWR)
		write(f)
		must(t, f.Close())
		must(t, d.Rename("new", "g"))
		wantFiles("after a rename that a crash may undo", want)
		must(t, d.SyncNames())
		wantFiles("after SyncNames", 1)
	}
	must(t, d.Close())
}
