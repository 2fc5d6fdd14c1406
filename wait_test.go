package sluice_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
)

// patience is how long a test waits for what must happen. It only decides how
// soon a hang is reported.
const patience = 3 * time.Minute

func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	waitOr(ok, func() { t.Fatal("in vain: waiting for ", what) })
}

// waitOr waits until ok says so, and calls fail if that never comes.
func waitOr(ok func() bool, fail func()) {
	for end := time.Now().Add(patience); !ok(); yield() {
		if time.Now().After(end) {
			fail()
			return
		}
	}
}

func yield() {
	runtime.Gosched()
	time.Sleep(50 * time.Microsecond)
}

// parked counts the goroutines that are in the named function.
func parked(function string) int {
	b := make([]byte, 1<<20)
	return strings.Count(string(b[:runtime.Stack(b, true)]), function+"(")
}

// occupy takes the only place of blocking calls of s until release is called.
func occupy(s *sluice.Scheduler) (release func()) {
	held, done := make(chan bool), make(chan bool)
	go s.Block(func() {
		held <- true
		<-done
	})
	<-held
	return sync.OnceFunc(func() { close(done) })
}

// textOn opens a file of twenty bytes on s.
func textOn(t testing.TB, s *sluice.Scheduler, dir string) *sluice.File {
	t.Helper()
	name := filepath.Join(dir, "text")
	if err := os.WriteFile(name, []byte(twenty), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := s.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func readTwenty(t *testing.T, f *sluice.File) {
	b := make([]byte, len(twenty))
	if n, err := f.ReadAt(b, 0); n != len(b) || err != nil || string(b) != twenty {
		t.Errorf("ReadAt = %d, %v, %q; want %d, nil, %q", n, err, b, len(b), twenty)
	}
}

// directOn opens a file of size bytes on s, with O_DIRECT where that is.
func directOn(t testing.TB, s *sluice.Scheduler, dir string, size int) *sluice.File {
	t.Helper()
	name := filepath.Join(dir, "direct")
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i / pageSize)
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := s.OpenFile(name, os.O_RDWR|oDirect, 0)
	if err != nil {
		t.Skip("no O_DIRECT here: ", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// driverOf returns the driver that a subtest of eachDriver is for.
func driverOf(t *testing.T) string {
	for _, part := range strings.Split(t.Name(), "/") {
		for _, d := range drivers {
			if part == d {
				return d
			}
		}
	}
	t.Fatal("no driver in ", t.Name())
	return ""
}
