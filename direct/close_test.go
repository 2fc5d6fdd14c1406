package direct_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// memoryWaits are calls that need memory of the pool, with contexts that never end.
var memoryWaits = map[string]func(f *direct.File) error{
	"ReadBuffer": func(f *direct.File) error {
		b, err := f.ReadBuffer(context.Background(), 0, testenv.PageSize)
		b.Release()
		return err
	},
	"Reader": func(f *direct.File) error {
		r, err := f.NewReader(context.Background(), direct.ReaderOptions{})
		if err != nil {
			return err
		}
		defer r.Close()
		b, err := r.Next()
		b.Release()
		return err
	},
	"ReadMany": func(f *direct.File) error {
		for res, err := range f.ReadMany(context.Background(), blocks(1), direct.ReadManyOptions{}) {
			res.Buffer.Release()
			return err
		}
		return errors.New("no result")
	},
	"Writer": func(f *direct.File) error {
		w, err := f.NewWriter(context.Background(), direct.WriterOptions{})
		if err != nil {
			return err
		}
		_, err = w.Write([]byte(testenv.Twenty))
		return errors.Join(err, w.Close())
	},
}

// TestCloseBesideAWaitForMemory closes a file, and a Scheduler, while a call waits for memory that
// the goroutine that calls Close holds. Close must not wait for that call, which returns
// os.ErrClosed.
func TestCloseBesideAWaitForMemory(t *testing.T) {
	for _, driver := range testenv.Drivers {
		for call, wait := range memoryWaits {
			t.Run(driver+"/"+call+"/file", func(t *testing.T) {
				m := beginMemoryWait(t, driver, wait)
				m.closes(t, "the file", m.f.Close)
				m.release()
				m.ends(t)
			})
			t.Run(driver+"/"+call+"/scheduler", func(t *testing.T) {
				m := beginMemoryWait(t, driver, wait)
				m.closes(t, "the Scheduler", m.s.Close)
				m.ends(t)
				m.release()
			})
		}
	}
}

// memoryWait is a call that waits for memory while the test holds the whole pool.
type memoryWait struct {
	s       *sluice.Scheduler
	f       *direct.File
	release func()     // releases the memory
	waited  chan error // receives the call's error
}

func beginMemoryWait(t *testing.T, driver string, wait func(f *direct.File) error) *memoryWait {
	t.Helper()
	m := &memoryWait{waited: make(chan error, 1)}
	m.s = testenv.Scheduler(t, sluice.Options{Driver: driver, BufferMemory: 2 << 20})
	m.f, _ = testenv.DirectNoise(t, m.s, 2<<20)
	held, err := m.f.ReadBuffer(t.Context(), 0, 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	m.release = sync.OnceFunc(held.Release)
	go func() { m.waited <- wait(m.f) }()
	testenv.WaitFor(t, "the call to wait for memory", func() bool { return inside.Scheduler(m.s).Buffers.Stats().Waiting == 1 })
	return m
}

// closes calls do, which must not wait for the memory.
func (m *memoryWait) closes(t *testing.T, what string, do func() error) {
	t.Helper()
	closed := make(chan error, 1)
	go func() { closed <- do() }()
	testenv.WaitOr(func() bool { return len(closed) > 0 }, func() {
		t.Errorf("Close of %s waits for memory", what)
		m.release()
	})
	if err := <-closed; err != nil {
		t.Errorf("Close of %s = %v", what, err)
	}
}

// ends checks that the call ends with os.ErrClosed.
func (m *memoryWait) ends(t *testing.T) {
	t.Helper()
	if err := <-m.waited; !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the call that waited for memory returns %v; want %v", err, fs.ErrClosed)
	}
}

// TestReadManyBesideClose closes a file while ReadManys ask for its size, as they do for ranges at
// its end. The race detector would see the use of a closed descriptor.
func TestReadManyBesideClose(t *testing.T) {
	ranges := []direct.Range{{Off: 3 * testenv.PageSize, Len: testenv.PageSize}, {Off: 1 << 20, Len: 1}, {Off: 1 << 30, Len: 1}}
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		for range 50 {
			f, _ := testenv.DirectNoise(t, s, 3*testenv.PageSize+100)
			begun, once := make(chan bool), sync.Once{}
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					for err := error(nil); !errors.Is(err, fs.ErrClosed); {
						var res direct.ReadResult
						for res, err = range f.ReadMany(context.Background(), slices.Values(ranges), direct.ReadManyOptions{MergeSize: -1}) {
							res.Buffer.Release()
						}
						once.Do(func() { close(begun) })
					}
				})
			}
			<-begun
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			all.Wait()
		}
	})
}
