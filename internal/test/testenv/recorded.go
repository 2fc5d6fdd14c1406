package testenv

import (
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/trace"
)

// Recorded returns a started Recorder with a Scheduler that it records.
func Recorded(t *testing.T, driver string) (*trace.Recorder, *sluice.Scheduler) {
	t.Helper()
	if !record.Built {
		skip.For(t, skip.Build, "built without the recorder")
	}
	rec, err := trace.New(trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Start()
	return rec, Scheduler(t, sluice.Options{Driver: driver, Recorder: rec})
}

// CheckTimes requires that the times of each operation are in order.
func CheckTimes(t *testing.T, tr *trace.Trace) {
	t.Helper()
	for i := range tr.Ops {
		o := &tr.Ops[i]
		if o.InQueue() < 0 || o.InDevice() < 0 || o.Waking() < 0 || o.Woken > tr.Meta.Duration {
			t.Fatalf("operation %d has times out of order: %+v", i, o)
		}
		if o.Path == trace.PathQueued && (o.Batch < 1 || o.Driver == "" || o.InDevice() == 0) {
			t.Fatalf("operation %d went through a driver, and it is not said how: %+v", i, o)
		}
	}
}

// CompareStats requires that tr has the operations and bytes of st.
func CompareStats(t *testing.T, tr *trace.Trace, st sluice.Stats) {
	t.Helper()
	var n [4]int64
	var read, written int64
	for i := range tr.Ops {
		o := &tr.Ops[i]
		n[o.Path]++
		switch o.Kind {
		case trace.KindRead:
			read += max(0, o.Result)
		case trace.KindWrite:
			written += max(0, o.Result)
		}
	}
	want := [4]int64{st.Cached, st.Plain, st.Queued, st.SharedSyncs}
	if n != want || read != st.BytesRead || written != st.BytesWritten {
		t.Errorf("trace has by path %v, %d bytes read, %d written; Stats %v, %d, %d", n, read, written, want, st.BytesRead, st.BytesWritten)
	}
}
