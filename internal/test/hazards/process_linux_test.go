package hazards

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// Hazard: a child process shares a ring, or delays or damages operations in flight. Guard:
// descriptors are close-on-exec. The test starts processes all the time during reads. They must not
// inherit a descriptor.
func TestProcessesStartedDuringIO(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := testenv.DirectOn(t, s, t.TempDir(), 64*testenv.PageSize)
		stop := testenv.KeepBusy(t, f, 16)
		defer stop()
		for range 5 {
			if out, ok := testenv.Child(t, "descriptors"); !ok || strings.Contains(out, "io_uring") || strings.Contains(out, "eventfd") || strings.Contains(out, f.Name()) {
				t.Errorf("a program started during I/O has these descriptors: %s", out)
			}
		}
	})
}

// Hazard: a file that was closed through io_uring gave ETXTBSY when it was executed (old kernels).
// Guard: Close is close(2), which is done when it returns.
func TestWrittenProgramRuns(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		program, err := os.ReadFile("/bin/true")
		if err != nil {
			skip.For(t, skip.Shell, err)
		}
		for i := range 5 {
			name := filepath.Join(t.TempDir(), fmt.Sprint("program", i))
			f, err := s.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o700)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(program); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if err := exec.Command(name).Run(); err != nil {
				t.Errorf("program that was just written: %v", err)
			}
		}
	})
}

// Hazard: RLIMIT_MEMLOCK can be tiny, and rings count (before Linux 5.12, and from 6.14 on).
// Guard: New then asks for a smaller ring. A refused ring leads to the next driver.
func TestLittleLockedMemory(t *testing.T) {
	for _, driver := range append([]string{""}, testenv.Drivers...) {
		if driver != "" {
			testenv.Scheduler(t, sluice.Options{Driver: driver}).Close()
		}
		for _, limit := range []string{"0", "8192", "65536"} {
			name := filepath.Join(t.TempDir(), "file")
			// The child opens it as another user.
			if err := os.Chmod(filepath.Dir(filepath.Dir(name)), 0o755); err != nil {
				t.Fatal(err)
			}
			out, ok := testenv.Child(t, "little locked memory", "SLUICE_DRIVER="+driver, "SLUICE_TEST_FILE="+name, "SLUICE_TEST_LIMIT="+limit)
			// Other processes of the user may have locked all the memory.
			mayFail := driver == "uring" && (limit == "0" || os.Getuid() != 0) && strings.Contains(out, "cannot allocate memory")
			if !ok && !mayFail {
				t.Errorf("driver %q with RLIMIT_MEMLOCK of %s: %s", driver, limit, out)
			}
		}
	}
}

func init() {
	testenv.Children["little locked memory"] = func() error {
		f, err := os.Create(os.Getenv("SLUICE_TEST_FILE"))
		if err != nil {
			return err
		}
		limit, err := strconv.ParseUint(os.Getenv("SLUICE_TEST_LIMIT"), 10, 64)
		if err != nil {
			return err
		}
		if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
		if os.Getuid() == 0 { // the limit does not bind root
			// The child gets its own user: locked memory is counted by user.
			if err := syscall.Setuid(1<<20 + os.Getpid()); err != nil {
				return err
			}
		}
		s, err := sluice.Default()
		if err != nil {
			return err
		}
		file, err := s.FromOS(f)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if _, err := file.WriteAtContext(ctx, []byte(testenv.Twenty), 0); err != nil {
			return err
		}
		b := make([]byte, len(testenv.Twenty))
		if _, err := file.ReadAtContext(ctx, b, 0); err != nil || string(b) != testenv.Twenty {
			return fmt.Errorf("ReadAt = %v, %q", err, b)
		}
		return errors.Join(file.Sync(), littleBuffers(s))
	}
}

// littleBuffers reads into Buffers. Their memory would be registered with the ring if it could be
// locked.
func littleBuffers(s *sluice.Scheduler) error {
	f, err := direct.OpenOn(s, os.Getenv("SLUICE_TEST_FILE"), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	errs := make(chan error, 16)
	for range cap(errs) {
		go func() {
			b, err := f.ReadBuffer(context.Background(), 0, len(testenv.Twenty))
			if string(b.Bytes()) != testenv.Twenty {
				err = fmt.Errorf("ReadBuffer = %q, %w", b.Bytes(), err)
			}
			b.Release()
			errs <- err
		}()
	}
	for range cap(errs) {
		err = errors.Join(err, <-errs)
	}
	return err
}

// Hazard: a file that refuses NOWAIT turns it off for another file. Guard: iopath.File.CanLook
// belongs to one file.
func TestFileWithoutNoWait(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		disk := testenv.TextOn(t, s, t.TempDir())
		ctx, cancel := context.WithCancel(t.Context()) // otherwise a plain call is faster
		defer cancel()
		read := func(f *sluice.File) {
			if _, err := f.ReadAtContext(ctx, make([]byte, 10), 0); err != nil {
				t.Fatal(err)
			}
		}
		read(disk)
		if s.Stats().Cached == 0 {
			skip.For(t, skip.NoWait, "the file system of TMPDIR refuses RWF_NOWAIT")
		}
		status, err := s.Open("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		defer status.Close()
		for _, f := range []*sluice.File{testenv.TextOn(t, s, testenv.MemoryDir(t)), status} {
			before := s.Stats()
			read(f)
			if after := s.Stats(); after.Cached != before.Cached || after.Plain != before.Plain+1 {
				t.Errorf("%s read once: %d cached, %d blocking reads; want 0, 1",
					f.Name(), after.Cached-before.Cached, after.Plain-before.Plain)
			}
			// The system may drop its page, but not each time.
			testenv.WaitFor(t, "a read of the file on disk from the page cache", func() bool {
				read(disk)
				return s.Stats().Cached > before.Cached
			})
		}
	})
}

// Hazard: io_uring fails the operations that a thread has submitted when the thread ends (EFAULT,
// ECANCELED). Threads end with goroutines that are locked to them, and these submit for other
// goroutines. Guard: iopath.File.Performed.
func TestThreadsThatEnd(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		const pages = 4096
		f := testenv.TextOn(t, s, t.TempDir())
		if err := f.Truncate(0); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(make([]byte, pages*testenv.PageSize), 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		start := seed.Of(t)
		read := func(r *rand.Rand) {
			b := make([]byte, 512)
			if n, err := f.ReadAt(b, r.Int64N(pages)*testenv.PageSize); n != len(b) || err != nil {
				t.Errorf("ReadAt = %d, %v; want %d, nil", n, err, len(b))
			}
		}
		var stop atomic.Bool
		var others, ending sync.WaitGroup
		for g := range uint64(16) {
			others.Go(func() {
				for r := rand.New(rand.NewPCG(start, g)); !stop.Load(); {
					read(r)
				}
			})
		}
		for i := range uint64(100) {
			testenv.DropCache(int(f.OSFile().Fd()))
			for g := range uint64(4) {
				ending.Go(func() {
					runtime.LockOSThread() // never unlocked
					read(rand.New(rand.NewPCG(start, 100+4*i+g)))
				})
			}
			ending.Wait()
		}
		stop.Store(true)
		others.Wait()
	})
}
