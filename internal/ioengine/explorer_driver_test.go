//go:build sluice_probes

package ioengine

import (
	"slices"

	"github.com/sluiceio/sluice/internal/driver"
)

// slowDriver is a driver in a world. An operation that it has ends when the
// explorer chooses so; that at offset 0 is stuck: it ends when others says that all
// others have, or once it is cancelled.
type slowDriver struct {
	w      *world
	room   int  // operations at a time
	shy    bool // Stage takes one at a time
	full   bool // there is room for one, whatever room says, and none is stuck
	others func() bool
	// own has the operations that the driver has been given. A Cancel of another one is a mistake.
	// It is nil if the scenario has one ring.
	own map[*driver.Op]bool

	staged, held, done []*driver.Op
	cancelled          bool // the stuck one
	woken              bool
}

// slowStager is a slowDriver that can stage.
type slowStager struct{ *slowDriver }

func (d *slowDriver) Submit(ops []*driver.Op) (int, error) {
	d.w.forgetAt(ops)
	d.w.Step()
	ops = d.fitting(ops)
	d.given(ops)
	d.held = append(d.held, ops...)
	if len(d.staged)+len(d.held)+len(d.done) > d.room {
		panic("the driver has too much")
	}
	return len(ops), nil
}

func (d slowStager) Stage(ops []*driver.Op) int {
	d.w.forgetAt(ops)
	d.w.Step()
	if ops = d.fitting(ops); d.shy {
		ops = ops[:min(1, len(ops))]
	}
	d.given(ops)
	d.staged = append(d.staged, ops...)
	return len(ops)
}

func (d *slowDriver) given(ops []*driver.Op) {
	for _, op := range ops {
		if d.own != nil {
			d.own[op] = true
		}
	}
}

// fitting returns the first ops, as many as there is room for.
func (d *slowDriver) fitting(ops []*driver.Op) []*driver.Op {
	if d.full {
		return ops[:min(1-len(d.staged)-len(d.held)-len(d.done), len(ops))]
	}
	return ops
}

func (d *slowDriver) Reap(done []*driver.Op, need int) (int, error) {
	if len(d.staged) > 0 {
		d.w.Step()
		d.held = append(d.held, d.staged...)
		d.staged = d.staged[:0]
	}
	if need == 0 {
		d.w.Step()
	} else { // Nothing of what a leader has seen before plays a part after it.
		d.w.forget(0)
	}
	d.w.Wait(func() bool { return len(d.done) >= need || d.woken })
	d.woken = d.woken && len(d.done) >= need
	n := copy(done, d.done)
	for _, op := range d.done[:n] {
		d.w.Saw(op)
	}
	d.done = slices.Delete(d.done, 0, n)
	return n, nil
}

// mayEnd reports whether op, which is held, may end now.
func (d *slowDriver) mayEnd(op *driver.Op) bool {
	return op.Off != 0 || d.cancelled || d.full || d.others()
}

// end ends the operation that is held at place i.
func (d *slowDriver) end(i int) {
	d.held[i].Res = int32(len(d.held[i].Buf))
	d.done = append(d.done, d.held[i])
	d.held = slices.Delete(d.held, i, i+1)
}

func (d *slowDriver) Cancel(op *driver.Op) {
	d.w.Step()
	if d.own != nil && !d.own[op] {
		panic("a cancel of another ring's operation")
	}
	d.cancelled = d.cancelled || op.Off == 0
}

// Wake is called with the RequestSet's mu held, which is a step's bound.
func (d *slowDriver) Wake() { d.woken = true }

func (d *slowDriver) Async(*driver.Op) bool { return true }
func (d *slowDriver) Info() driver.Info     { return driver.Info{Name: "slow", Depth: d.room} }
func (d *slowDriver) Close() error          { return nil }

// key is the driver's state.
func (d *slowDriver) key() uint64 {
	key := hash(number(d.cancelled), number(d.woken))
	for _, ops := range [][]*driver.Op{d.staged, d.held, d.done} {
		set := uint64(0) // the order of operations is no matter
		for _, op := range ops {
			set |= 1 << op.Off
		}
		key = hash(key, set)
	}
	return key
}
