package hazards

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// Hazard: code that keeps only the raw descriptor lets the garbage collector close the file during
// a read. Code that keeps only the buffer's address loses the buffer. Guard: File's methods use f
// after the operation (core.Done), and Op.Buf is the slice. The test drops both while the operation
// is held back from the kernel.
func TestFileAndBufferAreHeldUntilCompletion(t *testing.T) {
	testenv.EachHolding(t, func(t *testing.T, s *sluice.Scheduler, d *testenv.Holding) {
		const n = 16
		results := make(chan error, n)
		for _, name := range coldFiles(t, n) {
			go func() { results <- readDropped(s, name) }()
		}
		d.Wait(t, s, n)
		var litter [][]byte
		for range 10 {
			runtime.GC()
			for range 100 { // takes the place of collected memory
				litter = append(litter, make([]byte, testenv.PageSize))
			}
		}
		d.Release(t)
		for range n {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		for _, b := range litter {
			if b[0] != 0 || b[testenv.PageSize-1] != 0 {
				t.Fatal("a read went into the memory of another")
			}
		}
	})
}

// readDropped reads with a File and a buffer that nothing else refers to.
func readDropped(s *sluice.Scheduler, name string) error {
	f, err := s.Open(name)
	if err != nil {
		return err
	}
	b := make([]byte, testenv.PageSize)
	n, err := f.ReadAt(b, 0)
	return wantCold(b, n, err)
}

// Hazard: a buffer on a goroutine's stack moves with the stack, and the kernel writes to its old
// place. Guard: Op.Buf makes every buffer escape to the heap. In the test the stacks have grown,
// and shrink (and so move) while reads wait.
func TestBufferOnAStackThatMoves(t *testing.T) {
	testenv.EachHolding(t, func(t *testing.T, s *sluice.Scheduler, d *testenv.Holding) {
		const n = 64
		var all sync.WaitGroup
		for _, name := range coldFiles(t, n) {
			f, err := s.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				grow(200)
				var b [512]byte // a local array, as in a caller
				n, err := f.ReadAt(b[:], 0)
				if err := wantCold(b[:], n, err); err != nil {
					t.Error(err)
				}
				grow(200)
			})
		}
		d.Wait(t, s, n)
		for range 5 {
			runtime.GC() // shrinks stacks that are mostly unused
		}
		var growing sync.WaitGroup
		for range n { // take the stacks' old memory
			growing.Go(func() { grow(200) })
		}
		growing.Wait()
		d.Release(t)
		all.Wait()
	})
}

// grow uses n times 512 bytes of stack, and writes them.
func grow(n int) byte {
	var frame [512]byte
	for i := range frame {
		frame[i] = byte(n)
	}
	if n > 0 {
		return frame[n%512] + grow(n-1)
	}
	return frame[0]
}

// Hazard: if a descriptor is closed before its request is submitted, its number can be reused, and
// the data goes into the wrong file. Guard: Close waits for the operations in progress
// (usecount.Count).
func TestCloseWhileUnsubmitted(t *testing.T) {
	testenv.EachHolding(t, func(t *testing.T, s *sluice.Scheduler, d *testenv.Holding) {
		dir := t.TempDir()
		f, err := s.Create(dir + "/right")
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() {
			if n, err := f.WriteAt([]byte(testenv.Twenty), 0); n != len(testenv.Twenty) || err != nil {
				t.Errorf("WriteAt = %d, %v; want %d, nil", n, err, len(testenv.Twenty))
			}
		})
		d.Wait(t, s, 1)
		closed := make(chan error, 1)
		go func() { closed <- f.Close() }()
		testenv.WaitFor(t, "Close to have begun", func() bool { return testenv.Closing(f) })
		for range 50 { // time for a Close that does not wait
			testenv.Yield()
		}
		var others []*os.File // one of them would get the number
		for i := range 10 {
			o, err := os.Create(fmt.Sprint(dir, "/wrong", i))
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			others = append(others, o)
		}
		d.Release(t)
		all.Wait()
		if err := <-closed; err != nil {
			t.Errorf("Close = %v", err)
		}
		for _, o := range others {
			if st, err := o.Stat(); err != nil || st.Size() != 0 {
				t.Errorf("%s has data of another file: %d bytes, %v", o.Name(), st.Size(), err)
			}
		}
		if b, err := os.ReadFile(dir + "/right"); string(b) != testenv.Twenty || err != nil {
			t.Errorf("the file has %q, %v; want %q", b, err, testenv.Twenty)
		}
	})
}

// Hazard: the owner reuses a buffer while the kernel writes into it. Guard: the end of a context
// does not end the wait (ioengine.Request.Wait).
func TestEndedContextKeepsTheBuffer(t *testing.T) {
	testenv.EachHolding(t, func(t *testing.T, s *sluice.Scheduler, d *testenv.Holding) {
		f, err := s.Open(cold(t, places.Disk(t)+"/cold"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		ctx, cancel := context.WithCancel(t.Context())
		b := make([]byte, testenv.PageSize)
		done := make(chan error, 1)
		go func() {
			n, err := f.ReadAtContext(ctx, b, 0)
			done <- wantCold(b, n, err)
		}()
		d.Wait(t, s, 1)
		cancel()
		for range 50 {
			testenv.Yield()
		}
		if len(done) != 0 {
			t.Error("ReadAtContext returned while the driver had its buffer")
		}
		d.Release(t)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
