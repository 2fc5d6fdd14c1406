package sluice

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/trace"
)

// Record has r record the Scheduler's operations from now on, in the place of
// the Recorder that it had; nil is none. See [Options].Recorder. Operations in
// progress may be missing, in either. It can be called at any time; r records
// while it is started.
func (s *Scheduler) Record(r *trace.Recorder) {
	if r != nil {
		r.Core().Uses(record.DriverOf(s.h.Core.Driver().Name))
	}
	recordBy(s.h.Core.Hook(), r)
}

// recordBy has r, or nobody if it is nil, record what h is asked to.
func recordBy(h *record.Hook, r *trace.Recorder) {
	if r == nil {
		h.Set(nil)
		return
	}
	h.Set(r.Core())
}

// environmentRecorder is the Recorder of SLUICE_TRACE, of which there is one in
// a process; nil if it is not set. What is wrong with it is a line on stderr,
// and no reason for the program to fail.
var environmentRecorder = sync.OnceValue(func() *trace.Recorder {
	name := os.Getenv("SLUICE_TRACE")
	if name == "" {
		return nil
	}
	r, err := createRecorder(strings.ReplaceAll(name, "%p", strconv.Itoa(os.Getpid())))
	if err != nil {
		fmt.Fprintf(os.Stderr, "sluice: nothing is recorded: SLUICE_TRACE=%s: %v\n", name, err)
		return nil
	}
	r.Start()
	return r
})

// environmentEvents is how many events a file of SLUICE_TRACE has room for,
// unless SLUICE_TRACE_EVENTS says otherwise: 64 MiB.
const environmentEvents = 63 << 14

func createRecorder(name string) (*trace.Recorder, error) {
	o := trace.Options{Events: environmentEvents}
	if text := os.Getenv("SLUICE_TRACE_EVENTS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("SLUICE_TRACE_EVENTS %q is not a number from 1", text)
		}
		o.Events = n
	}
	return trace.Create(name, o)
}
