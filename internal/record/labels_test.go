//go:build go1.26 && !go1.27

package record

import (
	"context"
	"fmt"
	"runtime/pprof"
	"slices"
	"testing"
)

// putAt records an operation that ends at the given time.
func putAt(r *Recorder, at int64) {
	r.PutOp(&Op{Queued: r.head.began + at, Woken: r.head.began + at})
}

// TestLabels records operations of a goroutine whose labels change. There must be an entry for each
// change, with the time of the next operation.
func TestLabels(t *testing.T) {
	r := New(Options{Names: 1 << 16})
	putAt(r, 1)
	if got := r.recording(); got.Labels != nil || got.Labelled != nil {
		t.Errorf("without labels the recording has %q, %v", got.Labels, got.Labelled)
	}
	pprof.Do(t.Context(), pprof.Labels("role", "writer"), func(ctx context.Context) {
		putAt(r, 2)
		putAt(r, 3)
		pprof.Do(ctx, pprof.Labels("level", "1"), func(context.Context) { putAt(r, 4) })
		putAt(r, 5)
	})
	putAt(r, 6)
	putAt(r, 7)
	var ref FileRef
	if n := r.File(&ref, "file"); n != 1 {
		t.Errorf("the first file has number %d; want 1, whatever labels there are", n)
	}
	got := r.recording()
	if want := []string{"role=writer", "level=1 role=writer"}; !slices.Equal(got.Labels, want) {
		t.Errorf("labels are %q; want %q", got.Labels, want)
	}
	var changes []string
	for _, l := range got.Labelled {
		changes = append(changes, fmt.Sprint(l.At, " ", l.Label))
		if l.Goroutine != got.Labelled[0].Goroutine || l.Goroutine == 0 {
			t.Errorf("the entries are of goroutines %x and %x", l.Goroutine, got.Labelled[0].Goroutine)
		}
	}
	if want := []string{"2 1", "4 2", "5 1", "6 0"}; !slices.Equal(changes, want) {
		t.Errorf("the changes are %q; want %q", changes, want)
	}
	if got.LabelsEnd != 0 || len(got.Files) != 2 {
		t.Errorf("recording is %+v; want labels without end, and one file", got)
	}
}

// TestLabelsFull checks that labels get a part of the memory for names, and files the rest. Without
// more room, the recording says that later labels are not known.
func TestLabelsFull(t *testing.T) {
	r := New(Options{Names: 1})
	for i := range int64(1000) {
		pprof.Do(t.Context(), pprof.Labels("request", fmt.Sprint(i)), func(context.Context) { putAt(r, i+1) })
	}
	got := r.recording()
	if n := len(got.Labelled); n == 0 || got.LabelsEnd != int64(n+1) {
		t.Errorf("%d changes are known, and labels end at %d; want the time of the change after", n, got.LabelsEnd)
	}
	if used := int(r.head.used.Load()); used > len(r.names)/labelsShare {
		t.Errorf("labels take %d bytes of %d; want a part in %d", used, len(r.names), labelsShare)
	}
	var ref FileRef
	if r.File(&ref, "file") != 1 {
		t.Error("there is no room for the name of a file")
	}
}

// TestLabelsAgain checks that new labels with the same text take no room. A change to a known text
// takes room only for its entry.
func TestLabelsAgain(t *testing.T) {
	r := New(Options{Names: 1})
	for i := range int64(1000) {
		pprof.Do(t.Context(), pprof.Labels("role", "compaction"), func(context.Context) { putAt(r, i+1) })
	}
	if got := r.recording(); len(got.Labelled) != 1 || got.LabelsEnd != 0 {
		t.Errorf("%d entries of 1000 operations with one label, and labels end at %d; want 1, 0", len(got.Labelled), got.LabelsEnd)
	}
	r = New(Options{Names: 1 << 16})
	const long = "a label that is longer than an entry"
	changes := (len(r.names)/labelsShare - 2*(2+len("role=")+len(long))) / (2 + labelledSize)
	for i := range int64(changes) {
		pprof.Do(t.Context(), pprof.Labels("role", long[i%2:]), func(context.Context) { putAt(r, i+1) })
	}
	if got := r.recording(); len(got.Labelled) != changes || got.LabelsEnd != 0 {
		t.Errorf("%d entries of %d changes, and labels end at %d; want all", len(got.Labelled), changes, got.LabelsEnd)
	}
}

// TestLabelsAllocate checks that an operation of a goroutine that keeps its labels allocates
// nothing.
func TestLabelsAllocate(t *testing.T) {
	r := New(Options{Names: 1 << 16})
	pprof.Do(t.Context(), pprof.Labels("role", "writer"), func(context.Context) {
		if n := testing.AllocsPerRun(100, func() { r.PutOp(&Op{Queued: 1}) }); n != 0 {
			t.Errorf("an operation allocates %v times; want 0", n)
		}
	})
}

// BenchmarkPutLabelled is BenchmarkPut in a goroutine with labels.
func BenchmarkPutLabelled(b *testing.B) {
	r := New(Options{Events: 1 << 18, Names: 1 << 16})
	pprof.Do(b.Context(), pprof.Labels("role", "writer"), func(context.Context) {
		for b.Loop() {
			r.PutOp(&Op{Queued: 1})
		}
	})
}
