//go:build amd64 || arm64

package sys

import (
	"os"
	"testing"
	"unsafe"

	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestAioABI(t *testing.T) {
	var iocb Iocb
	var event IoEvent
	var ring aioRing
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"sizeof(struct iocb)", unsafe.Sizeof(iocb), 64},
		{"iocb.aio_rw_flags", unsafe.Offsetof(iocb.RWFlags), 12},
		{"iocb.aio_fildes", unsafe.Offsetof(iocb.Fildes), 20},
		{"iocb.aio_buf", unsafe.Offsetof(iocb.Buf), 24},
		{"iocb.aio_offset", unsafe.Offsetof(iocb.Offset), 40},
		{"iocb.aio_resfd", unsafe.Offsetof(iocb.ResFD), 60},
		{"sizeof(struct io_event)", unsafe.Sizeof(event), 32},
		{"sizeof(struct aio_ring)", unsafe.Sizeof(ring), 32},
		{"aio_ring.magic", unsafe.Offsetof(ring.Magic), 16},
	} {
		if c.got != c.want {
			t.Errorf("%s = %d; want %d", c.name, c.got, c.want)
		}
	}
}

// The event buffer and io_getevents must return the same for the same completions, also where the
// buffer wraps around.
func TestAioRing(t *testing.T) {
	ctx, err := IoSetup(8)
	if err != nil {
		skip.ForDriver(t, "aio", err)
	}
	defer IoDestroy(ctx)
	ring, ok := ctx.Ring()
	if !ok {
		skip.For(t, skip.AIO, "the kernel's completion ring has another layout")
	}
	path := t.TempDir() + "/f"
	fd := create(t, path, 64)
	bufs := make([]byte, 8*8)
	iocbs := make([]Iocb, 8)
	list := make([]*Iocb, 8)
	events := make([]IoEvent, 16)
	for round := range 100 {
		for i := range iocbs {
			iocbs[i] = Iocb{Data: uint64(round*8 + i), LioOpcode: IOCB_CMD_PREAD, Fildes: uint32(fd), Buf: Addr(bufs[i*8 : i*8+8]), Nbytes: 8, Offset: int64(8 * i)}
			list[i] = &iocbs[i]
		}
		// A buffered read is complete when io_submit returns.
		if r := IoSubmit(ctx, list); r != 8 {
			t.Fatalf("io_submit = %d; want 8", r)
		}
		// The event buffer returns some, and the system call the rest.
		n := ring.Take(events[:round%9])
		if r := IoGetevents(ctx, 0, events[n:]); int(r) != 8-n {
			t.Fatalf("round %d: io_getevents = %d after %d from the ring; want %d", round, r, n, 8-n)
		}
		for i, e := range events[:8] {
			if e.Data != uint64(round*8+i) || e.Res != 8 {
				t.Fatalf("round %d: event %d = %+v; want Data %d, Res 8", round, i, e, round*8+i)
			}
		}
	}
	if n := ring.Take(events); n != 0 {
		t.Errorf("Take of an empty ring = %d; want 0", n)
	}
}

func TestIoSubmitPrefix(t *testing.T) {
	ctx, err := IoSetup(8)
	if err != nil {
		skip.ForDriver(t, "aio", err)
	}
	defer IoDestroy(ctx)
	fd := create(t, t.TempDir()+"/f", 64)
	buf := make([]byte, 8)
	good := Iocb{LioOpcode: IOCB_CMD_PREAD, Fildes: uint32(fd), Buf: Addr(buf), Nbytes: 8}
	bad := good
	bad.Fildes = 1 << 30
	if r := IoSubmit(ctx, []*Iocb{&good, &bad, &good}); r != 1 {
		t.Errorf("io_submit of a good, a bad and a good iocb = %d; want 1", r)
	}
	if r := IoSubmit(ctx, []*Iocb{&bad, &good}); r != -9 {
		t.Errorf("io_submit of a bad and a good iocb = %d; want -9 (EBADF)", r)
	}
	if r := IoSubmit(ctx, nil); r != 0 {
		t.Errorf("io_submit of nothing = %d; want 0", r)
	}
}

func TestEndOf(t *testing.T) {
	fd := create(t, t.TempDir()+"/f", 12345)
	if end := EndOf(fd); end != 12345 {
		t.Errorf("EndOf a file of 12345 bytes = %d", end)
	}
	if end := EndOf(1 << 30); end != -9 {
		t.Errorf("EndOf no file = %d; want -9 (EBADF)", end)
	}
	allocs.None(t, "EndOf", func() error { EndOf(fd); return nil })
}

// create makes a file of n bytes and returns its descriptor.
func create(t *testing.T, path string, n int64) int {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.Truncate(n); err != nil {
		t.Fatal(err)
	}
	return int(f.Fd())
}
