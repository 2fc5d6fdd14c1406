package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"
)

// WriteChrome writes the trace as JSON in Chrome's Trace Event Format, for
// chrome://tracing and other viewers. Operations and calls are pairs of
// asynchronous events ("b" and "e"), as the format has no others that may
// overlap. [Trace.WritePerfetto] shows more and writes less.
func (t *Trace) WriteChrome(w io.Writer) error {
	c := &chrome{w: bufio.NewWriterSize(w, 256<<10), t: t}
	head, err := json.Marshal(chromeMeta(t))
	if err != nil {
		return err
	}
	fmt.Fprintf(c.w, `{"displayTimeUnit":"ns","otherData":%s,"traceEvents":[`+"\n", head)
	name, err := json.Marshal(t.Meta.Program)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.w, `{"ph":"M","name":"process_name","pid":%d,"args":{"name":%s}}`, t.Meta.PID, name)
	for _, f := range t.Files {
		b, err := json.Marshal(filepath.Base(f))
		if err != nil {
			return err
		}
		c.files = append(c.files, string(b))
	}
	for _, name := range t.classNames() {
		b, err := json.Marshal(name)
		if err != nil {
			return err
		}
		c.classes = append(c.classes, string(b))
	}
	for _, labels := range t.Labels {
		b, err := json.Marshal(labels)
		if err != nil {
			return err
		}
		c.labels = append(c.labels, string(b))
	}
	for i := range t.Ops {
		c.op(i, &t.Ops[i])
	}
	for i := range t.Calls {
		c.call(len(t.Ops)+i, &t.Calls[i])
	}
	_, _ = c.w.WriteString("\n]}\n")
	return c.w.Flush()
}

// chromeMeta returns what viewers show about the trace as a whole.
func chromeMeta(t *Trace) map[string]any {
	return map[string]any{
		"driver": t.Meta.Driver,
		"kernel": t.Meta.Kernel,
		"cpu":    t.Meta.CPU,
		"go":     t.Meta.GoVersion,
		"start":  t.Meta.Start,
		"lost":   t.Meta.Lost,
		"files":  t.Files,
	}
}

// chrome writes events. A comma comes before each.
type chrome struct {
	w     *bufio.Writer
	t     *Trace
	files []string // the last element of each file's name, as JSON
	// classes holds the names of the classes, as JSON.
	classes []string
	labels  []string // of goroutines, as JSON
	b       []byte
}

func (c *chrome) op(id int, o *Op) {
	kind, path := o.Kind.String(), o.Path.String()
	c.event('b', path, kind, id, o.Slot, o.Queued)
	c.text(`,"args":{"file":`)
	if int(o.File) < len(c.files) {
		c.b = append(c.b, c.files[o.File]...)
	} else {
		c.text(`""`)
	}
	c.number(`,"offset":`, o.Offset)
	c.number(`,"size":`, o.Size)
	c.number(`,"result":`, o.Result)
	if o.Path != Cached {
		c.number(`,"queue_ns":`, int64(o.InQueue()))
		c.number(`,"device_ns":`, int64(o.InDevice()))
		c.number(`,"wake_ns":`, int64(o.Waking()))
	}
	if o.Driver != DriverNone {
		c.number(`,"batch":`, int64(o.Batch))
		c.text(`,"driver":"` + o.Driver.String() + `"`)
	}
	if o.Class != 0 {
		c.text(`,"class":` + c.classes[o.Class])
	}
	if o.Ring != 0 {
		c.number(`,"queue":`, int64(o.Ring))
	}
	if o.Label != 0 {
		c.text(`,"labels":` + c.labels[o.Label])
	}
	c.text("}}")
	c.put()
	c.event('e', path, kind, id, o.Slot, o.Woken)
	c.text("}")
	c.put()
}

func (c *chrome) call(id int, s *Call) {
	name := s.Syscall.String()
	c.event('b', "syscall", name, id, s.Slot, s.Start)
	c.number(`,"args":{"batch":`, int64(s.Batch))
	c.number(`,"wait":`, int64(s.Wait))
	c.number(`,"result":`, int64(s.Result))
	if s.Ring != 0 {
		c.number(`,"queue":`, int64(s.Ring))
	}
	c.text("}}")
	c.put()
	c.event('e', "syscall", name, id, s.Slot, s.End())
	c.text("}")
	c.put()
}

// event begins an event with the fields that all events have.
func (c *chrome) event(ph byte, cat, name string, id int, slot int32, at time.Duration) {
	c.b = append(c.b[:0], ",\n{\"ph\":\""...)
	c.b = append(c.b, ph)
	c.text(`","cat":"` + cat + `","name":"` + name + `"`)
	c.number(`,"id":`, int64(id))
	c.number(`,"pid":`, int64(c.t.Meta.PID))
	c.number(`,"tid":`, int64(slot))
	c.number(`,"ts":`, int64(at/time.Microsecond))
	if ns := int64(at % time.Microsecond); ns != 0 {
		c.b = append(c.b, '.', byte('0'+ns/100), byte('0'+ns/10%10), byte('0'+ns%10))
	}
}

func (c *chrome) text(s string) { c.b = append(c.b, s...) }

func (c *chrome) number(key string, n int64) {
	c.b = strconv.AppendInt(append(c.b, key...), n, 10)
}

func (c *chrome) put() { _, _ = c.w.Write(c.b) } // Flush returns the error
