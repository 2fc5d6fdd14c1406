package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/list"
)

// deviceHelpers are the goroutines that make one kind of plain call to a device for Transfers, in
// the order of arrival. The device may answer one kind while another hangs. Transfers whose
// contexts can end have separate helpers, too, because there are fewer permits for them.
//
// Helpers exist while there is something to do, and there are at most as many as the device has
// permits. A helper acquires its permit first and takes a Transfer then, so that a Transfer that
// still waits can be withdrawn.
type deviceHelpers struct {
	s      *Scheduler
	device *device.Device
	kind   budget.Kind
	ends   bool   // the contexts of its Transfers can end
	help   func() // is run, made once: "go d.run()" would allocate

	queue   list.List[Transfer] // Transfers that wait. Under helpersMu, as is running
	running int
}

// giveToHelper gives t to its helpers. If t has been withdrawn, it ends t instead.
func (t *Transfer) giveToHelper() {
	s := t.s
	on, kind := s.DeviceOf(t.f), iopath.KindOf(t.code)
	s.helpersMu.Lock()
	if t.withdrawn {
		s.helpersMu.Unlock()
		t.Rejected(ecanceled)
		return
	}
	defer s.helpersMu.Unlock()
	of := &on.Helpers[kind]
	if t.Ends {
		of = &on.Helpers[budget.Kinds+kind]
	}
	d, _ := (*of).(*deviceHelpers)
	if d == nil {
		d = &deviceHelpers{s: s, device: on, kind: kind, ends: t.Ends}
		d.help = d.run
		*of = d
	}
	d.queue.PushBack(&t.links, t)
	t.helpers = d
	d.startHelper()
}

// startHelper starts a helper, if there may be one more. It must be called with helpersMu held.
func (d *deviceHelpers) startHelper() {
	if d.running < int(d.device.Budget.Limit()) {
		d.running++
		d.s.goroutines.Add(1)
		go d.help()
	}
}

func (d *deviceHelpers) run() {
	s := d.s
	defer s.goroutines.Done()
	s.Ready() // which may raise the number of permits
	for {
		if d.device.Budget.Full(d.kind) {
			s.helpersMu.Lock()
			d.widen(d.queue.Front())
			s.helpersMu.Unlock()
		}
		p, _ := d.device.Budget.Acquire(context.Background(), d.kind, d.ends) // never fails
		t := d.next()
		if t == nil {
			p.Release()
			return
		}
		if t.addResult(s.paths.PlainCall(t.asked, iopath.Plain{Permit: p}, t.code, t.f, t.rest(), t.at())) {
			t.end()
		} else {
			t.continueRest()
		}
	}
}

// widen raises the number of permits if t has none, or the last one, and then starts helpers for
// the Transfers that wait. It must be called with helpersMu held.
func (d *deviceHelpers) widen(t *Transfer) {
	if t != nil && d.s.paths.WidenFor(d.kind, t.f) {
		for range d.queue.Len() {
			d.startHelper()
		}
	}
}

// next removes and returns the first Transfer. If it returns nil, the helper must end.
func (d *deviceHelpers) next() *Transfer {
	d.s.helpersMu.Lock()
	defer d.s.helpersMu.Unlock()
	t := d.queue.Front()
	if t == nil {
		d.running--
		return nil
	}
	d.remove(t)
	d.widen(t)
	return t
}

// remove takes t out of the queue. It must be called with helpersMu held.
func (d *deviceHelpers) remove(t *Transfer) {
	d.queue.Remove(&t.links)
	t.helpers = nil
}

// withdraw marks t as withdrawn: nothing more is tried for it. waiting: t was waiting for a helper,
// and no longer is. If not, pushed: the engine has been given t.
func (t *Transfer) withdraw() (waiting, pushed bool) {
	t.s.helpersMu.Lock()
	defer t.s.helpersMu.Unlock()
	t.withdrawn = true
	if t.helpers == nil {
		return false, t.pushed
	}
	t.helpers.remove(t)
	return true, false
}

// pushGranted puts t, whose ticket has been granted, into the inbox of e, t's engine, unless t has
// been withdrawn. It holds helpersMu because the owner may be withdrawing t at the same time: from
// then on the operation must not change. The caller calls Engine.EnsureSubmitted afterwards. A
// leader reaps the operation (InSet is not set), and not the owner of t's TransferSet: that one may
// be busy with something else for long, and other operations need the room.
func (t *Transfer) pushGranted(e *ioengine.Engine) (ok bool) {
	t.s.helpersMu.Lock()
	defer t.s.helpersMu.Unlock()
	if t.withdrawn {
		return false
	}
	t.beginPart(t.s.paths.Engines.KnownIn(e, t.reg))
	e.Queue(t.r)
	return true
}
