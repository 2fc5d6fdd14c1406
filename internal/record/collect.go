package record

import "time"

// Recording describes a recording as a whole.
type Recording struct {
	About   []byte   // the argument of Describe
	Files   []string // names by their numbers; the first is ""
	Classes []string // names by their numbers; the first is "default"
	Labels  []string // texts by their numbers, from 1 on: Labels[0] has number 1
	// Labelled is in the order of writing, so each goroutine's entries are in the order of At.
	Labelled []Labelled
	// LabelsEnd is the time from which on the labels are not known, because there was no room for
	// them; 0 if there was room.
	LabelsEnd int64
	Began     time.Time
	Drivers   uint32 // bit n is set if Uses(n) was called
	// Keep is true if the lost records are the last ones: Options.Keep was set, or the file could
	// not grow.
	Keep bool
	// Total is the number of records that were made or lost. A Sink does not get lost ones.
	Total int64
}

// recording describes the recording so far.
func (a *area) recording() Recording {
	h := a.head
	r := Recording{
		About:   h.about[:min(int(h.aboutSize), len(h.about))],
		Began:   time.Unix(0, h.origin+h.began),
		Drivers: h.drivers.Load(),
		Keep:    h.keep != 0 || h.stopped(),
		Total:   a.total(),
	}
	if end := h.labelsEnd.Load(); end != 0 {
		r.LabelsEnd = max(1, end-h.began)
	}
	a.list(&r)
	return r
}

// stopped reports whether the file could not grow when another chunk was needed. After that nothing
// is recorded.
func (h *header) stopped() bool {
	there := h.ready.Load()
	return there < h.chunks && h.next.Load() >= uint64(there)
}

// Sink receives records, each with the hash of its goroutine. Times count from Recording.Began.
type Sink struct {
	Op   func(o Op, goroutine uint32)
	Call func(c Call, goroutine uint32)
}

// Collect passes all records to the Sink, in no particular order.
func (r *Recorder) Collect(to Sink) Recording {
	for i := range r.head.ready.Load() {
		r.chunks[i].collect(r.head.began, to)
	}
	return r.recording()
}

func (c *chunk) collect(began int64, to Sink) {
	for i := range c.events {
		e := &c.events[i]
		w := e.word.Load()
		// While bit 0 is set here, a writer that wants this place drops its record.
		if w != 0 && w&1 == 0 && e.word.CompareAndSwap(w, w|1) {
			e.emit(began, to)
			e.word.Store(w)
		}
	}
}

// emit passes the record to the Sink.
func (e *event) emit(began int64, to Sink) {
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
