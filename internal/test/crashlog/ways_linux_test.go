package crashlog

import (
	"context"
	"math/rand/v2"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
)

// way is a way to write a log.
type way struct {
	name       string
	goroutines int  // the most at once
	ordered    bool // records are written one after the other
	appends    bool // a write goes to the end of the file, wherever it is
	open       func(s *sluice.Scheduler, name string, flag int, r *rand.Rand) (target, error)
}

// target is an open log. The goroutine of a call makes its random choices.
type target interface {
	write(b []byte, off int64) error
	flush() error              // returns when the file has all bytes
	commit(r *rand.Rand) error // returns when the device has them
	Truncate(size int64) error
	Allocate(off, n int64) error
	Close() error
}

// controlWay is the index of package os.
const controlWay = 0

var ways = []way{
	controlWay: {name: "os", goroutines: 4, open: openOS},
	{name: "file", goroutines: 4, open: openFile(0)},
	{name: "append", goroutines: 8, ordered: true, appends: true, open: openFile(os.O_APPEND)},
	{name: "shared", goroutines: 24, open: openFile(0)},
	{name: "synchronous", goroutines: 4, open: openFile(os.O_SYNC)},
	{name: "direct", goroutines: 4, open: openDirect(0)},
	{name: "shared-direct", goroutines: 24, open: openDirect(0)},
	{name: "synchronous-direct", goroutines: 4, open: openDirect(os.O_SYNC)},
	{name: "writer", goroutines: 1, ordered: true, open: openWriter},
	{name: "batch", goroutines: 1, ordered: true, open: openBatch},
}

// file has the common methods of os.File, sluice.File and direct.File.
type file interface {
	WriteAt(b []byte, off int64) (int, error)
	Truncate(size int64) error
	Allocate(off, n int64) error
	Sync() error
	SyncContext(ctx context.Context) error
	Datasync() error
	DatasyncContext(ctx context.Context) error
	Close() error
}

// plain writes each record at its offset.
type plain struct {
	file
	synchronous bool // a write commits, too
}

func (p plain) write(b []byte, off int64) error {
	_, err := p.WriteAt(b, off)
	return err
}

func (p plain) flush() error { return nil }

func (p plain) commit(r *rand.Rand) error {
	if p.synchronous {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch r.IntN(6) {
	case 0:
		return p.SyncContext(ctx)
	case 1:
		return p.DatasyncContext(ctx)
	case 2, 3:
		return p.Datasync()
	}
	return p.Sync()
}

// osFile is an os.File with the rest of file's methods.
type osFile struct{ *os.File }

func (f osFile) SyncContext(context.Context) error     { return f.Sync() }
func (f osFile) DatasyncContext(context.Context) error { return f.Datasync() }
func (f osFile) Datasync() error                       { return unix.Fdatasync(int(f.Fd())) }
func (f osFile) Allocate(off, n int64) error {
	return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, off, n)
}

func openOS(_ *sluice.Scheduler, name string, flag int, _ *rand.Rand) (target, error) {
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return plain{file: osFile{f}}, nil
}

// synchronous returns flag, or flag with O_SYNC or O_DSYNC.
func synchronous(flag int, r *rand.Rand) int {
	if flag == os.O_SYNC && r.IntN(2) == 0 {
		return unix.O_DSYNC
	}
	return flag
}

// ranged is a sluice.File, which can begin to write back a range before a commit.
type ranged struct {
	plain
	f *sluice.File
}

func (f ranged) commit(r *rand.Rand) error {
	if !f.synchronous && r.IntN(6) == 0 {
		if err := f.f.SyncRange(0, 0); err != nil {
			return err
		}
	}
	return f.plain.commit(r)
}

// appending writes to the end of the file.
type appending struct{ ranged }

func (f appending) write(b []byte, _ int64) error {
	_, err := f.f.Write(b)
	return err
}

func openFile(more int) func(*sluice.Scheduler, string, int, *rand.Rand) (target, error) {
	return func(s *sluice.Scheduler, name string, flag int, r *rand.Rand) (target, error) {
		f, err := s.OpenFile(name, flag|synchronous(more, r), 0o600)
		if err != nil {
			return nil, err
		}
		opened := ranged{plain{f, more == os.O_SYNC}, f}
		if more == os.O_APPEND {
			return appending{opened}, nil
		}
		return opened, nil
	}
}

func openDirect(more int) func(*sluice.Scheduler, string, int, *rand.Rand) (target, error) {
	return func(s *sluice.Scheduler, name string, flag int, r *rand.Rand) (target, error) {
		f, err := direct.OpenOn(s, name, flag|synchronous(more, r), 0o600)
		if err != nil {
			return nil, err
		}
		return plain{f, more == os.O_SYNC}, nil
	}
}

// stream writes through Writers, one after the other.
type stream struct {
	plain
	f *direct.File
	w *direct.Writer // nil before the first write
	o direct.WriterOptions
}

func openWriter(s *sluice.Scheduler, name string, flag int, r *rand.Rand) (target, error) {
	f, err := direct.OpenOn(s, name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	o := direct.WriterOptions{BufferSize: 512 << r.IntN(8), WriteBehind: 1 + r.IntN(6)}
	return &stream{plain: plain{file: f}, f: f, o: o}, nil
}

func (s *stream) write(b []byte, off int64) (err error) {
	if s.w == nil {
		s.o.Start = off
		if s.w, err = s.f.NewWriter(context.Background(), s.o); err != nil {
			return err
		}
	}
	_, err = s.w.Write(b)
	return err
}

func (s *stream) flush() error { return s.w.Flush() }

func (s *stream) commit(r *rand.Rand) error {
	if r.IntN(2) == 0 {
		return s.w.Sync()
	}
	err := s.w.Close()
	s.w = nil
	if err != nil {
		return err
	}
	return s.plain.commit(r)
}

func (s *stream) Close() error {
	if s.w != nil {
		_ = s.w.Close() // it reported lost data at the commit
	}
	return s.f.Close()
}

// batched writes and commits by Batches.
type batched struct {
	plain
	s     *sluice.Scheduler
	f     *sluice.File
	bytes [][]byte // the bytes that flush and commit must write
	offs  []int64
}

func openBatch(s *sluice.Scheduler, name string, flag int, _ *rand.Rand) (target, error) {
	f, err := s.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return &batched{plain: plain{file: f}, s: s, f: f}, nil
}

func (b *batched) write(p []byte, off int64) error {
	b.bytes, b.offs = append(b.bytes, p), append(b.offs, off)
	return nil
}

func (b *batched) flush() error { return b.do(nil, false) }

func (b *batched) commit(r *rand.Rand) error {
	sync := batch.Chain.Sync
	if r.IntN(2) == 0 {
		sync = batch.Chain.Datasync
	}
	return b.do(sync, r.IntN(2) == 0 || len(b.bytes) == 0)
}

// do performs a Batch of all writes. If atEnd is true, they are one chain with a sync at its end.
// Otherwise each is a chain with a sync, unless sync is nil.
func (b *batched) do(sync func(batch.Chain, batch.Target) *batch.Op, atEnd bool) error {
	all, on := batch.New(b.s), batch.On(b.f)
	c := all.Chain()
	for i, p := range b.bytes {
		if !atEnd {
			c = all.Chain()
		}
		c.WriteAt(on, p, b.offs[i])
		if !atEnd && sync != nil {
			sync(c, on)
		}
	}
	if atEnd {
		sync(c, on)
	}
	b.bytes, b.offs = nil, nil
	return all.Do(context.Background())
}
