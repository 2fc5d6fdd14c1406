//go:build amd64 || arm64

package aio

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Depth: -1}, {Depth: maxDepth + 1}, {Threads: -1}, {Threads: 1 << 30}} {
		before := descriptors(t)
		if q, err := New(o); err == nil {
			q.Close()
			t.Errorf("New(%+v) = nil error", o)
		}
		if after := descriptors(t); after != before {
			t.Errorf("New(%+v) leaves %d descriptors", o, after-before)
		}
	}
	for asked, want := range map[int]int{0: defaultDepth, 1: 1, 2: 2, 3: 4, 64: 64, 65: 128} {
		if got := newQueue(t, Options{Depth: asked}).Info().Depth; got != want {
			t.Errorf("Depth %d gives %d; want %d", asked, got, want)
		}
	}
}

// descriptors returns the number of open descriptors of the process.
func descriptors(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		skip.For(t, skip.Proc, err)
	}
	return len(names)
}

// fs.aio-max-nr is shared with all other programs, so the test sets a bound itself.
func TestMaxNr(t *testing.T) {
	for _, c := range []struct {
		room, depth, want uint32
		err               error
	}{
		{room: 4096, depth: 1024, want: 1024},
		{room: 1000, depth: 1024, want: 512},
		{room: 40, depth: 1024, want: 32},
		{room: 31, depth: 1024, want: 32, err: syscall.EAGAIN},
		{room: 8, depth: 8, want: 8},
		{room: 7, depth: 8, want: 8, err: syscall.EAGAIN},
	} {
		setup := func(depth uint32) (sys.AioContext, error) {
			if depth > c.room {
				return 0, syscall.EAGAIN
			}
			return 1, nil
		}
		if _, got, err := ioSetup(c.depth, setup); got != c.want || err != c.err {
			t.Errorf("room for %d: ioSetup(%d) = %d, %v; want %d, %v", c.room, c.depth, got, err, c.want, c.err)
		}
	}
	forbid := func(uint32) (sys.AioContext, error) { return 0, syscall.EPERM }
	if _, _, err := ioSetup(1024, forbid); err != syscall.EPERM {
		t.Errorf("ioSetup = %v; want EPERM", err)
	}
}

func TestDescribe(t *testing.T) {
	q := newQueue(t, Options{Depth: 64})
	says := func(asked uint32, text string) bool {
		return slices.ContainsFunc(q.describe(asked), func(s string) bool { return strings.Contains(s, text) })
	}
	if says(64, "fs.aio-max-nr") || !says(1024, "fs.aio-max-nr") {
		t.Error("a depth less than was asked for is to be told, and only that")
	}
	q.mapped = false
	if !says(64, "io_getevents") {
		t.Error("io_getevents is to be told")
	}
}

func TestAtLeast(t *testing.T) {
	for release, want := range map[string]bool{
		"5.13.0": true, "5.13-rc1": true, "5.12.19": false, "4.18.0-553.el8": false,
		"6.1.0-18-amd64": true, "10.0": true, "": false, "linux": false, "6": false,
	} {
		if got := atLeast(release, 5, 13); got != want {
			t.Errorf("atLeast(%q, 5, 13) = %v", release, got)
		}
	}
}
