package soak

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/mapped"
)

// sharedSize is the size of the file that all goroutines of all drivers read, and none changes.
const sharedSize = 32 << 20 // 32 MiB, four times a cache's size

// newShared makes the shared file. Its bytes are testenv.Fill's text 0.
func newShared(name string) (string, error) {
	b := make([]byte, sharedSize)
	testenv.Fill(b, 0, 0)
	return name, os.WriteFile(name, b, 0o600)
}

// house is shared by the goroutines of a driver.
type house struct {
	s      *sluice.Scheduler
	driver string
	dir    string
	shared string
	cache  *cache.Cache

	// The shared file, open in each way.
	file   *sluice.File
	direct *direct.File
	cached *cache.File
}

func newHouse(s *sluice.Scheduler, driver, dir, shared string) (h *house, err error) {
	h = &house{s: s, driver: driver, dir: dir, shared: shared}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if h.cache, err = cache.New(cache.Options{Bytes: sharedSize / 4}); err != nil {
		return nil, err
	}
	if h.file, err = s.Open(shared); err != nil {
		return nil, err
	}
	if h.direct, err = direct.OpenOn(s, shared, os.O_RDONLY, 0); err != nil {
		return nil, err
	}
	again, err := direct.OpenOn(s, shared, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	h.cached = h.cache.File(again)
	return h, nil
}

func (h *house) close() error {
	return errors.Join(h.file.Close(), h.direct.Close(), h.cached.Close(), h.cache.Close())
}

// kind is a kind of work for a goroutine.
type kind struct {
	name  string
	step  func(w *worker) (operations int, err error)
	close func() error
}

func (h *house) kinds() []kind {
	nothing := func() error { return nil }
	all := []kind{
		{"reads the shared file", h.readShared, nothing},
		{"reads the shared file", h.readShared, nothing},
		{"maps the shared file", h.mapShared, nothing},
		{"streams", h.stream, nothing},
		{"makes batches", h.batch, nothing},
		{"opens and closes", h.churn, nothing},
	}
	for i, open := range []func(name string) (file, error){h.openFile, h.openFile, h.openDirect, h.openDirect, h.openCached} {
		o := &owner{name: filepath.Join(h.dir, fmt.Sprint("own", i)), open: open}
		all = append(all, kind{"has a file of its own", o.step, o.close})
	}
	return all
}

// somewhere returns a random range of the shared file.
func somewhere(r *rand.Rand, most int64) (off, n int64) {
	off = r.Int64N(sharedSize)
	return off, 1 + r.Int64N(min(most, sharedSize-off))
}

// isShared returns an error unless b is the shared file's content at off.
func isShared(b []byte, off int64, how string) error {
	want := make([]byte, len(b))
	testenv.Fill(want, off, 0)
	return same(b, want, off, how)
}

// same compares bytes that were read at off with the known content.
func same(got, want []byte, off int64, how string) error {
	if bytes.Equal(got, want) {
		return nil
	}
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	return fmt.Errorf("%s of %d bytes at %d has %d bytes, wrong from byte %d on: %x; want %x", how, len(want), off, len(got), i,
		got[i:min(i+8, len(got))], want[i:min(i+8, len(want))])
}

// readShared reads a part of the shared file in some way.
func (h *house) readShared(w *worker) (int, error) {
	off, n := somewhere(w.rand, 64<<10)
	b := make([]byte, n)
	var err error
	how := "ReadAt of a File"
	switch w.rand.IntN(8) {
	case 0:
		how = "ReadAt of a direct.File"
		_, err = h.direct.ReadAt(b, off)
	case 1:
		how = "ReadAt of a cache"
		_, err = h.cached.ReadAt(b, off)
	case 2:
		v, err := h.cached.View(context.Background(), off, int(n))
		defer v.Release()
		if errors.Is(err, cache.ErrFull) {
			return 1, nil
		}
		return 1, errors.Join(err, isShared(v.Bytes(), off, "View"))
	case 3:
		return h.readMany(w)
	case 4:
		got, err := h.direct.ReadBuffer(context.Background(), off, int(n))
		defer got.Release()
		return 1, errors.Join(err, isShared(got.Bytes(), off, "ReadBuffer"))
	case 5:
		// Bytes that were read before the context ended must be right. Nothing else is promised.
		ctx, stop := context.WithCancel(context.Background())
		go stop()
		how = "ReadAtContext"
		k, err := h.file.ReadAtContext(ctx, b, off)
		stop()
		if errors.Is(err, context.Canceled) {
			return 1, isShared(b[:k], off, how)
		}
		return 1, errors.Join(err, isShared(b[:k], off, how))
	case 6:
		// Other goroutines then miss the page cache there.
		if err := h.file.Advise(off, n, sluice.AdviceDontNeed); err != nil {
			return 1, err
		}
		_, err = h.file.ReadAt(b, off)
	default:
		_, err = h.file.ReadAt(b, off)
	}
	return 1, errors.Join(err, isShared(b, off, how))
}

// readMany reads some ranges of the shared file, and sometimes stops early.
func (h *house) readMany(w *worker) (n int, err error) {
	ranges := make([]direct.Range, 1+w.rand.IntN(32))
	for i := range ranges {
		off, n := somewhere(w.rand, 16<<10)
		ranges[i] = direct.Range{Off: off, Len: int(n)}
	}
	each := func(yield func(direct.Range) bool) {
		for _, r := range ranges {
			if !yield(r) {
				return
			}
		}
	}
	most := w.rand.IntN(64)
	for got, err := range h.direct.ReadMany(context.Background(), each, direct.ReadManyOptions{Unordered: w.rand.IntN(2) == 0}) {
		if err != nil {
			return n, err
		}
		err = isShared(got.Buffer.Bytes(), got.Off, "ReadMany")
		got.Buffer.Release()
		n++
		if err != nil || n == most {
			return n, err
		}
	}
	if n != len(ranges) {
		return n, fmt.Errorf("ReadMany of %d ranges has yielded %d", len(ranges), n)
	}
	return n, nil
}

// mapShared maps a part of the shared file and reads in it.
func (h *house) mapShared(w *worker) (n int, err error) {
	from, size := somewhere(w.rand, 4<<20)
	m, err := mapped.Map(h.file, from, size)
	if err != nil {
		return n, err
	}
	for range 64 {
		off := w.rand.Int64N(size)
		got, err := m.Load(off, 1+w.rand.Int64N(min(8<<10, size-off)))
		n++
		if err = errors.Join(err, isShared(got, from+off, "Load")); err != nil {
			return n, errors.Join(err, m.Close())
		}
	}
	return n, m.Close()
}

// stream writes a file by a Writer, or reads a part of the shared file by a Reader.
func (h *house) stream(w *worker) (int, error) {
	if w.rand.IntN(2) == 0 {
		off, n := somewhere(w.rand, 4<<20)
		r, err := h.direct.NewReader(context.Background(), direct.ReaderOptions{
			BufferSize: 4096 << w.rand.IntN(6), ReadAhead: 1 + w.rand.IntN(5), Start: off, End: off + n,
		})
		if err != nil {
			return 0, err
		}
		defer r.Close()
		return isStream(w, r, off, n, 0)
	}
	f, err := direct.OpenOn(h.s, filepath.Join(h.dir, "stream"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	out, err := f.NewWriter(context.Background(), direct.WriterOptions{BufferSize: 4096 << w.rand.IntN(6), WriteBehind: 1 + w.rand.IntN(5)})
	if err != nil {
		return 0, err
	}
	id, size, calls := 1+w.rand.Uint64N(1<<31), 1+w.rand.Int64N(2<<20), 0
	b := make([]byte, 64<<10)
	for at := int64(0); at < size; {
		part := b[:min(1+w.rand.Int64N(int64(len(b))), size-at)]
		testenv.Fill(part, at, id)
		if _, err := out.Write(part); err != nil {
			return calls, errors.Join(err, out.Close())
		}
		at += int64(len(part))
		calls++
	}
	if err := out.Close(); err != nil {
		return calls, err
	}
	if w.rand.IntN(4) == 0 {
		if err := f.Sync(); err != nil {
			return calls, err
		}
	}
	r, err := f.NewReader(context.Background(), direct.ReaderOptions{BufferSize: 64 << 10})
	if err != nil {
		return calls, err
	}
	defer r.Close()
	more, err := isStream(w, r, 0, size, id)
	return calls + more, err
}

// isStream reads n bytes of text id, which begin at off. The file must end there.
func isStream(w *worker, r *direct.Reader, off, n int64, id uint64) (calls int, err error) {
	want := make([]byte, 64<<10)
	for end := off + n; ; calls++ {
		got, err := r.Next()
		if err == io.EOF && off == end {
			return calls, nil
		}
		if err != nil {
			return calls, fmt.Errorf("Next at %d of %d: %w", off, end, err)
		}
		b := got.Bytes()
		for len(b) > 0 {
			part := want[:min(len(want), len(b))]
			testenv.Fill(part, off, id)
			if err := same(b[:len(part)], part, off, "Next"); err != nil {
				got.Release()
				return calls, err
			}
			b, off = b[len(part):], off+int64(len(part))
		}
		got.Release()
	}
}

// batch makes small files by a Batch, reads them by another, and removes them.
func (h *house) batch(w *worker) (int, error) {
	files := make([][]byte, 1+w.rand.IntN(40))
	name := func(i int) string { return filepath.Join(h.dir, fmt.Sprint("small", i)) }
	write, read, remove := batch.New(h.s), batch.New(h.s), batch.New(h.s)
	got := make([][]byte, len(files))
	for i := range files {
		files[i] = make([]byte, 1+w.rand.IntN(8<<10))
		got[i] = make([]byte, len(files[i]))
		testenv.Fill(files[i], 0, 1+w.rand.Uint64N(1<<31))
		c := write.Chain()
		f := c.OpenFile(name(i)+".new", os.O_WRONLY|os.O_CREATE, 0o600)
		c.WriteAt(f, files[i], 0)
		if w.rand.IntN(16) == 0 {
			c.Sync(f)
		}
		c.Close(f)
		c.Rename(name(i)+".new", name(i))
		c = read.Chain()
		f = c.Open(name(i))
		c.ReadAt(f, got[i], 0)
		c.Close(f)
		remove.Chain().Unlink(name(i))
	}
	for _, b := range []*batch.Batch{write, read, remove} {
		if err := b.Do(context.Background()); err != nil {
			return 0, err
		}
	}
	for i := range files {
		if err := same(got[i], files[i], 0, "ReadAt of a Batch"); err != nil {
			return 0, err
		}
	}
	return write.Len() + read.Len() + remove.Len(), nil
}

// churn makes something short-lived, uses it, and ends it.
func (h *house) churn(w *worker) (int, error) {
	switch w.rand.IntN(64) {
	case 0:
		return h.anotherScheduler(w)
	case 1, 2, 3, 4:
		return h.class(w)
	}
	off, n := somewhere(w.rand, 8<<10)
	b := make([]byte, n)
	if w.rand.IntN(2) == 0 {
		f, err := direct.OpenOn(h.s, h.shared, os.O_RDONLY, 0)
		if err != nil {
			return 1, err
		}
		_, err = f.ReadAt(b, off)
		return 3, errors.Join(err, f.Close(), isShared(b, off, "ReadAt of a direct.File"))
	}
	f, err := h.s.Open(h.shared)
	if err != nil {
		return 1, err
	}
	_, err = f.ReadAt(b, off)
	return 3, errors.Join(err, f.Close(), isShared(b, off, "ReadAt of a File"))
}

// class makes a class, so that all requests of the driver queue by class, and removes it.
func (h *house) class(w *worker) (n int, err error) {
	c, err := h.s.Class("soak", sluice.ClassOptions{Weight: 1 + w.rand.IntN(200)})
	if err != nil {
		return 0, err
	}
	ctx := sluice.WithClass(context.Background(), c)
	for range 64 {
		off, most := somewhere(w.rand, 32<<10)
		b := make([]byte, most)
		if w.rand.IntN(2) == 0 {
			_, err = h.direct.ReadAtContext(ctx, b, off)
		} else {
			_, err = h.file.ReadAtContext(ctx, b, off)
		}
		n++
		if err = errors.Join(err, isShared(b, off, "ReadAtContext of a class")); err != nil {
			break
		}
	}
	return n, errors.Join(err, c.Remove())
}

// anotherScheduler makes a Scheduler with its own driver, and closes it.
func (h *house) anotherScheduler(w *worker) (n int, err error) {
	s, err := sluice.NewScheduler(sluice.Options{Driver: h.driver})
	if err != nil {
		return 0, err
	}
	f, err := direct.OpenOn(s, h.shared, os.O_RDONLY, 0)
	if err != nil {
		return 0, errors.Join(err, s.Close())
	}
	off, size := somewhere(w.rand, 32<<10)
	errs := make(chan error)
	const readers = 8
	for range readers {
		go func() {
			b := make([]byte, size)
			_, err := f.ReadAt(b, off)
			errs <- errors.Join(err, isShared(b, off, "ReadAt of another Scheduler"))
		}()
	}
	for range readers {
		err = errors.Join(err, <-errs)
	}
	return readers, errors.Join(err, f.Close(), s.Close())
}
