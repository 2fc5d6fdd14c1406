package drivertest

import (
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

func (b *broken) Reap(done []*driver.Op, need int) (int, error) {
	b.mu.Lock()
	b.flush()
	b.mu.Unlock()
	switch {
	case b.is("early") && need > 1:
		need--
	case b.is("early") && need == 1:
		done, need = done[:0], 0
	case b.is("polls") && len(done) > 0:
		need = max(need, 1)
	case b.is("wakes") && need > 0 && b.wakes.Add(-1) >= 0:
		return b.Driver.Reap(done, 0)
	case b.is("wakelost") && need > 0:
		b.wakes.Store(1)
		defer b.wakes.Store(0)
	}
	n, err := b.Driver.Reap(done, need)
	b.polls.inside.Add(-int32(n))
	if b.is("wakedropped") && need == 0 {
		b.Driver.Wake()
		b.Driver.Reap(make([]*driver.Op, 1), 1)
	}
	for _, op := range done[:n] {
		b.repair(op)
	}
	b.reaped += n
	if b.is("closeearly") {
		b.mu.Lock()
		b.taken = slices.DeleteFunc(b.taken, func(op *driver.Op) bool { return slices.Contains(done[:n], op) })
		b.mu.Unlock()
	}
	switch {
	case b.is("twice") && n > 1:
		done[1] = done[0]
	case b.is("loses") && b.reaped > 3 && n > 0:
		n--
		b.reaped = -1 << 30
	case b.is("over") && n > 0:
		n++
	}
	b.polls.reaped(n)
	return n, err
}

func (b *broken) Wake() {
	switch {
	case b.is("wakes"):
		b.wakes.Add(1)
	case b.is("wakeless"), b.is("wakelost") && b.wakes.Load() == 0:
	default:
		b.Driver.Wake()
	}
}

func (b *broken) Cancel(op *driver.Op) {
	b.stale.Store(op)
	b.Driver.Cancel(op)
}

// Stage implements driver.Stager.
func (b *broken) Stage(ops []*driver.Op) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed.Load() {
		return 0
	}
	if len(b.staged) > 0 && !b.is("stagedeep") {
		return 0
	}
	b.staged = append(b.staged, ops...)
	if !b.is("stagedeep") && !b.is("staged") && !b.is("stageclosed") {
		n, _ := b.submit(ops)
		b.polls.owed.Add(int32(n))
		b.staged = nil
		return n
	}
	b.polls.owed.Add(int32(len(ops)))
	return len(ops)
}

// flush submits the staged operations. mu is held.
func (b *broken) flush() {
	if len(b.staged) > 0 && !b.is("staged") {
		b.submit(b.staged)
		b.staged = nil
	}
}

// submit submits ops to the driver inside.
func (b *broken) submit(ops []*driver.Op) (int, error) {
	b.polls.inside.Add(int32(len(ops)))
	if len(ops) > 0 {
		b.polls.empty.Store(0)
	}
	n, err := b.Driver.Submit(ops)
	b.polls.inside.Add(int32(n - len(ops)))
	return n, err
}

func (b *broken) Close() error {
	if b.closed.Swap(true) && b.is("closetwice") {
		return os.ErrClosed
	}
	switch b.how {
	case "closefails":
		return os.ErrInvalid
	case "goroutine":
		go func() { select {} }()
	case "descriptor":
		syscall.Dup(0)
	}
	err := b.Driver.Close()
	if b.is("closeearly") {
		b.unfinish()
	}
	for _, op := range b.taken {
		b.repair(op)
	}
	if b.is("closewrites") {
		time.AfterFunc(5*time.Millisecond, func() {
			for _, op := range b.taken {
				if op.Code == driver.Read {
					op.Buf[0]++
				}
			}
		})
	}
	return err
}

// unfinish makes operations that were not reaped look as if Close had not waited for them.
func (b *broken) unfinish() {
	for _, op := range b.taken {
		op.Res = 1
		clear(op.Buf)
	}
}
