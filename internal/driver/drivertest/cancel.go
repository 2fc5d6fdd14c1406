package drivertest

import (
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
)

var cancelTests = []test{
	{"Cancel", 32, testCancel},
	{"CancelAfterReap", 4, testCancelAfterReap},
	{"CancelRace", 16, testCancelRace},
}

// cancelled checks an operation that was cancelled, in time or too late.
func (r *rig) cancelled(op *driver.Op, data []byte) {
	r.Helper()
	switch op.Res {
	case canceled:
	case int32(len(op.Buf)):
		r.same("Read that was cancelled too late", op.Buf, data[op.Off:op.Off+int64(len(op.Buf))])
	default:
		r.Errorf("cancelled Read at %d = %s; want %d or ECANCELED", op.Off, show(op.Res), len(op.Buf))
	}
}

// testCancel cancels every second operation of a full driver, starting with the last.
func testCancel(r *rig) {
	data := pattern(0, 64<<10, 0)
	f := r.create(data)
	for range 20 {
		ops := make([]*driver.Op, r.depth())
		for i := range ops {
			ops[i] = op(driver.Read, f.FD(), int64(i%64*1000), make([]byte, 1000))
			ops[i].Owner.(*tracker).tag = i
		}
		r.submit(ops...)
		for i := len(ops) - 1; i >= 0; i -= 2 {
			r.d.Cancel(ops[i])
		}
		for _, op := range r.must(len(ops)) {
			r.cancelled(op, data)
			if (len(ops)-1-op.Owner.(*tracker).tag)%2 != 0 && op.Res == canceled {
				r.Errorf("Read at %d = ECANCELED; it was not cancelled", op.Off)
			}
		}
	}
}

// testCancelAfterReap cancels operations that were returned, which must not affect
// them when they are submitted again.
func testCancelAfterReap(r *rig) {
	data := pattern(0, 4096, 0)
	o := op(driver.Read, r.create(data).FD(), 0, make([]byte, 4096))
	for range 50 {
		clear(o.Buf)
		r.want(o, 4096)
		r.same("Read", o.Buf, data)
		r.d.Cancel(o)
	}
}

// testCancelRace cancels while another goroutine reaps.
func testCancelRace(r *rig) {
	const total = 2000
	data := pattern(0, 64<<10, 0)
	f := r.create(data)
	submitted := make(chan *driver.Op, total)
	room := make(chan struct{}, 16)
	var all sync.WaitGroup
	all.Go(func() {
		defer close(submitted)
		for i := range total {
			room <- struct{}{}
			o := op(driver.Read, f.FD(), int64(i%60*1000), make([]byte, 1000))
			arm([]*driver.Op{o})
			if n, err := r.d.Submit([]*driver.Op{o}); n != 1 || err != nil {
				r.Errorf("Submit = %d, %v; want 1, nil", n, err)
				return
			}
			submitted <- o
		}
	})
	all.Go(func() {
		for o := range submitted {
			r.d.Cancel(o)
		}
	})
	for range total {
		r.cancelled(r.must(1)[0], data)
		<-room
	}
	all.Wait()
}
