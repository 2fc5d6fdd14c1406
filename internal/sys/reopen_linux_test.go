package sys_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// In a program that has closed its standard input, a file may be opened as descriptor 0. Reopen
// does not return that number: nobody could tell it from the file's own descriptor.
func TestReopenIsNotZero(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !sys.KeptByInode(int(f.Fd())) {
		skip.For(t, skip.Disk, "temporary files are on ext4, xfs, btrfs or f2fs")
	}
	stdin, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(stdin)
	unix.Close(0)
	defer unix.Dup2(stdin, 0)
	fd := sys.Reopen(int(f.Fd()))
	if fd == 0 {
		t.Error("Reopen = 0")
	}
	if fd > 0 {
		unix.Close(fd)
	}
	if n, err := unix.FcntlInt(0, unix.F_GETFD, 0); err == nil {
		t.Errorf("descriptor 0 is left open: %d", n)
	}
}
