package classes

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestClassOfBufferedWrites checks each way to write through the page cache, by a view and by a
// context. It must count in its class only.
func TestClassOfBufferedWrites(t *testing.T) {
	testenv.EachDriverIn(t, t.TempDir(), bufferedWrites)
	t.Run("tmpfs", func(t *testing.T) { testenv.EachDriverIn(t, testenv.MemoryDir(t), bufferedWrites) })
	for _, name := range []string{"ext4", "xfs", "btrfs"} {
		t.Run(name, func(t *testing.T) {
			testenv.EachDriverIn(t, places.FileSystems[name](t, 96<<20), bufferedWrites)
		})
	}
}

func bufferedWrites(t *testing.T, s *sluice.Scheduler, dir string) {
	const n = 10_000
	c := testenv.Class(t, s, "writes", sluice.ClassOptions{Weight: 10})
	ctx, b := sluice.WithClass(context.Background(), c), make([]byte, n)
	f, err := s.Create(filepath.Join(dir, "written"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	view, err := f.WithClass(c)
	if err != nil {
		t.Fatal(err)
	}
	inBatch := func(ctx context.Context, add func(c batch.Chain)) error {
		b := batch.New(s)
		add(b.Chain())
		return b.Do(ctx)
	}
	for _, way := range []struct {
		name string
		do   func() error
	}{
		{"Write", func() error { _, err := view.Write(b); return err }},
		{"WriteAt", func() error { _, err := view.WriteAt(b, n); return err }},
		{"WriteAtContext", func() error { _, err := f.WriteAtContext(ctx, b, n); return err }},
		{"WriteString", func() error { _, err := view.WriteString(string(b)); return err }},
		{"Batch", func() error { return inBatch(ctx, func(c batch.Chain) { c.WriteAt(batch.On(f), b, n) }) }},
	} {
		before, others := c.Stats(), s.Classes()[0].Stats()
		if err := way.do(); err != nil {
			t.Fatal(way.name, err)
		}
		after := c.Stats()
		if ops, bytes := after.Operations-before.Operations, after.Bytes-before.Bytes; ops == 0 || bytes != n || after.InFlight != 0 {
			t.Errorf("%s: %d operations, %d bytes, %d in flight; want some, %d, 0", way.name, ops, bytes, after.InFlight, n)
		}
		if now := s.Classes()[0].Stats(); now != others {
			t.Errorf("%s: the default class has %+v; want %+v as before", way.name, now, others)
		}
	}
	// The page cache takes the stream's writes.
	writtenDirectly(t, s, c, dir)
}

// writtenDirectly writes a stream of package direct, with O_DIRECT if possible.
func writtenDirectly(t *testing.T, s *sluice.Scheduler, c *sluice.Class, dir string) {
	const n = 300_000
	f, err := direct.OpenOn(s, filepath.Join(dir, "stream"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before := c.Stats()
	w, err := f.NewWriter(sluice.WithClass(context.Background(), c), direct.WriterOptions{BufferSize: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if bytes := c.Stats().Bytes - before.Bytes; bytes != n {
		t.Errorf("Writer: %d bytes; want %d; %s", bytes, n, f.Explain())
	}
}
