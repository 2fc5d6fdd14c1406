//go:build go1.26 && !go1.27

package sys

import (
	"context"
	"runtime/pprof"
	"slices"
	"testing"
)

// TestGoroutineLabels compares the labels with the labels that runtime/pprof has set.
func TestGoroutineLabels(t *testing.T) {
	if GoroutineLabels() != nil {
		t.Error("a goroutine without labels has some")
	}
	pprof.Do(t.Context(), pprof.Labels("role", "compaction", "level", "3"), func(ctx context.Context) {
		l := GoroutineLabels()
		if l == nil {
			t.Fatal("a goroutine with labels has none")
		}
		if want := []Label{{"level", "3"}, {"role", "compaction"}}; !slices.Equal(l.All(), want) {
			t.Errorf("labels are %q; want %q", l.All(), want)
		}
		if GoroutineLabels() != l {
			t.Error("the pointer changes although the labels do not")
		}
		inherited := make(chan *Labels)
		go func() { inherited <- GoroutineLabels() }()
		if got := <-inherited; got != l {
			t.Errorf("a goroutine that this one has started has %v; want %v", got, l)
		}
		pprof.Do(ctx, pprof.Labels("level", "4"), func(context.Context) {
			if got := GoroutineLabels(); got == l || !slices.Contains(got.All(), Label{"level", "4"}) {
				t.Errorf("after the labels were set they are %v", got)
			}
		})
	})
	if GoroutineLabels() != nil {
		t.Error("the labels stay")
	}
}
