package load

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/direct"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/cache"
)

// directFile is a direct.File with its Scheduler.
type directFile struct {
	*direct.File
	sched   *sluice.Scheduler
	release func() error // releases sched
}

func openDirectFile(s Setup) (*directFile, error) {
	sched, release, err := scheduler(s.Side.Driver)
	if err != nil {
		return nil, &unsupportedError{err.Error()}
	}
	d, err := direct.OpenOn(sched, s.Path, os.O_RDONLY, 0)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	return &directFile{d, sched, release}, nil
}

// target returns a target; the caller sets its operation.
func (d *directFile) target() *target {
	return &target{
		explain: d.sched.Explain,
		stats:   func() any { return d.sched.Stats() },
		close:   func() error { return errors.Join(d.Close(), d.release()) },
		buffers: func() int64 { return d.sched.Stats().BuffersPeak },
	}
}

// openBuffers opens the file for ReadBuffer.
func openBuffers(s Setup) (*target, error) {
	d, err := openDirectFile(s)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	t := d.target()
	t.ownMemory = true
	t.do = func(_ []byte, off int64) error {
		b, err := d.ReadBuffer(ctx, off, s.Load.Size)
		if err != nil {
			return err
		}
		defer b.Release()
		return checkLength(len(b.Bytes()), s.Load.Size, off)
	}
	return t, nil
}

// openMany opens the file for ReadMany.
func openMany(s Setup) (*target, error) {
	d, err := openDirectFile(s)
	if err != nil {
		return nil, err
	}
	options := direct.ReadManyOptions{Depth: s.Load.Goroutines, Unordered: true}
	t := d.target()
	t.ownMemory = true
	t.many = func(next func() (int64, bool), took func() bool) error {
		ranges := func(yield func(direct.Range) bool) {
			for off, ok := next(); ok && yield(direct.Range{Off: off, Len: s.Load.Size}); off, ok = next() {
			}
		}
		for r, err := range d.ReadMany(context.Background(), ranges, options) {
			if err == nil {
				err = checkLength(len(r.Buffer.Bytes()), r.Len, r.Off)
			}
			r.Buffer.Release()
			if err != nil || !took() {
				return err
			}
		}
		return nil
	}
	return t, nil
}

// checkLength returns an error unless a read of size bytes at off returned n == size.
func checkLength(n, size int, off int64) error {
	if n != size {
		return fmt.Errorf("read %d of %d bytes at %d", n, size, off)
	}
	return nil
}

// openCache opens the file behind a cache of s.Side.Budget bytes.
func openCache(s Setup) (*target, error) {
	c, err := cache.New(cache.Options{Bytes: s.Side.Budget})
	if err != nil {
		return nil, err
	}
	d, err := openDirectFile(s)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	t := d.target()
	t.file = c.File(d)
	t.stats = func() any { return c.Stats() }
	t.buffers = func() int64 { return c.Stats().Bytes }
	t.close = func() error { return errors.Join(c.Close(), d.release()) } // c closes its files
	return t, nil
}
