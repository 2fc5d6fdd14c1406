package drivertest

import (
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
)

var loadTests = []test{
	{"TenThousand", 64, testTenThousand},
	{"ManySubmitters", 64, testManySubmitters},
	{"WholeBatches", 256, testWholeBatches},
}

const block = 512

// testTenThousand makes 10,000 operations wait for a driver of depth 64. One goroutine submits,
// another reaps. Each operation has another block, first a write and then a read.
func testTenThousand(r *rig) {
	const blocks = 10000
	f := r.create(nil)
	ops := make([]*driver.Op, blocks)
	for i := range ops {
		off := int64(i) * block
		ops[i] = op(driver.Write, f.FD(), off, pattern(off, block, 7))
	}
	r.pump(ops)
	r.same("file", f.Contents(r), pattern(0, blocks*block, 7))
	for i := range ops {
		off := int64(blocks-1-i) * block
		ops[i] = op(driver.Read, f.FD(), off, make([]byte, block))
	}
	r.pump(ops)
	for _, op := range ops {
		r.same("Read", op.Buf, pattern(op.Off, block, 7))
	}
}

// pump submits ops in one goroutine while this one reaps them.
func (r *rig) pump(ops []*driver.Op) {
	r.Helper()
	total, room := len(ops), make(chan struct{}, 1)
	var submitter sync.WaitGroup
	submitter.Go(func() {
		for rest := ops; len(rest) > 0; {
			arm(rest[:min(len(rest), 100)])
			n, err := r.d.Submit(rest[:min(len(rest), 100)])
			if err != nil {
				r.Errorf("Submit = %d, %v", n, err)
				return
			}
			if rest = rest[n:]; n == 0 {
				<-room // full
			}
		}
	})
	for back := 0; back < total; {
		done := r.reap(32, 1)
		for _, op := range done {
			if op.Res != int32(len(op.Buf)) {
				r.Errorf("%v at %d = %s; want %d", op.Code, op.Off, show(op.Res), len(op.Buf))
			}
		}
		back += len(done)
		select {
		case room <- struct{}{}:
		default:
		}
	}
	submitter.Wait()
}

// testManySubmitters has several goroutines that submit, one at a time, and wait for
// their own operations, while one goroutine reaps for all.
func testManySubmitters(r *rig) {
	const users, rounds, each = 8, 100, 4
	data := pattern(0, 64<<10, 0)
	f := r.create(data)
	var mu sync.Mutex // held while submitting
	back := make([]chan *driver.Op, users)
	var all sync.WaitGroup
	for u := range users {
		back[u] = make(chan *driver.Op, each)
		all.Go(func() {
			ops := make([]*driver.Op, each)
			for i := range ops {
				ops[i] = op(driver.Read, f.FD(), int64((u*each+i)*1000), make([]byte, 1000))
				ops[i].Owner.(*tracker).tag = u
			}
			for range rounds {
				mu.Lock()
				arm(ops)
				n, err := r.d.Submit(ops) // users*each is below the depth
				mu.Unlock()
				if n != each || err != nil {
					r.Errorf("Submit = %d, %v; want %d, nil", n, err, each)
				}
				for range n {
					op := <-back[u]
					r.same("Read", op.Buf, data[op.Off:op.Off+1000])
					clear(op.Buf)
				}
			}
		})
	}
	for n := 0; n < users*rounds*each; {
		done := r.reap(16, 1)
		for _, op := range done {
			back[op.Owner.(*tracker).tag] <- op
		}
		n += len(done)
	}
	all.Wait()
}

// testWholeBatches submits as much as the driver takes at once, many times.
func testWholeBatches(r *rig) {
	data := pattern(0, 64<<10, 0)
	f := r.create(data)
	for range 10 {
		ops := mixed(f, data, 2*r.depth())
		for _, op := range ops {
			if op.Code == driver.Read {
				op.Off %= 32 << 10
			}
		}
		r.all(ops)
		r.finished(ops, data)
	}
}
