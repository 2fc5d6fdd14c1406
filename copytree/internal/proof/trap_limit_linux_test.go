package proof_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var wideN = flag.Int("sluice.wide.n", 200_000, "files in the directory of TestWideDirectory")

// bounded copies ./tree to ./copy with 64 descriptors, and prints its peak of resident memory in
// KiB.
func init() {
	testenv.Children["bounded"] = func() error {
		limit := unix.Rlimit{Cur: 64, Max: 64}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			return err
		}
		n, err := strconv.Atoi(os.Getenv("CONCURRENCY"))
		if err != nil {
			return err
		}
		o := all
		o.Concurrency = n
		if _, err := copyOne(context.Background(), "copy", "tree", o); err != nil {
			return err
		}
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return err
		}
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		fmt.Print(strings.Fields(peak)[0])
		return nil
	}
}

// copiedInBounds copies ./tree to ./copy in a child process with limits. It returns the child's
// peak of resident memory in bytes.
func copiedInBounds(t *testing.T, concurrency int) (peak int) {
	t.Helper()
	out, ok := testenv.Child(t, "bounded", fmt.Sprint("CONCURRENCY=", concurrency))
	kib, err := strconv.Atoi(out)
	if !ok || err != nil {
		t.Fatalf("%.2000s", out)
	}
	return kib << 10
}

// most is the resident memory that a copy may use, whatever the tree.
const most = 64 << 20

// memory makes a directory in memory, where many files cost little. If that is impossible, it makes
// a temporary directory.
func memory(t *testing.T) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sluice")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { // os.RemoveAll needs a descriptor for each directory
		if out, err := exec.Command("rm", "-rf", dir).CombinedOutput(); err != nil {
			t.Errorf("rm: %v: %s", err, out)
		}
	})
	return dir
}

// TestWideDirectory copies a directory of 200,000 files, or as many as the flag says. Memory must
// not grow with the directory.
func TestWideDirectory(t *testing.T) {
	t.Chdir(memory(t))
	must(t, os.Mkdir("tree", 0o755))
	for i := range *wideN {
		must(t, unix.Mknod(fmt.Sprintf("tree/%08d-some-name-of-a-file", i), unix.S_IFREG|0o644, 0))
	}
	peak := copiedInBounds(t, 0)
	t.Logf("%d files: %d MiB", *wideN, peak>>20)
	if peak > most {
		t.Errorf("%d files took %d MiB; want at most %d", *wideN, peak>>20, most>>20)
	}
	if found, err := treecmp.Compare("tree", "copy", treecmp.Mode|treecmp.Mtime); len(found) > 0 || err != nil {
		t.Error(found, err)
	}
}

// TestManyDirectories copies more directories than there are descriptors, wide and deep, many files
// at once. rcp runs out of descriptors.
func TestManyDirectories(t *testing.T) {
	for _, concurrency := range []int{0, 1, 200} {
		t.Run(fmt.Sprint(concurrency), func(t *testing.T) {
			t.Chdir(memory(t))
			for i := range 300 {
				put(t, fmt.Sprintf("tree/wide/%d/a/file", i), "content")
				put(t, fmt.Sprintf("tree/deep/%s/file", strings.Repeat("d/", i)), "content")
			}
			if peak := copiedInBounds(t, concurrency); peak > most {
				t.Errorf("it took %d MiB; want at most %d", peak>>20, most>>20)
			}
			if found, err := treecmp.Compare("tree", "copy", equal); len(found) > 0 || err != nil {
				t.Error(found, err)
			}
		})
	}
}

// TestDepth copies 10,000 directories inside each other. Their paths are too long for system calls.
func TestDepth(t *testing.T) {
	t.Chdir(memory(t))
	const depth = 10_000
	must(t, os.Mkdir("tree", 0o755))
	fd, err := unix.Open("tree", unix.O_PATH|unix.O_CLOEXEC, 0)
	must(t, err)
	for range depth {
		must(t, unix.Mkdirat(fd, "directory", 0o755))
		next, err := unix.Openat(fd, "directory", unix.O_PATH|unix.O_CLOEXEC, 0)
		must(t, err, unix.Close(fd))
		fd = next
	}
	must(t, unix.Mknodat(fd, "file", unix.S_IFREG|0o644, 0), unix.Close(fd))
	peak := copiedInBounds(t, 0)
	t.Logf("%d MiB", peak>>20)
	if peak > most {
		t.Errorf("it took %d MiB; want at most %d", peak>>20, most>>20)
	}
	if found, err := treecmp.Compare("tree", "copy", treecmp.Mode|treecmp.Mtime); len(found) > 0 || err != nil {
		t.Errorf("%.1000s, %v", fmt.Sprint(found), err)
	}
}

// TestNames checks that names may have any bytes. os.CopyFS requires UTF-8.
func TestNames(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"\xff", "a\nb", " ", "-rf", "--", "\"'", "\\", "é", "e\u0301", "...", strings.Repeat("\xfe", 255), "*", "~", "a\x01"}
	for _, name := range names {
		put(t, filepath.Join("tree", name, name), name)
	}
	r := copied(t, "copy", "tree", option.Options{})
	if int(r.Files) != len(names) || int(r.Dirs) != len(names)+1 {
		t.Errorf("%d files and %d directories; want %d and one more", r.Files, r.Dirs, len(names))
	}
	for _, name := range names {
		holds(t, filepath.Join("copy", name, name), name)
	}
}
