package testenv

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// Patience is how long a test waits for an event that must happen. It only decides how soon a hang
// is reported.
const Patience = 3 * time.Minute

// WaitFor waits until ok returns true. It fails the test if that takes too long.
func WaitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	WaitOr(ok, func() { t.Fatal("in vain: waiting for ", what) })
}

// WaitOr waits until ok returns true. It calls fail if that takes too long.
func WaitOr(ok func() bool, fail func()) {
	for end := time.Now().Add(Patience); !ok(); Yield() {
		if time.Now().After(end) {
			fail()
			return
		}
	}
}

// Yield lets other goroutines, and the device, go on.
func Yield() {
	runtime.Gosched()
	time.Sleep(50 * time.Microsecond)
}

// Occupy takes the only permit of s until release is called.
func Occupy(s *sluice.Scheduler) (release func()) {
	held, done := make(chan bool), make(chan bool)
	go CoreOf(s).WithPermit(sched.Changes, nil, func() {
		held <- true
		<-done
	})
	<-held
	return sync.OnceFunc(func() { close(done) })
}

// Waiting returns how many goroutines wait for a permit of s, for a device or a name.
func Waiting(s *sluice.Scheduler) int {
	core := CoreOf(s)
	_, waiting := core.Devices().InUse()
	_, named := core.Names()
	return waiting + named
}

// TextOn opens a file of twenty bytes on s.
func TextOn(t testing.TB, s *sluice.Scheduler, dir string) *sluice.File {
	t.Helper()
	name := filepath.Join(dir, "text")
	if err := os.WriteFile(name, []byte(Twenty), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := s.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// ReadTwenty reads f, a file of TextOn, and checks the bytes.
func ReadTwenty(t *testing.T, f *sluice.File) {
	b := make([]byte, len(Twenty))
	if n, err := f.ReadAt(b, 0); n != len(b) || err != nil || string(b) != Twenty {
		t.Errorf("ReadAt = %d, %v, %q; want %d, nil, %q", n, err, b, len(b), Twenty)
	}
}

// DirectOn opens an uncached file of size bytes on s, with O_DIRECT if possible. It is uncached
// because Linux before 5.13 makes no direct transfer of a cached block without waiting, and so
// queues none.
func DirectOn(t testing.TB, s *sluice.Scheduler, dir string, size int) *sluice.File {
	t.Helper()
	name := filepath.Join(dir, "direct")
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i / PageSize)
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := s.OpenFile(name, os.O_RDWR|sys.O_DIRECT, 0)
	if err != nil {
		reason := skip.Direct
		if !strings.HasPrefix(dir, os.TempDir()) {
			reason = skip.Kernel // tmpfs has it since Linux 6.6
		}
		skip.For(t, reason, "no O_DIRECT here: ", err)
	}
	t.Cleanup(func() { f.Close() })
	if err := errors.Join(f.OSFile().Sync(), DropCache(int(f.Fd()))); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Fatal(err)
	}
	return f
}

// DriverOf returns the driver of a subtest of EachDriver.
func DriverOf(t *testing.T) string {
	for _, part := range strings.Split(t.Name(), "/") {
		for _, d := range Drivers {
			if part == d {
				return d
			}
		}
	}
	t.Fatal("no driver in ", t.Name())
	return ""
}

// WantIdle requires that nothing is held or in flight.
func WantIdle(t *testing.T, s *sluice.Scheduler) {
	t.Helper()
	if st := s.Stats(); st.BuffersInUse != 0 || st.InFlight != 0 {
		t.Errorf("%d bytes of buffers in use, %d in flight; want none", st.BuffersInUse, st.InFlight)
	}
}
