package batch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestBatchesApart checks that Batches with calls on names of a stalled device, as many as there
// may be, do not hold up a Batch with calls of another device.
func TestBatchesApart(t *testing.T) {
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: name})
			dir := t.TempDir()
			stuck, release := make(chan struct{}, 1000), make(chan struct{})
			stalled := batch.New(s)
			stalled.PlayCalls(func(op *batch.Op) error {
				if filepath.Base(op.Subject()) == "slow" {
					stuck <- struct{}{}
					<-release
				}
				return nil
			})
			for range 300 {
				stalled.Chain().Lstat(filepath.Join(dir, "slow"))
			}
			var all sync.WaitGroup
			all.Go(func() { _ = stalled.Do(t.Context()) }) // the file does not exist
			testenv.WaitFor(t, "calls that have all permits", func() bool {
				_, waiting := inside.Scheduler(s).Core.Names()
				return len(stuck) >= 16 && waiting > 0
			})
			b := batch.New(s)
			for i := range 50 {
				b.Chain().Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o700)
			}
			if err := b.Do(t.Context()); err != nil { // hangs if the stalled Batch is in the way
				t.Error(err)
			}
			close(release)
			all.Wait()
		})
	}
}

// TestFilesApartFromNames checks that a Batch changes an open file while as many calls with names
// as there may be, of many Batches, are made and do not end. The file may be on another device.
func TestFilesApartFromNames(t *testing.T) {
	hang.Watch(t)
	s := testenv.Scheduler(t, sluice.Options{Driver: sluice.DriverPool})
	f, err := s.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	release := make(chan struct{})
	var all sync.WaitGroup
	for range 100 {
		stalled := batch.New(s)
		stalled.PlayCalls(func(*batch.Op) error { <-release; return os.ErrExist })
		stalled.Chain().Mkdir("never made", 0o700)
		all.Go(func() { _ = stalled.Do(t.Context()) }) // whatever the call returns in the end
	}
	testenv.WaitFor(t, "a Batch that waits", func() bool {
		_, waiting := inside.Scheduler(s).Core.Names()
		return waiting > 0
	})
	b := batch.New(s)
	c, on := b.Chain(), batch.On(f)
	c.Truncate(on, 4096)
	c.Advise(on, 0, 0, sluice.AdviceRandom)
	c.Sync(on)
	if err := b.Do(t.Context()); err != nil { // hangs if the calls with names are in the way
		t.Error(err)
	}
	close(release)
	all.Wait()
}
