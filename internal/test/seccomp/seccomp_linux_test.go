package seccomp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// The environment of the child "denied".
const (
	denyEnv  = "SLUICE_TEST_DENY"  // one of testenv.Denials
	errnoEnv = "SLUICE_TEST_ERRNO" // "EPERM" or "ENOSYS"
)

func init() { testenv.Children["denied"] = runDenied }

// runDenied denies the calls of its environment, does I/O and prints Explain.
func runDenied() error {
	calls := testenv.Denials[os.Getenv(denyEnv)]
	errno := testenv.DenialErrnos[os.Getenv(errnoEnv)]
	if err := testenv.Deny(calls, errno); err != nil {
		fmt.Println("skip: seccomp:", err)
		return nil
	}
	if _, _, e := unix.Syscall(uintptr(calls[0]), ^uintptr(0), 0, 0); e != errno {
		return fmt.Errorf("system call %d = %w; the filter is not in force", calls[0], e)
	}
	dir := os.Getenv(testenv.DirEnv)
	for _, flag := range []int{0, sys.O_DIRECT} {
		if err := exercise(filepath.Join(dir, fmt.Sprint("file", flag)), flag); err != nil {
			return err
		}
	}
	if err := exerciseDirect(filepath.Join(dir, "direct")); err != nil {
		return err
	}
	s, err := sluice.Default()
	if err != nil {
		return err
	}
	fmt.Print(s.Explain())
	return nil
}

// exercise writes and reads a file with many goroutines.
func exercise(name string, flag int) error {
	f, err := sluice.OpenFile(name, os.O_RDWR|os.O_CREATE|flag, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	errs := make([]error, 32)
	var all sync.WaitGroup
	for g := range errs {
		all.Go(func() {
			out, in := testenv.AlignedBytes(testenv.PageSize), testenv.AlignedBytes(testenv.PageSize)
			copy(out, bytes.Repeat([]byte{byte(g)}, testenv.PageSize))
			_, err1 := f.WriteAt(out, int64(g)*testenv.PageSize)
			err2 := f.Sync()
			_, err3 := f.ReadAt(in, int64(g)*testenv.PageSize)
			if errs[g] = errors.Join(err1, err2, err3); !bytes.Equal(in, out) {
				errs[g] = fmt.Errorf("page %d is not what was written: %x…, %w", g, in[:8], errs[g])
			}
		})
	}
	all.Wait()
	b, err := os.ReadFile(name)
	if len(b) != len(errs)*testenv.PageSize {
		err = fmt.Errorf("the file has %d bytes, %w", len(b), err)
	}
	return errors.Join(append(errs, err)...)
}

// exerciseDirect writes and reads a direct file, without alignment.
func exerciseDirect(name string) error {
	f, err := direct.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	out, in := testenv.Noise(20_000), make([]byte, 20_000)
	_, err1 := f.WriteAt(out, 77)
	err2 := f.Sync()
	_, err3 := f.ReadAt(in, 77)
	size, err4 := f.Size()
	if err := readAllWays(f, out); err != nil {
		return err
	}
	if !bytes.Equal(in, out) || size != 20_077 {
		return fmt.Errorf("a direct file of %d bytes (%s) does not have what was written: %w", size, f.Explain(), errors.Join(err1, err2, err3, err4))
	}
	return errors.Join(err1, err2, err3, err4)
}

// readAllWays requires that each way to read f finds want at 77.
func readAllWays(f *direct.File, want []byte) error {
	ctx := context.Background()
	for r, err := range f.ReadMany(ctx, slices.Values([]direct.Range{{Off: 77, Len: 100}, {Off: 177, Len: 19_900}}), direct.ReadManyOptions{}) {
		if err != nil || !bytes.Equal(r.Buffer.Bytes(), want[r.Off-77:][:r.Len]) {
			return fmt.Errorf("ReadMany at %d: other bytes, or %w", r.Off, err)
		}
		r.Buffer.Release()
	}
	b, err := f.ReadBuffer(ctx, 77, len(want))
	if err != nil || !bytes.Equal(b.Bytes(), want) {
		return fmt.Errorf("ReadBuffer: other bytes, or %w", err)
	}
	b.Release()
	r, err := f.NewReader(ctx, direct.ReaderOptions{Start: 77})
	if err != nil {
		return err
	}
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("a Reader: %d bytes, %w", len(got), err)
	}
	return nil
}

// needDrivers skips the test if the library only has the pool driver.
func needDrivers(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		skip.For(t, skip.Platform, "the drivers uring and aio are for amd64 and arm64")
	}
}

// TestSeccomp runs a program without io_uring, and one without AIO as well. It must have the next
// driver, and Explain must say why.
func TestSeccomp(t *testing.T) {
	needDrivers(t)
	for _, c := range []struct{ deny, errno, want, why string }{
		{"uring", "EPERM", "driver: aio (the best that this system allows)", "  not uring: io_uring_setup: operation not permitted"},
		{"uring", "ENOSYS", "driver: aio (the best that this system allows)", "  not uring: io_uring_setup: function not implemented"},
		{"uring aio", "EPERM", "driver: pool (the best that this system allows)", "  not aio: io_setup: operation not permitted"},
		{"uring aio", "ENOSYS", "driver: pool (the best that this system allows)", "  not aio: io_setup: function not implemented"},
		// A ring can be made but not used.
		{"uring_enter", "EPERM", "driver: aio (the best that this system allows)", "  not uring: io_uring_enter: operation not permitted"},
		{"uring_register", "EPERM", "driver: aio (the best that this system allows)", "  not uring: io_uring_register: operation not permitted"},
	} {
		t.Run(c.deny+" "+c.errno, func(t *testing.T) {
			// If the driver, or the next one, is unavailable anyway, the case is skipped.
			if strings.HasPrefix(c.deny, "uring_") {
				testenv.Scheduler(t, sluice.Options{Driver: "uring"}).Close()
			}
			if strings.HasPrefix(c.want, "driver: aio") {
				testenv.Scheduler(t, sluice.Options{Driver: "aio"}).Close()
			}
			out := denied(t, c.deny, c.errno, "", true)
			if !strings.HasPrefix(out, c.want) || !strings.Contains(out, c.why) {
				t.Errorf("Explain = %s; want %q and %q", out, c.want, c.why)
			}
		})
	}
}

// TestSeccompSuccess runs a program whose calls of Linux AIO do nothing and return 0. No read may
// end as if its file had ended.
func TestSeccompSuccess(t *testing.T) {
	needDrivers(t)
	testenv.Scheduler(t, sluice.Options{Driver: "aio"}).Close()
	denied(t, "io_submit", "success", "aio", true)
	denied(t, "io_setup", "success", "", true)
}

// TestSeccompForced asks for a denied driver, and expects one clear line.
func TestSeccompForced(t *testing.T) {
	needDrivers(t)
	for _, c := range []struct{ deny, errno, driver, want string }{
		{"uring", "EPERM", "uring", "io_uring_setup: operation not permitted"},
		{"uring", "ENOSYS", "uring", "io_uring_setup: function not implemented"},
		{"uring aio", "EPERM", "aio", "io_setup: operation not permitted"},
	} {
		out := denied(t, c.deny, c.errno, c.driver, false)
		want := "SLUICE_DRIVER=" + c.driver + ": sluice: driver " + c.driver + ": " + c.want
		if !strings.HasPrefix(out, "open ") || !strings.HasSuffix(out, ": "+want) || strings.Contains(out, "\n") {
			t.Errorf("SLUICE_DRIVER=%s without it: %s; want open …: %s", c.driver, out, want)
		}
	}
}

// TestSeccompFcntl checks a system that does not say how a file is open: a File is then its
// *os.File, and a direct.File uses the page cache.
func TestSeccompFcntl(t *testing.T) {
	denied(t, "fcntl", "EPERM", "", true)
}

func init() { testenv.Children["no fstat"] = runWithoutFstat }

// TestFstatFails checks that every way to open a File returns the error of fstat(2), and closes the
// descriptor. An io.Copy to or from an *os.File of unknown kind must make Reads and Writes.
func TestFstatFails(t *testing.T) {
	dir := t.TempDir()
	testenv.Write(t, filepath.Join(dir, "file"), testenv.Twenty)
	out, ok := testenv.Child(t, "no fstat", testenv.DirEnv+"="+dir)
	if !ok {
		t.Error(out)
	}
}

func runWithoutFstat() error {
	dir := os.Getenv(testenv.DirEnv)
	name := filepath.Join(dir, "file")
	old, err := sluice.Open(name)
	if err != nil {
		return err
	}
	defer old.Close()
	if err := testenv.Deny(testenv.Denials["fstat"], unix.EIO); err != nil {
		fmt.Println("skip: seccomp:", err)
		return nil
	}
	if err := unix.Fstat(0, new(unix.Stat_t)); err != unix.EIO {
		fmt.Println("skip: platform: fstat is another system call here:", err)
		return nil
	}
	errs := []error{copyWithoutFstat(old, filepath.Join(dir, "copy"))}
	before, err := countDescriptors()
	errs = append(errs, err)
	for how, open := range map[string]func() (io.Closer, error){
		"open":            func() (io.Closer, error) { return sluice.Open(name) },
		"open in a root":  func() (io.Closer, error) { return sluice.OpenInRoot(dir, "file") },
		"createtemp":      func() (io.Closer, error) { return sluice.CreateTemp(dir, "temporary") },
		"open of a DirFS": func() (io.Closer, error) { return sluice.DirFS(dir).Open("file") },
		"open of FromOS": func() (io.Closer, error) {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			return sluice.FromOS(f)
		},
		"direct": func() (io.Closer, error) { return direct.OpenFile(name, os.O_RDWR, 0) },
		"open of a Batch": func() (io.Closer, error) {
			s, err := sluice.Default()
			if err != nil {
				return nil, err
			}
			b := batch.New(s)
			op := b.Chain().Open(name).Op()
			return op.File(), b.Do(context.Background())
		},
	} {
		_, err := open()
		if e, ok := errors.AsType[*os.PathError](err); !ok || !errors.Is(err, unix.EIO) || how != "direct" && !strings.HasPrefix(how, e.Op) {
			errs = append(errs, fmt.Errorf("%s = %w; want EIO in an *os.PathError", how, err))
		}
	}
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if f := sluice.NewFile(uintptr(fd), "fd"); f != nil || err != nil {
		errs = append(errs, fmt.Errorf("NewFile = %v, %w; want nil", f, err))
	}
	if after, err := countDescriptors(); after != before || err != nil {
		errs = append(errs, fmt.Errorf("%d descriptors are open, %w; before there were %d", after, err, before))
	}
	if left, err := filepath.Glob(filepath.Join(dir, "temporary*")); len(left) > 0 || err != nil {
		errs = append(errs, fmt.Errorf("CreateTemp has left %q, %w", left, err))
	}
	return errors.Join(errs...)
}

// copyWithoutFstat copies src to an *os.File of that name.
func copyWithoutFstat(src *sluice.File, name string) error {
	dst, err := os.Create(name)
	if err != nil {
		return err
	}
	defer dst.Close()
	if n, err := src.WriteTo(dst); n != int64(len(testenv.Twenty)) || err != nil {
		return fmt.Errorf("WriteTo = %d, %w", n, err)
	}
	got, err := os.ReadFile(name)
	if string(got) != testenv.Twenty {
		return fmt.Errorf("the copy is %q, %w", got, err)
	}
	return nil
}

// countDescriptors returns the number of the process's open descriptors.
func countDescriptors() (int, error) {
	entries, err := os.ReadDir("/proc/self/fd")
	return len(entries), err
}

func denied(t *testing.T, deny, errno, driver string, wantOK bool) string {
	t.Helper()
	out, ok := testenv.Child(t, "denied", denyEnv+"="+deny, errnoEnv+"="+errno, testenv.DirEnv+"="+t.TempDir(), "SLUICE_DRIVER="+driver)
	if ok != wantOK {
		t.Fatalf("without %s (%s): %s", deny, errno, out)
	}
	return out
}
