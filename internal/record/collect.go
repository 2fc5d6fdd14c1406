package record

import "time"

// Recording is what is known of a recording as a whole.
type Recording struct {
	About   []byte   // what Describe was given
	Files   []string // by their numbers, the first ""
	Classes []string // likewise, the first "default"
	Began   time.Time
	Drivers uint32 // bit n: Uses(n) was called
	// Keep is whether what is lost came last: that was asked for, or the file could not
	// grow.
	Keep bool
	// Asked is how many records there were to be; those that a Sink does not
	// get are lost.
	Asked int64
}

// Recording returns what is known of the recording so far.
func (a *area) recording() Recording {
	h := a.head
	files, classes := a.list()
	return Recording{
		About:   h.about[:min(int(h.aboutSize), len(h.about))],
		Files:   files,
		Classes: classes,
		Began:   time.Unix(0, h.origin+h.began),
		Drivers: h.drivers.Load(),
		Keep:    h.keep != 0 || h.stopped(),
		Asked:   a.asked(),
	}
}

// stopped reports whether there was to be a chunk for which the file had no room. Nothing
// is recorded after that.
func (h *header) stopped() bool {
	there := h.there.Load()
	return there < h.chunks && h.next.Load() >= uint64(there)
}

// Sink is who gets the records, with the hash of the goroutine of each. Times
// count from Recording.Began.
type Sink struct {
	Op   func(o Op, goroutine uint32)
	Call func(c Call, goroutine uint32)
}

// Collect gives the records to to, in no order.
func (r *Recorder) Collect(to Sink) Recording {
	for i := range r.head.there.Load() {
		r.chunks[i].collect(r.head.began, to)
	}
	return r.recording()
}

func (c *chunk) collect(began int64, to Sink) {
	for i := range c.events {
		e := &c.events[i]
		w := e.word.Load()
		// Who finds the record taken while it is looked at does without.
		if w != 0 && w&1 == 0 && e.word.CompareAndSwap(w, w|1) {
			e.give(began, to)
			e.word.Store(w)
		}
	}
}

// give hands the record to whom it is for.
func (e *event) give(began int64, to Sink) {
	at := e.queued - began
	if e.kind >= callKind {
		to.Call(Call{
			Start: max(0, at), End: max(0, at+e.diff(0)), Batch: int32(e.off >> 32), Wait: int32(e.off), Res: e.res,
			Syscall: e.kind - callKind, Drv: e.drv, Ring: e.ring,
		}, e.goroutine)
		return
	}
	o := Op{
		Off: e.off, Size: int(e.size), Res: e.res, File: e.file, Batch: int(e.batch),
		Kind: e.kind, Path: e.path & pathMask, Drv: e.drv, Ring: e.ring, Class: e.path >> pathBits,
	}
	o.Queued, at = max(0, at), at+e.diff(0)
	o.Submitted, at = max(0, at), at+e.diff(1)
	o.Completed, at = max(0, at), at+e.diff(2)
	o.Woken = max(0, at)
	to.Op(o, e.goroutine)
}
