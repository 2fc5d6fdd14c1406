package testenv

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func init() {
	places.FileSystems["fuse"] = func(t testing.TB, size int64) string {
		return MountFUSE(t, places.FileSystems["ext4"](t, size), "")
	}
}

// MountFUSE mounts the directory of through a child process (see serveFUSE).
func MountFUSE(t testing.TB, of, how string) (dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		skip.For(t, skip.Root, "mounting needs root")
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		skip.For(t, skip.FUSE, err)
	}
	dir = filepath.Join(t.TempDir(), "mounted")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), ChildEnv+"=fuse", "SLUICE_TEST_DIR="+of, "SLUICE_TEST_MOUNT="+dir, "SLUICE_TEST_HOW="+how)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = unix.Unmount(dir, unix.MNT_DETACH) // there is no mount if it has failed
		defer time.AfterFunc(Patience, func() { _ = cmd.Process.Kill() }).Stop()
		if err := cmd.Wait(); err != nil && !t.Skipped() {
			t.Errorf("the file system's process: %v", err)
		}
	})
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "mounted\n" {
		skip.For(t, skip.FUSE, "no FUSE: ", line)
	}
	return dir
}
