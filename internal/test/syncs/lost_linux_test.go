package syncs

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// marked returns a page that is lost.
func marked() []byte {
	return bytes.Repeat([]byte(testenv.LostMark), testenv.PageSize)[:testenv.PageSize]
}

// onDisk reads a page of the file from the disk, not from memory.
func onDisk(t *testing.T, l *testenv.Lossy, name string, off int64) []byte {
	t.Helper()
	return l.ReadBack(t, name, off, testenv.PageSize)
}

// commits has the ways to commit a file.
var commits = map[string]func(s *sluice.Scheduler, f *sluice.File) error{
	"Sync":     func(_ *sluice.Scheduler, f *sluice.File) error { return f.Sync() },
	"Datasync": func(_ *sluice.Scheduler, f *sluice.File) error { return f.Datasync() },
	// SyncRange starts write-back. It must leave the error to the Sync of any caller.
	"SyncRange and Sync": func(_ *sluice.Scheduler, f *sluice.File) error {
		return errors.Join(f.SyncRange(0, 0), f.Sync())
	},
	"Batch.Sync": func(s *sluice.Scheduler, f *sluice.File) error {
		b := batch.New(s)
		b.Chain().Sync(batch.On(f))
		return b.Do(context.Background())
	},
	"Batch.Datasync": func(s *sluice.Scheduler, f *sluice.File) error {
		b := batch.New(s)
		b.Chain().Datasync(batch.On(f))
		return b.Do(context.Background())
	},
}

// TestLostWrites has two goroutines that each write a page, which the disk refuses, and commit the
// file at the same time, in each pair of ways. No call may return nil for a lost page, then or
// later.
func TestLostWrites(t *testing.T) {
	for kind := range testenv.LossyKinds {
		t.Run(kind, func(t *testing.T) {
			l := testenv.NewLossy(t, kind)
			for _, driver := range testenv.Drivers {
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				for a := range commits {
					for b := range commits {
						if a <= b {
							loseTwo(t, l, s, a, b)
						}
					}
				}
			}
		})
	}
}

func loseTwo(t *testing.T, l *testenv.Lossy, s *sluice.Scheduler, ways ...string) {
	t.Helper()
	name := l.File(t, 8*testenv.PageSize)
	f, err := s.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var errs [2]error
	l.Lose(func() {
		for i := range errs {
			if _, err := f.WriteAt(marked(), int64(i)*4*testenv.PageSize); err != nil {
				t.Fatal(err)
			}
		}
		var both sync.WaitGroup
		for i, way := range ways {
			both.Go(func() { errs[i] = commits[way](s, f) })
		}
		both.Wait()
	})
	for _, way := range ways {
		if err := commits[way](s, f); err == nil {
			t.Errorf("%v: a later %s returned nil", ways, way)
		}
	}
	f.Close()
	for i, err := range errs {
		if err == nil && !bytes.Equal(onDisk(t, l, name, int64(i)*4*testenv.PageSize), marked()) {
			t.Errorf("%v at the same time: %s returned nil of a page that is lost", ways, ways[i])
		}
		if err != nil && !errors.Is(err, unix.EIO) {
			t.Errorf("%v: %v; want EIO", ways, err)
		}
	}
	if errs[0] == nil && errs[1] == nil {
		t.Errorf("%v: the disk has lost nothing", ways)
	}
}

// TestLostSynchronousWrites has two goroutines that each write a page to a file with O_SYNC, in any
// ways, and the disk refuses both. The kernel follows each write with an fsync, which may get the
// error of both.
func TestLostSynchronousWrites(t *testing.T) {
	ways := map[string]func(f *sluice.File, b []byte, off int64) error{
		"WriteAt": func(f *sluice.File, b []byte, off int64) error {
			_, err := f.WriteAt(b, off)
			return err
		},
		"WriteAtContext": func(f *sluice.File, b []byte, off int64) error {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_, err := f.WriteAtContext(ctx, b, off)
			return err
		},
		"Batch.WriteAt": func(f *sluice.File, b []byte, off int64) error {
			writes := batch.New(nil)
			writes.Chain().WriteAt(batch.On(f), b, off)
			return writes.Do(context.Background())
		},
	}
	for kind := range testenv.LossyKinds {
		t.Run(kind, func(t *testing.T) {
			l := testenv.NewLossy(t, kind)
			for _, driver := range testenv.Drivers {
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				for _, flag := range []int{unix.O_SYNC, unix.O_DSYNC} {
					for name, way := range ways {
						for range 4 {
							loseSynchronous(t, l, s, flag, name, way)
						}
					}
				}
			}
		})
	}
}

func loseSynchronous(t *testing.T, l *testenv.Lossy, s *sluice.Scheduler, flag int, way string, do func(f *sluice.File, b []byte, off int64) error) {
	t.Helper()
	name := l.File(t, 8*testenv.PageSize)
	f, err := s.OpenFile(name, os.O_RDWR|flag, 0)
	if err != nil {
		t.Fatal(err)
	}
	var errs [2]error
	l.Lose(func() {
		var both sync.WaitGroup
		for i := range errs {
			both.Go(func() { errs[i] = do(f, marked(), int64(i)*4*testenv.PageSize) })
		}
		both.Wait()
	})
	f.Close()
	for i, err := range errs {
		if err == nil && !bytes.Equal(onDisk(t, l, name, int64(i)*4*testenv.PageSize), marked()) {
			t.Errorf("%s with flag %#x returned nil of a page that is lost", way, flag)
		}
	}
	if errs[0] == nil && errs[1] == nil {
		t.Errorf("%s with flag %#x: the disk has lost nothing", way, flag)
	}
}

// TestLostDirectWrites has eight goroutines that write whole pages or parts of them to one
// direct.File, and the disk refuses them. Each must get an error: from its write, or from the
// following Sync or Datasync; with O_SYNC from its write. Btrfs makes direct writes through the
// page cache if it has checksums.
func TestLostDirectWrites(t *testing.T) {
	for kind := range testenv.LossyKinds {
		t.Run(kind, func(t *testing.T) {
			l := testenv.NewLossy(t, kind)
			for _, driver := range testenv.Drivers {
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				for _, flag := range []int{0, unix.O_SYNC, unix.O_DSYNC} {
					for _, start := range []int{0, 100} {
						for range 6 {
							loseDirect(t, l, s, flag, start)
						}
					}
				}
			}
		})
	}
}

func loseDirect(t *testing.T, l *testenv.Lossy, s *sluice.Scheduler, flag, start int) {
	t.Helper()
	const writers, apart = 8, 4 * testenv.PageSize
	name := l.File(t, writers*apart)
	f, err := direct.OpenOn(s, name, os.O_RDWR|flag, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(name)
	defer f.Close()
	var errs [writers]error
	l.Lose(func() {
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				_, errs[i] = f.WriteAt(marked()[start:], int64(i)*apart)
				if errs[i] == nil && flag == 0 {
					errs[i] = []func() error{f.Sync, f.Datasync}[i%2]()
				}
			})
		}
		all.Wait()
	})
	for i, err := range errs {
		if err == nil && !bytes.HasPrefix(onDisk(t, l, name, int64(i)*apart), marked()[start:]) {
			t.Errorf("flag %#x, from byte %d of a page: no error of a write that is lost", flag, start)
		}
	}
}

// TestLostTail has a first write to the last page of a direct.File. The page is lost when a second
// write writes it back. The second write must get the error. So must a Sync or Datasync for the
// first write: it uses another description.
func TestLostTail(t *testing.T) {
	for kind := range testenv.LossyKinds {
		t.Run(kind, func(t *testing.T) {
			l := testenv.NewLossy(t, kind)
			for i, commit := range []func(*direct.File) error{(*direct.File).Sync, (*direct.File).Datasync} {
				f, err := direct.OpenOn(testenv.Scheduler(t, sluice.Options{}), l.File(t, testenv.PageSize), os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				var err1, err2, err3 error
				l.Lose(func() {
					_, err1 = f.WriteAt(marked()[:100], testenv.PageSize)
					_, err2 = f.WriteAt(marked(), testenv.PageSize+100)
					err3 = commit(f)
				})
				if err1 != nil || !errors.Is(err2, unix.EIO) || !errors.Is(err3, unix.EIO) {
					t.Errorf("way %d: writes = %v, %v, and to commit them = %v; want nil, EIO, EIO", i, err1, err2, err3)
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestLostPairs has two goroutines that write enough for two concurrent fsyncs on different
// descriptions, when the disk begins to refuse writes.
func TestLostPairs(t *testing.T) {
	for kind := range testenv.LossyKinds {
		t.Run(kind, func(t *testing.T) {
			l := testenv.NewLossy(t, kind)
			for _, ways := range [][2]string{{"Sync", "Sync"}, {"Sync", "Datasync"}, {"Datasync", "Datasync"}} {
				losePairs(t, l, testenv.Scheduler(t, sluice.Options{}), ways)
			}
		})
	}
}

func losePairs(t *testing.T, l *testenv.Lossy, s *sluice.Scheduler, ways [2]string) {
	t.Helper()
	const part = 1 << 20
	name := l.File(t, 2*part)
	f, err := s.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var errs [2]error
	twice := func(b []byte, times int) {
		var both sync.WaitGroup
		for i, way := range ways {
			both.Go(func() {
				for range times {
					if _, err := f.WriteAt(b, int64(i)*part); err != nil {
						t.Error(err)
					}
					if errs[i] = commits[way](s, f); errs[i] != nil {
						return
					}
				}
			})
		}
		both.Wait()
	}
	twice(make([]byte, part), 10)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	l.Lose(func() { twice(bytes.Repeat(marked(), part/testenv.PageSize), 1) })
	f.Close()
	for i, err := range errs {
		if err == nil && !bytes.Equal(onDisk(t, l, name, int64(i)*part), marked()) {
			t.Errorf("%v: %s returned nil of what is lost", ways, ways[i])
		}
	}
}
