package cache

import (
	"context"
	"testing"

	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestNoAllocations(t *testing.T) {
	if sys.RaceEnabled {
		skip.For(t, skip.Build, "the race detector's sync.Pool forgets at random")
	}
	_, f, _ := newTest(t, 64, 32*block)
	b := make([]byte, 3*block)
	if _, err := f.ReadAt(make([]byte, 32*block), 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for what, do := range map[string]func() error{
		"ReadAt":        func() error { _, err := f.ReadAt(b, 100); return err },
		"ReadAtContext": func() error { _, err := f.ReadAtContext(ctx, b[:10], 100); return err },
		"View": func() error {
			v, err := f.View(ctx, 5*block, block)
			_ = v.Bytes()
			v.Release()
			return err
		},
	} {
		allocs.None(t, what+" of a cached block", do)
	}
}
