package offsets

import (
	"io"
	"slices"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
)

// way reads or writes b at off, as ReadAt and WriteAt do.
type way func(b []byte, off int64) (int, error)

func openDirect(t *testing.T, s *sluice.Scheduler, name string, flag int) *direct.File {
	f, err := direct.OpenOn(s, name, flag, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func newCache(t *testing.T) *cache.Cache {
	c, err := cache.New(cache.Options{Bytes: 2 << 20}) // 2 MiB
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// batched performs an operation alone.
func batched(t *testing.T, s *sluice.Scheduler, add func(batch.Chain) *batch.Op) (int, error) {
	b := batch.New(s)
	op := add(b.Chain())
	_ = b.Do(t.Context()) // the operation has the error
	return op.N(), op.Err()
}

func readBuffer(t *testing.T, f *direct.File) way {
	return func(b []byte, off int64) (int, error) {
		buf, err := f.ReadBuffer(t.Context(), off, len(b))
		defer buf.Release()
		return counted(copy(b, buf.Bytes()), len(b), err)
	}
}

// readMany reads two ranges that are merged: the first half, and all.
func readMany(t *testing.T, f *direct.File) way {
	return func(b []byte, off int64) (n int, err error) {
		ranges := slices.Values([]direct.Range{{Off: off, Len: len(b) / 2}, {Off: off, Len: len(b)}})
		for res, failed := range f.ReadMany(t.Context(), ranges, direct.ReadManyOptions{}) {
			if res.Len == len(b) {
				n, err = counted(copy(b, res.Buffer.Bytes()), len(b), failed)
			}
			res.Buffer.Release()
		}
		return n, err
	}
}

func readerAt(t *testing.T, f *direct.File) way {
	r, err := f.NewReader(t.Context(), direct.ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r.ReadAt
}

func readStream(t *testing.T, f *direct.File, o direct.ReaderOptions) way {
	return func(b []byte, off int64) (int, error) {
		o.Start = off
		r, err := f.NewReader(t.Context(), o)
		if err != nil {
			return 0, err
		}
		defer r.Close()
		n, err := io.ReadFull(r, b)
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		return n, err
	}
}

func views(t *testing.T, f *cache.File) way {
	return func(b []byte, off int64) (n int, err error) {
		for n < len(b) && err == nil {
			var v cache.View
			if v, err = f.View(t.Context(), off+int64(n), len(b)-n); err == nil {
				n += copy(b[n:], v.Bytes())
			}
			v.Release()
		}
		return n, err
	}
}

// counted returns the results of a ReadAt that has read n of want bytes.
func counted(n, want int, err error) (int, error) {
	if n < want && err == nil {
		err = io.EOF
	}
	return n, err
}

func writeStream(t *testing.T, f *direct.File, o direct.WriterOptions) way {
	return func(b []byte, off int64) (int, error) {
		o.Start = off
		w, err := f.NewWriter(t.Context(), o)
		if err != nil {
			return 0, err
		}
		n, err := w.Write(b)
		if failed := w.Close(); err == nil {
			err = failed
		}
		return n, err
	}
}
