package closing

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestCloseWaits closes a file while its reads wait. Close must return after the reads, the reads
// must succeed, and later calls must fail.
func TestCloseWaits(t *testing.T) {
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: name, Threads: 1})
			f := testenv.TextOn(t, s, testenv.MemoryDir(t)) // on tmpfs reads need a permit
			release := testenv.Occupy(s)
			defer release()
			var reading sync.WaitGroup
			for range 4 {
				reading.Go(func() { testenv.ReadTwenty(t, f) })
			}
			testenv.WaitFor(t, "reads in progress", func() bool { return hang.Parked("budget.Permit.wait") == 4 })
			closed := make(chan error)
			go func() { closed <- f.Close() }()
			testenv.WaitFor(t, "Close to have begun", func() bool { return testenv.Closing(f) })
			if n, err := f.ReadAt(make([]byte, 1), 0); n != 0 || !errors.Is(err, os.ErrClosed) {
				t.Errorf("ReadAt during Close = %d, %v; want 0, ErrClosed", n, err)
			}
			select {
			case err := <-closed:
				t.Errorf("Close = %v before the reads have ended", err)
			default:
			}
			release()
			reading.Wait()
			if err := <-closed; err != nil {
				t.Errorf("Close = %v", err)
			}
			if err := f.Close(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("second Close = %v; want ErrClosed", err)
			}
		})
	}
}

// TestSchedulerCloseWaits closes the Scheduler while another goroutine closes the file and waits
// for reads. The driver must outlive the reads.
func TestSchedulerCloseWaits(t *testing.T) {
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: name, Threads: 1})
			f := testenv.TextOn(t, s, testenv.MemoryDir(t))
			release := testenv.Occupy(s)
			defer release()
			var all sync.WaitGroup
			all.Go(func() { testenv.ReadTwenty(t, f) })
			testenv.WaitFor(t, "a read in progress", func() bool { return hang.Parked("budget.Permit.wait") == 1 })
			all.Go(func() { f.Close() })
			testenv.WaitFor(t, "Close to have begun", func() bool { return testenv.Closing(f) })
			ended := make(chan error, 1)
			go func() { ended <- s.Close() }()
			testenv.WaitFor(t, "the scheduler to refuse files", func() bool {
				_, err := s.Open(os.DevNull)
				return errors.Is(err, os.ErrClosed)
			})
			for range 100 {
				select {
				case <-ended:
					t.Fatal("Close of the scheduler returned before the read has ended")
				default:
					testenv.Yield()
				}
			}
			release()
			all.Wait()
			if err := <-ended; err != nil {
				t.Errorf("Close of the scheduler = %v", err)
			}
		})
	}
}

// TestCloseUnderLoad closes files and their Scheduler while goroutines read and write in every way.
// Each call must have its bytes or ErrClosed.
func TestCloseUnderLoad(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, _ *sluice.Scheduler, dir string) {
		driver := testenv.DriverOf(t)
		for range 20 {
			s := testenv.Scheduler(t, sluice.Options{Driver: driver, Depth: 8, Threads: 2})
			var all sync.WaitGroup
			f := testenv.DirectOn(t, s, dir, 64*testenv.PageSize)
			for g := range 8 {
				all.Go(func() { useUntilClosed(t, f, g) })
			}
			all.Go(func() { f.Close() })
			all.Go(func() {
				if err := s.Close(); err != nil {
					t.Errorf("Close of the scheduler = %v", err)
				}
			})
			all.Wait()
		}
	})
}

// useUntilClosed reads and writes the pages of goroutine g.
func useUntilClosed(t *testing.T, f *sluice.File, g int) {
	b := testenv.AlignedBytes(testenv.PageSize)
	for i := 0; ; i++ {
		var n int
		var err error
		off := int64(8*g+i%8) * testenv.PageSize
		switch i % 4 {
		case 0:
			n, err = f.ReadAt(b, off)
		case 1:
			n, err = f.WriteAt(b, off)
		case 2:
			n, err = len(b), f.Sync()
		case 3:
			n, err = len(b), f.Datasync()
		}
		if errors.Is(err, os.ErrClosed) {
			return
		}
		if n != len(b) || err != nil {
			t.Errorf("call %d = %d, %v; want %d, nil", i%4, n, err, len(b))
			return
		}
	}
}
