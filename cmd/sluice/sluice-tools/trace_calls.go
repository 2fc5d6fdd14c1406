package main

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/sluiceio/sluice/trace"
)

// writeCalls writes the Calls of a trace as [trace.Trace.WriteCSV] writes the operations.
func writeCalls(t *trace.Trace, w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	_ = out.Write([]string{
		"syscall", "driver", "start_ns", "duration_ns", "batch", "wait", "result", "slot", "goroutine", "ring",
	})
	for i := range t.Calls {
		c := &t.Calls[i]
		row := []string{c.Syscall, c.Driver}
		for _, n := range []int64{
			int64(c.Start / time.Nanosecond), int64(c.Duration / time.Nanosecond), int64(c.Batch), int64(c.Wait),
			int64(c.Result), int64(c.Slot), int64(c.Goroutine), int64(c.Ring),
		} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error() // the first one
}
