package trace

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"github.com/sluiceio/sluice/internal/record"
)

// sink returns a Sink that appends records to t. events bounds their number.
func (t *Trace) sink(events int) record.Sink {
	t.Ops = make([]Op, 0, min(events, 1<<12))
	return record.Sink{
		Op:   func(o record.Op, goroutine uint32) { t.Ops = append(t.Ops, opOf(o, goroutine)) },
		Call: func(c record.Call, goroutine uint32) { t.Calls = append(t.Calls, callOf(c, goroutine)) },
	}
}

func opOf(o record.Op, goroutine uint32) Op {
	return Op{
		Queued:    time.Duration(o.Queued),
		Submitted: time.Duration(o.Submitted),
		Completed: time.Duration(o.Completed),
		Woken:     time.Duration(o.Woken),
		Offset:    o.Off,
		Size:      int64(o.Size),
		Result:    int64(o.Res),
		File:      int32(o.File),
		Batch:     int32(o.Batch),
		Goroutine: goroutine,
		Kind:      Kind(o.Kind),
		Path:      Path(o.Path),
		Driver:    driverName(o.Drv),
		Class:     o.Class,
		Ring:      o.Ring,
	}
}

func callOf(c record.Call, goroutine uint32) Call {
	return Call{
		Start:     time.Duration(c.Start),
		Duration:  time.Duration(max(0, c.End-c.Start)),
		Batch:     c.Batch,
		Wait:      c.Wait,
		Result:    c.Res,
		Goroutine: goroutine,
		Syscall:   syscallName(c.Syscall),
		Trial:     isTrial(c.Syscall),
		Driver:    driverName(c.Drv),
		Ring:      c.Ring,
	}
}

// fill adds to t all parts of recording r but the records.
func (t *Trace) fill(r record.Recording) {
	t.Meta.decode(&fields{b: r.About})
	t.Meta.Start = r.Began
	t.Meta.KeptOldest = r.Keep
	t.Meta.Driver = drivers(r.Drivers | t.used())
	t.Meta.Lost = max(0, r.Total-int64(len(t.Ops)+len(t.Calls)))
	t.Files, t.Classes = r.Files, r.Classes
	for i := range t.Ops {
		if o := &t.Ops[i]; o.File < 0 || int(o.File) >= len(t.Files) {
			o.File = 0 // the name was not recorded yet, or the file is damaged
		}
	}
	t.Classes = t.classNames()
	t.Meta.LabelsEnd = time.Duration(r.LabelsEnd)
	t.label(r)
	t.arrange()
}

// label gives each operation its goroutine's labels.
func (t *Trace) label(r record.Recording) {
	if len(r.Labels) == 0 {
		return
	}
	t.Labels = append([]string{""}, r.Labels...)
	of := make(map[uint32][]record.Labelled)
	for _, l := range r.Labelled {
		if int64(l.Label) < int64(len(t.Labels)) { // or the file is damaged
			of[l.Goroutine] = append(of[l.Goroutine], l)
		}
	}
	for i := range t.Ops {
		o := &t.Ops[i]
		if r.LabelsEnd != 0 && int64(o.Woken) >= r.LabelsEnd {
			continue
		}
		all := of[o.Goroutine]
		after := sort.Search(len(all), func(k int) bool { return all[k].At > int64(o.Woken) })
		if after > 0 {
			o.Label = int32(all[after-1].Label)
		}
	}
}

// used returns a set of drivers: bit n is set if an operation went through driver n.
func (t *Trace) used() (set uint32) {
	for i := range t.Ops {
		set |= 1 << (driverNumber(t.Ops[i].Driver) & 31)
	}
	return set
}

// drivers returns the names of a set of drivers, separated by commas.
func drivers(set uint32) string {
	var names []string
	for d, name := range driverNames {
		if d != record.DriverNone && set&(1<<d) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// readRecording reads a file in which a program records. again reads the file a second time; it is
// nil if that is not possible.
func readRecording(from io.Reader, again io.ReaderAt) (*Trace, error) {
	t := &Trace{}
	r, err := record.Read(from, again, t.sink(0))
	switch {
	case errors.Is(err, record.ErrDamaged):
		return nil, formatErrorf("damaged: %w", err)
	case err != nil:
		return nil, fmt.Errorf("trace: %w", err)
	}
	t.fill(r)
	t.Meta.Duration = t.last()
	return t, nil
}

// last returns the end of t's last event.
func (t *Trace) last() (end time.Duration) {
	for i := range t.Ops {
		end = max(end, t.Ops[i].Woken)
	}
	for i := range t.Calls {
		end = max(end, t.Calls[i].end())
	}
	return end
}
