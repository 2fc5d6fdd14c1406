package sched

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// Calls on a file in memory take no permit, and calls on a file on a disk take one.
func TestMemoryTakesNoPermit(t *testing.T) {
	for _, c := range []struct {
		parent string
		memory bool
	}{{"/dev/shm", true}, {"/var/tmp", false}} {
		dir, err := os.MkdirTemp(c.parent, "sluice")
		if err != nil {
			skip.For(t, skip.Tmpfs, err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		o, err := os.Create(filepath.Join(dir, "f"))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if sys.InMemory(int(o.Fd())) != c.memory {
			t.Logf("%s is memory, or is not, unlike elsewhere", c.parent)
			continue
		}
		drv, err := pool.New(pool.Options{Depth: 8, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		var s *Scheduler
		taken := map[driver.Code]int{}
		s = newOn(drv, Options{Govern: true, Wrap: func(call iopath.Caller) iopath.Caller {
			return func(code driver.Code, fd int, b []byte, off int64) int32 {
				taken[code] += s.permits()
				return call(code, fd, b, off)
			}
		}})
		f := iopath.NewFile(int(o.Fd()), false, false)
		ctx := context.Background()
		const calls = 3
		for range calls {
			if n, err := s.WriteAt(ctx, f, make([]byte, 1<<20), 0); n != 1<<20 || err != nil {
				t.Fatalf("WriteAt = %d, %v", n, err)
			}
			if n, err := s.ReadAt(ctx, f, make([]byte, 1<<20), 0); n != 1<<20 || err != nil {
				t.Fatalf("ReadAt = %d, %v", n, err)
			}
		}
		want := map[bool]int{true: 0, false: calls}[c.memory]
		if taken[driver.Write] != want || taken[driver.Read] != want {
			t.Errorf("%s: %d permits for %d writes, %d for as many reads; want %d", c.parent, taken[driver.Write], calls, taken[driver.Read], want)
		}
		s.CloseFile(f)
		s.Close()
	}
}

// Another file system that has got the number of a tmpfs takes permits, also while somebody has the
// Device of that number.
func TestMemoryUnmounted(t *testing.T) {
	s := newOn(script.New(8), Options{Govern: true})
	defer s.Close()
	dir := t.TempDir()
	inMemory := func(kind string) (number uint64, memory bool) {
		if err := unix.Mount("none", dir, kind, 0, ""); err != nil {
			skip.For(t, skip.Mount, kind, ": ", err)
		}
		defer places.Unmount(t, dir)
		o, err := os.Create(filepath.Join(dir, "f"))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		f := iopath.NewFile(int(o.Fd()), false, false)
		defer s.CloseFile(f)
		d := s.DeviceOf(f)
		t.Cleanup(func() { runtime.KeepAlive(d) })
		return d.Number, s.paths.InMemory(f)
	}
	first, memory := inMemory("tmpfs")
	if !memory {
		t.Error("a tmpfs is not memory")
	}
	// A ramfs is no memory for sys.InMemory, which makes it stand for any other file system.
	second, memory := inMemory("ramfs")
	if second != first {
		skip.Forf(t, skip.Chance, "the second file system has number %#x; want %#x", second, first)
	}
	if memory {
		t.Error("a file system with the number of an unmounted tmpfs is memory")
	}
}

// A device file in /dev is on a file system in memory, and is not a file of that file system.
func TestDevicesAreNotInMemory(t *testing.T) {
	for _, name := range []string{"/dev/null", "/dev/shm", "/dev"} {
		fd, err := unix.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			skip.For(t, skip.Dev, err)
		}
		if sys.InMemory(fd) {
			t.Errorf("%s is a file in memory", name)
		}
		unix.Close(fd)
	}
}
