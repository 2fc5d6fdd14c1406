package durable

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// faulty mounts a file system on a device that fails writes when it is half full: its file is on a
// full tmpfs. The one write that fits partly still succeeds (drivers/block/loop.c, lo_complete_rq).
func faulty(t *testing.T, mkfs string, size int64) (dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		skip.For(t, skip.Root, "mounting needs root")
	}
	memory := t.TempDir()
	places.Tool(t, "mount -t tmpfs -o", fmt.Sprintf("size=%d", size/2), "tmpfs", memory)
	t.Cleanup(func() { places.Unmount(t, memory) })
	image := filepath.Join(memory, "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, size)); err != nil {
		t.Fatal(err)
	}
	return places.Mount(t, places.LoopOf(t, image), mkfs, "")
}

// losses collects the files whose fsync failed.
type losses struct {
	mu  sync.Mutex
	err map[string]error
}

func (l *losses) failed(f File, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err[f.Name] = err
}

// TestLostWrites checks that data lost by a device is an error of its file. Other files can be read
// back from the device.
func TestLostWrites(t *testing.T) {
	for name, mkfs := range map[string]string{"ext4": "mkfs.ext4 -q -F", "xfs": "mkfs.xfs -q -f"} {
		t.Run(name, func(t *testing.T) {
			const size = 400 << 20 // 400 MiB; xfs needs at least 300
			dir := faulty(t, mkfs, size)
			l := losses{err: make(map[string]error)}
			s := watching(t, Config{Scheduler: testenv.Core(t), Failed: l.failed}, dir)
			s.maxChunk = 20
			content := make(map[string][]byte)
			for i := range 60 {
				name := fmt.Sprint(i)
				content[name] = bytes.Repeat([]byte{byte(i + 1)}, size/2/50)
				s.Add(written(t, dir, name, content[name]))
			}
			if errs := s.Finish(); len(errs) == 0 {
				t.Error("Finish says that all is well")
			}
			if len(l.err) == 0 {
				t.Error("no file has failed")
			}
			lost := 0
			for name, want := range content {
				if l.err[name] == nil && !bytes.Equal(onDisk(t, filepath.Join(dir, name)), want) {
					lost++
					t.Logf("%s was not put on disk, and no error was reported", name)
				}
			}
			if lost > 1 {
				t.Errorf("%d files were lost without an error; the device hides one at most", lost)
			}
		})
	}
}

// onDisk reads a file from the device, not from the page cache.
func onDisk(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Error(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return b
}

// TestShutDown shuts down a file system while files are written. Each file must have an error, and
// so must the file system.
func TestShutDown(t *testing.T) {
	// Tool skips the test if xfs_io is missing. After files are open, a skip could not unmount.
	places.Tool(t, "xfs_io -V")
	for _, name := range []string{"ext4", "xfs"} {
		t.Run(name, func(t *testing.T) {
			dir := places.FileSystems[name](t, 96<<20)
			l := losses{err: make(map[string]error)}
			s := watching(t, Config{Scheduler: testenv.Core(t), Failed: l.failed}, dir)
			for i := range 100 {
				s.Add(written(t, dir, fmt.Sprint(i), bytes.Repeat([]byte("content"), 1000)))
			}
			places.Tool(t, "xfs_io -x -c shutdown", dir)
			if errs := s.Finish(); len(errs) == 0 || !errors.Is(errs[0], unix.EIO) {
				t.Errorf("Finish = %v; want EIO", errs)
			}
			for i := range 100 {
				if err := l.err[fmt.Sprint(i)]; !errors.Is(err, unix.EIO) {
					t.Errorf("file %d: %v; want EIO", i, err)
				}
			}
		})
	}
}

// TestErrorOfFileSystem checks that Finish returns the error of an earlier write-back without an
// fsync of the file.
func TestErrorOfFileSystem(t *testing.T) {
	const size = 64 << 20 // 64 MiB
	dir := faulty(t, "mkfs.ext4 -q -F", size)
	s := watching(t, Config{}, dir)
	f := written(t, dir, "file", make([]byte, size/2))
	if err := unix.SyncFileRange(f.FD, 0, 0, unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER); err != nil {
		t.Logf("sync_file_range got the error: %v", err)
	}
	if err := unix.Close(f.FD); err != nil {
		t.Error(err)
	}
	if errs := s.Finish(); len(errs) == 0 || !errors.Is(errs[0], unix.EIO) {
		t.Errorf("Finish = %v; want EIO", errs)
	}
}
