//go:build unix

package durable

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

type path string

func (p path) String() string { return string(p) }

// written makes a file, and returns it for Add.
func written(t *testing.T, dir, name string, b []byte) File {
	t.Helper()
	fd, err := unix.Open(filepath.Join(dir, name), unix.O_WRONLY|unix.O_CREAT|unix.O_CLOEXEC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := unix.Write(fd, b); n != len(b) || err != nil {
		t.Fatalf("write = %d, %v", n, err)
	}
	return File{FD: fd, Dir: path(dir), Name: name}
}

// watching returns a Syncer that watches dir's file system.
func watching(t *testing.T, cfg Config, dir string) *Syncer {
	t.Helper()
	if cfg.Close == nil {
		cfg.Close = unix.Close
	}
	s := New(cfg)
	d, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for range 2 { // the second call does nothing
		if err := s.Watch(1, int(d.Fd()), path(dir)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestSyncer checks that files from several goroutines are synced once each. Only few may be open
// at a time, and none at the end.
func TestSyncer(t *testing.T) {
	const adders, each = 8, 100
	dir := t.TempDir()
	var added, synced, most atomic.Int64
	s := watching(t, Config{
		Scheduler: testenv.Core(t),
		Failed:    func(f File, err error) { t.Errorf("%s: %v", f.Path(), err) },
		Synced:    func() { synced.Add(1) },
	}, dir)
	s.maxChunk = 10
	fds := make([]int, adders*each)
	var wg sync.WaitGroup
	for a := range adders {
		wg.Go(func() {
			for i := range each {
				f := written(t, dir, fmt.Sprint(a, "-", i), []byte("content"))
				fds[a*each+i] = f.FD
				open := added.Add(1) - synced.Load()
				for m := most.Load(); open > m && !most.CompareAndSwap(m, open); m = most.Load() {
				}
				s.Add(f)
			}
		})
	}
	wg.Wait()
	if err := s.Finish(); len(err) > 0 {
		t.Error(err)
	}
	if n := synced.Load(); n != adders*each {
		t.Errorf("%d were synced; want %d", n, adders*each)
	}
	if n := most.Load(); n > int64(2*s.maxChunk+adders) {
		t.Errorf("%d were open at a time; want %d at most", n, 2*s.maxChunk+adders)
	}
	for _, fd := range fds {
		if of(fd) == dir {
			t.Errorf("%d is still open", fd)
		}
	}
}

// of returns the path of an open file, if the system knows it.
func of(fd int) string {
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return ""
	}
	return filepath.Dir(name)
}

func TestPath(t *testing.T) {
	if got := (File{Dir: path("a/b"), Name: "c"}).Path(); got != "a/b/c" {
		t.Errorf("Path of a file = %q", got)
	}
	if got := (File{Dir: path("a/b")}).Path(); got != "a/b" {
		t.Errorf("Path of a directory = %q", got)
	}
}

// A copy's error has a path and the name of a call. Its text must not repeat them.
func TestWatchError(t *testing.T) {
	if err := New(Config{}).Watch(1, -1, path("dir")); HasFileSystems && err != unix.EBADF {
		t.Errorf("Watch of no directory = %v; want EBADF, bare", err)
	}
}

// The error of a file system has the directory that was watched first, and the system's text.
func TestFileSystemError(t *testing.T) {
	dir := t.TempDir()
	s := watching(t, Config{}, dir)
	if !HasFileSystems {
		skip.For(t, skip.Platform, "the system syncs no file system as a whole")
	}
	unix.Close(s.watched[0].fd)
	s.watched[0].fd = -1
	errs := s.Finish()
	if len(errs) != 1 || errs[0].Error() != "syncfs "+dir+": "+unix.EBADF.Error() {
		t.Errorf("Finish = %v; want EBADF of syncfs for %s", errs, dir)
	}
}
