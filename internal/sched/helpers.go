package sched

import (
	"context"
	"sync"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/list"
)

// helpers manages the goroutines that make plain system calls for Transfers. Each kind of call to a
// device has separate helpers: the device may answer one kind while another hangs. Transfers whose
// contexts can end have separate helpers, too, because there are fewer permits for them.
type helpers struct {
	s *Scheduler

	mu  sync.Mutex
	all sync.WaitGroup // the helpers
}

// deviceHelpers is the helpers of one kind of call to a device. They perform Transfers in the order
// of arrival. Helpers exist while there is something to do, and there are at most as many as the
// device has permits. A helper acquires its permit first and takes a Transfer then, so that a
// Transfer that still waits can be withdrawn.
type deviceHelpers struct {
	h      *helpers
	device *device.Device
	kind   budget.Kind
	ends   bool   // the contexts of its Transfers can end
	help   func() // is run, made once: "go d.run()" would allocate

	queue   list.List[Transfer] // Transfers that wait. Under helpers.mu, as is running
	running int
}

// add gives t to its helpers. If t has been withdrawn, add ends it instead.
func (h *helpers) add(t *Transfer) {
	on, kind := h.s.DeviceOf(t.f), iopath.KindOf(t.code)
	h.mu.Lock()
	if t.withdrawn {
		h.mu.Unlock()
		t.Rejected(ecanceled)
		return
	}
	defer h.mu.Unlock()
	of := &on.Helpers[kind]
	if t.Ends {
		of = &on.Helpers[budget.Kinds+kind]
	}
	d, _ := (*of).(*deviceHelpers)
	if d == nil {
		d = &deviceHelpers{h: h, device: on, kind: kind, ends: t.Ends}
		d.help = d.run
		*of = d
	}
	d.queue.PushBack(&t.links, t)
	t.helpers = d
	d.startHelper()
}

// startHelper starts a helper, if there may be one more. It must be called with helpers.mu held.
func (d *deviceHelpers) startHelper() {
	if d.running < int(d.device.Budget.Limit()) {
		d.running++
		d.h.all.Add(1)
		go d.help()
	}
}

func (d *deviceHelpers) run() {
	s := d.h.s
	defer d.h.all.Done()
	s.Ready() // which may raise the number of permits
	for {
		if d.device.Budget.Full(d.kind) {
			d.h.mu.Lock()
			d.widen(d.queue.Front())
			d.h.mu.Unlock()
		}
		p, _ := d.device.Budget.Acquire(context.Background(), d.kind, d.ends) // never fails
		t := d.next()
		if t == nil {
			p.Release()
			return
		}
		if t.addResult(s.paths.PlainCall(t.asked, iopath.Plain{Permit: p}, t.code, t.f, t.f.FD, t.rest(), t.at())) {
			t.end()
		} else {
			t.continueRest()
		}
	}
}

// widen raises the number of permits if t has none, or the last one, and then starts helpers for
// the Transfers that wait. It must be called with helpers.mu held.
func (d *deviceHelpers) widen(t *Transfer) {
	if t != nil && d.h.s.paths.WidenFor(d.kind, t.f) {
		for range d.queue.Len() {
			d.startHelper()
		}
	}
}

// next removes and returns the first Transfer. If it returns nil, the helper must end.
func (d *deviceHelpers) next() *Transfer {
	d.h.mu.Lock()
	defer d.h.mu.Unlock()
	t := d.queue.Front()
	if t == nil {
		d.running--
		return nil
	}
	d.remove(t)
	d.widen(t)
	return t
}

// remove takes t out of the queue. It must be called with helpers.mu held.
func (d *deviceHelpers) remove(t *Transfer) {
	d.queue.Remove(&t.links)
	t.helpers = nil
}

// withdraw marks t as withdrawn: nothing more is tried for it. waiting: t was waiting for a helper,
// and no longer is. If not, pushed: the engine has been given t.
func (h *helpers) withdraw(t *Transfer) (waiting, pushed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.withdrawn = true
	if t.helpers == nil {
		return false, t.pushed
	}
	t.helpers.remove(t)
	return true, false
}

// pushGranted puts t, whose ticket has been granted, into the inbox of e, t's engine, unless t has
// been withdrawn. It holds mu because the owner may be withdrawing t at the same time: from
// then on the operation must not change. The caller calls Engine.EnsureSubmitted afterwards. A
// leader reaps the operation (InSet is not set), and not the owner of t's TransferSet: that one may
// be busy with something else for long, and other operations need the room.
func (h *helpers) pushGranted(t *Transfer, e *ioengine.Engine) (ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.withdrawn {
		return false
	}
	t.beginPart(h.s.paths.Engines.KnownIn(e, t.reg))
	e.Queue(t.r)
	return true
}
