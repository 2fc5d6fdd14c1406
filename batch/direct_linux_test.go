package batch_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDirectChain checks that a read of a file that its chain opens with O_DIRECT does not try the
// page cache. The try would wait for the disk, and keep the processor.
func TestDirectChain(t *testing.T) {
	const size = 4096
	name := filepath.Join(places.Disk(t), "file")
	want := bytes.Repeat([]byte("x"), size)
	if err := os.WriteFile(name, want, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: driver})
			buf := testenv.AlignedBytes(size)
			b := batch.New(s)
			c := b.Chain()
			f := c.OpenFile(name, os.O_RDONLY|syscall.O_DIRECT, 0)
			c.ReadAt(f, buf, 0)
			c.Close(f)
			if err := b.Do(context.Background()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(buf, want) {
				t.Error("the chain has read other bytes")
			}
			if st := s.Stats(); st.Cached != 0 {
				t.Errorf("%d operations count as reads from the page cache; want 0", st.Cached)
			}
		})
	}
}
