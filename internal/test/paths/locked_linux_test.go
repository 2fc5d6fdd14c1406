package paths

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// evicted makes an uncached file in dir.
func evicted(t *testing.T, dir, name string, size int) *os.File {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(testenv.Noise(size)); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	for _, advice := range []int{unix.FADV_RANDOM, unix.FADV_DONTNEED} {
		if err := unix.Fadvise(int(f.Fd()), 0, 0, advice); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// stuckMemory returns memory of n bytes that has no pages. Who touches it waits until release is
// called, or until the test ends: nobody answers the page faults (userfaultfd(2)).
func stuckMemory(t *testing.T, n int) (mem []byte, release func()) {
	t.Helper()
	fd, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|unix.O_NONBLOCK, 0, 0)
	if errno != 0 {
		skip.For(t, skip.Kernel, "userfaultfd: ", errno)
	}
	release = sync.OnceFunc(func() { unix.Close(int(fd)) })
	t.Cleanup(release)
	mem, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	// From linux/userfaultfd.h.
	const apiVersion, api, register, missing = 0xAA, 0xC018AA3F, 0xC020AA00, 1
	hello := struct{ api, features, ioctls uint64 }{api: apiVersion}
	faults := struct{ start, len, mode, ioctls uint64 }{uint64(uintptr(unsafe.Pointer(&mem[0]))), uint64(n), missing, 0}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, api, uintptr(unsafe.Pointer(&hello))); errno != 0 {
		skip.For(t, skip.Kernel, "userfaultfd: ", errno)
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, register, uintptr(unsafe.Pointer(&faults))); errno != 0 {
		skip.For(t, skip.Kernel, "userfaultfd: ", errno)
	}
	return mem, release
}

// TestReadOfAFileThatIsWritten checks reads on xfs, where a write locks its file for reads. A read
// that waits for the lock must not hold up reads of other files. The test's write waits for its
// memory until these reads have ended.
func TestReadOfAFileThatIsWritten(t *testing.T) {
	const size = 1 << 20
	dir := places.FileSystems["xfs"](t, 0)
	hang.Watch(t)
	written, other := evicted(t, dir, "written", size), evicted(t, dir, "other", size)
	s := testenv.Scheduler(t, sluice.Options{})
	open := func(f *os.File) *sluice.File {
		g, err := s.Open(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { g.Close() })
		return g
	}
	a, b := open(written), open(other)
	stuck, release := stuckMemory(t, testenv.PageSize)
	var all sync.WaitGroup
	all.Go(func() {
		if n, err := unix.Pwrite(int(written.Fd()), stuck, 0); n != len(stuck) || err != nil {
			t.Errorf("Pwrite = %d, %v; want %d, nil", n, err, len(stuck))
		}
	})
	hang.Eventually(func() bool { return wouldWait(written) })
	ctx, cancel := context.WithCancel(t.Context()) // the read is then no plain call
	defer cancel()
	all.Go(func() {
		if _, err := a.ReadAtContext(ctx, make([]byte, testenv.PageSize), size-testenv.PageSize); err != nil {
			t.Error(err)
		}
	})
	hang.Eventually(func() bool { st := s.Stats(); return st.InFlight+st.WaitingThreads > 0 })
	for i := range int64(200) { // hangs if the read that waits is in the way
		_ = unix.Fadvise(int(other.Fd()), 0, 0, unix.FADV_DONTNEED)
		if _, err := b.ReadAtContext(ctx, make([]byte, testenv.PageSize), i*testenv.PageSize); err != nil {
			t.Fatal(err)
		}
	}
	release()
	all.Wait()
}

// wouldWait reports whether a read of f would wait for a write.
func wouldWait(f *os.File) bool {
	_, err := unix.Preadv2(int(f.Fd()), [][]byte{make([]byte, 1)}, 1<<60, unix.RWF_NOWAIT)
	return err == unix.EAGAIN
}
