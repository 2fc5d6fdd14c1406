package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "<nil>"},
		{Options{Bytes: 4096}, "<nil>"},
		{Options{Bytes: 2<<20 + 1, Block: 2 << 20}, "<nil>"},
		{Options{Bytes: -1}, "cache: Options.Bytes -1 has no room for a block of 4096"},
		{Options{Bytes: 8191, Block: 8192}, "cache: Options.Bytes 8191 has no room for a block of 8192"},
		{Options{Bytes: math.MaxInt64}, "cache: Options.Bytes 9223372036854775807 is more than 1073741824 blocks of 4096"},
		{Options{Block: -1}, "cache: Options.Block -1 is not a power of two from 4096 to 2097152"},
		{Options{Block: 2048}, "cache: Options.Block 2048 is not a power of two from 4096 to 2097152"},
		{Options{Block: 5000}, "cache: Options.Block 5000 is not a power of two from 4096 to 2097152"},
		{Options{Block: 4 << 20}, "cache: Options.Block 4194304 is not a power of two from 4096 to 2097152"},
	} {
		got, err := New(c.o)
		if fmt.Sprint(err) != c.want {
			t.Errorf("New(%+v) = %v; want %s", c.o, err, c.want)
		}
		if err == nil {
			got.Close()
		}
	}
}

// TestTooManyBlocks checks that options whose index would not fit into memory are an error, and do
// not end the program.
func TestTooManyBlocks(t *testing.T) {
	const bytes = maxBlocks * minBlock
	if buffer.Modest(perBlock*maxBlocks) == perBlock*maxBlocks {
		skip.For(t, skip.Case, "there is memory for all blocks that a cache can have, or the system does not tell")
	}
	want := fmt.Sprintf("cache: Options.Bytes %d in blocks of 4096: their index of %d bytes takes more than an eighth of the memory there is; use fewer bytes or larger blocks", int64(bytes), int64(perBlock*maxBlocks))
	if _, err := New(Options{Bytes: bytes}); fmt.Sprint(err) != want {
		t.Errorf("New = %v; want %s", err, want)
	}
}

func TestHit(t *testing.T) {
	c, f, d := newTest(t, 8, 5*block)
	for range 3 {
		wantRead(t, f, d, 2*block+10, 100)
	}
	if st := c.Stats(); st.Hits != 2 || st.Misses != 1 || d.count() != 1 || d.sizes != 0 || st.Bytes != block {
		t.Errorf("%+v after %d reads and %d looks at the size; want one read, two hits", st, d.count(), d.sizes)
	}
}

// A large read makes one request for the blocks that are not cached.
func TestRun(t *testing.T) {
	c, f, d := newTest(t, 64, 40*block+100)
	wantRead(t, f, d, 0, 5*block)
	if d.count() != 1 {
		t.Errorf("5 blocks took %d requests; want 1", d.count())
	}
	wantRead(t, f, d, 0, 5*block)
	if st := c.Stats(); d.count() != 1 || st.Hits != 5 {
		t.Errorf("again: %d requests, %+v; want all hits", d.count(), st)
	}
	wantRead(t, f, d, 3*block, 4*block) // blocks 3 and 4 are cached
	if d.count() != 2 {
		t.Errorf("%d requests; want one more", d.count())
	}
	wantRead(t, f, d, 30*block, 20*block) // across the end of the file
	wantRead(t, f, d, 10*block+1, 4*block)
	for off := range int64(41) {
		wantRead(t, f, d, off*block, block)
	}
}

func TestArguments(t *testing.T) {
	_, f, d := newTest(t, 4, 2*block)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		what string
		do   func() error
		want error
		text string
	}{
		{"ReadAt", func() error { _, err := f.ReadAt(make([]byte, 1), -1); return err }, nil, "readat disk: negative offset"},
		{"ReadAt of nothing", func() error { _, err := f.ReadAt(nil, 0); return err }, nil, "<nil>"},
		{"ReadAt beyond the end", func() error { _, err := f.ReadAt(make([]byte, 1), 1<<40); return err }, io.EOF, "EOF"},
		{"ReadAt at the last byte", func() error { _, err := f.ReadAt(make([]byte, 10), math.MaxInt64); return err }, io.EOF, "EOF"},
		{"ReadAt at the last block", func() error { _, err := f.ReadAt(make([]byte, 3*block), math.MaxInt64-block+1); return err }, io.EOF, "EOF"},
		{"ReadAt before the last block", func() error { _, err := f.ReadAt(make([]byte, 3*block), math.MaxInt64-2*block+1); return err }, io.EOF, "EOF"},
		{"View", func() error { _, err := f.View(t.Context(), -1, 1); return err }, nil, "read disk: negative offset"},
		{"View", func() error { _, err := f.View(t.Context(), 0, -1); return err }, nil, "read disk: negative length"},
		{"View of nothing", func() error { _, err := f.View(t.Context(), 0, 0); return err }, nil, "<nil>"},
		{"View at the end", func() error { _, err := f.View(t.Context(), 2*block, 1); return err }, io.EOF, "EOF"},
		{"View beyond the end", func() error { _, err := f.View(t.Context(), 1<<40+5, 1); return err }, io.EOF, "EOF"},
		{"ended context", func() error { _, err := f.ReadAtContext(ended, make([]byte, 1), 0); return err }, context.Canceled, "read disk: context canceled"},
		{"ended context", func() error { _, err := f.View(ended, 0, 1); return err }, context.Canceled, "read disk: context canceled"},
	} {
		if err := c.do(); fmt.Sprint(err) != c.text || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s = %v; want %s", c.what, err, c.text)
		}
	}
	f.Invalidate(-1, 5)
	f.Invalidate(0, -5)
	f.Invalidate(math.MaxInt64, math.MaxInt64)
	wantRead(t, f, d, 0, block)
	f.Invalidate(0, math.MaxInt64)
	if st := f.cache.Stats(); st.Bytes != 0 {
		t.Errorf("%+v; want nothing left", st)
	}
}

func TestClosed(t *testing.T) {
	c, f, d := newTest(t, 4, 2*block)
	g := c.File((&disk{name: "other"}).fill(block))
	wantRead(t, f, d, 0, 2*block)
	wantRead(t, g, g.file.(*disk), 0, block)
	if err := f.Close(); err != nil || !d.closed {
		t.Errorf("Close = %v, file closed: %t", err, d.closed)
	}
	if st := c.Stats(); st.Bytes != block {
		t.Errorf("%+v; want the other file's block alone", st)
	}
	for what, do := range map[string]func() error{
		"read":     func() error { _, err := f.ReadAt(make([]byte, 1), 0); return err },
		"write":    func() error { _, err := f.WriteAt(make([]byte, 1), 0); return err },
		"truncate": func() error { return f.Truncate(0) },
		"sync":     f.Sync,
		"size":     func() error { _, err := f.Size(); return err },
		"close":    f.Close,
	} {
		var pe *fs.PathError
		if err := do(); !errors.As(err, &pe) || pe.Err != os.ErrClosed || pe.Op != what || pe.Path != "disk" {
			t.Errorf("%s of a closed file = %v", what, err)
		}
	}
	c.Close()
	if _, err := g.View(t.Context(), 0, 1); !errors.Is(err, os.ErrClosed) || !g.file.(*disk).closed {
		t.Errorf("View of a file of a closed Cache = %v", err)
	}
	late := c.File(&disk{name: "late"})
	if _, err := late.ReadAt(make([]byte, 1), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("ReadAt through a closed Cache = %v", err)
	}
	if err := late.Close(); err != nil || !late.file.(*disk).closed {
		t.Errorf("Close = %v", err)
	}
}

// A View does not change, and its block counts against the budget, whatever
// happens to the file and the cache.
func TestViewOutlivesItsBlock(t *testing.T) {
	for what, end := range map[string]func(c *Cache, f *File){
		"write":      func(_ *Cache, f *File) { f.WriteAt([]byte{99}, 0) },
		"invalidate": func(_ *Cache, f *File) { f.Invalidate(0, 100) },
		"truncate":   func(_ *Cache, f *File) { f.Truncate(0) },
		"close file": func(_ *Cache, f *File) { f.Close() },
		"close":      func(c *Cache, _ *File) { c.Close() },
	} {
		t.Run(what, func(t *testing.T) {
			c, f, _ := newTest(t, 2, 2*block)
			v, err := f.View(t.Context(), 5, 10)
			if err != nil {
				t.Fatal(err)
			}
			end(c, f)
			if b := v.Bytes(); len(b) != 10 || b[0] != 5 {
				t.Errorf("Bytes = %v; want what was there", b)
			}
			if st := c.Stats(); st.Bytes != block || st.Pinned != block {
				t.Errorf("%+v; want one block", st)
			}
			v.Release()
			v.Release()
			if st := c.Stats(); v.Bytes() != nil || st.Pinned != 0 || st.Bytes != 0 {
				t.Errorf("after Release: %+v; want nothing", st)
			}
		})
	}
}

// A second Release of a View must not release another View's reference: each View has a generation.
func TestStaleView(t *testing.T) {
	c, f, _ := newTest(t, 1, 2*block)
	a, _ := f.View(t.Context(), 0, 1)
	b, _ := f.View(t.Context(), 0, 1)
	for range 5 {
		a.Release()
	}
	if _, err := f.View(t.Context(), block, 1); !errors.Is(err, ErrFull) {
		t.Errorf("View with the only block in use = %v; want ErrFull", err)
	}
	if b.Bytes()[0] != 0 || a.Bytes() != nil {
		t.Error("the wrong View has ended")
	}
	b.Release()
	View{}.Release()
	if v, err := f.View(t.Context(), block, math.MaxInt); err != nil || len(v.Bytes()) != block || c.Stats().Evictions != 1 {
		t.Errorf("View = %d bytes, %v; want the block", len(v.Bytes()), err)
	} else {
		v.Release()
	}
}

// While all blocks are in use, reads are not cached.
func TestAllPinned(t *testing.T) {
	c, f, d := newTest(t, 4, 20*block)
	var views []View
	for i := range int64(4) {
		v, err := f.View(t.Context(), i*block, block)
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, v)
	}
	before := d.count()
	wantRead(t, f, d, 10*block+7, 100)
	wantRead(t, f, d, 10*block, 5*block)
	wantRead(t, f, d, 0, 4*block)
	if st := c.Stats(); st.Bytes != 4*block || st.Pinned != 4*block || st.Bypassed != 6 || d.count() != before+2 {
		t.Errorf("%+v, %d requests; want the four blocks, and two requests past them", st, d.count()-before)
	}
	for i, v := range views {
		if v.Bytes()[9] != d.data[i*block+9] {
			t.Errorf("View %d has changed", i)
		}
		v.Release()
	}
	wantRead(t, f, d, 10*block, block)
	if st := c.Stats(); st.Bytes != 4*block || st.Evictions != 1 {
		t.Errorf("%+v; want one eviction", st)
	}
}

// The file ends inside a block, and grows by other means than the File.
func TestEnd(t *testing.T) {
	c, f, d := newTest(t, 8, block+100)
	wantRead(t, f, d, block, 200)
	wantRead(t, f, d, block, 200)
	wantRead(t, f, d, block+99, 1)
	wantRead(t, f, d, block+100, 1)
	if d.count() != 1 || c.Stats().Misses != 1 {
		t.Errorf("%d reads; want 1", d.count())
	}
	grow := func(n int) {
		d.mu.Lock()
		for range n {
			d.data = append(d.data, byte(len(d.data)*3))
		}
		d.mu.Unlock()
	}
	grow(50)
	wantRead(t, f, d, block+90, 100)
	wantRead(t, f, d, block+90, 100)
	grow(block)
	v, err := f.View(t.Context(), block+150, block)
	if err != nil || len(v.Bytes()) != block-150 || v.Bytes()[0] != d.data[block+150] {
		t.Errorf("View after growth = %d bytes, %v", len(v.Bytes()), err)
	}
	v.Release()
	wantRead(t, f, d, 0, 3*block)
	// It grows through the File.
	if n, err := f.WriteAt(make([]byte, 10), 3*block); n != 10 || err != nil {
		t.Errorf("WriteAt = %d, %v; want 10, nil", n, err)
	}
	wantRead(t, f, d, 0, 5*block)
	for _, size := range []int64{block + 5, 2*block + 5} {
		if err := f.Truncate(size); err != nil || int64(len(d.data)) != size {
			t.Errorf("Truncate(%d) = %v; the file has %d bytes", size, err, len(d.data))
		}
		wantRead(t, f, d, 0, 5*block)
	}
}

// A View has the file's bytes, also if the file has grown since the block was read.
func TestViewAfterGrowth(t *testing.T) {
	const before, after = 1000, 3 * block
	for what, grow := range map[string]func(f *File, d *disk) error{
		"truncate": func(f *File, _ *disk) error { return f.Truncate(after) },
		"write":    func(f *File, _ *disk) error { _, err := f.WriteAt([]byte{1}, after-1); return err },
		"others":   func(_ *File, d *disk) error { return d.Truncate(after) },
	} {
		t.Run(what, func(t *testing.T) {
			_, f, d := newTest(t, 8, before)
			wantView(t, f, d, 0, 10, 10)
			wantView(t, f, d, 900, 200, 100)
			if err := grow(f, d); err != nil {
				t.Fatal(err)
			}
			sizes, reads := d.sizes, d.count()
			wantView(t, f, d, 900, 100, 100) // the block has all of these already
			if d.sizes != sizes || d.count() != reads {
				t.Errorf("a View of bytes that are cached: %d looks at the size, %d reads; want none", d.sizes-sizes, d.count()-reads)
			}
			wantView(t, f, d, 900, 200, 200)
			wantView(t, f, d, 900, 2*block, block-900)
			wantView(t, f, d, 2000, 1, 1)
			if d.count() != reads+1 {
				t.Errorf("%d reads; want 1", d.count()-reads)
			}
		})
	}
}

// wantView checks that a View of up to most bytes has n bytes, with the disk's contents.
func wantView(t testing.TB, f *File, d *disk, off int64, most, n int) {
	t.Helper()
	v, err := f.View(t.Context(), off, most)
	if err != nil || !bytes.Equal(v.Bytes(), d.data[off:off+int64(n)]) {
		t.Errorf("View(%d, %d) = %d bytes, %v; want the %d of the disk", off, most, len(v.Bytes()), err, n)
	}
	v.Release()
}

// sized is a file whose size is more than reads return, as some files of /sys have.
type sized struct {
	*disk
	size int64
}

func (s sized) Size() (int64, error) { return s.size, nil }

// A file with a wrong size ends where reads of it end.
func TestViewOfWrongSize(t *testing.T) {
	const n = 5
	c, _, d := newTest(t, 8, n)
	f := c.File(sized{d, block})
	for range 3 {
		// The context ends a View that would read again and again.
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		d.reading = func(context.Context, int64, int, bool) error {
			if reads++; reads == 100 {
				cancel()
			}
			return ctx.Err()
		}
		if v, err := f.View(ctx, 10, 1); err != io.EOF {
			t.Errorf("View beyond the end = %d bytes, %v; want io.EOF", len(v.Bytes()), err)
			v.Release()
		}
		wantView(t, f, d, 1, 100, n-1)
		cancel()
	}
	d.reading = nil
	if got, err := f.ReadAt(make([]byte, 1), 10); got != 0 || err != io.EOF {
		t.Errorf("ReadAt beyond the end = %d, %v; want 0, io.EOF", got, err)
	}
}

// punch makes a hole in the file that f reads, in another way than through f.
func punch(f *File, off, n int64) {
	f.file.(*disk).PunchHole(off, n)
	f.Invalidate(off, n)
}

// After Invalidate a hole reads as zeros. The bytes around it do not change.
func TestHole(t *testing.T) {
	c, f, d := newTest(t, 16, 8*block+100)
	wantRead(t, f, d, 0, 9*block)
	for _, hole := range []struct{ off, n, gone int64 }{
		{block, block, 1},
		{5*block + 10, 20, 1},
		{3*block - 1, 2, 2},
		{7*block + 5, math.MaxInt64 - 7*block - 5, 2},
		{0, 0, 0},
		{-5, 10, 0},
	} {
		wantRead(t, f, d, 0, 9*block)
		had := c.Stats().Bytes
		punch(f, hole.off, hole.n)
		if gone := had - c.Stats().Bytes; gone != hole.gone*block {
			t.Errorf("Invalidate(%d, %d) dropped %d bytes; want %d blocks", hole.off, hole.n, gone, hole.gone)
		}
		wantRead(t, f, d, 0, 9*block)
	}
}

// gate holds up reads of the disk, before or after they have taken the bytes.
type gate struct {
	arrived chan struct{}
	open    chan error
}

func hold(d *disk, after bool) gate {
	g := gate{make(chan struct{}), make(chan error)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reading = func(ctx context.Context, _ int64, _ int, now bool) error {
		if now != after {
			return nil
		}
		g.arrived <- struct{}{}
		select {
		case err := <-g.open:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return g
}

func (d *disk) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reading = nil
}

func waitShared(t *testing.T, c *Cache, n int64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); c.Stats().Shared < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%+v; want %d waiting goroutines", c.Stats(), n)
		}
	}
}

// Many goroutines that miss one block make one request, and all get its result.
func TestOneRequest(t *testing.T) {
	for _, fail := range []error{nil, syscall.EIO} {
		c, f, d := newTest(t, 4, 2*block)
		g := hold(d, false)
		errs := make(chan error)
		for i := range 20 {
			go func() {
				if i%2 == 0 {
					b := make([]byte, 10)
					_, err := f.ReadAt(b, 100)
					errs <- err
					return
				}
				v, err := f.View(context.Background(), 100, 10)
				v.Release()
				errs <- err
			}()
		}
		<-g.arrived
		waitShared(t, c, 19)
		g.open <- fail
		for range 20 {
			if err := <-errs; !errors.Is(err, fail) || fail == nil && err != nil {
				t.Errorf("a read = %v; want %v", err, fail)
			}
		}
		d.release()
		st := c.Stats()
		if st.Misses != 1 || st.Shared != 19 || st.Pinned != 0 || (st.Bytes == 0) != (fail != nil) {
			t.Errorf("%+v; want one miss, and a block without an error alone", st)
		}
		wantRead(t, f, d, 100, 10)
	}
}

// A waiting goroutine stops when its own context ends. When the reader's context ends, a waiting
// goroutine reads instead.
func TestContexts(t *testing.T) {
	c, f, d := newTest(t, 4, 2*block)
	g := hold(d, false)
	leader, stopLeader := context.WithCancel(t.Context())
	errs := make(chan error)
	read := func(ctx context.Context) {
		_, err := f.ReadAtContext(ctx, make([]byte, 10), 100)
		errs <- err
	}
	go read(leader)
	<-g.arrived
	short, stopShort := context.WithCancel(t.Context())
	go read(short)
	go read(t.Context())
	waitShared(t, c, 2)
	stopShort()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the waiting goroutine got %v; want Canceled", err)
	}
	stopLeader()
	<-g.arrived // the third goroutine reads now
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the reading goroutine got %v; want Canceled", err)
	}
	g.open <- nil
	if err := <-errs; err != nil {
		t.Errorf("the goroutine that read next got %v", err)
	}
	d.release()
}

// A read that has taken the bytes before a write is not cached after the write.
func TestInvalidationInFlight(t *testing.T) {
	for what, change := range map[string]func(f *File){
		"write":    func(f *File) { f.WriteAt([]byte{1, 2, 3}, 50) },
		"punch":    func(f *File) { punch(f, 50, 2*block) },
		"truncate": func(f *File) { f.Truncate(10); f.Truncate(2 * block) },
		"close":    func(f *File) { f.Close() },
	} {
		for _, n := range []int{100, 2 * block} { // one block, and a run of blocks
			t.Run(fmt.Sprint(what, n), func(t *testing.T) {
				c, f, d := newTest(t, 16, 2*block)
				g := hold(d, true)
				errs := make(chan error)
				go func() {
					_, err := f.ReadAt(make([]byte, n), 0)
					errs <- err
				}()
				<-g.arrived // the read has the old bytes
				change(f)
				if what != "close" {
					// A read that begins now must not wait for the old one.
					d.release()
					wantRead(t, f, d, 0, 100)
				}
				g.open <- nil
				if err := <-errs; err != nil {
					t.Errorf("ReadAt = %v", err)
				}
				if what == "close" {
					if st := c.Stats(); st.Bytes != 0 {
						t.Errorf("%+v; want nothing cached of a closed file", st)
					}
					return
				}
				wantRead(t, f, d, 0, 2*block)
			})
		}
	}
}

// After a read has panicked, no goroutine waits without end.
func TestPanic(t *testing.T) {
	for _, n := range []int{10, 3 * block} {
		_, f, d := newTest(t, 32, 4*block)
		d.reading = func(context.Context, int64, int, bool) error { panic("disk") }
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is gone")
				}
			}()
			f.ReadAt(make([]byte, n), 0)
		}()
		d.release()
		wantRead(t, f, d, 0, 4*block)
	}
}

func TestShards(t *testing.T) {
	c, f, d := newSharded(t, 1000, 3000*block+5, 8)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range int64(3000) {
				wantRead(t, f, d, (i*7+int64(g)*750)%3000*block, 64)
			}
		})
	}
	wg.Wait()
	if st := c.Stats(); st.Bytes != 1000*block || st.Hits+st.Misses+st.Shared != 12000 {
		t.Errorf("%+v; want all of the budget, and 12000 blocks", st)
	}
	for i := range c.shards {
		if n := c.shards[i].policy.Len(); n != len(c.shards[i].frames) {
			t.Errorf("shard %d has %d blocks of %d", i, n, len(c.shards[i].frames))
		}
	}
}
