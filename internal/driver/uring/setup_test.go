//go:build linux && (amd64 || arm64)

package uring

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o     Options
		depth uint32 // 0: New fails
		names string // text that the error must contain
	}{
		{Options{}, 1024, ""},
		{Options{Depth: 1}, 1, ""},
		{Options{Depth: 3}, 4, ""},
		{Options{Depth: 64}, 64, ""},
		{Options{Depth: 65}, 128, ""},
		{Options{Depth: 16384}, 16384, ""},
		{Options{Depth: -1}, 0, "Depth -1"},
		{Options{Depth: 16385}, 0, "Depth 16385"},
	} {
		depth, err := c.o.check()
		if depth != c.depth || (err != nil) != (c.names != "") || err != nil && !strings.Contains(err.Error(), c.names) {
			t.Errorf("%+v: depth %d, error %v; want %d, %q", c.o, depth, err, c.depth, c.names)
		}
	}
}

// The largest ring has room for all its completions.
func TestLargestDepth(t *testing.T) {
	r := open(t, Options{Depth: 16384})
	defer r.Close()
	if r.Info().Depth != 16384 || len(r.cqes) < 2*16384 {
		t.Errorf("Depth = %d with %d CQEs; want 16384 with at least twice as many", r.Info().Depth, len(r.cqes))
	}
}

// Kernels before 5.6 have io_uring, but lack parts that a Ring needs.
func TestProbeRefusesOldKernels(t *testing.T) {
	const need = sys.IORING_FEAT_SINGLE_MMAP | sys.IORING_FEAT_NODROP
	r := open(t, Options{})
	defer r.Close()
	for _, features := range []uint32{0, sys.IORING_FEAT_SINGLE_MMAP, sys.IORING_FEAT_NODROP} {
		_, err := (&Ring{fd: r.fd}).probe(&sys.UringParams{Features: features})
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("probe with features %#x = %v; want ErrUnsupported", features, err)
		}
	}
	// This descriptor is no ring: IORING_REGISTER_PROBE fails, as it does before 5.6.
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if _, err := (&Ring{fd: int(null.Fd())}).probe(&sys.UringParams{Features: need}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("probe without IORING_REGISTER_PROBE = %v; want ErrUnsupported", err)
	}
}

// Before 5.9 a buffered read that has to wait takes a worker of the kernel.
func TestAsyncFollowsTheKernel(t *testing.T) {
	for _, c := range []struct {
		rasync          bool
		buffered, drect bool
	}{{true, true, true}, {false, false, true}} {
		r := &Ring{asyncReads: c.rasync}
		if got := r.Async(op(read, 0)); got != c.buffered {
			t.Errorf("rasync %t: Async(buffered read) = %t; want %t", c.rasync, got, c.buffered)
		}
		if got := r.Async(op(read, direct)); got != c.drect {
			t.Errorf("rasync %t: Async(direct read) = %t; want %t", c.rasync, got, c.drect)
		}
		if r.Async(op(write, 0)) || !r.Async(op(write, direct)) || r.Async(op(fsync, direct)) {
			t.Errorf("rasync %t: Async of a write is that of a direct one, of an fsync false", c.rasync)
		}
	}
}

// A child process must not share the ring: the kernel opens it with O_CLOEXEC, which UringSetup
// must not clear.
func TestRingIsCloseOnExec(t *testing.T) {
	r := open(t, Options{})
	defer r.Close()
	flags, err := unix.FcntlInt(uintptr(r.fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("F_GETFD = %#x, %v; want FD_CLOEXEC", flags, err)
	}
}

// After Close, and after a New that fails after io_uring_setup, no descriptor or mapping of the
// ring is left.
func TestNothingIsLeftBehind(t *testing.T) {
	open(t, Options{}).Close()
	before := mappings(t)
	for range 5 {
		r := open(t, Options{Depth: 64})
		if mappings(t) == before {
			t.Fatal("an open ring is not in /proc/self/maps")
		}
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	fd, p, err := setup(16, new(record.Hook))
	if err != nil {
		t.Fatal(err)
	}
	bad := &Ring{hook: new(record.Hook), depth: 16}
	p.Features = 0
	if bad.adopt(fd, p) == nil {
		t.Error("use without features = nil; want an error")
	}
	bad.release()
	if after := mappings(t); after != before {
		t.Errorf("%d mappings and descriptors of rings are left; before there were %d", after, before)
	}
}

// mappings returns the number of mappings and descriptors of rings in this process.
func mappings(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		skip.For(t, skip.Proc, err)
	}
	n := strings.Count(string(maps), "io_uring")
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		skip.For(t, skip.Proc, err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.Contains(to, "io_uring") {
			n++
		}
	}
	return n
}
