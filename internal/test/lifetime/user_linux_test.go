package lifetime

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// user is a goroutine that makes interleavings, one after the other.
type user struct {
	t         *testing.T
	s         *sluice.Scheduler
	dir       string
	r         *rand.Rand
	ends      *ends
	strangers [4]*os.File
	mu        sync.Mutex
	quar      quarantine // guarded by mu
}

// subject is the file of an interleaving. One of its two files is nil.
type subject struct {
	*user
	number int
	file   *sluice.File
	direct *direct.File
}

// interleave opens a file, starts calls, meddles with them and waits for them. It returns false if
// the Scheduler is closed.
func (u *user) interleave() bool {
	f := &subject{user: u, number: u.r.IntN(files)}
	name := fileName(u.dir, f.number)
	var err error
	// Each file is used in one way. If a direct write meets a page that another call uses in the
	// page cache, the kernel reports an error at the next fsync (EIO).
	switch f.number % 4 {
	case 0:
		if f.file, err = u.s.OpenFile(name, os.O_RDWR, 0); err == nil && u.r.IntN(4) == 0 {
			_ = testenv.DropCache(int(f.file.Fd())) // otherwise it is cached
		}
	case 1:
		f.file, err = u.s.OpenFile(name, os.O_RDWR|sys.O_DIRECT, 0)
		if errors.Is(err, syscall.EINVAL) { // the file system has no O_DIRECT
			f.file, err = u.s.OpenFile(name, os.O_RDWR, 0)
		}
	default:
		f.direct, err = direct.OpenOn(u.s, name, os.O_RDWR, 0)
	}
	if err != nil {
		if !errors.Is(err, os.ErrClosed) { // otherwise the Scheduler is closed
			u.t.Errorf("open = %v", err)
		}
		return false
	}
	ctx, cancel := context.Background(), func() {}
	switch u.r.IntN(4) {
	case 0:
	case 1:
		ctx, cancel = context.WithTimeout(ctx, time.Duration(u.r.IntN(4000))*time.Microsecond)
	default:
		ctx, cancel = context.WithCancel(ctx)
	}
	var calls sync.WaitGroup
	for range 1 + u.r.IntN(3) {
		r := rand.New(rand.NewPCG(u.r.Uint64(), 0))
		calls.Go(func() {
			grow(r.IntN(20))
			f.call(ctx, r)
		})
	}
	u.meddle(f, cancel)
	calls.Wait()
	cancel()
	return true
}

// grow makes the stack of a goroutine larger, which moves it. The garbage collector moves it again
// when it shrinks it.
func grow(n int) byte {
	var frame [512]byte
	frame[n%len(frame)] = byte(n)
	if n > 0 {
		return frame[n%len(frame)] + grow(n-1)
	}
	return frame[0]
}

// meddle causes events that may happen at any time during the calls.
func (u *user) meddle(f *subject, cancel func()) {
	for range 1 + u.r.IntN(3) {
		for range u.r.IntN(8) {
			runtime.Gosched()
		}
		switch u.r.IntN(16) {
		case 0, 1, 2:
			cancel()
		case 3:
			time.Sleep(time.Duration(u.r.IntN(2000)) * time.Microsecond)
		case 4:
			if u.r.IntN(8) == 0 {
				runtime.GC()
			}
		case 5:
			return // the file is dropped: the garbage collector closes it
		}
	}
	if u.r.IntN(8) == 0 {
		cancel()
	}
	f.close()
}

// close closes the file, and makes package os take its descriptor.
func (f *subject) close() {
	var err error
	if f.file != nil {
		err = f.file.Close()
	} else {
		err = f.direct.Close()
	}
	if err != nil && !errors.Is(err, os.ErrClosed) {
		f.t.Errorf("Close = %v", err)
	}
	for range 1 + f.r.IntN(2) {
		i := f.r.IntN(len(f.strangers))
		if f.strangers[i] != nil {
			f.strangers[i].Close()
		}
		f.strangers[i], err = os.OpenFile(fileName(f.dir, files+f.r.IntN(strangers)), os.O_RDWR, 0)
		if err != nil {
			f.t.Errorf("open with package os = %v", err)
		}
	}
}

// end is called when the calls of all interleavings have returned.
func (u *user) end() {
	for _, f := range u.strangers {
		if f != nil {
			f.Close()
		}
	}
	if !u.quar.drain() {
		u.t.Error("memory has changed after its call had returned")
	}
}

// keep keeps memory that a call has returned.
func (u *user) keep(m memory) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.quar.add(m) {
		u.t.Error("memory has changed after its call had returned")
	}
}

// judge reports a call's error if the test does not explain it.
func (f *subject) judge(what string, err error) {
	f.ends.all.Add(1)
	switch {
	case err == nil:
	case errors.Is(err, os.ErrClosed):
		f.ends.closed.Add(1)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		f.ends.context.Add(1)
	default:
		f.t.Errorf("%s = %v", what, err)
	}
}

// part returns a random part of the file.
func part(r *rand.Rand) (off int64, n int, aligned bool) {
	if r.IntN(2) == 0 {
		n = testenv.PageSize * (1 + r.IntN(4))
		return r.Int64N((fileSize-int64(n))/testenv.PageSize) * testenv.PageSize, n, true
	}
	n = 1 + r.IntN(12<<10) // up to 12 KiB
	return r.Int64N(fileSize - int64(n)), n, false
}

// call makes one call on the file.
func (f *subject) call(ctx context.Context, r *rand.Rand) {
	off, n, aligned := part(r)
	if f.file != nil {
		aligned = true // it may be open with O_DIRECT
		off, n = off/testenv.PageSize*testenv.PageSize, (n+testenv.PageSize-1)/testenv.PageSize*testenv.PageSize
	}
	switch k := r.IntN(16); {
	case k < 8:
		f.read(ctx, r, off, n, aligned)
	case k < 11:
		f.write(ctx, r, off, n, aligned)
	case k == 11:
		f.sync(ctx, r)
	case k == 12 && f.file != nil:
		f.onStack(off)
	case f.file != nil:
		f.batch(ctx, r, off, n)
	case k == 12:
		f.buffer(ctx, r, off, n)
	case k == 13:
		f.many(ctx, r)
	case k == 14:
		f.reader(ctx, r, off)
	default:
		f.writer(ctx, r, off)
	}
}

func (f *subject) read(ctx context.Context, r *rand.Rand, off int64, n int, aligned bool) {
	m := newMemory(r, n, aligned)
	var got int
	var err error
	switch noContext := r.IntN(3) == 0; {
	case f.file != nil && noContext:
		got, err = f.file.ReadAt(m.b, off)
	case f.file != nil:
		got, err = f.file.ReadAtContext(ctx, m.b, off)
	case noContext:
		got, err = f.direct.ReadAt(m.b, off)
	default:
		got, err = f.direct.ReadAtContext(ctx, m.b, off)
	}
	f.judge("ReadAt", err)
	if (got != n) != (err != nil) {
		f.t.Errorf("ReadAt of %d = %d, %v", n, got, err)
	}
	f.check("ReadAt", m.b[:got], off)
	if !m.surrounded() {
		f.t.Error("ReadAt has changed bytes outside of its buffer")
	}
	f.keep(m)
}

// check reports bytes that differ from the file's at off.
func (f *subject) check(what string, b []byte, off int64) {
	if at := wrong(b, f.number, off); at >= 0 {
		f.t.Errorf("%s: byte %d of %d at %d of file %d is wrong: % x; want % x", what, at, len(b), off, f.number,
			b[at:min(at+8, len(b))], patterns[f.number][off+int64(at):][:min(8, len(b)-at)])
	}
}

func (f *subject) write(ctx context.Context, r *rand.Rand, off int64, n int, aligned bool) {
	m := newMemory(r, n, aligned)
	copy(m.b, patterns[f.number][off:])
	var got int
	var err error
	switch noContext := r.IntN(3) == 0; {
	case f.file != nil && noContext:
		got, err = f.file.WriteAt(m.b, off)
	case f.file != nil:
		got, err = f.file.WriteAtContext(ctx, m.b, off)
	case noContext:
		got, err = f.direct.WriteAt(m.b, off)
	default:
		got, err = f.direct.WriteAtContext(ctx, m.b, off)
	}
	f.judge("WriteAt", err)
	if (got != n) != (err != nil) {
		f.t.Errorf("WriteAt of %d = %d, %v", n, got, err)
	}
	f.check("WriteAt has changed its buffer", m.b, off)
	f.keep(m) // a late read by the kernel finds poison
}

func (f *subject) sync(ctx context.Context, r *rand.Rand) {
	datasync := r.IntN(2) == 0
	switch {
	case f.file != nil && datasync:
		f.judge("Datasync", f.file.DatasyncContext(ctx))
	case f.file != nil:
		f.judge("Sync", f.file.SyncContext(ctx))
	case datasync:
		f.judge("Datasync", f.direct.DatasyncContext(ctx))
	default:
		f.judge("Sync", f.direct.SyncContext(ctx))
	}
}

// onStack reads into a local array, as callers do.
func (f *subject) onStack(off int64) {
	var room [2 * testenv.PageSize]byte
	at := -sys.AddressOf(room[:]) % testenv.PageSize
	b := room[at:][:testenv.PageSize]
	n, err := f.file.ReadAt(b, off)
	f.judge("ReadAt", err)
	f.check("ReadAt", b[:n], off)
}

func (f *subject) batch(ctx context.Context, r *rand.Rand, off int64, n int) {
	in, out := newMemory(r, n, true), newMemory(r, n, true)
	copy(out.b, patterns[f.number][off:])
	b := batch.New(f.s)
	c := b.Chain()
	c.ReadAt(batch.On(f.file), in.b, off)
	if r.IntN(2) == 0 {
		c = b.Chain()
	}
	c.WriteAt(batch.On(f.file), out.b, off)
	err := b.Do(ctx)
	f.judge("Batch", err)
	if err == nil {
		f.check("Batch", in.b, off)
	}
	if !in.surrounded() {
		f.t.Error("Batch has changed bytes outside of its buffer")
	}
	f.keep(in)
	f.keep(out)
}

// buffer keeps the bytes in the library's memory for a while.
func (f *subject) buffer(ctx context.Context, r *rand.Rand, off int64, n int) {
	b, err := f.direct.ReadBuffer(ctx, off, n)
	f.judge("ReadBuffer", err)
	if err != nil {
		return
	}
	f.hold("ReadBuffer", b, off, r)
}

// hold compares b with the file, now and later: nothing may write into it.
func (f *subject) hold(what string, b direct.Buffer, off int64, r *rand.Rand) {
	f.check(what, b.Bytes(), off)
	if r.IntN(4) == 0 {
		time.Sleep(time.Duration(r.IntN(1000)) * time.Microsecond)
		f.check(what+" a while ago", b.Bytes(), off)
	}
	b.Release()
}

func (f *subject) many(ctx context.Context, r *rand.Rand) {
	var ranges []direct.Range
	for range 1 + r.IntN(12) {
		off, n, _ := part(r)
		ranges = append(ranges, direct.Range{Off: off, Len: n})
	}
	stop := r.IntN(2 * len(ranges))
	for res, err := range f.direct.ReadMany(ctx, slices.Values(ranges), direct.ReadManyOptions{}) {
		f.judge("ReadMany", err)
		if err != nil {
			break
		}
		f.hold("ReadMany", res.Buffer, res.Off, r)
		if stop--; stop < 0 {
			break // with requests in flight
		}
	}
}

func (f *subject) reader(ctx context.Context, r *rand.Rand, off int64) {
	in, err := f.direct.NewReader(ctx, direct.ReaderOptions{
		BufferSize: 4096 << r.IntN(3), ReadAhead: 1 + r.IntN(4), Start: off,
	})
	if err != nil {
		f.judge("NewReader", err)
		return
	}
	for left := r.IntN(12); left > 0 && err == nil; left-- {
		if r.IntN(2) == 0 {
			m := newMemory(r, 1+r.IntN(9000), false)
			var n int
			n, err = in.Read(m.b)
			f.check("Reader.Read", m.b[:n], off)
			off += int64(n)
			f.keep(m)
			continue
		}
		var b direct.Buffer
		if b, err = in.Next(); err == nil {
			n := len(b.Bytes())
			f.hold("Reader.Next", b, off, r)
			off += int64(n)
		}
	}
	if err != io.EOF {
		f.judge("Reader", err)
	}
	if err := in.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		f.judge("Reader.Close", err)
	}
}

func (f *subject) writer(ctx context.Context, r *rand.Rand, off int64) {
	out, err := f.direct.NewWriter(ctx, direct.WriterOptions{
		BufferSize: 4096 << r.IntN(3), WriteBehind: 1 + r.IntN(4), Start: off,
	})
	if err != nil {
		f.judge("NewWriter", err)
		return
	}
	for left := r.IntN(6); left > 0 && err == nil && off+9000 < fileSize; left-- {
		m := newMemory(r, 1+r.IntN(9000), false)
		copy(m.b, patterns[f.number][off:])
		_, err = out.Write(m.b)
		off += int64(len(m.b))
		f.keep(m)
	}
	if err == nil && r.IntN(2) == 0 {
		err = out.Sync()
	}
	f.judge("Writer", errors.Join(err, out.Close()))
}
