package proof_test

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestFIFODoesNotHang has a source with a FIFO without a writer. cpz and otiai10/copy wait for
// ever.
func TestFIFODoesNotHang(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tree/file", "content")
	must(t, unix.Mkfifo("tree/fifo", 0o600))
	copied(t, "copy", "tree", option.Options{})
	copied(t, "alone", "tree/fifo", option.Options{})
	for _, path := range []string{"copy/fifo", "alone"} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != os.ModeNamedPipe {
			t.Errorf("%s: %v, %v; want a FIFO", path, info, err)
		}
	}
}

// TestFIFOAtDestination copies a file to an existing FIFO. cp opens the FIFO, and waits for a
// reader.
func TestFIFOAtDestination(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tree/file", "content")
	must(t, os.Mkdir("copy", 0o755), unix.Mkfifo("copy/file", 0o600))
	copied(t, "copy", "tree", option.Options{})
	holds(t, "copy/file", "content")
}

// TestFIFOSwappedIn replaces files by FIFOs and back during the copy. A file by readdir(3) or
// stat(2) may be a FIFO when it is opened.
func TestFIFOSwappedIn(t *testing.T) {
	t.Chdir(t.TempDir())
	const files = 50
	must(t, unix.Mkfifo("fifo", 0o600))
	for i := range files {
		put(t, fmt.Sprint("tree/", i), "content")
		must(t, os.Link("fifo", fmt.Sprint("tree/fifo", i)))
	}
	swapping := swapper(t, func(i int) {
		i %= files
		unix.Renameat2(unix.AT_FDCWD, fmt.Sprint("tree/", i), unix.AT_FDCWD, fmt.Sprint("tree/fifo", i), unix.RENAME_EXCHANGE)
	})
	for range 30 {
		r, _ := within(t, "copy", "tree", option.Options{})
		for _, e := range r.Errors {
			if !errors.Is(e, fault.ErrChanged) {
				t.Errorf("%v; want that it has changed", e)
			}
		}
		must(t, os.RemoveAll("copy"))
	}
	swapping()
}

// swapper calls f in a loop until stop is called. stop waits for the last call.
func swapper(t *testing.T, f func(i int)) (stop func()) {
	t.Helper()
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-end:
				return
			default:
				f(i)
			}
		}
	})
	stop = sync.OnceFunc(func() { close(end); done.Wait() })
	t.Cleanup(stop)
	return stop
}

// TestDevicesAreNotRead has a source with endless devices. fcp reads them as files.
func TestDevicesAreNotRead(t *testing.T) {
	needRoot(t)
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("tree", 0o755))
	for name, minor := range map[string]uint32{"zero": 5, "random": 8, "full": 7} {
		must(t, unix.Mknod("tree/"+name, unix.S_IFCHR|0o666, int(unix.Mkdev(1, minor))))
	}
	r := copied(t, "copy", "tree", option.Options{})
	if r.Specials != 3 || r.Bytes != 0 {
		t.Errorf("%d special files and %d bytes; want 3 and none", r.Specials, r.Bytes)
	}
	var st unix.Stat_t
	if err := unix.Lstat("copy/full", &st); err != nil || st.Rdev != unix.Mkdev(1, 7) {
		t.Errorf("copy/full is device %x, %v", st.Rdev, err)
	}
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "this needs root")
	}
}

// TestProcFiles copies files with content whose size is 0.
func TestProcFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"/proc/version", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled"} {
		want, err := os.ReadFile(path)
		if err != nil {
			skip.For(t, skip.Config, err)
		}
		copied(t, "copy", path, option.Options{Existing: option.Overwrite})
		if got, err := os.ReadFile("copy"); len(got) == 0 || path != "/proc/cpuinfo" && string(got) != string(want) || err != nil {
			t.Errorf("%s: %q, %v; want %q", path, got, err, want)
		}
		must(t, os.Chmod("copy", 0o600)) // the next file is written over it
	}
}

// TestTakenSocket copies a bound socket.
func TestTakenSocket(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("tree", 0o755))
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(t, err, unix.Bind(fd, &unix.SockaddrUnix{Name: "tree/socket"}))
	defer unix.Close(fd)
	copied(t, "copy", "tree", option.Options{Preserve: option.PreserveAll})
	if info, err := os.Lstat("copy/socket"); err != nil || info.Mode().Type() != os.ModeSocket {
		t.Errorf("%v, %v; want a socket", info, err)
	}
}
