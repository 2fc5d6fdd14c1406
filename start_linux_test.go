package sluice_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// What a Scheduler does before its first operation, and with that.

// TestReadsChooseNoDriver: a program that opens a file and reads what the page cache has needs no
// driver.
func TestReadsChooseNoDriver(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f := testenv.TextOn(t, s, t.TempDir())
	if _, err := f.Read(make([]byte, 10)); err != nil {
		t.Errorf("Read: %v", err)
	}
	if _, err := f.ReadAt(make([]byte, 10), 10); err != nil {
		t.Errorf("ReadAt: %v", err)
	}
	st := s.Stats()
	if st.Blocking != 1 || st.Cached != 1 {
		t.Skipf("%d reads were plain calls, %d found by a look; want 1 each. Is there no such look here?", st.Blocking, st.Cached)
	}
	if st.Rings != 0 || st.LostDrivers != 0 {
		t.Errorf("Stats = %+v; want no ring", st)
	}
	if text := s.Explain(); !strings.HasPrefix(text, "driver: ") || strings.Contains(text, "none") {
		t.Errorf("Explain = %s; want a driver", text)
	}
	if st := s.Stats(); st.Rings != 1 {
		t.Errorf("%d rings after Explain; want 1", st.Rings)
	}
}

// TestNamedDriverIsOpenAtOnce: NewScheduler opens a driver that was asked for by name.
func TestNamedDriverIsOpenAtOnce(t *testing.T) {
	for _, driver := range testenv.Drivers {
		if st := testenv.Scheduler(t, sluice.Options{Driver: driver}).Stats(); st.Rings != 1 {
			t.Errorf("%s: %d rings after NewScheduler; want 1", driver, st.Rings)
		}
	}
}

// TestClosedWithoutDriver: Explain of a Scheduler that was closed before it needed a driver does
// not choose one.
func TestClosedWithoutDriver(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	const want = "driver: none (the Scheduler was closed before it needed one)\n"
	if text := s.Explain(); text != want {
		t.Errorf("Explain = %q; want %q", text, want)
	}
	if st := s.Stats(); st.Rings != 0 {
		t.Errorf("%d rings after Close; want 0", st.Rings)
	}
}

// TestFirstUseBesideClose: a first operation, or Explain, beside Close leaves nothing open.
func TestFirstUseBesideClose(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, testenv.PageSize), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context()) // so that no read is a plain call
	defer cancel()
	uses := map[string]func(s *sluice.Scheduler, f *sluice.File){
		"ReadAt": func(_ *sluice.Scheduler, f *sluice.File) {
			n, err := f.ReadAtContext(ctx, testenv.AlignedBytes(testenv.PageSize), 0)
			if (n != testenv.PageSize || err != nil) && !errors.Is(err, os.ErrClosed) {
				t.Errorf("ReadAt = %d, %v; want all bytes, or %v", n, err, os.ErrClosed)
			}
		},
		"Explain": func(s *sluice.Scheduler, _ *sluice.File) {
			if text := s.Explain(); !strings.HasPrefix(text, "driver: ") || strings.Contains(text, "stopped working") {
				t.Errorf("Explain = %s", text)
			}
			s.Stats()
		},
	}
	for what, use := range uses {
		t.Run(what, func(t *testing.T) {
			testenv.Scheduler(t, sluice.Options{}).Close() // what the first one makes for good
			before := testenv.HeldNow(t)
			for range 300 {
				s := testenv.Scheduler(t, sluice.Options{})
				f, err := s.OpenFile(name, os.O_RDONLY|sys.O_DIRECT, 0)
				if err != nil {
					t.Skip("no O_DIRECT here: ", err)
				}
				var used sync.WaitGroup
				used.Go(func() { use(s, f) })
				testenv.Yield()
				if err := s.Close(); err != nil { // and with it f
					t.Errorf("Close = %v", err)
				}
				used.Wait()
			}
			var more []string
			testenv.WaitOr(func() bool { more = before.More(testenv.HeldNow(t)); return len(more) == 0 },
				func() { t.Errorf("left behind: %s", strings.Join(more, ", ")) })
		})
	}
}

// TestFirstOperationsAtOnce: 64 goroutines begin at once, with a ring each if it were theirs to
// open.
func TestFirstOperationsAtOnce(t *testing.T) {
	const n = 64
	s := testenv.Scheduler(t, sluice.Options{})
	f := testenv.DirectOn(t, s, t.TempDir(), n*testenv.PageSize)
	ctx, cancel := context.WithCancel(t.Context()) // so that no read is a plain call
	defer cancel()
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			b := testenv.AlignedBytes(testenv.PageSize)
			<-start
			if _, err := f.ReadAtContext(ctx, b, int64(i)*testenv.PageSize); err != nil || b[0] != byte(i) {
				t.Errorf("page %d begins with %d, %v", i, b[0], err)
			}
		})
	}
	close(start)
	all.Wait()
	if st := s.Stats(); st.Rings != 1 || st.LostDrivers != 0 {
		t.Errorf("%d rings, %d lost drivers; want 1, 0", st.Rings, st.LostDrivers)
	}
}

// The environment of the children "late" and "named", beside denyEnv, errnoEnv and testenv.DirEnv.
const (
	mostEnv  = "SLUICE_TEST_MOST"  // io_uring_setup of more entries is denied
	firstEnv = "SLUICE_TEST_FIRST" // what uses the Scheduler first: "Explain" or "I/O"
)

func init() {
	testenv.Children["late"] = runLate
	testenv.Children["named"] = runNamed
}

// denyEnvironment denies what the environment says.
func denyEnvironment() error {
	errno := testenv.DenialErrnos[os.Getenv(errnoEnv)]
	if text := os.Getenv(mostEnv); text != "" {
		most, err := strconv.Atoi(text)
		return errors.Join(err, denyRings(uint32(most), errno))
	}
	return testenv.Deny(testenv.Denials[os.Getenv(denyEnv)], errno)
}

// denyRings is deny for io_uring_setup with more than most entries.
func denyRings(most uint32, errno syscall.Errno) error {
	const entries = 16 // where seccomp_data has the first argument
	return testenv.Filter([]unix.SockFilter{
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: unix.SYS_IO_URING_SETUP},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: entries},
		{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, Jf: 1, K: most},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
	})
}

// runLate has the Default Scheduler, then denies what its environment says, does I/O and prints
// Explain.
func runLate() error {
	s, err := sluice.Default()
	if err != nil {
		return err
	}
	if err := denyEnvironment(); err != nil {
		fmt.Println("skip:", err)
		return nil
	}
	if os.Getenv(firstEnv) == "Explain" {
		s.Explain()
	}
	for _, flag := range []int{0, sys.O_DIRECT} {
		if err := exercise(filepath.Join(os.Getenv(testenv.DirEnv), fmt.Sprint("file", flag)), flag); err != nil {
			return err
		}
	}
	fmt.Print(s.Explain())
	return nil
}

// TestRefusedAtFirstUse: what the kernel refuses after NewScheduler is not chosen, and nothing is
// lost. Where memory for a ring is short, the ring is smaller.
func TestRefusedAtFirstUse(t *testing.T) {
	// Both must be there before they are refused.
	testenv.Scheduler(t, sluice.Options{Driver: "aio"})
	testenv.Scheduler(t, sluice.Options{Driver: "uring"})
	const aio, pool = "driver: aio (the best that this system allows)", "driver: pool (the best that this system allows)"
	for _, c := range []struct {
		deny, most, errno string
		want              []string
	}{
		{"uring", "", "EPERM", []string{aio, "  not uring: io_uring_setup: operation not permitted", "threads: at most 64 "}},
		{"uring_enter", "", "EPERM", []string{aio, "  not uring: io_uring_enter: operation not permitted", "threads: at most 64 "}},
		{"uring aio", "", "ENOSYS", []string{pool, "  not aio: io_setup: function not implemented", "threads: at most 64 "}},
		{"", "0", "ENOMEM", []string{aio, "  not uring: io_uring_setup: cannot allocate memory"}},
		{"", "32", "ENOMEM", []string{"driver: uring (the best there is)", "in flight: at most 32 ", "threads: at most 16 "}},
	} {
		for _, first := range []string{"I/O", "Explain"} {
			t.Run(c.deny+c.most+" "+c.errno+" "+first, func(t *testing.T) {
				out, ok := testenv.Child(t, "late", denyEnv+"="+c.deny, mostEnv+"="+c.most, errnoEnv+"="+c.errno,
					firstEnv+"="+first, testenv.DirEnv+"="+t.TempDir(), "SLUICE_DRIVER=")
				if strings.HasPrefix(out, "skip:") {
					t.Skip(out)
				}
				if !ok || strings.Contains(out, "stopped working") {
					t.Fatalf("%s", out)
				}
				for _, want := range c.want {
					if !strings.Contains("\n"+out, "\n"+want) {
						t.Errorf("Explain = %s; want %q", out, want)
					}
				}
			})
		}
	}
}

// runNamed denies what its environment says and prints the error of a Scheduler with io_uring.
func runNamed() error {
	if err := denyEnvironment(); err != nil {
		fmt.Println("skip:", err)
		return nil
	}
	_, err := sluice.NewScheduler(sluice.Options{Driver: "uring"})
	fmt.Println(err)
	return nil
}

// TestNamedDriverRefused: NewScheduler returns the error of a driver that was asked for by name,
// even if the kernel allows smaller rings (127 is less than the usual depth), or only a call with
// wrong arguments.
func TestNamedDriverRefused(t *testing.T) {
	testenv.Scheduler(t, sluice.Options{Driver: "uring"})
	for _, most := range []string{"0", "127"} {
		out, ok := testenv.Child(t, "named", mostEnv+"="+most, errnoEnv+"=EPERM")
		if strings.HasPrefix(out, "skip:") {
			t.Skip(out)
		}
		const want = "sluice: driver uring: io_uring_setup: operation not permitted"
		if !ok || out != want {
			t.Errorf("NewScheduler = %s; want %s", out, want)
		}
	}
}
