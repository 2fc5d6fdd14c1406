package sluice_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
)

func init() {
	fileSystems["fuse"] = func(t testing.TB, size int64) string {
		return mountFUSE(t, fileSystems["ext4"](t, size), "")
	}
}

// mountFUSE mounts the directory of through a process of ours; see serveFUSE.
func mountFUSE(t testing.TB, of, how string) (dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("mounting needs root")
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip(err)
	}
	dir = filepath.Join(t.TempDir(), "mounted")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childEnv+"=fuse", "SLUICE_TEST_DIR="+of, "SLUICE_TEST_MOUNT="+dir, "SLUICE_TEST_HOW="+how)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = unix.Unmount(dir, unix.MNT_DETACH) // it is not there if the mount has failed
		defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
		if err := cmd.Wait(); err != nil && !t.Skipped() {
			t.Errorf("the file system's process: %v", err)
		}
	})
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "mounted\n" {
		t.Skip("no FUSE: ", line)
	}
	return dir
}

// TestDirectOnFUSE: with a server that takes O_DIRECT and one that does not,
// also with one that has the kernel keep what is written.
func TestDirectOnFUSE(t *testing.T) {
	for how, explained := range map[string]string{"": "direct", "refuses": "buffered: O_DIRECT is refused", "writeback": "direct"} {
		t.Run("server "+how, func(t *testing.T) {
			eachDriverIn(t, mountFUSE(t, t.TempDir(), how), func(t *testing.T, s *sluice.Scheduler, dir string) {
				name := filepath.Join(dir, "file")
				f, err := s.CreateDirect(name)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if !strings.HasPrefix(f.Explain(), explained) {
					t.Errorf("Explain = %q; want %q", f.Explain(), explained)
				}
				want := bytes.Repeat([]byte("what is written "), 20000)
				for off := 0; off < len(want); off += 70001 {
					if _, err := f.WriteAt(want[off:min(off+70001, len(want))], int64(off)); err != nil {
						t.Fatal(err)
					}
				}
				if err := f.Sync(); err != nil {
					t.Error(err)
				}
				got := make([]byte, len(want)-5)
				if n, err := f.ReadAt(got, 5); n != len(got) || err != nil || !bytes.Equal(got, want[5:]) {
					t.Errorf("ReadAt = %d, %v; want %d, and what was written", n, err, len(got))
				}
				if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
					t.Errorf("the file has %d bytes, %v; want the %d that were written", len(got), err, len(want))
				}
				if err := f.Truncate(12345); err != nil {
					t.Error(err)
				}
				if size, err := f.Size(); size != 12345 || err != nil {
					t.Errorf("Size = %d, %v; want 12345", size, err)
				}
			})
		})
	}
}
