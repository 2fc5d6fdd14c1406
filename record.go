package sluice

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/trace"
)

// Record makes r the Scheduler's Recorder, in place of any other; see [Options].Recorder. With nil
// the Scheduler records nothing. Both Recorders may miss operations in progress.
func (s *Scheduler) Record(r *trace.Recorder) {
	core := s.made().Core
	if r != nil {
		record.Of(r).Uses(record.DriverOf(core.Driver().Name))
	}
	recordBy(core.Hook(), r)
}

// recordBy makes r the recorder of h; nil means none.
func recordBy(h *record.Hook, r *trace.Recorder) {
	if r == nil {
		h.Set(nil)
		return
	}
	h.Set(record.Of(r))
}

// environmentRecorder returns the process's Recorder for SLUICE_TRACE, or nil if that is not set.
// It prints an error on stderr, and the program goes on. A set-user-ID program records nothing: it
// must not create files where its user says.
var environmentRecorder = sync.OnceValue(func() *trace.Recorder {
	name := os.Getenv("SLUICE_TRACE")
	if name == "" || sys.SecureMode() {
		return nil
	}
	r, err := createRecorder(strings.ReplaceAll(name, "%p", strconv.Itoa(os.Getpid())))
	switch {
	// Of a process that has started this one
	case errors.Is(err, fs.ErrExist) && !strings.Contains(name, "%p"):
		fmt.Fprintf(os.Stderr, "sluice: nothing is recorded: SLUICE_TRACE=%s: %v; with %%p in the name each process has a file of its own\n", name, err)
		return nil
	case err != nil:
		fmt.Fprintf(os.Stderr, "sluice: nothing is recorded: SLUICE_TRACE=%s: %v\n", name, err)
		return nil
	}
	r.Start()
	return r
})

// environmentEvents is the default for SLUICE_TRACE_EVENTS, the events in a file of SLUICE_TRACE.
// They take 64 MiB.
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
