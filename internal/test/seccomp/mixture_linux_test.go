package seccomp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// mixture is concurrent I/O of all kinds. In the middle of it something is taken away.
type mixture struct {
	s     *sluice.Scheduler
	dir   string
	take  func() error
	until func() bool // the expected effect

	rounds atomic.Int64 // made by all goroutines
	taken  atomic.Bool
	mu     sync.Mutex
	errs   []error // guarded by mu
}

const (
	mixtureBlocks = 256
	mixtureFiles  = 240 // that a Batch reads
	mixtureRounds = 6   // of each kind, after something was taken away
)

func mixtureBlock(i int) []byte { return bytes.Repeat([]byte{byte(7*i + 1)}, testenv.PageSize) }

// run runs the mixture.
func (m *mixture) run() error {
	if err := os.WriteFile(m.name("data"), m.data(), 0o600); err != nil {
		return err
	}
	for i := range mixtureFiles {
		if err := os.WriteFile(m.name(fmt.Sprint("small", i)), mixtureBlock(i)[:100], 0o600); err != nil {
			return err
		}
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() { m.repeat(m.readFile) })
		if g < 4 {
			all.Go(func() { m.repeat(m.readDirect) })
			all.Go(func() { m.repeat(func() error { return m.writeDirect(g) }) })
			all.Go(func() { m.repeat(func() error { return m.writeAndSync(g) }) })
		}
	}
	all.Go(func() { m.repeat(m.readMany) })
	all.Go(func() { m.repeat(m.streams) })
	all.Go(func() { m.repeat(m.batch) })
	for m.rounds.Load() < 50 {
		testenv.Yield()
	}
	m.note(m.take())
	m.taken.Store(true)
	all.Wait()
	return errors.Join(m.errs...)
}

func (m *mixture) name(base string) string { return filepath.Join(m.dir, base) }

func (m *mixture) data() (b []byte) {
	for i := range mixtureBlocks {
		b = append(b, mixtureBlock(i)...)
	}
	return b
}

func (m *mixture) note(err error) {
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.errs = append(m.errs, err)
	}
}

// repeat repeats do until something was taken away, and then a few more times.
func (m *mixture) repeat(do func() error) {
	for after := 0; after < mixtureRounds || !m.until(); m.rounds.Add(1) {
		if m.taken.Load() {
			after++
		}
		m.note(do())
	}
}

// want returns the error in a transfer of a block.
func want(what string, n int, err error, b, text []byte) error {
	if n == len(text) && err == nil && bytes.Equal(b, text) {
		return nil
	}
	return fmt.Errorf("%s = %d, %v; want %d; the bytes are right: %t", what, n, err, len(text), bytes.Equal(b, text))
}

func (m *mixture) readFile() error {
	f, err := m.s.Open(m.name("data"))
	if err != nil {
		return err
	}
	defer f.Close()
	_ = testenv.DropCache(int(f.OSFile().Fd()))
	i, b := rand.IntN(mixtureBlocks), make([]byte, testenv.PageSize)
	n, err := f.ReadAt(b, int64(i)*testenv.PageSize)
	return want("File.ReadAt", n, err, b, mixtureBlock(i))
}

func (m *mixture) readDirect() error {
	f, err := direct.OpenOn(m.s, m.name("data"), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	i, b := rand.IntN(mixtureBlocks), testenv.AlignedBytes(testenv.PageSize)
	n, err := f.ReadAt(b, int64(i)*testenv.PageSize)
	return want("direct.File.ReadAt", n, err, b, mixtureBlock(i))
}

func (m *mixture) writeDirect(g int) error {
	f, err := direct.OpenOn(m.s, m.name(fmt.Sprint("direct", g)), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	i := rand.IntN(16)
	out, in := testenv.AlignedBytes(testenv.PageSize), testenv.AlignedBytes(testenv.PageSize)
	copy(out, mixtureBlock(i))
	if n, err := f.WriteAt(out, int64(i)*testenv.PageSize); n != len(out) || err != nil {
		return fmt.Errorf("direct.File.WriteAt = %d, %w", n, err)
	}
	n, err := f.ReadAt(in, int64(i)*testenv.PageSize)
	return want("direct.File.ReadAt", n, err, in, out)
}

func (m *mixture) writeAndSync(g int) error {
	f, err := m.s.OpenFile(m.name("synced"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	off := int64(g) * testenv.PageSize
	if n, err := f.WriteAt(mixtureBlock(g), off); n != testenv.PageSize || err != nil {
		return fmt.Errorf("File.WriteAt = %d, %w", n, err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("Sync = %w", err)
	}
	b := make([]byte, testenv.PageSize)
	n, err := f.ReadAt(b, off)
	return want("File.ReadAt", n, err, b, mixtureBlock(g))
}

func (m *mixture) readMany() error {
	f, err := direct.OpenOn(m.s, m.name("data"), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var ranges []direct.Range
	for range 40 {
		ranges = append(ranges, direct.Range{Off: int64(rand.IntN(mixtureBlocks)) * testenv.PageSize, Len: testenv.PageSize})
	}
	i := 0
	for res, err := range f.ReadMany(context.Background(), slices.Values(ranges), direct.ReadManyOptions{MergeSize: -1}) {
		if err != nil {
			return fmt.Errorf("ReadMany = %w", err)
		}
		b := res.Buffer.Bytes()
		err := want("ReadMany", len(b), nil, b, mixtureBlock(int(ranges[i].Off/testenv.PageSize)))
		res.Buffer.Release()
		if err != nil {
			return err
		}
		i++
	}
	return nil
}

func (m *mixture) streams() error {
	from, err := direct.OpenOn(m.s, m.name("data"), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := direct.OpenOn(m.s, m.name("copy"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	defer to.Close()
	r, err := from.NewReader(context.Background(), direct.ReaderOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := to.NewWriter(context.Background(), direct.WriterOptions{})
	if err != nil {
		return err
	}
	n, err1 := io.Copy(w, r)
	err = errors.Join(err1, w.Sync(), w.Close())
	b, err2 := os.ReadFile(to.Name())
	return want("copy of streams", int(n), errors.Join(err, err2), b, m.data())
}

func (m *mixture) batch() error {
	b := batch.New(m.s)
	var bufs [mixtureFiles][100]byte
	for i := range bufs {
		c := b.Chain()
		f := c.Open(m.name(fmt.Sprint("small", i)))
		c.ReadAt(f, bufs[i][:], 0)
		c.Close(f)
	}
	if err := b.Do(context.Background()); err != nil {
		return fmt.Errorf("Batch.Do = %w", err)
	}
	for i := range bufs {
		if err := want("Batch's ReadAt", len(bufs[i]), nil, bufs[i][:], mixtureBlock(i)[:100]); err != nil {
			return err
		}
	}
	return nil
}
