package places

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// Fill makes a file that leaves leave bytes of room on its file system. If that is impossible, it
// skips the test.
func Fill(t testing.TB, name string, leave int64) {
	t.Helper()
	room := Free(t, filepath.Dir(name)) - leave
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// A file system may need some of the room for its own blocks.
	for n, off := room, int64(0); n > 0 && off < room; {
		n = min(n, room-off)
		switch err := unix.Fallocate(int(f.Fd()), 0, off, n); err {
		case nil:
			off += n
		case unix.ENOSPC:
			n /= 2
		default:
			skip.For(t, skip.Case, "cannot be filled: ", err)
		}
	}
}

// Free returns how many bytes are free on the file system at dir.
func Free(t testing.TB, dir string) int64 {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	return int64(st.Bavail) * int64(st.Bsize) //nolint:unconvert // it has 32 bits elsewhere
}

// SyncFS writes all dirty data to the file system at dir. After it, freed room is available.
func SyncFS(t testing.TB, dir string) {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		t.Error(err)
	}
}
