package direct_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// blocks returns n ranges of a page each, one after the other in 8 MiB, again and again.
func blocks(n int) iter.Seq[direct.Range] {
	return func(yield func(direct.Range) bool) {
		for i := range n {
			if !yield(direct.Range{Off: int64(i) % 2048 * testenv.PageSize, Len: testenv.PageSize}) {
				return
			}
		}
	}
}

// TestReadManyBreak checks that after a break out of the loop nothing is in flight, and only the
// yielded Buffers hold memory.
func TestReadManyBreak(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, noise := testenv.DirectNoise(t, s, 8<<20)
		for _, o := range []direct.ReadManyOptions{{}, {Depth: 3}, {Depth: 100, MergeSize: -1}, {Unordered: true}} {
			for stop := range 5 {
				var last direct.ReadResult
				n := 0
				for res, err := range f.ReadMany(t.Context(), blocks(1<<20), o) {
					if err != nil {
						t.Fatal(err)
					}
					if last = res; n == stop {
						break
					}
					res.Buffer.Release()
					n++
				}
				if string(last.Buffer.Bytes()) != string(noise[last.Off:][:testenv.PageSize]) {
					t.Errorf("%+v: not the bytes of %v", o, last.Range)
				}
				last.Buffer.Release()
				testenv.WantIdle(t, s)
			}
		}
	})
}

// TestReadManyPanic checks the same after a panic in the loop, or in the ranges.
func TestReadManyPanic(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, _ := testenv.DirectNoise(t, s, 8<<20)
		panics := func(do func()) {
			defer func() {
				if recover() != "ouch" {
					t.Error("the panic is gone")
				}
			}()
			do()
		}
		panics(func() {
			for res := range f.ReadMany(t.Context(), blocks(1<<20), direct.ReadManyOptions{}) {
				res.Buffer.Release()
				panic("ouch")
			}
		})
		panics(func() {
			for res := range f.ReadMany(t.Context(), func(yield func(direct.Range) bool) {
				blocks(100)(yield)
				panic("ouch")
			}, direct.ReadManyOptions{MergeSize: -1}) {
				res.Buffer.Release()
			}
		})
		testenv.WantIdle(t, s)
	})
}

// TestReadManyEnds checks that the error that ends an iteration comes once, in its last step.
func TestReadManyEnds(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		closed, _ := testenv.DirectNoise(t, s, 8<<20)
		closed.Close()
		open, _ := testenv.DirectNoise(t, s, 8<<20)
		zero := new(direct.File)
		for name, c := range map[string]struct {
			f    *direct.File
			ctx  context.Context
			o    direct.ReadManyOptions
			is   error
			says string
		}{
			"Context":       {open, ended, direct.ReadManyOptions{}, context.Canceled, open.Name()},
			"Closed":        {closed, t.Context(), direct.ReadManyOptions{}, fs.ErrClosed, closed.Name()},
			"NoFile":        {nil, t.Context(), direct.ReadManyOptions{}, os.ErrInvalid, ""},
			"ZeroFile":      {zero, t.Context(), direct.ReadManyOptions{}, os.ErrInvalid, ""},
			"Depth":         {open, t.Context(), direct.ReadManyOptions{Depth: -1}, nil, "Depth -1"},
			"TooDeep":       {open, t.Context(), direct.ReadManyOptions{Depth: 1e6}, nil, "Depth 1000000"},
			"MergeSize":     {open, t.Context(), direct.ReadManyOptions{MergeSize: 3 << 20}, nil, "MergeSize 3145728"},
			"Amplification": {open, t.Context(), direct.ReadManyOptions{Amplification: 0.9}, nil, "Amplification 0.9"},
			"NaN":           {open, t.Context(), direct.ReadManyOptions{Amplification: math.NaN()}, nil, "Amplification NaN"},
		} {
			steps := 0
			for res, err := range c.f.ReadMany(c.ctx, blocks(1000), c.o) {
				steps++
				if e, ok := errors.AsType[*fs.PathError](err); ok == (c.f == nil || c.f == zero) || ok && (e.Path != c.f.Name() || strings.HasPrefix(e.Err.Error(), "sluice")) {
					t.Errorf("%s: %#v; want an *fs.PathError with the file's name, unless there is no file", name, err)
				}
				if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || res != (direct.ReadResult{}) {
					t.Errorf("%s: %+v, %v; want nothing, %v (%s)", name, res, err, c.is, c.says)
				}
			}
			if steps != 1 {
				t.Errorf("%s: %d steps; want 1", name, steps)
			}
		}
		testenv.WantIdle(t, s)
	})
}

// TestReadManyOfNothing checks that a nil sequence is an error, and that a sequence without ranges
// is none.
func TestReadManyOfNothing(t *testing.T) {
	f, _ := testenv.DirectNoise(t, testenv.Scheduler(t, sluice.Options{}), 4096)
	for _, err := range f.ReadMany(t.Context(), nil, direct.ReadManyOptions{}) {
		if err == nil || !strings.Contains(err.Error(), "sequence of ranges is nil") || !strings.Contains(err.Error(), f.Name()) {
			t.Errorf("ReadMany of nil = %v; want that the sequence of ranges is nil", err)
		}
	}
	for res, err := range f.ReadMany(t.Context(), slices.Values[[]direct.Range](nil), direct.ReadManyOptions{}) {
		t.Errorf("ReadMany of no ranges yields %v, %v", res, err)
	}
}

// TestReadManyEndsInTheMiddle ends the context, and closes the file, in the middle. One step
// follows, whatever is in flight.
func TestReadManyEndsInTheMiddle(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		for _, o := range []direct.ReadManyOptions{{}, {MergeSize: -1, Depth: 20}, {Unordered: true}} {
			for _, closes := range []bool{false, true} {
				f, _ := testenv.DirectNoise(t, s, 8<<20)
				ctx, cancel := context.WithCancel(t.Context())
				want := context.Canceled
				if closes {
					want = fs.ErrClosed
				}
				steps, failed := 0, 0
				for res, err := range f.ReadMany(ctx, blocks(1<<20), o) {
					steps++
					switch {
					case err != nil:
						failed++
						if !errors.Is(err, want) || res != (direct.ReadResult{}) {
							t.Errorf("%+v, %v; want nothing, %v", res, err, want)
						}
					case failed > 0:
						t.Error("a step after the last one")
					case steps == 5 && closes:
						if err := f.Close(); err != nil { // hangs if it waits for this goroutine
							t.Error(err)
						}
					case steps == 5:
						cancel()
					}
					res.Buffer.Release()
				}
				cancel()
				if failed != 1 {
					t.Errorf("closes %v, %+v: %d steps failed; want 1", closes, o, failed)
				}
			}
		}
		testenv.WantIdle(t, s)
	})
}

// TestReadManySchedulerCloses closes the Scheduler in the loop.
func TestReadManySchedulerCloses(t *testing.T) {
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: name})
			f, noise := testenv.DirectNoise(t, s, 8<<20)
			var last error
			for res, err := range f.ReadMany(t.Context(), blocks(1<<20), direct.ReadManyOptions{Depth: 20}) {
				if last = err; err == nil && string(res.Buffer.Bytes()) != string(noise[res.Off:][:testenv.PageSize]) {
					t.Errorf("not the bytes of %v", res.Range)
				}
				if res.Off == 10*testenv.PageSize {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}
				res.Buffer.Release()
			}
			if !errors.Is(last, fs.ErrClosed) {
				t.Errorf("the last step is %v; want %v", last, fs.ErrClosed)
			}
		})
	}
}

// TestReadManyClosedScheduler reads on a Scheduler that was closed before it chose a driver.
func TestReadManyClosedScheduler(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, make([]byte, 2*testenv.PageSize), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := direct.OpenOn(s, name, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		steps := 0
		for res, err := range f.ReadMany(t.Context(), blocks(2*testenv.PageSize), direct.ReadManyOptions{}) {
			if steps++; !errors.Is(err, fs.ErrClosed) {
				t.Errorf("ReadMany on a closed Scheduler yields %v, %v; want %v", res, err, fs.ErrClosed)
			}
		}
		if steps != 1 {
			t.Errorf("%d steps; want 1", steps)
		}
		f.WithoutDiskIO()
	}
}

// TestReadManyKeepsBuffers keeps all Buffers: the caller gets as many as there is room for, and
// then waits until the context ends.
func TestReadManyKeepsBuffers(t *testing.T) {
	for _, o := range []direct.ReadManyOptions{{}, {MergeSize: -1}, {Unordered: true, Depth: 8}} {
		s := testenv.Scheduler(t, sluice.Options{BufferMemory: 4 << 20})
		f, noise := testenv.DirectNoise(t, s, 8<<20)
		ctx, cancel := context.WithCancel(t.Context())
		var kept []direct.ReadResult
		var last error
		for res, err := range f.ReadMany(ctx, blocks(2048), o) {
			if err != nil {
				last = err
				break
			}
			if kept = append(kept, res); len(kept) == (4<<20)/testenv.PageSize {
				cancel() // the loop waits by now, or will
			}
		}
		cancel()
		if len(kept) != (4<<20)/testenv.PageSize || !errors.Is(last, context.Canceled) {
			t.Errorf("%+v: %d Buffers of a page in 4 MiB, then %v", o, len(kept), last)
		}
		for _, res := range kept {
			if string(res.Buffer.Bytes()) != string(noise[res.Off:][:testenv.PageSize]) {
				t.Fatalf("not the bytes of %v", res.Range)
			}
			res.Buffer.Release()
		}
		testenv.WantIdle(t, s)
	}
}

// TestReadManyLittleMemory checks that several ReadManys make progress although they want more
// memory than there is. Their ranges are merged out of order, and yielded in order.
func TestReadManyLittleMemory(t *testing.T) {
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) { readManyInLittleMemory(t, name) })
	}
}

func readManyInLittleMemory(t *testing.T, driver string) {
	s := testenv.Scheduler(t, sluice.Options{Driver: driver, BufferMemory: 2 << 20})
	f, noise := testenv.DirectNoise(t, s, 8<<20)
	done := make(chan bool)
	for i := range 4 {
		go func() {
			defer func() { done <- true }()
			// The ranges come from eight places in turn, so each request has ranges that come much
			// later.
			var ranges []direct.Range
			for j := range int64(96) {
				ranges = append(ranges, direct.Range{Off: (j%8*256 + j/8*3 + int64(i)) * testenv.PageSize, Len: testenv.PageSize})
			}
			n := 0
			for res, err := range f.ReadMany(t.Context(), slices.Values(ranges), direct.ReadManyOptions{Depth: 256, MergeSize: 512 << 10, Amplification: 100}) {
				if err != nil || res.Range != ranges[n] || string(res.Buffer.Bytes()) != string(noise[res.Off:][:res.Len]) {
					t.Errorf("result %d is of %v, %v; want %v", n, res.Range, err, ranges[n])
				}
				res.Buffer.Release()
				n++
			}
			if n != len(ranges) {
				t.Errorf("%d results; want %d", n, len(ranges))
			}
		}()
	}
	for range 4 {
		<-done
	}
	testenv.WantIdle(t, s)
}

// TestReadManyTooLarge checks that a range larger than any pool has an error, and that overlapping
// ranges are read.
func TestReadManyTooLarge(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{BufferMemory: 2 << 20})
	f, noise := testenv.DirectNoise(t, s, 8<<20)
	ranges := []direct.Range{{Off: 0, Len: 100}, {Off: 0, Len: 3 << 20}, {Off: 50, Len: 100}}
	for _, o := range []direct.ReadManyOptions{{}, {Unordered: true}} {
		n := 0
		for res, err := range f.ReadMany(t.Context(), slices.Values(ranges), o) {
			n++
			if large := res.Len == 3<<20; large != (err != nil) || !large && string(res.Buffer.Bytes()) != string(noise[res.Off:][:100]) {
				t.Errorf("%v: %d bytes, %v", res.Range, res.Buffer.Len(), err)
			}
			if what := "more than the pool's limit of 2097152 (sluice.Options.BufferMemory)"; err != nil && !strings.Contains(err.Error(), what) {
				t.Errorf("error %q; want %q in it", err, what)
			}
			res.Buffer.Release()
		}
		if n != 3 {
			t.Errorf("%d results; want 3", n)
		}
	}
	testenv.WantIdle(t, s)
}

// TestReadManyWithin reads in the loop the same blocks as other reads and ReadManys.
func TestReadManyWithin(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, noise := testenv.DirectNoise(t, s, 8<<20)
		same := func(got []byte, off int64) {
			if string(got) != string(noise[off:][:len(got)]) {
				t.Errorf("not the bytes at %d", off)
			}
		}
		inner := f.ReadMany(t.Context(), blocks(20), direct.ReadManyOptions{Depth: 3, MergeSize: -1})
		for res, err := range f.ReadMany(t.Context(), blocks(50), direct.ReadManyOptions{Depth: 20, MergeSize: -1}) {
			if err != nil {
				t.Fatal(err)
			}
			same(res.Buffer.Bytes(), res.Off)
			b := make([]byte, 100)
			if _, err := f.ReadAtContext(t.Context(), b, res.Off); err != nil {
				t.Error(err)
			}
			same(b, res.Off)
			for res, err := range inner { // again and again
				if err != nil {
					t.Fatal(err)
				}
				same(res.Buffer.Bytes(), res.Off)
				res.Buffer.Release()
			}
			res.Buffer.Release()
		}
		testenv.WantIdle(t, s)
	})
}

// TestReadManyLeavesMemory checks that reads in the body of the loop get memory, however large the
// ranges are. ReadMany could free none before the body ends.
func TestReadManyLeavesMemory(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{BufferMemory: 16 << 20})
	f, noise := testenv.DirectNoise(t, s, 8<<20)
	var ranges []direct.Range
	for i := range int64(64) {
		ranges = append(ranges, direct.Range{Off: i * 7 % 8 << 20, Len: 1 << 20})
	}
	for _, o := range []direct.ReadManyOptions{{}, {Unordered: true}} {
		for res, err := range f.ReadMany(t.Context(), slices.Values(ranges), o) {
			if err != nil {
				t.Fatal(err)
			}
			b, err := f.ReadBuffer(t.Context(), res.Off/2, 4<<20)
			if err != nil || string(b.Bytes()) != string(noise[res.Off/2:][:4<<20]) {
				t.Errorf("ReadBuffer in the loop: %d bytes, %v", b.Len(), err)
			}
			b.Release()
			res.Buffer.Release()
		}
	}
	testenv.WantIdle(t, s)
}

// TestReadManyIsLazy checks that ReadMany asks for a bounded number of ranges ahead.
func TestReadManyIsLazy(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, _ := testenv.DirectNoise(t, s, 8<<20)
	asked := 0
	ranges := func(yield func(direct.Range) bool) {
		for r := range blocks(1 << 30) {
			if asked++; !yield(r) {
				return
			}
		}
	}
	n := 0
	for res, err := range f.ReadMany(t.Context(), ranges, direct.ReadManyOptions{Depth: 4, MergeSize: -1}) {
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		res.Buffer.Release()
		if n++; asked-n > 3*4 {
			t.Fatalf("%d ranges asked for when %d are yielded, at depth 4", asked, n)
		}
		if n == 1000 {
			break
		}
	}
	// Wrong ranges need no request, and do not pile up.
	asked, n = 0, 0
	for _, err := range f.ReadMany(t.Context(), func(yield func(direct.Range) bool) {
		for yield(direct.Range{Off: -1, Len: 1}) {
			asked++
		}
	}, direct.ReadManyOptions{Depth: 4}) {
		if n++; err == nil || asked-n > 4 {
			t.Fatalf("%d asked for when %d are yielded; %v", asked, n, err)
		}
		if n == 100 {
			break
		}
	}
}

func TestReadManyAllocatesNothing(t *testing.T) {
	if sys.RaceEnabled {
		skip.For(t, skip.Build, "the race detector allocates")
	}
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, _ := testenv.DirectNoise(t, s, 8<<20)
		for _, o := range []direct.ReadManyOptions{{Depth: 8}, {Depth: 8, MergeSize: -1}, {Depth: 8, Unordered: true}} {
			read := func(n int) float64 {
				return testing.AllocsPerRun(2, func() {
					for res, err := range f.ReadMany(context.Background(), func(yield func(direct.Range) bool) {
						for i := range n {
							if !yield(direct.Range{Off: int64(i) * 5 % 256 * testenv.PageSize, Len: testenv.PageSize}) {
								return
							}
						}
					}, o) {
						if err != nil {
							t.Fatal(err)
						}
						res.Buffer.Release()
					}
				})
			}
			// Not none: helpers are goroutines, which the runtime may allocate.
			if few, many := read(500), read(2000); many > few+1500/20 {
				t.Errorf("%+v: 500 ranges allocate %v, 2000 %v", o, few, many)
			}
		}
	})
}
