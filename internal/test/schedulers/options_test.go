package schedulers

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

func TestOptionsOutOfRange(t *testing.T) {
	for _, c := range []struct {
		o    sluice.Options
		want string
	}{
		{sluice.Options{Driver: "epoll"}, `sluice: Options.Driver "epoll" is not one of uring, aio, pool`},
		{sluice.Options{Driver: "URING"}, `sluice: Options.Driver "URING" is not one of uring, aio, pool`},
		{sluice.Options{Depth: -1}, "sluice: Options.Depth -1 is not between 0 and 16384"},
		{sluice.Options{Depth: 16385}, "sluice: Options.Depth 16385 is not between 0 and 16384"},
		{sluice.Options{Rings: -1}, "sluice: Options.Rings -1 is not between 0 and 16"},
		{sluice.Options{Rings: 17}, "sluice: Options.Rings 17 is not between 0 and 16"},
		{sluice.Options{Threads: -1}, "sluice: Options.Threads -1 is not between 0 and 4095"},
		{sluice.Options{Threads: 4096}, "sluice: Options.Threads 4096 is not between 0 and 4095"},
	} {
		for _, driver := range append(testenv.Drivers, c.o.Driver) {
			if c.o.Driver == "" {
				c.o.Driver = driver
			}
			s, err := sluice.NewScheduler(c.o)
			if err == nil {
				s.Close()
			}
			if fmt.Sprint(err) != c.want {
				t.Errorf("NewScheduler(%+v) = %v; want %s", c.o, err, c.want)
			}
		}
	}
}

// TestOptionsInRange makes Schedulers with extreme allowed options, and reads through them.
func TestOptionsInRange(t *testing.T) {
	for _, driver := range testenv.Drivers {
		for _, o := range []sluice.Options{
			{Driver: driver, Depth: 1, Threads: 1},
			{Driver: driver, Depth: 3},
			{Driver: driver, Depth: 16384, Threads: 4095},
		} {
			t.Run(fmt.Sprintf("%s/%d,%d", driver, o.Depth, o.Threads), func(t *testing.T) {
				s := testenv.Scheduler(t, o)
				f := testenv.DirectOn(t, s, t.TempDir(), 64*testenv.PageSize)
				done := make(chan error)
				for i := range int64(64) {
					go func() {
						b := testenv.AlignedBytes(testenv.PageSize)
						n, err := f.ReadAt(b, i*testenv.PageSize)
						if n != testenv.PageSize || b[0] != byte(i) || b[testenv.PageSize-1] != byte(i) {
							err = fmt.Errorf("ReadAt = %d, %w, page of %d", n, err, b[0])
						}
						done <- err
					}()
				}
				for range 64 {
					if err := <-done; err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

func init() {
	// env opens a file on the default Scheduler, and prints which one it is.
	testenv.Children["env"] = func() error {
		f, err := sluice.Open(os.Args[0])
		if err != nil {
			if nf := sluice.NewFile(0, "stdin"); nf != nil {
				return errors.New("NewFile is not nil")
			}
			if _, err := os.Stdin.Stat(); !errors.Is(err, syscall.EBADF) {
				return errors.New("NewFile has not closed the descriptor")
			}
			return err
		}
		defer f.Close()
		if _, err := f.ReadAt(make([]byte, 100), 0); err != nil {
			return err
		}
		s, err := sluice.Default()
		if err != nil {
			return err
		}
		fmt.Print(s.Explain())
		return nil
	}
}

// TestEnvironment sets SLUICE_DRIVER for programs.
func TestEnvironment(t *testing.T) {
	for _, driver := range testenv.Drivers {
		s, err := sluice.NewScheduler(sluice.Options{Driver: driver})
		if err != nil {
			continue // TestSeccomp checks its error under SLUICE_DRIVER
		}
		s.Close()
		out, ok := testenv.Child(t, "env", "SLUICE_DRIVER="+driver)
		if want := "driver: " + driver + " (asked for)"; !ok || !strings.HasPrefix(out, want) {
			t.Errorf("SLUICE_DRIVER=%s: %s; want %s", driver, out, want)
		}
	}
	out, ok := testenv.Child(t, "env", "SLUICE_DRIVER=")
	if !ok || !strings.HasPrefix(out, "driver: ") || strings.Contains(out, "asked for") {
		t.Errorf("SLUICE_DRIVER= : %s; want a driver", out)
	}
	out, ok = testenv.Child(t, "env", "SLUICE_DRIVER=epoll")
	want := fmt.Sprintf("open %s: SLUICE_DRIVER \"epoll\" is not one of uring, aio, pool", os.Args[0])
	if ok || out != want {
		t.Errorf("SLUICE_DRIVER=epoll: %s; want %s", out, want)
	}
}
