package drivertest

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
)

// testPipe reads from a pipe, which has no offsets. A driver may fail, as pread(2)
// does, or transfer.
func testPipe(r *rig) {
	rd, wr := pipe(r)
	if _, err := wr.WriteString("abc"); err != nil {
		r.Fatal(err)
	}
	buf := make([]byte, 8)
	switch res := r.do(op(driver.Read, int32(rd.Fd()), 0, buf)); res {
	case -int32(syscall.ESPIPE):
	case 3:
		r.same("Read of a pipe", buf[:3], []byte("abc"))
	default:
		r.Errorf("Read of a pipe = %s; want ESPIPE or 3", show(res))
	}
	r.refused("pipe", op(driver.Fsync, int32(wr.Fd()), 0, nil), syscall.EINVAL)
	r.refused("pipe", op(driver.Fdatasync, int32(rd.Fd()), 0, nil), syscall.EINVAL)
}

// testPipeStuck reads from an empty pipe. In drivers that wait for the data, that operation does
// not end. It must not delay a poll, other operations or Wake, and can be cancelled.
func testPipeStuck(r *rig) {
	rd, _ := pipe(r)
	stuck, nop := op(driver.Read, int32(rd.Fd()), 0, make([]byte, 8)), nops(1)[0]
	inFlight := func(op *driver.Op) bool { return op.Owner.(*tracker).taken.Load() }
	r.submit(stuck)
	r.reap(1, 0)
	r.d.Wake()
	r.reap(1, 1)
	for r.submit(nop); inFlight(nop); {
		r.reap(2, 1)
	}
	r.d.Cancel(stuck)
	if inFlight(stuck) {
		r.must(1)
	}
	if res := stuck.Res; res != -int32(syscall.ESPIPE) && res != canceled {
		r.Errorf("Read of an empty pipe = %s; want ESPIPE or ECANCELED", show(res))
	}
}

func pipe(r *rig) (rd, wr *os.File) {
	// os.Pipe would make non-blocking descriptors, in the netpoller.
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		r.Fatal(err)
	}
	rd, wr = os.NewFile(uintptr(p[0]), "pipe"), os.NewFile(uintptr(p[1]), "pipe")
	r.Cleanup(func() { rd.Close(); wr.Close() })
	return rd, wr
}
