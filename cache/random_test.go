package cache

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/seed"
)

// One goroutine makes random calls. The disk is the model for their results.
func TestModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed.Of(t), 1))
	for range 20 {
		c, f, d := newTest(t, 1+rnd.IntN(12), rnd.IntN(20*block))
		m := model{t: t, rnd: rnd, c: c, f: f, d: d}
		for range 300 {
			m.step()
			if t.Failed() {
				return
			}
		}
		for len(m.views) > 0 {
			m.release(0)
		}
	}
}

type model struct {
	t     *testing.T
	rnd   *rand.Rand
	c     *Cache
	f     *File
	d     *disk
	views []View
	want  [][]byte // the bytes of each View until its Release
}

func (m *model) step() {
	off := m.rnd.Int64N(22 * block)
	n := 1 + m.rnd.IntN(1<<m.rnd.IntN(15))
	if m.rnd.IntN(2) == 0 {
		off, n = off&^(block-1), (n+block-1)&^(block-1)
	}
	switch m.rnd.IntN(13) {
	case 0:
		b := make([]byte, n)
		m.rnd.Uint32()
		for i := range b {
			b[i] = byte(m.rnd.Uint32())
		}
		if got, err := m.f.WriteAt(b, off); got != n || err != nil {
			m.t.Errorf("WriteAt = %d, %v", got, err)
		}
	case 1:
		m.f.Truncate(off)
	case 2:
		m.d.mu.Lock() // the file grows by other means
		m.d.data = append(m.d.data, bytes.Repeat([]byte{byte(n)}, m.rnd.IntN(2*block))...)
		m.d.mu.Unlock()
	case 3, 4:
		m.view(off, n)
	case 5:
		if len(m.views) > 0 {
			m.release(m.rnd.IntN(len(m.views)))
		}
	case 6:
		punch(m.f, off, int64(n))
	default:
		wantRead(m.t, m.f, m.d, off, n)
	}
	st := m.c.Stats()
	if st.Bytes > st.Limit || st.Pinned > st.Bytes || st.Bytes != (m.c.held.Load()-1)*block {
		m.t.Errorf("%+v, %d held", st, m.c.held.Load())
	}
	for i, v := range m.views {
		if !bytes.Equal(v.Bytes(), m.want[i]) {
			m.t.Errorf("a View has changed")
		}
	}
}

func (m *model) view(off int64, n int) {
	v, err := m.f.View(context.Background(), off, n)
	size := int64(len(m.d.data))
	switch {
	case err == io.EOF && off >= size, errors.Is(err, ErrFull) && len(m.views) > 0:
	case err != nil || off >= size:
		m.t.Errorf("View(%d, %d) = %d bytes, %v; the size is %d", off, n, len(v.Bytes()), err, size)
	default:
		b, want := v.Bytes(), m.d.data[off:min(off+int64(n), off&^(block-1)+block, size)]
		if !bytes.Equal(b, want) {
			m.t.Errorf("View(%d, %d) = %d bytes; want the %d of the disk", off, n, len(b), len(want))
		}
		m.views, m.want = append(m.views, v), append(m.want, bytes.Clone(b))
	}
}

func (m *model) release(i int) {
	m.views[i].Release()
	last := len(m.views) - 1
	m.views[i], m.want[i] = m.views[last], m.want[last]
	m.views, m.want = m.views[:last], m.want[:last]
}

// Many goroutines share a tiny budget, with writes, failures, contexts that end, and files that are
// opened and closed. Each block contains its number and the count of its writes: a read that begins
// after a write has returned sees that write or a later one.
func TestStress(t *testing.T) {
	s := seed.Of(t)
	for _, shards := range []int{1, 4} {
		const frames, blocks = 12, 40
		c, f, d := newSharded(t, frames, blocks*block, shards)
		var written [blocks]atomic.Uint64 // the last write that has returned
		for i := range blocks {
			binary.LittleEndian.PutUint64(d.data[i*block:], uint64(i))
			binary.LittleEndian.PutUint64(d.data[i*block+8:], 0)
		}
		fails := rand.New(rand.NewPCG(s, 99))
		d.reading = func(context.Context, int64, int, bool) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			if fails.IntN(50) == 0 {
				return syscall.EIO
			}
			return nil
		}
		var wg sync.WaitGroup
		for g := range 8 {
			st := &stress{t: t, rnd: rand.New(rand.NewPCG(s, uint64(g))), c: c, f: f, written: written[:]}
			wg.Go(func() {
				for range 2000 {
					st.read()
				}
			})
		}
		for g := range 2 {
			rnd := rand.New(rand.NewPCG(s, uint64(100+g)))
			wg.Go(func() {
				for n := uint64(1); n <= 1000; n++ {
					i := rnd.IntN(blocks/2)*2 + g // each block has one writer
					b := binary.LittleEndian.AppendUint64(nil, n)
					if _, err := f.WriteAt(b, int64(i)*block+8); err != nil {
						t.Errorf("WriteAt = %v", err)
					}
					written[i].Store(n)
				}
			})
		}
		wg.Go(func() {
			for range 200 {
				other := c.File((&disk{name: "other"}).fill(3 * block))
				wantRead(t, other, other.file.(*disk), 0, 3*block)
				other.Close()
			}
		})
		wg.Wait()
		d.release()
	}
}

type stress struct {
	t       *testing.T
	rnd     *rand.Rand
	c       *Cache
	f       *File
	written []atomic.Uint64
}

func (s *stress) read() {
	i := s.rnd.IntN(len(s.written))
	ctx := context.Background()
	if s.rnd.IntN(8) == 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(s.rnd.IntN(50))*time.Microsecond)
		defer cancel()
		ctx = limited
	}
	least := s.written[i].Load()
	var b []byte
	var err error
	if s.rnd.IntN(2) == 0 {
		var v View
		v, err = s.f.View(ctx, int64(i)*block, 16)
		defer v.Release()
		b = v.Bytes()
	} else {
		n := 1 + s.rnd.IntN(min(3, len(s.written)-i))
		b = make([]byte, n*block)
		if s.rnd.IntN(2) == 0 {
			b = b[:(n-1)*block+16] // only a part of the last block
		}
		_, err = s.f.ReadAtContext(ctx, b, int64(i)*block)
	}
	if st := s.c.held.Load() - 1; st > 12 {
		s.t.Errorf("%d blocks in use; want at most 12", st)
	}
	if err != nil {
		if !errors.Is(err, syscall.EIO) && !errors.Is(err, ErrFull) && ctx.Err() == nil {
			s.t.Errorf("a read = %v", err)
		}
		return
	}
	for j := 0; j < len(b); j += block {
		if at := binary.LittleEndian.Uint64(b[j:]); at != uint64(i+j/block) {
			s.t.Errorf("block %d is given for %d", at, i+j/block)
		}
	}
	if n := binary.LittleEndian.Uint64(b[8:]); n < least {
		s.t.Errorf("block %d is as of write %d, after write %d has returned", i, n, least)
	}
}
