package handle

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/tune"
)

// The look for the first file's cap may wait. Other files can be opened, classes added and Explain
// called in that time.
func TestCapsThatWait(t *testing.T) {
	hang.Watch(t)
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(sched.New(func() driver.Driver { return script.New(8) }, sched.Options{Threads: 4}), 0, nil)
	entered, release := make(chan bool), make(chan bool)
	s.caps.capOf = func(tune.Device) (fair.Cap, string) {
		entered <- true
		<-release
		return fair.Cap{Depth: 7, Bytes: 1 << 20, Beside: 1 << 20}, "measured by the test"
	}
	open := func() *os.File {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	coreOf := func(f *os.File) *sched.File { return iopath.NewFile(int(f.Fd()), false, false) }
	s.Core.Classes().New("class", fair.Settings{Weight: 1})
	first := open()
	if _, err := tune.DeviceOf(first); err != nil {
		skip.Forf(t, skip.Device, "the temporary directory: %v", err)
	}
	ended := make(chan bool)
	go func() {
		s.caps.opened(s.Core, coreOf(first))
		close(ended)
	}()
	<-entered
	s.caps.opened(s.Core, coreOf(open())) // these hang if a lock is held
	s.ClassesChanged()
	if text := explained(s); !strings.Contains(text, "the default, until") {
		t.Errorf("Explain has %q; want that the default holds until the file has been read", text)
	}
	release <- true
	<-ended
	if text := explained(s); !strings.Contains(text, "at most 7 operations") || !strings.Contains(text, "measured by the test") {
		t.Errorf("Explain has %q; want what was measured", text)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A device that nobody has any more has no cap in Explain, except the first file's device.
func TestCapsAreForgotten(t *testing.T) {
	s := New(sched.New(func() driver.Driver { return script.New(8) }, sched.Options{}), 0, nil)
	s.caps.capOf = func(tune.Device) (fair.Cap, string) { return fair.Cap{}, "measured by the test" }
	first := uint64(1 << 40) // no disk has such a number
	s.caps.first.Store(&first)
	kept := s.Core.Devices().Of(first + 1)
	for n := range uint64(3) {
		s.caps.of(first + n) // first + 2 is a device that nobody has
	}
	text := explained(s)
	for n, want := range []bool{false, true, false} { // the first's cap has no name
		if has := strings.Contains(text, fmt.Sprintf("on device %#x", first+uint64(n))); has != want {
			t.Errorf("Explain has %q; want device %d there: %t", text, n, want)
		}
	}
	if s.caps.foundFor(first).text == "" {
		t.Error("the cap of the first file's device was forgotten")
	}
	runtime.KeepAlive(kept)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func explained(s *Scheduler) string {
	var b strings.Builder
	s.ExplainCaps(&b)
	return b.String()
}
