package direct_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// lostMemory returns memory that cannot be touched: it is mapped from a file that ends before it.
func lostMemory(t *testing.T) []byte {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "mapped"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := syscall.Mmap(int(f.Fd()), 0, 2*testenv.PageSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		skip.For(t, skip.Kernel, "mmap: ", err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	return b
}

// TestLostMemory checks that a program can recover from the panic of a call whose memory cannot be
// touched: the file is not locked, and can be closed.
func TestLostMemory(t *testing.T) {
	hang.Watch(t)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	lost := lostMemory(t)
	s := testenv.Scheduler(t, sluice.Options{})
	for _, call := range []func(f *direct.File) error{
		func(f *direct.File) error { _, err := f.WriteAt(lost[:100], 1); return err },
		func(f *direct.File) error { _, err := f.WriteAt(lost[:100], 3*testenv.PageSize-7); return err },
		func(f *direct.File) error { _, err := f.ReadAt(lost[:100], 1); return err },
	} {
		f := create(t, s, t.TempDir())
		if _, err := f.WriteAt(testenv.Noise(3*testenv.PageSize), 0); err != nil {
			t.Fatal(err)
		}
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = errors.New("panic")
				}
			}()
			return call(f)
		}()
		if err == nil {
			t.Error("a call with memory that cannot be touched succeeded")
		}
		// It hangs if the call has left a block locked.
		if n, err := f.WriteAtContext(t.Context(), []byte("abc"), 5); n != 3 || err != nil {
			t.Fatalf("the next write of the block = %d, %v; want 3, nil", n, err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
}

// TestOpenAsOS opens files as os.OpenFile does: one without a name, an existing one with O_EXCL,
// and directories.
func TestOpenAsOS(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would close a forgotten os.File
	dir := t.TempDir()
	if f, err := os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, 0o600); err == nil {
		f.Close()
		f, err := direct.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, 0o600)
		if err != nil {
			t.Fatal("O_TMPFILE:", err)
		}
		defer f.Close()
		want := testenv.Noise(10_000)
		if _, err := f.WriteAt(want, 0); err != nil {
			t.Error(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(f, 0, 20_000))
		if !bytes.Equal(got, want) || err != nil {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
	if _, err := direct.OpenFile(os.DevNull, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); !errors.Is(err, os.ErrExist) {
		t.Errorf("O_EXCL of what exists: %v; want ErrExist", err)
	}
	if _, err := direct.OpenFile(dir, os.O_RDWR, 0); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a directory: %v; want EISDIR", err)
	}
	if _, err := direct.OpenFile(dir, os.O_RDONLY, 0); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a directory to read: %v; want EISDIR", err)
	}
	wantClosed(t, dir)
}

// wantClosed fails the test if a descriptor of the file is open.
func wantClosed(t *testing.T, name string) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		skip.For(t, skip.Proc, err)
	}
	for _, fd := range fds {
		if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == name {
			t.Errorf("descriptor %s of %s is open; want none", fd.Name(), name)
		}
	}
}
