package proof_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/option"
	fs "github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
)

var syncFileSystem = option.Options{Sync: option.SyncFileSystem, WriteDangling: true}

// TestSyncElsewhere checks that with SyncFileSystem a file on another file system than its
// directory gets an fsync.
func TestSyncElsewhere(t *testing.T) {
	here, there := t.TempDir(), memory(t)
	if device(t, here) == device(t, there) {
		skip.For(t, skip.Tmpfs, "there is no second file system")
	}
	t.Chdir(here)
	for _, name := range []string{"old", "near", filepath.Join(there, "old")} {
		put(t, name, "what was there, and is longer")
	}
	put(t, "file", "content")
	must(t, os.Symlink("near", "link to near"), os.Symlink(filepath.Join(there, "old"), "link"), os.Symlink(filepath.Join(there, "new"), "dangling link"))
	for dst, want := range map[string]int64{"new": 0, "old": 0, "link to near": 0, "link": 1, "dangling link": 1} {
		r := copied(t, dst, "file", syncFileSystem)
		holds(t, dst, "content")
		if r.Synced != want {
			t.Errorf("%s: %d synced by themselves; want %d", dst, r.Synced, want)
		}
	}
}

// device returns the number of a directory's file system.
func device(t *testing.T, dir string) uint64 {
	t.Helper()
	var st unix.Stat_t
	must(t, unix.Stat(dir, &st))
	return st.Dev
}

// TestSyncMountedFile writes a file of the tree to a file that is mounted at its name.
func TestSyncMountedFile(t *testing.T) {
	there := places["tmpfs"](t)
	t.Chdir(t.TempDir())
	put(t, "tree/file", "content")
	put(t, "tree/other", "content")
	put(t, "copy/file", "hidden")
	put(t, filepath.Join(there, "file"), "old")
	tool(t, "mount --bind", filepath.Join(there, "file"), "copy/file")
	defer func() { fs.Unmount(t, "copy/file") }() // no longer in use
	r := copied(t, "copy", "tree", syncFileSystem)
	holds(t, filepath.Join(there, "file"), "content")
	if r.Synced != 1 {
		t.Errorf("%d synced by themselves; want the mounted file", r.Synced)
	}
}

// TestSyncDevice checks a block device: syncfs(2) of the directory with its name does not write the
// device's cached data.
func TestSyncDevice(t *testing.T) {
	needRoot(t)
	device := fs.Loop(t, 1<<20)
	t.Chdir(t.TempDir())
	put(t, "file", "content")
	if r := copied(t, device, "file", syncFileSystem); r.Synced != 1 {
		t.Errorf("%d synced by themselves; want the device", r.Synced)
	}
}
