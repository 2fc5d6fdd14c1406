package fsx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/mapped"
)

// face is an open file of one of the packages. r chooses among the package's ways to do the same.
type face interface {
	read(r *rand.Rand, b []byte, off int64) (int, error)
	write(r *rand.Rand, b []byte, off int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Datasync() error
	Allocate(off, n int64) error
	PunchHole(off, n int64) error
	length() (int64, error)
	// hint makes a call that does not change the file.
	hint(r *rand.Rand, off, n int64) error
	// changed says that the n bytes at off were changed through another face.
	changed(off, n int64)
	Close() error
}

// appender is a face that is open with O_APPEND: it can only write at the end.
type appender interface {
	face
	appendTo(r *rand.Rand, b []byte) (int, error)
}

// fileFace is a sluice.File.
type fileFace struct {
	*sluice.File
	position sync.Mutex // held from a Seek to the call that depends on it
}

func openFile(s *sluice.Scheduler, name string, flag int) (*fileFace, error) {
	f, err := s.OpenFile(name, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	return &fileFace{File: f}, nil
}

func (f *fileFace) read(r *rand.Rand, b []byte, off int64) (int, error) {
	switch r.IntN(8) {
	case 0:
		return f.atPosition(off, func() (int, error) { return readAll(f.File, b) })
	case 1:
		return f.atPosition(off, func() (int, error) {
			var to writerTo
			n, err := io.Copy(&to, io.LimitReader(f.File, int64(len(b))))
			copy(b, to.b)
			return int(n), eof(int(n), len(b), err)
		})
	case 2:
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		return f.ReadAtContext(ctx, b, off)
	}
	return f.ReadAt(b, off)
}

func (f *fileFace) write(r *rand.Rand, b []byte, off int64) (int, error) {
	switch r.IntN(8) {
	case 0:
		return f.atPosition(off, func() (int, error) { return f.Write(b) })
	case 1:
		return f.atPosition(off, func() (int, error) {
			n, err := f.ReadFrom(bytes.NewReader(b))
			return int(n), err
		})
	case 2:
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		return f.WriteAtContext(ctx, b, off)
	}
	return f.WriteAt(b, off)
}

func (f *fileFace) appendTo(r *rand.Rand, b []byte) (int, error) {
	if r.IntN(4) == 0 {
		n, err := f.ReadFrom(bytes.NewReader(b))
		return int(n), err
	}
	return f.Write(b)
}

// atPosition calls do with the file's position at off.
func (f *fileFace) atPosition(off int64, do func() (int, error)) (int, error) {
	f.position.Lock()
	defer f.position.Unlock()
	if at, err := f.Seek(off, io.SeekStart); err != nil || at != off {
		return 0, fmt.Errorf("Seek(%d) = %d, %w", off, at, err)
	}
	return do()
}

func (f *fileFace) length() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f *fileFace) hint(r *rand.Rand, off, n int64) error {
	switch r.IntN(4) {
	case 0:
		return f.Prefetch(off, n)
	case 1:
		return f.SyncRange(off, n)
	case 2:
		return f.Advise(off, n, sluice.AdviceWillNeed)
	}
	return f.Advise(off, n, sluice.AdviceDontNeed)
}

func (f *fileFace) changed(int64, int64) {}

// directFace is a direct.File. With streams set, it is mostly used through Readers and Writers.
type directFace struct {
	*direct.File
	streams bool
}

func openDirect(s *sluice.Scheduler, name string, streams bool) (*directFace, error) {
	f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &directFace{f, streams}, nil
}

func (f *directFace) read(r *rand.Rand, b []byte, off int64) (int, error) {
	if f.streams && r.IntN(4) > 0 && len(b) > 0 {
		return f.readStream(r, b, off)
	}
	switch r.IntN(8) {
	case 0:
		got, err := f.ReadBuffer(context.Background(), off, len(b))
		defer got.Release()
		n := copy(b, got.Bytes())
		return n, eof(n, len(b), err)
	case 1:
		return f.readMany(r, b, off)
	case 2:
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		return f.ReadAtContext(ctx, b, off)
	}
	return f.ReadAt(b, off)
}

// readMany reads b as several ranges.
func (f *directFace) readMany(r *rand.Rand, b []byte, off int64) (n int, err error) {
	var ranges []direct.Range
	for at := 0; at < len(b); {
		n := 1 + r.IntN(len(b)-at)
		ranges = append(ranges, direct.Range{Off: off + int64(at), Len: n})
		at += n
	}
	o := direct.ReadManyOptions{Unordered: r.IntN(2) == 0, Depth: r.IntN(4)}
	for got, e := range f.ReadMany(context.Background(), func(yield func(direct.Range) bool) {
		for _, one := range ranges {
			if !yield(one) {
				return
			}
		}
	}, o) {
		if len(got.Buffer.Bytes()) > 0 {
			n += copy(b[got.Off-off:], got.Buffer.Bytes())
			got.Buffer.Release()
		}
		if e != nil && e != io.EOF {
			err = e
		}
	}
	return n, eof(n, len(b), err)
}

func (f *directFace) readStream(r *rand.Rand, b []byte, off int64) (int, error) {
	s, err := f.NewReader(context.Background(), direct.ReaderOptions{
		BufferSize: 1 << (9 + r.IntN(8)), ReadAhead: 1 + r.IntN(5), Start: off, End: off + int64(len(b)),
	})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	n := 0
	switch r.IntN(3) {
	case 0:
		for n < len(b) {
			got, err := s.Next()
			if err != nil {
				return n, err
			}
			n += copy(b[n:], got.Bytes())
			got.Release()
		}
	case 1:
		var to writerTo
		_, err = s.WriteTo(&to)
		n = copy(b, to.b)
	default:
		for n < len(b) && err == nil {
			var more int
			more, err = s.Read(b[n : n+1+r.IntN(len(b)-n)])
			n += more
		}
	}
	return n, eof(n, len(b), err)
}

func (f *directFace) write(r *rand.Rand, b []byte, off int64) (int, error) {
	if !f.streams || r.IntN(4) == 0 {
		return f.WriteAt(b, off)
	}
	s, err := f.NewWriter(context.Background(), direct.WriterOptions{
		BufferSize: 1 << (9 + r.IntN(8)), WriteBehind: 1 + r.IntN(5), Start: off,
	})
	if err != nil {
		return 0, err
	}
	for at := 0; at < len(b) && err == nil; {
		n := 1 + r.IntN(len(b)-at)
		if r.IntN(4) == 0 {
			_, err = s.ReadFrom(bytes.NewReader(b[at : at+n]))
		} else {
			_, err = s.Write(b[at : at+n])
		}
		at += n
		if err == nil && r.IntN(8) == 0 {
			err = s.Flush()
		}
	}
	if e := s.Close(); err == nil {
		err = e
	}
	if err != nil {
		return 0, err
	}
	return len(b), nil
}

func (f *directFace) length() (int64, error) { return f.Size() }

func (f *directFace) hint(*rand.Rand, int64, int64) error { return nil }

func (f *directFace) changed(int64, int64) {}

// cacheFace is a file of a cache.
type cacheFace struct {
	*cache.File
	direct *direct.File
}

func openCache(s *sluice.Scheduler, c *cache.Cache, name string) (cacheFace, error) {
	f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return cacheFace{}, err
	}
	return cacheFace{c.File(f), f}, nil
}

func (f cacheFace) read(r *rand.Rand, b []byte, off int64) (n int, err error) {
	if r.IntN(3) > 0 {
		return f.ReadAt(b, off)
	}
	for n < len(b) && err == nil {
		var v cache.View
		v, err = f.View(context.Background(), off+int64(n), len(b)-n)
		n += copy(b[n:], v.Bytes())
		v.Release()
	}
	if errors.Is(err, cache.ErrFull) { // other goroutines hold all blocks
		more, err := f.ReadAt(b[n:], off+int64(n))
		return n + more, err
	}
	return n, err
}

func (f cacheFace) write(_ *rand.Rand, b []byte, off int64) (int, error) { return f.WriteAt(b, off) }

func (f cacheFace) Allocate(off, n int64) error { return f.direct.Allocate(off, n) }

func (f cacheFace) PunchHole(off, n int64) error {
	defer f.Invalidate(off, n) // even on an error
	return f.direct.PunchHole(off, n)
}

func (f cacheFace) Datasync() error        { return f.Sync() }
func (f cacheFace) length() (int64, error) { return f.Size() }

func (f cacheFace) hint(_ *rand.Rand, off, n int64) error {
	f.Invalidate(off, n)
	return nil
}

func (f cacheFace) changed(off, n int64) { f.Invalidate(off, n) }

// mappedFace is a sluice.File that is read through mapped memory.
type mappedFace struct {
	*fileFace
	mu   sync.RWMutex // held for writing while m changes, and for reading while its memory is used
	m    *mapped.Mapping
	from int64 // the offset where m begins
}

func openMapped(s *sluice.Scheduler, name string) (*mappedFace, error) {
	f, err := openFile(s, name, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	return &mappedFace{fileFace: f}, nil
}

// readMapped reads bytes inside the file.
func (f *mappedFace) readMapped(r *rand.Rand, b []byte, off int64) (int, error) {
	if err := f.reach(r, off, off+int64(len(b))); err != nil {
		return 0, err
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.m == nil || off < f.from || off+int64(len(b)) > f.from+int64(len(f.m.Bytes())) {
		return f.ReadAt(b, off) // another goroutine has mapped another part
	}
	switch r.IntN(8) {
	case 0:
		if err := f.m.Advise(off-f.from, int64(len(b)), sluice.AdviceDontNeed); err != nil {
			return 0, err
		}
	case 1:
		if err := f.m.Advise(off-f.from, int64(len(b)), sluice.AdviceWillNeed); err != nil {
			return 0, err
		}
	}
	got, err := f.m.Load(off-f.from, int64(len(b)))
	return copy(b, got), err
}

// reach maps the bytes up to end if they are not mapped, and sometimes if they are.
func (f *mappedFace) reach(r *rand.Rand, off, end int64) error {
	f.mu.RLock()
	there := f.m != nil && f.from <= off && end <= f.from+int64(len(f.m.Bytes()))
	f.mu.RUnlock()
	if there && r.IntN(32) > 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.m != nil {
		if err := f.m.Close(); err != nil {
			return err
		}
	}
	f.from = 0
	if r.IntN(2) == 0 {
		f.from = r.Int64N(off + 1)
	}
	var err error
	f.m, err = mapped.Map(f.File, f.from, end-f.from)
	return err
}

func (f *mappedFace) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.m != nil {
		if err := f.m.Close(); err != nil {
			return err
		}
	}
	return f.fileFace.Close()
}

// readAll reads into all of b, as ReadAt does.
func readAll(f io.Reader, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, err := io.ReadFull(f, b)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

// eof returns the result of ReadAt after n of most bytes.
func eof(n, most int, err error) error {
	if n == most && err == io.EOF {
		return nil
	}
	if n < most && err == nil {
		return io.EOF
	}
	return err
}

// writerTo has only the method of an io.Writer.
type writerTo struct{ b []byte }

func (w *writerTo) Write(b []byte) (int, error) {
	w.b = append(w.b, b...)
	return len(b), nil
}
