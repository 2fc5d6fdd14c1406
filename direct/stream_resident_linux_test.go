package direct_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

const residentEnv = "SLUICE_TEST_RESIDENT"

func init() { testenv.Children["resident"] = runResident }

// TestStreamResident runs each stream in another process, over a file 1000 times as large as the
// stream's memory. The process may grow by the stream's memory and 8 MiB.
func TestStreamResident(t *testing.T) {
	testenv.SkipUnderRace(t)
	if _, err := resident("VmHWM"); err != nil {
		skip.For(t, skip.Proc, err)
	}
	testenv.EachDriver(t, func(t *testing.T, _ *sluice.Scheduler) {
		for _, how := range []string{"next", "read", "write"} {
			for _, of := range append(bounded, struct{ size, count int }{512 << 10, 5}) {
				size := int64(of.size) * int64(of.count) * 1000
				if how == "write" {
					size = min(size, 64<<20) // to be kind to disks
				}
				name := sparse(t, t.TempDir(), size)
				what := fmt.Sprintf("%s %s %d %d %s", testenv.DriverOf(t), how, of.size, of.count, name)
				if out, ok := testenv.Child(t, "resident", residentEnv+"="+what); !ok {
					t.Errorf("%s: %s", what, out)
				}
			}
		}
	})
}

func runResident() error {
	var driver, how, name string
	var size, count int
	if _, err := fmt.Sscan(os.Getenv(residentEnv), &driver, &how, &size, &count, &name); err != nil {
		return err
	}
	s, err := sluice.NewScheduler(sluice.Options{Driver: driver})
	if err != nil {
		return err
	}
	f, err := direct.OpenOn(s, name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if _, err := f.ReadAt(make([]byte, 1), 0); err != nil { // allocates all one-time memory
		return err
	}
	debug.FreeOSMemory()
	before, err := resident("VmRSS")
	if err != nil {
		return err
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // resets VmHWM
		return err
	}
	if err := runStream(f, how, size, count); err != nil {
		return err
	}
	after, err := resident("VmHWM")
	if most := before + size*count + 8<<20; err == nil && after > most {
		err = fmt.Errorf("%d bytes resident, %d before; want %d at most", after, before, most)
	}
	return err
}

func runStream(f *direct.File, how string, size, count int) error {
	ctx := context.Background()
	r, err := f.NewReader(ctx, direct.ReaderOptions{BufferSize: size, ReadAhead: count})
	if err != nil {
		return err
	}
	defer r.Close()
	b := make([]byte, 64<<10)
	switch how {
	case "read":
		_, err = io.CopyBuffer(onlyWrite{io.Discard}, onlyRead{r}, b)
		return err
	case "write":
		w, err := f.NewWriter(ctx, direct.WriterOptions{BufferSize: size, WriteBehind: count})
		if err != nil {
			return err
		}
		end, err := f.Size()
		for n := int64(0); n < end && err == nil; n += int64(len(b)) {
			_, err = w.Write(b)
		}
		if err != nil {
			return err
		}
		return w.Close()
	}
	for {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b.Release()
	}
}

// resident returns the bytes in a line of /proc/self/status.
func resident(line string) (int, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(b), line+":")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); !ok || err != nil {
		return 0, fmt.Errorf("/proc/self/status has no %s", line)
	}
	return kib << 10, nil
}
