package seccomp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// These tests refuse system calls after a Scheduler was made and before it needs a driver.

// The environment of the children "late" and "named", besides denyEnv, errnoEnv and testenv.DirEnv.
const (
	mostEnv  = "SLUICE_TEST_MOST"  // io_uring_setup with more entries is denied
	firstEnv = "SLUICE_TEST_FIRST" // the first use of the Scheduler: "Explain" or "I/O"
)

func init() {
	testenv.Children["late"] = runLate
	testenv.Children["named"] = runNamed
}

// denyEnvironment denies the calls that the environment names.
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
	const entries = 16 // the first argument's place in seccomp_data
	return testenv.Filter([]unix.SockFilter{
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: unix.SYS_IO_URING_SETUP},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: entries},
		{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, Jf: 1, K: most},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
	})
}

// runLate makes the default Scheduler, then denies the calls of its environment, does I/O and
// prints Explain.
func runLate() error {
	s, err := sluice.Default()
	if err != nil {
		return err
	}
	if err := denyEnvironment(); err != nil {
		fmt.Println("skip: seccomp:", err)
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

// TestRefusedAtFirstUse checks that a driver refused after NewScheduler is not chosen, and that
// nothing is lost. If memory for a ring is short, the ring must be smaller.
func TestRefusedAtFirstUse(t *testing.T) {
	// Both drivers must be available before the test refuses them.
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
					firstEnv+"="+first, testenv.DirEnv+"="+t.TempDir(), "SLUICE_DRIVER=", "GOMAXPROCS=2")
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

// runNamed denies the calls of its environment, and prints the error of a Scheduler with io_uring.
func runNamed() error {
	if err := denyEnvironment(); err != nil {
		fmt.Println("skip: seccomp:", err)
		return nil
	}
	_, err := sluice.NewScheduler(sluice.Options{Driver: "uring"})
	fmt.Println(err)
	return nil
}

// TestNamedDriverRefused checks that NewScheduler returns the error of a driver requested by name.
// The kernel may still allow smaller rings (127 is less than the usual depth), or only a call with
// wrong arguments.
func TestNamedDriverRefused(t *testing.T) {
	testenv.Scheduler(t, sluice.Options{Driver: "uring"})
	for _, most := range []string{"0", "127"} {
		out, ok := testenv.Child(t, "named", mostEnv+"="+most, errnoEnv+"=EPERM")
		const want = "sluice: driver uring: io_uring_setup: operation not permitted"
		if !ok || out != want {
			t.Errorf("NewScheduler = %s; want %s", out, want)
		}
	}
}
