package classes

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// wantNoTickets requires that no operation waits for a ticket or has one.
func wantNoTickets(t testing.TB, s *sluice.Scheduler) {
	t.Helper()
	for _, c := range s.Classes() {
		if st := c.Stats(); st.Waiting != 0 || st.InFlight != 0 {
			t.Errorf("class %s: %d queued, %d in flight; want none", c.Name(), st.Waiting, st.InFlight)
		}
	}
}

// TestClassRefused gives Class and Configure what is wrong: the error names it.
func TestClassRefused(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool"})
	testenv.Class(t, s, "taken", sluice.ClassOptions{})
	for _, c := range []struct {
		name string
		o    sluice.ClassOptions
		want string
	}{
		{"", sluice.ClassOptions{}, "the name is empty"},
		{"a\nb", sluice.ClassOptions{}, "control characters"},
		{"a\xff", sluice.ClassOptions{}, "not UTF-8"},
		{strings.Repeat("x", 65), sluice.ClassOptions{}, "longer than 64"},
		{"a", sluice.ClassOptions{Weight: -1}, "Weight -1 "},
		{"a", sluice.ClassOptions{Weight: 10_001}, "Weight 10001 "},
		{"a", sluice.ClassOptions{IOPS: -5}, "IOPS -5 "},
		{"a", sluice.ClassOptions{BytesPerSecond: math.MinInt64}, "BytesPerSecond -9223372036854775808 "},
		{"a", sluice.ClassOptions{BytesPerSecond: math.MaxInt64}, "BytesPerSecond 9223372036854775807 "},
		{"a", sluice.ClassOptions{Depth: -1}, "Depth -1 "},
	} {
		_, err := s.Class(c.name, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Class(%q, %+v) = %v; want %q in it", c.name, c.o, err, c.want)
		}
		if c.name != "a" {
			continue
		}
		if err := s.Classes()[0].Configure(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Configure(%+v) = %v; want %q in it", c.o, err, c.want)
		}
	}
	if n := len(s.Classes()); n != 2 {
		t.Errorf("%d classes at the end; want 2", n)
	}
}

// TestCapIsLookedFor checks that the Scheduler looks for the cap that `sluice tune` has measured
// for its first file's disk. It looks when a class is made after that, and when the default class
// is configured.
func TestCapIsLookedFor(t *testing.T) {
	for name, change := range map[string]func(s *sluice.Scheduler) error{
		"Class": func(s *sluice.Scheduler) error {
			_, err := s.Class("class", sluice.ClassOptions{})
			return err
		},
		"Configure": func(s *sluice.Scheduler) error {
			return s.Classes()[0].Configure(sluice.ClassOptions{IOPS: 1 << 20})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{})
			f, err := s.Create(filepath.Join(t.TempDir(), "file"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := change(s); err != nil {
				t.Fatal(err)
			}
			const never = "before a file is open"
			if text := s.Explain(); !strings.Contains(text, "classes: ") || strings.Contains(text, never) {
				t.Errorf("Explain has %q; want a line of classes without %q", text, never)
			}
		})
	}
}

// TestClassElsewhere uses a class of one Scheduler on another.
func TestClassElsewhere(t *testing.T) {
	s, other := testenv.Scheduler(t, sluice.Options{Driver: "pool"}), testenv.Scheduler(t, sluice.Options{Driver: "pool"})
	c := testenv.Class(t, other, "other", sluice.ClassOptions{Depth: 100})
	f := testenv.TextOn(t, s, t.TempDir())
	for _, c := range []*sluice.Class{nil, c} {
		if v, err := f.WithClass(c); v != nil || err == nil || !strings.Contains(err.Error(), f.Name()) {
			t.Errorf("WithClass(%v) = %v, %v", c, v, err)
		}
	}
	if n, err := f.ReadAtContext(sluice.WithClass(t.Context(), c), make([]byte, 4), 0); n != 4 || err != nil {
		t.Errorf("ReadAtContext = %d, %v", n, err)
	}
	if n := c.Stats().Operations; n != 0 {
		t.Errorf("%d operations of a class of another Scheduler", n)
	}
	s.Close()
	if _, err := s.Class("late", sluice.ClassOptions{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Class of a closed Scheduler: %v", err)
	}
}

// TestClassView checks that a view shares the file's position and end.
func TestClassView(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool"})
	c := testenv.Class(t, s, "counted", sluice.ClassOptions{Depth: 100})
	f := testenv.TextOn(t, s, t.TempDir())
	v, err := f.WithClass(c)
	if err != nil {
		t.Fatal(err)
	}
	var a, b [3]byte
	_, err1 := f.Read(a[:])
	_, err2 := v.Read(b[:])
	if text := string(a[:]) + string(b[:]); err1 != nil || err2 != nil || text != testenv.Twenty[:6] {
		t.Errorf("read %q, %v, %v; want one after the other", text, err1, err2)
	}
	if n := c.Stats().Operations; n != 1 {
		t.Errorf("%d operations; want the view's", n)
	}
	if n, err := v.WriteTo(io.Discard); n == 0 || err != nil {
		t.Errorf("WriteTo = %d, %v", n, err)
	}
	if err := v.Close(); err != nil {
		t.Errorf("Close of the view = %v", err)
	}
	if _, err := f.ReadAt(a[:], 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("ReadAt of the file: %v; want ErrClosed", err)
	}
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Close after that of the view: %v; want ErrClosed", err)
	}
}

// TestClassTravels checks that all ways to read and write use the class of the context or the view.
func TestClassTravels(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, noise := testenv.DirectNoise(t, s, 2<<20)
		w, err := direct.OpenOn(s, filepath.Join(t.TempDir(), "written"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		c := testenv.Class(t, s, "counted", sluice.ClassOptions{Depth: 1000})
		view, err := f.WithClass(c)
		if err != nil {
			t.Fatal(err)
		}
		ctx := sluice.WithClass(t.Context(), c)
		for name, do := range waysToRead {
			for how, try := range map[string]func() error{
				"context": func() error { return do(ctx, f, noise) },
				"view":    func() error { return do(t.Context(), view, noise) },
			} {
				before := c.Stats().Operations
				if err := try(); err != nil {
					t.Errorf("%s by %s: %v", name, how, err)
				}
				if c.Stats().Operations == before {
					t.Errorf("%s by %s: no operation of the class", name, how)
				}
			}
		}
		before := c.Stats()
		if err := copyBy(ctx, w, noise); err != nil {
			t.Error(err)
		}
		if after := c.Stats(); after.Bytes-before.Bytes < int64(len(noise)) {
			t.Errorf("a Writer of %d bytes: %d of the class", len(noise), after.Bytes-before.Bytes)
		}
		wantNoTickets(t, s)
		testenv.WantIdle(t, s)
	})
}

// waysToRead read a file of noise and compare.
var waysToRead = map[string]func(context.Context, *direct.File, []byte) error{
	"ReadAt": func(ctx context.Context, f *direct.File, noise []byte) error {
		return sameAt(ctx, f, noise, 100, 70_000)
	},
	"ReadBuffer": sameBuffer,
	"ReadMany":   sameMany,
	"Reader":     sameStream,
	"cache":      sameCached,
}

func sameAt(ctx context.Context, f *direct.File, noise []byte, off, n int) error {
	b := make([]byte, n)
	if _, err := f.ReadAtContext(ctx, b, int64(off)); err != nil {
		return err
	}
	return agree(b, noise[off:off+n])
}

func agree(got, want []byte) error {
	if !bytes.Equal(got, want) {
		return errors.New("not the file's bytes")
	}
	return nil
}

func sameBuffer(ctx context.Context, f *direct.File, noise []byte) error {
	b, err := f.ReadBuffer(ctx, 0, len(noise))
	if err != nil {
		return err
	}
	defer b.Release()
	return agree(b.Bytes(), noise)
}

func sameMany(ctx context.Context, f *direct.File, noise []byte) error {
	ranges := []direct.Range{{Off: 0, Len: 1 << 20}, {Off: 1<<20 - 100, Len: 100}, {Off: 5000, Len: 700_000}}
	for r, err := range f.ReadMany(ctx, slices.Values(ranges), direct.ReadManyOptions{}) {
		if err == nil {
			err = agree(r.Buffer.Bytes(), noise[r.Off:][:r.Len])
		}
		r.Buffer.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

func sameStream(ctx context.Context, f *direct.File, noise []byte) error {
	r, err := f.NewReader(ctx, direct.ReaderOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return agree(b, noise)
}

func sameCached(ctx context.Context, f *direct.File, noise []byte) error {
	c, err := cache.New(cache.Options{Bytes: 4 << 20})
	if err != nil {
		return err
	}
	b := make([]byte, 10_000)
	if _, err := c.File(stays{f}).ReadAtContext(ctx, b, 100); err != nil {
		return err
	}
	return errors.Join(agree(b, noise[100:10_100]), c.Close())
}

// stays is a file that a cache does not close.
type stays struct{ *direct.File }

func (stays) Close() error { return nil }

func copyBy(ctx context.Context, f *direct.File, noise []byte) error {
	w, err := f.NewWriter(ctx, direct.WriterOptions{BufferSize: 64 << 10})
	if err != nil {
		return err
	}
	_, err = w.Write(noise)
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	got, err := os.ReadFile(f.Name())
	return errors.Join(err, agree(got, noise))
}

// stuck returns a class, and its context. The next operation in it waits for longer than the test
// lasts.
func stuck(t *testing.T, s *sluice.Scheduler, f *direct.File) (*sluice.Class, context.Context) {
	t.Helper()
	c := testenv.Class(t, s, "stuck", sluice.ClassOptions{BytesPerSecond: 1})
	ctx := sluice.WithClass(t.Context(), c)
	if _, err := f.ReadAtContext(ctx, make([]byte, 64<<10), 0); err != nil {
		t.Fatal(err)
	}
	return c, ctx
}

func waitQueued(t *testing.T, c *sluice.Class, n int) {
	t.Helper()
	testenv.WaitFor(t, "operations that wait for their tickets", func() bool { return c.Stats().Waiting == n })
}

// attempts are ways to wait for a ticket.
var attempts = map[string]func(context.Context, *direct.File) error{
	"ReadAt": func(ctx context.Context, f *direct.File) error {
		_, err := f.ReadAtContext(ctx, make([]byte, 4096), 0)
		return err
	},
	"ReadBuffer": func(ctx context.Context, f *direct.File) error {
		b, err := f.ReadBuffer(ctx, 0, 4096)
		b.Release()
		return err
	},
	"ReadMany": func(ctx context.Context, f *direct.File) error {
		for r, err := range f.ReadMany(ctx, slices.Values([]direct.Range{{Off: 0, Len: 4096}}), direct.ReadManyOptions{}) {
			r.Buffer.Release()
			return err
		}
		return nil
	},
	"Reader": readSome,
}

// TestClassContextEnds checks that an operation held by a limit ends at once when its context ends,
// and leaves nothing behind.
func TestClassContextEnds(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, _ := testenv.DirectNoise(t, s, 1<<20)
		c, ctx := stuck(t, s, f)
		for name, attempt := range attempts {
			ctx, cancel := context.WithCancel(ctx)
			ended := make(chan error, 3)
			for range cap(ended) {
				go func() { ended <- attempt(ctx, f) }()
			}
			testenv.WaitFor(t, name+" to wait", func() bool { return c.Stats().Waiting >= cap(ended) })
			cancel()
			for range cap(ended) {
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("%s = %v; want context.Canceled", name, err)
				}
			}
		}
		wantNoTickets(t, s)
		testenv.WantIdle(t, s)
	})
}

// TestClassClosed closes a file, or the Scheduler, while a limit holds operations.
func TestClassClosed(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, _ := testenv.DirectNoise(t, s, 1<<20)
		c, ctx := stuck(t, s, f)
		for i, end := range []func() error{f.Close, s.Close} {
			g := f
			if i > 0 {
				g, _ = testenv.DirectNoise(t, s, 1<<20)
			}
			ended := make(chan error, len(attempts))
			for _, attempt := range attempts {
				go func() { ended <- attempt(ctx, g) }()
			}
			testenv.WaitFor(t, "operations to wait", func() bool { return c.Stats().Waiting >= len(attempts) })
			if err := end(); err != nil {
				t.Errorf("Close = %v", err)
			}
			for range cap(ended) {
				if err := <-ended; !errors.Is(err, os.ErrClosed) {
					t.Errorf("what has waited: %v; want ErrClosed", err)
				}
			}
			wantNoTickets(t, s)
		}
	})
}

// TestClassTailClosed closes a file while a limit holds a write for its other descriptor.
func TestClassTailClosed(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, noise := testenv.DirectNoise(t, s, 1<<20)
		c, ctx := stuck(t, s, f)
		ended := make(chan error, 1)
		go func() {
			_, err := f.WriteAtContext(ctx, []byte{1}, int64(len(noise))+5)
			ended <- err
		}()
		waitQueued(t, c, 1)
		if err := f.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		if err := <-ended; !errors.Is(err, os.ErrClosed) {
			t.Errorf("WriteAt = %v; want ErrClosed", err)
		}
		wantNoTickets(t, s)
	})
}

// TestClassLimitLifted configures a class while its operations wait.
func TestClassLimitLifted(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, noise := testenv.DirectNoise(t, s, 1<<20)
	c, ctx := stuck(t, s, f)
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			if err := sameAt(ctx, f, noise, i*1000, 500_000); err != nil {
				t.Error(err)
			}
		})
	}
	waitQueued(t, c, 10)
	if err := c.Configure(sluice.ClassOptions{Weight: 1, Depth: 2}); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	wantNoTickets(t, s)
}

// TestClassStorm has goroutines of several classes read, give up, change limits and close files,
// all at once. At the end nothing may wait or be held.
func TestClassStorm(t *testing.T) {
	start := seed.Of(t)
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		classes := []*sluice.Class{
			s.Classes()[0],
			testenv.Class(t, s, "light", sluice.ClassOptions{Weight: 1}),
			testenv.Class(t, s, "heavy", sluice.ClassOptions{Weight: 10_000, Depth: 3}),
			testenv.Class(t, s, "slow", sluice.ClassOptions{BytesPerSecond: 1 << 20, IOPS: 50}),
		}
		f, noise := testenv.DirectNoise(t, s, 1<<20)
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(start, uint64(i)))
				for range 15 {
					if err := storm(t, s, f, noise, classes[r.IntN(len(classes))], r); err != nil {
						t.Errorf("seed %d: %v", start, err)
					}
				}
			})
		}
		all.Wait()
		wantNoTickets(t, s)
		testenv.WantIdle(t, s)
	})
}

// storm uses a class, and gives up at some time.
func storm(t *testing.T, s *sluice.Scheduler, f *direct.File, noise []byte, c *sluice.Class, r *rand.Rand) error {
	ctx, cancel := context.WithCancel(sluice.WithClass(t.Context(), c))
	defer cancel()
	if r.IntN(3) == 0 || c.Name() == "slow" {
		var giving sync.WaitGroup
		defer giving.Wait()
		giving.Go(cancel) // before, while or after it waits
	}
	var err error
	switch r.IntN(6) {
	case 0:
		err = sameAt(ctx, f, noise, r.IntN(1000), 1+r.IntN(len(noise)-1000))
	case 1:
		err = sameBuffer(ctx, f, noise)
	case 2:
		err = sameMany(ctx, f, noise)
	case 3:
		err = sameStream(ctx, f, noise)
	case 4:
		err = c.Configure(sluice.ClassOptions{Weight: 1 + r.IntN(50), Depth: r.IntN(5), IOPS: int64(r.IntN(2)) * 500})
	case 5:
		err = closedInside(ctx, s, f.Name())
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// closedInside closes a file while it is read.
func closedInside(ctx context.Context, s *sluice.Scheduler, name string) error {
	f, err := direct.OpenOn(s, name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	var reading sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		reading.Go(func() { _, errs[i] = f.ReadAtContext(ctx, make([]byte, 200_000), 0) })
	}
	err = f.Close()
	reading.Wait()
	for _, e := range errs {
		if !errors.Is(e, os.ErrClosed) && !errors.Is(e, context.Canceled) {
			err = errors.Join(err, e)
		}
	}
	return err
}
