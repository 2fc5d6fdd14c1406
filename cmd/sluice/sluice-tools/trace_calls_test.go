package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/trace"
)

// TestWriteCalls writes the Calls of a trace, and meets an error of the writer.
func TestWriteCalls(t *testing.T) {
	tr := &trace.Trace{Calls: []trace.Call{
		{Syscall: "io_uring_enter", Driver: "uring", Start: 5, Duration: 7, Batch: 2, Wait: 1, Result: -11, Slot: 3, Goroutine: 1 << 31, Ring: 4},
		{Syscall: "theirs, \"new\""},
	}}
	const want = "syscall,driver,start_ns,duration_ns,batch,wait,result,slot,goroutine,ring\r\n" +
		"io_uring_enter,uring,5,7,2,1,-11,3,2147483648,4\r\n" +
		"\"theirs, \"\"new\"\"\",,0,0,0,0,0,0,0,0\r\n"
	var b strings.Builder
	if err := writeCalls(tr, &b); err != nil || b.String() != want {
		t.Errorf("writeCalls = %v, %q; want %q", err, b.String(), want)
	}
	full := errors.New("full")
	if err := writeCalls(tr, failing{full}); !errors.Is(err, full) {
		t.Errorf("writeCalls to a writer that fails = %v; want its error", err)
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }
