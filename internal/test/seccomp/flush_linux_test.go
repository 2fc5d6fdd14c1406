package seccomp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

func init() { testenv.Children["failed flush"] = runFailedFlush }

// TestFailedFlushFailsSync checks that Sync of a direct.File fails after an Allocate that could not
// write the page cache back. That may have given up the bytes of an earlier WriteAt, and an fsync
// then finds nothing to write.
func TestFailedFlushFailsSync(t *testing.T) {
	if out, ok := testenv.Child(t, "failed flush", testenv.DirEnv+"="+t.TempDir()); !ok {
		t.Error(out)
	}
}

func runFailedFlush() error {
	f, err := direct.Create(filepath.Join(os.Getenv(testenv.DirEnv), "file"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := testenv.Deny([]uint32{unix.SYS_SYNC_FILE_RANGE}, unix.EIO); err != nil {
		fmt.Println("skip: seccomp:", err)
		return nil
	}
	if _, err := f.WriteAt(make([]byte, 100), 0); err != nil {
		return err
	}
	if err := f.Allocate(1<<20, 4096); !errors.Is(err, unix.EIO) {
		return fmt.Errorf("Allocate = %w; want EIO", err)
	}
	if err := f.Sync(); !errors.Is(err, unix.EIO) {
		return fmt.Errorf("Sync = %w; want EIO", err)
	}
	return nil
}
