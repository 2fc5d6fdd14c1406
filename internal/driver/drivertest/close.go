package drivertest

import (
	"errors"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

var closeTests = []test{
	{"CloseIdle", 4, func(r *rig) { r.close() }},
	{"CloseTwice", 4, testCloseTwice},
	{"CloseWoken", 4, func(r *rig) { r.d.Wake() }},
	{"CloseInFlight", 64, testCloseInFlight},
	{"CloseHalfReaped", 64, testCloseHalfReaped},
	{"CloseStaged", 8, testCloseStaged},
}

func testCloseTwice(r *rig) {
	r.submit(nops(1)...)
	r.must(1)
	r.close()
	if err := r.d.Close(); err != nil {
		r.Errorf("second Close = %v; want nil", err)
	}
	ops := nops(1)
	if n, err := r.d.Submit(ops); n != 0 || !errors.Is(err, driver.ErrClosed) {
		r.Errorf("Submit after Close = %d, %v; want 0, ErrClosed", n, err)
	}
	for _, need := range []int{0, 1} {
		if n, err := r.d.Reap(make([]*driver.Op, 1), need); n != 0 || !errors.Is(err, driver.ErrClosed) {
			r.Errorf("Reap after Close = %d, %v; want 0, ErrClosed", n, err)
		}
	}
	if s, ok := r.d.(driver.Stager); ok {
		if n := s.Stage(ops); n != 0 {
			r.Errorf("Stage after Close = %d; want 0", n)
		}
	}
}

// mixed returns n operations, in turn reads of data, writes behind it, and syncs.
func mixed(f File, data []byte, n int) []*driver.Op {
	ops := make([]*driver.Op, n)
	for i := range ops {
		switch i % 4 {
		case 0, 1:
			ops[i] = op(driver.Read, f.FD(), int64(i)*512, make([]byte, 512))
		case 2:
			off := int64(len(data) + i*512)
			ops[i] = op(driver.Write, f.FD(), off, pattern(off, 512, 9))
		case 3:
			ops[i] = op(driver.Fdatasync, f.FD(), 0, nil)
		}
	}
	return ops
}

// finished checks operations that mixed has returned.
func (r *rig) finished(ops []*driver.Op, data []byte) {
	r.Helper()
	for _, op := range ops {
		if op.Res != int32(len(op.Buf)) {
			r.Errorf("%v at %d = %s after Close; want %d", op.Code, op.Off, show(op.Res), len(op.Buf))
		}
		if op.Code == driver.Read {
			r.same("Read", op.Buf, data[op.Off:op.Off+int64(len(op.Buf))])
		}
	}
}

// testCloseInFlight closes a full driver. All results must be set, and the buffers
// must not be written to afterwards.
func testCloseInFlight(r *rig) {
	data := pattern(0, 64*512, 0)
	f := r.create(data)
	ops := mixed(f, data, 64)
	r.submit(ops...)
	r.close()
	r.finished(ops, data)
	for _, op := range ops {
		copy(op.Buf, pattern(op.Off, len(op.Buf), 0x55))
	}
	for range 20 { // time for a late write; after a stall of the process it goes first
		time.Sleep(time.Millisecond)
	}
	for _, op := range ops {
		r.same("buffer after Close", op.Buf, pattern(op.Off, len(op.Buf), 0x55))
	}
	for _, op := range ops {
		if op.Code == driver.Write {
			r.same("file after Close", f.Contents(r)[op.Off:op.Off+512], pattern(op.Off, 512, 9))
		}
	}
}

func testCloseHalfReaped(r *rig) {
	data := pattern(0, 64*512, 0)
	ops := mixed(r.create(data), data, 64)
	r.submit(ops...)
	r.must(32)
	r.close()
	r.finished(ops, data)
}

func testCloseStaged(r *rig) {
	r.stager()
	data := pattern(0, 64*512, 0)
	ops := mixed(r.create(data), data, 8)
	n := r.stage(ops)
	r.close()
	r.finished(ops[:n], data)
}
