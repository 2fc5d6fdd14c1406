package lostsyncs

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sched"
)

// handle is one way to have the file open. Several goroutines may call its functions at once.
type handle struct {
	kind string
	// own says that a call only reports losses of bytes that it has written.
	own bool
	// stays says that after a failed Sync all later ones fail.
	stays bool
	// each says that the file is open with O_SYNC or O_DSYNC, so that each write commits.
	each   bool
	writes []write
	ways   []way
	// start begins write-back and promises nothing. If stays is true, it fails after a failed Sync.
	start func() error
	close func() error
}

// write writes b at off.
type write struct {
	name string
	do   func(b []byte, off int64) error
}

// way is a way to commit written bytes: commit, or both, which also writes.
type way struct {
	name   string
	commit func() error
	both   func(b []byte, off int64) error
}

var kindNames = []string{"file", "direct", "foreign", "os", "chain", "os once"}

// opens has ways to open a file. flag is 0, O_SYNC or O_DSYNC.
var opens = map[string]func(t *testing.T, s *sluice.Scheduler, name string, flag int, r *rand.Rand) *handle{
	"file":    openFile,
	"direct":  openDirect,
	"foreign": openForeign,
	"os":      openOS,
	"chain":   openChain,
	"os once": openOnce,
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// last returns the error of a call that also returns a number.
func last(_ int, err error) error { return err }

// ending calls do with a context that soon ends.
func ending(do func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for range 20 {
			runtime.Gosched()
		}
		cancel()
	}()
	return do(ctx)
}

// lasting calls do with a context that could end, but does not.
func lasting(do func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return do(ctx)
}

// batched performs a Batch of the operations that add adds.
func batched(s *sluice.Scheduler, add func(b *batch.Batch)) error {
	b := batch.New(s)
	add(b)
	return b.Do(context.Background())
}

// syncer has the common methods of a File and a direct.File.
type syncer interface {
	WriteAt(b []byte, off int64) (int, error)
	WriteAtContext(ctx context.Context, b []byte, off int64) (int, error)
	Sync() error
	Datasync() error
	SyncContext(ctx context.Context) error
	DatasyncContext(ctx context.Context) error
	Close() error
}

func use(f syncer) *handle {
	return &handle{
		stays: true,
		writes: []write{
			{"WriteAt", func(b []byte, off int64) error { return last(f.WriteAt(b, off)) }},
			{"WriteAtContext", func(b []byte, off int64) error {
				return lasting(func(ctx context.Context) error { return last(f.WriteAtContext(ctx, b, off)) })
			}},
		},
		ways: []way{
			{name: "Sync", commit: f.Sync},
			{name: "Datasync", commit: f.Datasync},
			{name: "SyncContext", commit: func() error { return lasting(f.SyncContext) }},
			{name: "SyncContext that ends", commit: func() error { return ending(f.SyncContext) }},
			{name: "DatasyncContext that ends", commit: func() error { return ending(f.DatasyncContext) }},
		},
		close: f.Close,
	}
}

func openFile(t *testing.T, s *sluice.Scheduler, name string, flag int, r *rand.Rand) *handle {
	f := must(s.OpenFile(name, os.O_RDWR|flag, 0))(t)
	h := use(f)
	h.start = func() error { return f.SyncRange(0, 0) }
	on := batch.On(f)
	h.writes = append(h.writes,
		write{"Batch.WriteAt", func(p []byte, off int64) error {
			return batched(s, func(b *batch.Batch) { b.Chain().WriteAt(on, p, off) })
		}},
	)
	h.ways = append(h.ways,
		way{name: "Batch.Sync", commit: func() error { return batched(s, func(b *batch.Batch) { b.Chain().Sync(on) }) }},
		way{name: "Batch.Datasync", commit: func() error { return batched(s, func(b *batch.Batch) { b.Chain().Datasync(on) }) }},
		way{name: "Batch.Datasync and Sync", commit: func() error {
			return batched(s, func(b *batch.Batch) { b.Chain().Datasync(on); b.Chain().Sync(on) })
		}},
		way{name: "SyncRange and Sync", commit: func() error { return errors.Join(f.SyncRange(0, 0), f.Sync()) }},
		way{name: "Batch.WriteAt and Sync", both: func(p []byte, off int64) error {
			return batched(s, func(b *batch.Batch) {
				c := b.Chain()
				c.WriteAt(on, p, off)
				c.Sync(on)
			})
		}},
	)
	if r.IntN(3) == 0 {
		view := must(f.WithClass(must(s.Class("light", sluice.ClassOptions{Weight: 10}))(t)))(t)
		h.ways = append(h.ways, way{name: "Sync by a class", commit: view.Sync}, way{name: "Datasync by a class", commit: view.Datasync})
	}
	return h
}

func openDirect(t *testing.T, s *sluice.Scheduler, name string, flag int, _ *rand.Rand) *handle {
	f := must(direct.OpenOn(s, name, os.O_RDWR|flag, 0))(t)
	h := use(f)
	stream := func(b []byte, off int64, commit bool) error {
		w, err := f.NewWriter(context.Background(), direct.WriterOptions{Start: off, BufferSize: 16 << 10})
		if err != nil {
			return err
		}
		_, err = w.Write(b)
		if commit {
			err = errors.Join(err, w.Sync())
		}
		return errors.Join(err, w.Close())
	}
	h.writes = append(h.writes, write{"Writer.Close", func(b []byte, off int64) error { return stream(b, off, false) }})
	h.ways = append(h.ways, way{name: "Writer.Sync", both: func(b []byte, off int64) error { return stream(b, off, true) }})
	return h
}

// openForeign opens the File that package transparent makes of a descriptor.
func openForeign(t *testing.T, s *sluice.Scheduler, name string, flag int, _ *rand.Rand) *handle {
	f := must(os.OpenFile(name, os.O_RDWR|flag, 0))(t)
	core := inside.Scheduler(s).Core
	foreign := new(sched.ForeignFile)
	foreign.Set(int(f.Fd()), false, false)
	return &handle{
		writes: []write{{"Pwrite", func(b []byte, off int64) error { return last(core.Pwrite(&foreign.File, b, off)) }}},
		ways:   []way{{name: "Fsync", commit: func() error { return core.Sync(context.Background(), &foreign.File) }}},
		close:  f.Close,
	}
}

func openOS(t *testing.T, _ *sluice.Scheduler, name string, flag int, _ *rand.Rand) *handle {
	f := must(os.OpenFile(name, os.O_RDWR|flag, 0))(t)
	return &handle{
		writes: []write{{"WriteAt", func(b []byte, off int64) error { return last(f.WriteAt(b, off)) }}},
		ways: []way{
			{name: "Sync", commit: f.Sync},
			{name: "Fdatasync", commit: func() error { return unix.Fdatasync(int(f.Fd())) }},
		},
		close: f.Close,
	}
}

// openChain opens the file anew for each write, in a chain of a Batch.
func openChain(_ *testing.T, s *sluice.Scheduler, name string, flag int, _ *rand.Rand) *handle {
	chain := func(commit func(c batch.Chain, t batch.Target) *batch.Op) func(p []byte, off int64) error {
		return func(p []byte, off int64) error {
			return batched(s, func(b *batch.Batch) {
				c := b.Chain()
				f := c.OpenFile(name, os.O_RDWR|flag, 0)
				c.WriteAt(f, p, off)
				if commit != nil {
					commit(c, f)
				}
				c.Close(f)
			})
		}
	}
	h := &handle{
		own: true,
		ways: []way{
			{name: "chain with Sync", both: chain(batch.Chain.Sync)},
			{name: "chain with Datasync", both: chain(batch.Chain.Datasync)},
		},
		close: func() error { return nil },
	}
	if flag != 0 {
		h.writes = []write{{"chain", chain(nil)}}
	}
	return h
}

// openOnce opens an os.File anew for each write, to compare with a chain.
func openOnce(_ *testing.T, _ *sluice.Scheduler, name string, flag int, _ *rand.Rand) *handle {
	once := func(commit func(f *os.File) error) func(b []byte, off int64) error {
		return func(b []byte, off int64) error {
			f, err := os.OpenFile(name, os.O_RDWR|flag, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			if _, err = f.WriteAt(b, off); err == nil && commit != nil {
				err = commit(f)
			}
			return err
		}
	}
	h := &handle{own: true, ways: []way{{name: "once with Sync", both: once((*os.File).Sync)}}, close: func() error { return nil }}
	if flag != 0 {
		h.writes = []write{{"once", once(nil)}}
	}
	return h
}
